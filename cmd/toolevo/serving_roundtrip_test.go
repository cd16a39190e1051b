package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolevo/configs"
	"toolevo/envs/action"
	"toolevo/finetune"
	"toolevo/trajectories/export"
)

// template is how LLaMA-Factory writes a sample for a template: what begins it, a message, an
// observation. It is put down here a second time, by hand, from its templates.
type template struct{ begin, message, observation, end string }

var wires = map[string]template{
	"llama3": {"<|begin_of_text|>", "<|start_header_id|>ROLE<|end_header_id|>\n\nTEXT<|eot_id|>",
		"<|start_header_id|>ipython<|end_header_id|>\n\nTEXT<|eot_id|>", "<|eot_id|>"},
	"qwen": {"", "<|im_start|>ROLE\nTEXT<|im_end|>\n",
		"<|im_start|>user\n<tool_response>\nTEXT\n</tool_response><|im_end|>\n", "<|im_end|>"},
}

// text is the whole text that a sample is trained as.
func (w template) text(s export.Sample) string {
	roles := map[string]string{export.Human: "user", export.GPT: "assistant"}
	fill := func(form, role, text string) string {
		before, after, _ := strings.Cut(strings.Replace(form, "ROLE", role, 1), "TEXT")
		return before + text + after
	}

	whole := w.begin + fill(w.message, "system", s.System)
	for _, m := range s.Conversations {
		if m.From == export.Observation {
			whole += fill(w.observation, "", m.Value)
		} else {
			whole += fill(w.message, roles[m.From], m.Value)
		}
	}

	return whole
}

// parrot is a model server that knows training samples by heart: what it is sent has to be the
// beginning of one of them, byte for byte, and it answers with the reply that comes next.
type parrot struct {
	t       *testing.T
	form    string
	samples []export.Sample
	texts   []string // of the samples, where it is sent text

	mu    sync.Mutex
	ended map[string]bool // questions of which a sample was said to its end
	turns int
}

const giveUp = "Thought: I do not know.\nAction: Finish\nAction Input: {\"answer\": \"unknown\"}"

// reply answers what was sent, as text or as messages.
func (p *parrot) reply(prompt string, messages []struct{ Role, Content string }) string {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.form == "chat" && len(messages) == 1 {
		return "Hello." // to the greeting
	}
	p.turns++

	asked := prompt
	if p.form == "chat" {
		asked = messages[1].Content
	}

	known := false

	for i, s := range p.samples {
		question := s.Conversations[0].Value
		known = known || strings.Contains(asked, question)

		if p.form == "chat" {
			if next, ok := continued(s, messages); ok {
				p.ended[question] = p.ended[question] || len(messages) == len(s.Conversations)
				return next
			}

			continue
		}

		if rest, ok := strings.CutPrefix(p.texts[i], prompt); ok {
			next, after, _ := strings.Cut(rest, wires[p.form].end)
			p.ended[question] = p.ended[question] || strings.TrimSpace(after) == ""
			return next
		}
	}

	if known {
		p.t.Errorf("what was sent is the beginning of no training sample:\n%s%v", prompt, messages)
	}
	return giveUp
}

// continued returns the reply that follows the messages in a sample, if they are how it begins: in
// a chat, an observation is a user's message after the marker.
func continued(s export.Sample, messages []struct{ Role, Content string }) (next string, ok bool) {
	if len(messages) > len(s.Conversations) || messages[0].Role != "system" || messages[0].Content != s.System {
		return "", false
	}

	for i, m := range messages[1:] {
		want := s.Conversations[i]

		role, content := map[string]string{export.Human: "user", export.GPT: "assistant",
			export.Observation: "user"}[want.From], want.Value
		if want.From == export.Observation {
			content = action.ObservationMarker + " " + content
		}

		if m.Role != role || m.Content != content {
			return "", false
		}
	}
	return s.Conversations[len(messages)-1].Value, true
}

