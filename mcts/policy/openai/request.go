package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/server"
)

// seedBits bounds the seeds that are sent: servers keep them in 64 signed bits, some pass them through a float64, and
// the server adds the number of the sample.
const seedBits = 52

// leastWarm is the lowest temperature that is not greedy: vLLM raises those between 0 and it in silence.
const leastWarm = 0.01

// samplesWhenCold is how many samples are drawn at temperature 0, where vLLM refuses more.
const samplesWhenCold = 1

// extras are the fields that go-openai leaves out when zero, lacks, or means to give up: max_tokens is the one name for
// the limit that all servers know.
type extras struct {
	MaxTokens        int     `json:"max_tokens"`
	Temperature      float64 `json:"temperature"`
	TopP             float64 `json:"top_p"`
	FrequencyPenalty float64 `json:"frequency_penalty"`
	PresencePenalty  float64 `json:"presence_penalty"`

	LogProbs    any  `json:"logprobs,omitempty"`     // how many beside the sampled one (0); for a chat, true
	TopLogProbs *int `json:"top_logprobs,omitempty"` // for a chat, how many beside the sampled one

	*extensions
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

// exchange writes what the splicer puts around the client's body.
func (b *Backend) exchange(c server.Completion) (*exchange, error) {
	x := &exchange{}
	model, err := encode(b.opts.Model)
	if err != nil {
		return nil, err
	}
	x.head = append([]byte(`{"model":`), model...)
	var input []byte
	if b.opts.Chat {
		x.clientHead = []byte(`{"model":"","messages":null`)
		x.head = append(x.head, `,"messages":`...)
		input, err = encode(wireMessages(c.Messages))
	} else {
		x.clientHead = []byte(`{"model":"","prompt":""`)
		x.head = append(x.head, `,"prompt":`...)
		input, err = encode(c.Prompt)
	}
	if err != nil {
		return nil, err
	}
	x.head = append(x.head, input...)

	fields, err := encode(b.extras(c.Sampling))
	if err != nil {
		return nil, err
	}
	x.tail = append([]byte{','}, fields[1:len(fields)-1]...)
	return x, nil
}

func (b *Backend) extras(s server.Sampling) extras {
	e := extras{
		MaxTokens:        s.MaxTokens,
		Temperature:      s.Temperature,
		TopP:             s.TopP,
		FrequencyPenalty: s.FrequencyPenalty,
		PresencePenalty:  s.PresencePenalty,
	}
	if !b.opts.OmitLogProbs {
		e.LogProbs = 0
		if b.opts.Chat {
			e.LogProbs, e.TopLogProbs = true, new(int)
		}
	}
	if b.opts.Extensions {
		e.extensions = &extensions{
			TopK:              s.TopK,
			MinP:              s.MinP,
			RepetitionPenalty: s.RepetitionPenalty,
			AddSpecialTokens:  b.opts.AddSpecialTokens,
		}
		if s.TopK == 0 {
			e.TopK = -1 // off in every version; older ones refuse 0
		}
	}
	return e
}

// wireMessage is a message on the wire. go-openai's leaves out a content that is empty, which servers refuse.
type wireMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func wireMessages(messages []chat.Message) []wireMessage {
	out := make([]wireMessage, len(messages))
	for i, m := range messages {
		out[i] = wireMessage(m)
	}
	return out
}

// encode is JSON without the escapes for HTML, which make a prompt full of <|markers|> longer.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
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

// checkMessages wants the roles that every chat template renders, and a last message that is not the model's own:
// servers accept others, and render nothing for them.
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
