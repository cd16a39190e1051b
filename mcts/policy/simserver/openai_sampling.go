package simserver

import (
	"encoding/json"
	"fmt"
	"slices"
)

// maxLogProbs is the most alternatives a client may ask for.
const maxLogProbs = 20

// maxStops is the most stop texts, as in OpenAI's protocol.
const maxStops = 4

// defaultMaxTokens is vLLM's limit of a completion that states none.
const defaultMaxTokens = 16

// sampling reads and checks the sampling parameters in vLLM's words. top is how many alternatives to each token are
// wanted, -1 when not even the token's own log-probability is.
func (q *openAIRequest) sampling(s *Server, chat bool) (a sampling, top int, bad *refusal) {
	a = sampling{
		n:         1,
		maxTokens: q.limit(chat),
		unset:     bits(q.Temperature == nil, q.TopP == nil, q.TopK == nil, q.RepetitionPenalty == nil),
	}
	if q.N != nil {
		a.n = *q.N
	}

	if q.Seed != nil {
		a.seed = uint64(*q.Seed)
	}

	if err := textOrList(q.Stop, &a.stop); err != nil {
		return a, 0, &refusal{"stop must be a text or a list of texts", "stop"}
	}

	if top, bad = q.top(chat); bad != nil {
		return a, top, bad
	}

	a.greedy = q.Temperature != nil && *q.Temperature == 0

	if s.o.llamaCpp() {
		a.placement = q.placement()
	}

	return a, top, q.check(&a, s)
}

func (q *openAIRequest) limit(chat bool) int {
	switch {
	case chat && q.MaxCompletionTokens != nil:
		return *q.MaxCompletionTokens
	case q.MaxTokens != nil:
		return *q.MaxTokens
	case chat:
		return 0 // what is left of the window
	}

	return defaultMaxTokens
}

// top reads what is asked of log-probabilities.
func (q *openAIRequest) top(chat bool) (int, *refusal) {
	raw := string(q.LogProbs)
	if raw == "" || raw == "null" || raw == "false" && chat {
		return -1, nil
	}

	n := 0
	switch {
	case chat && raw != "true":
		return 0, &refusal{"logprobs must be true or false", "logprobs"}
	case chat && q.TopLogProbs != nil:
		n = *q.TopLogProbs
	case !chat && json.Unmarshal(q.LogProbs, &n) != nil:
		return 0, &refusal{"logprobs must be a whole number", "logprobs"}
	}

	if n < 0 {
		return 0, &refusal{"`logprobs` must be a positive value.", "logprobs"}
	}

	if n > maxLogProbs {
		return 0, &refusal{fmt.Sprintf("Requested sample logprobs of %d, which is greater than max allowed: %d", n,
			maxLogProbs), "logprobs"}
	}

	return n, nil
}

// check refuses values out of range.
func (q *openAIRequest) check(a *sampling, s *Server) *refusal {
	if bad := q.checkN(a, s); bad != nil {
		return bad
	}

	for _, p := range []struct {
		name   string
		value  *float64
		inside func(float64) bool
		want   string
	}{
		{"temperature", q.Temperature, within(0, 2), "in [0, 2]"},
		{"top_p", q.TopP, func(v float64) bool { return v > 0 && v <= 1 }, "in (0, 1]"},
		{"min_p", q.MinP, within(0, 1), "in [0, 1]"},
		{"repetition_penalty", q.RepetitionPenalty, func(v float64) bool { return v > 0 }, "greater than zero"},
		{"frequency_penalty", q.FrequencyPenalty, within(-2, 2), "in [-2, 2]"},
		{"presence_penalty", q.PresencePenalty, within(-2, 2), "in [-2, 2]"},
	} {
		if p.value != nil && !p.inside(*p.value) {
			return &refusal{fmt.Sprintf("%s must be %s, got %v.", p.name, p.want, *p.value), p.name}
		}
	}

	switch {
	case q.TopK != nil && *q.TopK < -1:
		return &refusal{fmt.Sprintf("top_k must be 0 (disable), or at least 1, got %d.", *q.TopK), "top_k"}
	case a.maxTokens < 1 && (q.MaxTokens != nil || q.MaxCompletionTokens != nil):
		return &refusal{fmt.Sprintf("max_tokens must be at least 1, got %d.", a.maxTokens), "max_tokens"}
	case len(a.stop) > maxStops:
		return &refusal{fmt.Sprintf("List should have at most %d items after validation, not %d", maxStops,
			len(a.stop)), "stop"}
	case slices.Contains(a.stop, ""):
		return &refusal{"stop cannot contain an empty string.", "stop"}
	}

	return nil
}

// checkN refuses numbers of completions. A server that ignores n does not look at it.
func (q *openAIRequest) checkN(a *sampling, s *Server) *refusal {
	switch {
	case s.ignoresN():
		return nil
	case s.o.llamaCpp() && (a.n < 1 || a.n > s.o.Slots):
		return &refusal{fmt.Sprintf("Field 'n': Value must be between 1 <= value <= %d, but got %d", s.o.Slots,
			a.n), "n"}
	case a.n < 1:
		return &refusal{fmt.Sprintf("n must be at least 1, got %d.", a.n), "n"}
	case a.greedy && a.n > 1 && !s.o.llamaCpp():
		return &refusal{fmt.Sprintf("n must be 1 when using greedy sampling, got %d.", a.n), "n"}
	}

	return nil
}

// within is the test of a closed range.
func within(low, high float64) func(float64) bool {
	return func(v float64) bool { return v >= low && v <= high }
}
