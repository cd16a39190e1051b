package ollama

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// sample is one decoded reply.
type sample struct {
	model  string
	choice server.Choice
	detail server.Detail
}

// line is a reply, or one line of it from a server that streams anyway. What the server counts is
// read leniently: a figure that cannot be read is 0.
type line struct {
	Model      wire.Word          `json:"model"`
	Response   string             `json:"response"`
	Thinking   string             `json:"thinking"`
	Done       bool               `json:"done"`
	DoneReason wire.Word          `json:"done_reason"`
	Error      jsontext.Value     `json:"error"`
	LogProbs   []wire.ScoredToken `json:"logprobs"`

	PromptEvalCount    wire.Count `json:"prompt_eval_count"`
	EvalCount          wire.Count `json:"eval_count"`
	LoadDuration       wire.Count `json:"load_duration"` // this and the others in nanoseconds
	PromptEvalDuration wire.Count `json:"prompt_eval_duration"`
	EvalDuration       wire.Count `json:"eval_duration"`
}

// read reads a reply: one object, or one a line.
func (s *sample) read(body io.Reader) error {
	var text, thinking strings.Builder
	doc := wire.NewDocument(body)

	// In lines although streaming is switched off: a server or a gateway may stream all the same.
	for {
		var l line
		if err := doc.Decode(&l); errors.Is(err, io.EOF) {
			return errors.New("the reply broke off before its end")
		} else if err != nil {
			return fmt.Errorf("the reply is not the JSON of a completion: %w", err)
		}

		if err := wire.CheckError(l.Error); err != nil {
			return err
		}

		text.WriteString(l.Response)
		thinking.WriteString(l.Thinking)

		for _, p := range l.LogProbs {
			if len(s.detail.Tokens) == 0 {
				s.detail.Likeliest = p.Likeliest()
			}

			s.detail.Tokens = append(s.detail.Tokens, p.Token)
			if p.LogProb != nil {
				s.choice.LogProbs = append(s.choice.LogProbs, *p.LogProb)
			}
		}

		// What the server counted comes with the last line alone.
		if !l.Done {
			continue
		}

		s.model = wire.Shorten(string(l.Model))
		s.choice.Text, s.choice.Reasoning = text.String(), thinking.String()
		s.choice.Tokens, s.detail.Finish = max(l.EvalCount.N, 0), string(l.DoneReason)
		s.detail.PromptTokens = max(l.PromptEvalCount.N, 0)
		s.detail.Load = time.Duration(l.LoadDuration.N)
		s.detail.Prefill, s.detail.Decode = time.Duration(l.PromptEvalDuration.N), time.Duration(l.EvalDuration.N)

		return doc.End()
	}
}

// What check finds.
var (
	errWindow   = errors.New("the context window")
	errNoSample = errors.New("no sample")
)

// beyond is how many more tokens a server may count than the text of a prompt can have, or than it
// was allowed to draw: those that it puts around a text.
const beyond = 16

// check finds a server that answered something other than it was asked: one that cut the prompt to
// the window, that slid the window over the prompt's beginning, that only loaded the model, or
// whose sample cannot be what the model wrote. ends are the server's own words for an end.
func (s *sample) check(c server.Completion, window int, ends []string) error {
	// Impossible counts come first: they prove nothing about the window.
	prompt, drawn := s.detail.PromptTokens, s.choice.Tokens
	switch {
	case s.detail.Finish == "load" || s.detail.Finish == "unload":
		return fmt.Errorf("%w: the server only answers that the model is in state %q",
			errNoSample, s.detail.Finish)
	case prompt > len(c.Prompt)+beyond:
		return fmt.Errorf("the server counts %d tokens in a prompt of %d bytes", prompt, len(c.Prompt))
	case drawn > c.Sampling.MaxTokens+beyond:
		return fmt.Errorf("the server counts %d tokens in a completion of at most %d",
			drawn, c.Sampling.MaxTokens)
	case prompt >= window:
		return fmt.Errorf("%w of %d tokens is full with the %d of the prompt, "+
			"which the server may have cut", errWindow, window, prompt)
	case prompt+drawn > window+1: // the last token is drawn without a place in the window
		return fmt.Errorf("%w of %d tokens slid: %d of the prompt and %d of the completion were kept "+
			"in it by dropping the oldest", errWindow, window, prompt, drawn)
	}

	// Some figures were null. None at all may be a server that gives none.
	if figures := len(s.choice.LogProbs); figures > 0 && figures < len(s.detail.Tokens) {
		return fmt.Errorf("log-probabilities of %d tokens out of %d", figures, len(s.detail.Tokens))
	}
	var err error

	s.choice.Finish, err = wire.Finish(s.detail.Finish, ends, drawn, c.Sampling.MaxTokens)
	if err != nil {
		return err
	}
	return wire.CheckSamples([]server.Choice{s.choice}, drawn, wire.Unseen(c.Sampling.Stop))
}

// gather makes one reply of the samples.
func gather(samples []sample) server.Reply {
	var t server.Reply
	for _, s := range samples {
		t.Model = s.model
		t.Choices = append(t.Choices, s.choice)
		t.Details = append(t.Details, s.detail)
		t.PromptTokens = max(t.PromptTokens, s.detail.PromptTokens)
		t.CompletionTokens += s.choice.Tokens
		t.Reading = max(t.Reading, s.detail.Prefill)
	}

	return t
}
