package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// Transcript is a reply with what the server tells beyond it.
type Transcript struct {
	server.Reply
	Details []Detail // one for each of Choices
}

// Detail is what the server tells of one choice beyond its text.
type Detail struct {
	Tokens       []string      // as text, those of the stop text left out; nil when the server reports none
	Finish       string        // the server's own word
	PromptTokens int           // of this sample's prompt, as the server counted them
	LoadDuration time.Duration // time the model took to load for this request
}

// sample is one decoded reply.
type sample struct {
	choice     server.Choice
	detail     Detail
	doneReason string
	thinking   string
	model      string
}

// lineJSON is a reply, or one line of it from a server that streams all the same.
type lineJSON struct {
	Model           string `json:"model"`
	Response        string `json:"response"`
	Thinking        string `json:"thinking"`
	Done            bool   `json:"done"`
	DoneReason      string `json:"done_reason"`
	Error           string `json:"error"`
	PromptEvalCount int    `json:"prompt_eval_count"`
	EvalCount       int    `json:"eval_count"`
	LoadDuration    int64  `json:"load_duration"` // nanoseconds
	LogProbs        []struct {
		Token   string   `json:"token"`
		LogProb *float64 `json:"logprob"`
	} `json:"logprobs"`
}

// complaintInReply is an error that the server sent after a good status.
type complaintInReply string

func (c complaintInReply) Error() string { return string(c) }

// decodeSample reads the body of a reply: one object, or one a line.
func decodeSample(body []byte) (sample, error) {
	var s sample
	dec := json.NewDecoder(bytes.NewReader(body))
	done := false
	for {
		var line lineJSON
		if err := dec.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return sample{}, fmt.Errorf("the reply is not the JSON of a completion: %w", err)
		}
		if line.Error != "" {
			return sample{}, complaintInReply(line.Error)
		}
		if done {
			return sample{}, errors.New("the reply goes on after its end")
		}
		s.add(line)
		done = line.Done
	}
	if !done {
		return sample{}, errors.New("the reply broke off before its end")
	}
	return s, nil
}

// add appends one line.
func (s *sample) add(line lineJSON) {
	s.choice.Text += line.Response
	s.thinking += line.Thinking
	for _, p := range line.LogProbs {
		s.detail.Tokens = append(s.detail.Tokens, p.Token)
		if p.LogProb != nil {
			s.choice.LogProbs = append(s.choice.LogProbs, *p.LogProb)
		}
	}
	if line.Done {
		s.model = wire.Shorten(line.Model)
		s.doneReason, s.detail.Finish = line.DoneReason, line.DoneReason
		s.choice.Tokens = max(line.EvalCount, 0)
		s.detail.PromptTokens = max(line.PromptEvalCount, 0)
		s.detail.LoadDuration = time.Duration(line.LoadDuration)
	}
}

// What check finds.
var (
	errWindow   = errors.New("the context window")
	errNoSample = errors.New("no sample")
)

// check finds out a server that answered something else than it was asked: one that cut the prompt to the window, that
// slid the window over the prompt's beginning, that only loaded the model, or that split the text.
func (s sample) check(window int) error {
	prompt, all := s.detail.PromptTokens, s.detail.PromptTokens+s.choice.Tokens
	switch {
	case s.doneReason == "load" || s.doneReason == "unload":
		return fmt.Errorf("%w: the server only answers that the model is in state %q", errNoSample, s.doneReason)
	case s.thinking != "":
		return fmt.Errorf("%w: the server split the completion into a thought and an answer, although told not to",
			errNoSample)
	case prompt >= window:
		return fmt.Errorf("%w of %d tokens is full with the %d of the prompt, which the server may have cut",
			errWindow, window, prompt)
	case all > window+1: // the last token is drawn without a place in the window
		return fmt.Errorf("%w of %d tokens slid: %d of the prompt and %d of the completion were kept in it by "+
			"dropping the oldest", errWindow, window, prompt, s.choice.Tokens)
	}
	return nil
}

// gather makes one reply of the samples.
func gather(samples []sample) Transcript {
	var t Transcript
	for _, s := range samples {
		t.Model = s.model
		t.Choices = append(t.Choices, s.choice)
		t.Details = append(t.Details, s.detail)
		t.PromptTokens = max(t.PromptTokens, s.detail.PromptTokens)
		t.CompletionTokens += s.choice.Tokens
	}
	return t
}

// finish maps the server's word for the end. A word that is missing is guessed from the count of tokens.
func finish(word string, tokens, maxTokens int) string {
	if word == "length" || word == "" && tokens >= maxTokens {
		return server.FinishLength
	}
	return server.FinishStop
}
