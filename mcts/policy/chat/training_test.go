package chat_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// trained is how LLaMA-Factory 0.9.5 writes a whole sample, after its register_template calls, put
// down a second time.
var trained = map[string]struct{ begin, message, observation string }{
	"llama3": {"<|begin_of_text|>", "<|start_header_id|>ROLE<|end_header_id|>\n\nTEXT<|eot_id|>",
		"<|start_header_id|>ipython<|end_header_id|>\n\nTEXT<|eot_id|>"},
	"qwen": {"", "<|im_start|>ROLE\nTEXT<|im_end|>\n",
		"<|im_start|>user\n<tool_response>\nTEXT\n</tool_response><|im_end|>\n"},
	"qwen3_nothink": {"", "<|im_start|>ROLE\nTEXT<|im_end|>\n",
		"<|im_start|>user\n<tool_response>\nTEXT\n</tool_response><|im_end|>\n"},
	"chatml": {"", "<|im_start|>ROLE\nTEXT<|im_end|>\n", "<|im_start|>tool\nTEXT<|im_end|>\n"},
}

// training is the whole text that a sample is trained as.
func training(template string, s *export.Sample) string {
	how := trained[template]
	write := func(form, role, text string) string {
		before, after, _ := strings.Cut(strings.Replace(form, "ROLE", role, 1), "TEXT")
		return before + text + after
	}

	whole := how.begin + write(how.message, "system", s.System)
	for _, m := range s.Conversations {
		switch m.From {
		case export.Human:
			whole += write(how.message, "user", m.Value)
		case export.Observation:
			whole += write(how.observation, "", m.Value)
		default:
			whole += write(how.message, "assistant", m.Value)
		}
	}

	return whole
}

// sampleOf exports a history, whose last action is taken for the right answer, and returns its
// sample.
func sampleOf(h envs.History, codec action.Codec, system string, clean *chat.Sanitizer) export.Sample {
	tree := &mcts.TreeRecord{Nodes: []mcts.Record{{Parent: mcts.NoParent}}}
	for i, turn := range h.Turns() {
		tree.Nodes = append(tree.Nodes, mcts.Record{
			ID:          i + 1,
			Parent:      i,
			Depth:       i + 1,
			Action:      string(turn.Action),
			Observation: turn.Observation,
		})
	}

	tree.Nodes[h.Len()].Outcome = envs.Correct
	meta := trajectories.Meta{Question: trajectories.Question{Text: h.Task().Question}}
	sample, _ := export.NewSample(
		trajectories.Shown{System: system, Codec: codec}, &trajectories.FromTree(meta, tree)[0], clean)
	return sample
}

// What is trained is what evaluation sends, and the answer: at every turn, whatever the texts.
func TestTrainingIsPromptAndAnswer(t *testing.T) {
	clean := newSanitizer(t, "<extra_token>")
	rapid.Check(t, func(t *rapid.T) {
		template, full := anyTemplate(t), history(t).Append(turn(text().Draw(t, "answer"), "Answer is CORRECT"))
		system := "Tools: " + text().Draw(t, "system")
		sample := sampleOf(full, nil, system, clean)
		whole := training(template.String(), &sample)

		h := envs.NewHistory(full.Task())
		for _, next := range full.Turns() {
			sent := template.Render(system, h, clean) + template.Reply(chat.ReplyText(string(next.Action)))
			if !strings.HasPrefix(whole, sent) {
				t.Fatalf("after %d turns:\n%q\nis not how the training text begins:\n%q", h.Len(), sent, whole)
			}

			if h = h.Append(next); h.Len() == full.Len() && sent != whole {
				t.Fatalf("%q\nis not the whole of the training text:\n%q", sent, whole)
			}
		}
	})
}
