package openai

import (
	"errors"
	"fmt"

	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/server"
)

// seedBits bounds the seeds that are sent: servers keep them in 64 signed bits, some pass them
// through a float64, and the server adds the number of the sample.
const seedBits = 52

// leastWarm is the lowest temperature that is not greedy: vLLM raises those between 0 and it in
// silence.
const leastWarm = 0.01

// request is a request for completions of a prompt, or of a chat's messages. go-openai's types
// leave out every field that is zero (temperature 0, logprobs 0), and have none for vLLM's own.
type request struct {
	Model    string    `json:"model"`
	Prompt   string    `json:"prompt,omitempty"`
	Messages []message `json:"messages,omitempty"`
	N        int       `json:"n"`
	Seed     uint64    `json:"seed"`
	Stream   bool      `json:"stream"`
	Stop     []string  `json:"stop,omitempty"`

	MaxTokens        int     `json:"max_tokens"` // the one name for the limit that all servers know
	Temperature      float64 `json:"temperature"`
	TopP             float64 `json:"top_p"`
	FrequencyPenalty float64 `json:"frequency_penalty"`
	PresencePenalty  float64 `json:"presence_penalty"`

	LogProbs    any  `json:"logprobs,omitempty"`     // how many beside the sampled one (0); for a chat, true
	TopLogProbs *int `json:"top_logprobs,omitempty"` // for a chat, how many beside the sampled one

	*extensions
}

// message is one of a chat. go-openai's leaves out a content that is empty, which servers refuse.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// extensions are vLLM's own fields.
type extensions struct {
	TopK              int     `json:"top_k"`
	MinP              float64 `json:"min_p"`
	RepetitionPenalty float64 `json:"repetition_penalty"`
	IncludeStop       bool    `json:"include_stop_str_in_output"`
	AddSpecialTokens  *bool   `json:"add_special_tokens,omitempty"`
}

// extensionNames are the fields of extensions, to find in a server's complaint.
var extensionNames = []string{
	"top_k", "min_p", "repetition_penalty", "include_stop_str_in_output", "add_special_tokens",
}

// request writes the request for n samples.
func (b *Backend) request(c server.Completion, n int) request {
	s := c.Sampling

	r := request{
		Model:            b.opts.Model,
		Prompt:           c.Prompt,
		N:                n,
		Seed:             c.Seed & (1<<seedBits - 1),
		Stop:             s.Stop,
		MaxTokens:        s.MaxTokens,
		Temperature:      s.Temperature,
		TopP:             s.TopP,
		FrequencyPenalty: s.FrequencyPenalty,
		PresencePenalty:  s.PresencePenalty,
	}
	for _, m := range c.Messages {
		r.Messages = append(r.Messages, message(m))
	}

	if !b.opts.OmitLogProbs {
		r.LogProbs = 0
		if b.opts.Chat {
			r.LogProbs, r.TopLogProbs = true, new(int)
		}
	}

	if b.opts.Extensions {
		r.extensions = &extensions{
			TopK:              s.TopK,
			MinP:              s.MinP,
			RepetitionPenalty: s.RepetitionPenalty,
			AddSpecialTokens:  b.opts.AddSpecialTokens,
		}
		if s.TopK == 0 {
			r.TopK = -1 // off in every version; older ones refuse 0
		}
	}

	return r
}

// check says why a completion cannot be sent as it is meant.
func (b *Backend) check(c server.Completion) error {
	if c.N < 1 {
		return fmt.Errorf("%d samples", c.N)
	}

	if b.opts.Chat {
		if err := checkMessages(c); err != nil {
			return err
		}
	} else if c.Prompt == "" || len(c.Messages) > 0 {
		return errors.New("this backend sends prompts, and was given messages or nothing")
	}

	return b.checkSampling(c.Sampling)
}

// checkMessages wants the roles that every chat template renders, and a last message that is not
// the model's own: servers accept others, and render nothing for them.
func checkMessages(c server.Completion) error {
	if len(c.Messages) == 0 || c.Prompt != "" {
		return errors.New("this backend sends messages, and was given a prompt or nothing")
	}

	for i, m := range c.Messages {
		if m.Role != chat.SystemRole && m.Role != chat.UserRole && m.Role != chat.AssistantRole {
			return fmt.Errorf("message %d has the role %q, which chat templates may leave out", i, m.Role)
		}
	}

	if c.Messages[len(c.Messages)-1].Role == chat.AssistantRole {
		return errors.New("the last message is the model's own, which servers may close or repeat")
	}

	return nil
}

// checkSampling adds to what no server takes what this one would change or leave out in silence.
func (b *Backend) checkSampling(s server.Sampling) error {
	if err := s.Validate(); err != nil {
		return err
	}

	switch {
	case s.Temperature > 0 && s.Temperature < leastWarm:
		return fmt.Errorf("temperature %v: it is 0, or at least %v", s.Temperature, leastWarm)
	case !b.opts.Extensions && (s.TopK != 0 || s.MinP != 0 || s.RepetitionPenalty != 1):
		return fmt.Errorf("top_k %d, min_p %v and repetition_penalty %v need vLLM's own fields, which are switched off",
			s.TopK, s.MinP, s.RepetitionPenalty)
	}

	return nil
}
