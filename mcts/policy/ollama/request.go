package ollama

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ollama/ollama/api"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// Options that have no place in [server.Sampling].
const (
	keepTokens   = 4  // num_keep, the server's default: without effect while nothing is cut
	typicalOff   = 1  // typical_p
	penaltyReach = 64 // repeat_last_n, the server's default: how far back the penalties look, in tokens
)

// optionNames are Ollama's names of the parameters that have others in OpenAI's protocol.
var optionNames = map[string]string{
	"repetition_penalty": "repeat_penalty", "max_tokens": "num_predict",
}

// request writes the request for the sample with the seed.
func (b *Backend) request(c server.Completion, seed uint64) *api.GenerateRequest {
	s := c.Sampling
	off := false

	stop := s.Stop
	if stop == nil {
		stop = []string{} // null would leave the model's own in force
	}

	// Everything is sent, defaults included: a Modelfile may set any option otherwise. Too long a
	// prompt is refused, not cut (Truncate), and the window does not slide (Shift).
	req := &api.GenerateRequest{
		Model:    b.opts.Model,
		Prompt:   c.Prompt,
		Raw:      true,
		Stream:   &off,
		Truncate: &off,
		Shift:    &off,
		// A model that can think does so unless told not to, and its text is then split even for a
		// raw prompt.
		Think:     &api.ThinkValue{Value: false},
		KeepAlive: &api.Duration{Duration: -1}, // the model stays loaded
		Logprobs:  !b.opts.OmitLogProbs && !c.Dialect.Omits("logprobs"),
		Options: map[string]any{
			"num_ctx":           b.opts.Window,
			"num_predict":       s.MaxTokens,
			"num_keep":          keepTokens,
			"seed":              wire.Seed(seed),
			"temperature":       s.Temperature,
			"top_k":             s.TopK,
			"top_p":             s.TopP,
			"min_p":             s.MinP,
			"typical_p":         typicalOff,
			"repeat_last_n":     penaltyReach,
			"repeat_penalty":    s.RepetitionPenalty,
			"presence_penalty":  s.PresencePenalty,
			"frequency_penalty": s.FrequencyPenalty,
			"stop":              stop,
		},
	}

	if c.Likeliest && req.Logprobs {
		req.TopLogprobs = 1
	}

	for _, name := range c.Dialect.LeaveOut {
		delete(req.Options, cmp.Or(optionNames[name], name))
	}
	return req
}

// check says why a completion cannot be sent as it is meant. The server checks nothing but types.
func (b *Backend) check(c server.Completion) error {
	switch {
	case c.N < 1:
		return fmt.Errorf("%d samples", c.N)
	case len(c.Messages) > 0 || c.Prompt == "":
		// An empty prompt loads the model and answers with nothing.
		return errors.New("this backend sends raw prompts, and was given messages or nothing")
	}

	return c.Sampling.Validate()
}
