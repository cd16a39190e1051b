package trajectories

import (
	"fmt"
	"slices"
	"strings"
)

// chatTemplate is how LLaMA-Factory 0.9.5 renders messages for a model family; %s is the content. Each piece is
// tokenised by itself, so counting the pieces counts what it trains on.
type chatTemplate struct {
	begin                            int // tokens before the first message: the beginning-of-text token
	system, human, observation, tail string
}

var chatTemplates = map[string]chatTemplate{
	"llama3": {
		begin:       1,
		system:      "<|start_header_id|>system<|end_header_id|>\n\n%s<|eot_id|>",
		human:       "<|start_header_id|>user<|end_header_id|>\n\n%s<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
		observation: "<|start_header_id|>ipython<|end_header_id|>\n\n%s<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
		tail:        "%s<|eot_id|>",
	},
	"qwen":          qwenTemplate,
	"qwen3_nothink": qwenTemplate,
}

var qwenTemplate = chatTemplate{
	system:      "<|im_start|>system\n%s<|im_end|>\n",
	human:       "<|im_start|>user\n%s<|im_end|>\n<|im_start|>assistant\n",
	observation: "<|im_start|>user\n<tool_response>\n%s\n</tool_response><|im_end|>\n<|im_start|>assistant\n",
	tail:        "%s<|im_end|>\n",
}

// Templates lists the chat templates whose tokens can be counted, by LLaMA-Factory's names.
func Templates() []string {
	names := make([]string, 0, len(chatTemplates))
	for name := range chatTemplates {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func templateByName(name string) (chatTemplate, error) {
	t, ok := chatTemplates[name]
	if !ok {
		return t, fmt.Errorf("trajectories: unknown chat template %q: want one of %s", name, strings.Join(Templates(), ", "))
	}
	return t, nil
}

// count returns the number of tokens of a sample.
func (t chatTemplate) count(s *Sample, tok *Tokenizer) int {
	n := t.begin
	piece := func(format, content string) { n += tok.Count(strings.Replace(format, "%s", content, 1)) }
	piece(t.system, s.System)
	for _, m := range s.Conversations {
		switch m.From {
		case Human:
			piece(t.human, m.Value)
		case Observation:
			piece(t.observation, m.Value)
		default:
			piece(t.tail, m.Value)
		}
	}
	return n
}