func (p *parrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Prompt           string
		Messages         []struct{ Role, Content string }
		AddSpecialTokens *bool `json:"add_special_tokens"`
		Raw              bool
	}
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			p.t.Error(err)
		}
	}
	var answer any
	logprob := map[string]any{"token": "x", "logprob": -0.1}

	switch r.URL.Path {
	case "/v1/models":
		answer = map[string]any{"data": []any{map[string]any{"id": "m"}}}
	case "/api/tags":
		answer = map[string]any{"models": []any{map[string]any{"name": "m"}}}
	case "/api/version":
		answer = map[string]any{"version": "0.17.4"}
	case "/v1/completions":
		// vLLM puts the tokenizer's beginning before the text, as Ollama and llama.cpp always do.
		begin := wires[p.form].begin
		if q.AddSpecialTokens == nil || *q.AddSpecialTokens != (begin != "") {
			p.t.Errorf("add_special_tokens is %v, and the text that the model was trained on "+
				"begins with %q", q.AddSpecialTokens, begin)
		}

		answer = map[string]any{"choices": []any{map[string]any{
			"text": p.reply(begin+q.Prompt, nil), "finish_reason": "stop",
			"logprobs": map[string]any{"tokens": []string{"x"}, "token_logprobs": []float64{-0.1}}}}}
	case "/v1/chat/completions":
		answer = map[string]any{"choices": []any{map[string]any{"finish_reason": "stop",
			"logprobs": map[string]any{"content": []any{logprob}},
			"message":  map[string]any{"role": "assistant", "content": p.reply("", q.Messages)}}}}
	case "/api/generate":
		if !q.Raw || strings.HasPrefix(q.Prompt, "<|begin_of_text|>") {
			p.t.Errorf("raw: %v, and the prompt begins with %.20q; Ollama puts the beginning of text there itself",
				q.Raw, q.Prompt)
		}

		answer = map[string]any{"response": p.reply(wires[p.form].begin+q.Prompt, nil), "done": true,
			"done_reason":       "stop",
			"prompt_eval_count": 9, "eval_count": 1, "logprobs": []any{logprob}}
	default:
		http.NotFound(w, r)
		return
	}

	if err := json.NewEncoder(w).Encode(answer); err != nil {
		p.t.Error(err)
	}
}

// TestSamplesAreWhatEvaluationSends plays the exported training samples through the program: at
// every turn, what eval sends to the server is, byte for byte, how the sample begins, and at the
// end nothing of it is left over.
func TestSamplesAreWhatEvaluationSends(t *testing.T) {
	t.Parallel()

	type asked struct{ kind, form string }

	samplesAreSent(t, configs.ToolsAll, asked{kindOpenAI, "llama3"}, asked{kindOpenAI, "qwen"},
		asked{kindOpenAI, "chat"}, asked{kindOllama, "llama3"}, asked{kindOllama, "qwen"})
	samplesAreSent(t, configs.ToolsOfDataset, asked{kindOpenAI, "chat"}, asked{kindOllama, "llama3"})
}

// samplesAreSent does so with a tool list in the prompt.
func samplesAreSent(t *testing.T, tools string, tests ...struct{ kind, form string }) {
	data, dir := smallData(t), t.TempDir()
	run, exported := filepath.Join(dir, "run"), filepath.Join(dir, "export")
	shown := "server.prompt.tools=" + tools

	collection(t, "--data", data, "--limit", "6", "--trees", "3", "--set", shown, "--out", run)
	must(t, "check", run)
	must(t, "export", "--allow-scripted", run, "--out", exported)
	must(t, "check", exported)

	var samples []export.Sample
	questions, drifted := map[string]bool{}, false

	for line := range bytes.Lines(read(t, filepath.Join(exported, sftJSONL))) {
		s := document[export.Sample](t, string(line))
		samples = append(samples, s)
		questions[s.Conversations[0].Value] = true
		drifted = drifted || strings.Contains(string(line), "is deprecated")

		if listed := strings.Contains(s.System, "LoadGraph["); listed != (tools == configs.ToolsAll) {
			t.Errorf("the tool list %s: LoadGraph is listed: %v\n%s", tools, listed, s.System)
		}
	}

	if len(questions) < 4 || !drifted {
		t.Fatalf("%d questions have samples, with a deprecation: %v; the test shows little", len(questions), drifted)
	}

	for _, test := range tests {
		t.Run(tools+" "+test.kind+" "+test.form, func(t *testing.T) {
			p := &parrot{t: t, form: test.form, samples: samples, ended: map[string]bool{}}
			for _, s := range samples {
				p.texts = append(p.texts, wires[test.form].text(s))
			}

			web := httptest.NewServer(p)
			t.Cleanup(web.Close)
			report := document[finetune.Report](t,
				must(t, "eval", "--json", "--data", data, "--split", "train", "--api", "p_s_in", "--limit", "6",
					"--policy", test.kind+":m", "--server", web.URL, "--set", "server.form="+test.form, "--set",
					shown, "--set", "server.window=32768", "--out", filepath.Join(t.TempDir(), "run")))

			right := 0.0
			for _, row := range report.Rows {
				right += row.Strict * float64(row.N)
			}

			ended := 0
			for question := range questions {
				if p.ended[question] {
					ended++
				}
			}

			if ended != len(questions) || int(right+0.5) != len(questions) || p.turns < 3*ended {
				t.Errorf("%d of %d questions were said to their ends in %d turns, %v are right", ended, len(questions),
					p.turns, right)
			}
		})
	}
}
