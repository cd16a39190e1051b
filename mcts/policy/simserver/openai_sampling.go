package simserver

import (
	"encoding/json"
	"fmt"
)

// maxLogProbs is the most alternatives a client may ask for.
const maxLogProbs = 20

// defaultMaxTokens is vLLM's limit of a completion that states none.
const defaultMaxTokens = 16

// sampling reads and checks the sampling parameters in vLLM's words. top is how many alternatives to each token are
// wanted, -1 when not even the token's own log-probability is.
func (q *openAIRequest) sampling(s *Server, chat bool) (a sampling, top int, bad *refusal) {
	a = sampling{n: 1, maxTokens: q.limit(chat), includeStop: q.IncludeStop, unset: q.unset()}
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

	return a, top, q.check(&a, s.ignoresN())
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

// unset tells which sampling parameters were not sent.
func (q *openAIRequest) unset() (bits uint64) {
	if q.Temperature == nil {
		bits |= unsetTemperature
	}

	if q.TopP == nil {
		bits |= unsetTopP
	}

	if q.TopK == nil {
		bits |= unsetTopK
	}

	if q.RepetitionPenalty == nil {
		bits |= unsetRepetition
	}

	return bits
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

// check refuses values out of range. A server that ignores n does not look at it.
func (q *openAIRequest) check(a *sampling, ignoresN bool) *refusal {
	outside := func(v *float64, low, high float64) bool { return v != nil && !(*v >= low && *v <= high) }
	switch {
	case a.n < 1 && !ignoresN:
		return &refusal{fmt.Sprintf("n must be at least 1, got %d.", a.n), "n"}
	case outside(q.Temperature, 0, 2):
		return &refusal{fmt.Sprintf("temperature must be in [0, 2], got %v.", *q.Temperature), "temperature"}
	case outside(q.TopP, 0, 1) || q.TopP != nil && *q.TopP == 0:
		return &refusal{fmt.Sprintf("top_p must be in (0, 1], got %v.", *q.TopP), "top_p"}
	case q.TopK != nil && *q.TopK < -1:
		return &refusal{fmt.Sprintf("top_k must be 0 (disable), or at least 1, got %d.", *q.TopK), "top_k"}
	case outside(q.MinP, 0, 1):
		return &refusal{fmt.Sprintf("min_p must be in [0, 1], got %v.", *q.MinP), "min_p"}
	case q.RepetitionPenalty != nil && !(*q.RepetitionPenalty > 0):
		return &refusal{fmt.Sprintf("repetition_penalty must be greater than zero, got %v.", *q.RepetitionPenalty),
			"repetition_penalty"}
	case outside(q.FrequencyPenalty, -2, 2):
		return &refusal{fmt.Sprintf("frequency_penalty must be in [-2, 2], got %v.", *q.FrequencyPenalty),
			"frequency_penalty"}
	case outside(q.PresencePenalty, -2, 2):
		return &refusal{fmt.Sprintf("presence_penalty must be in [-2, 2], got %v.", *q.PresencePenalty),
			"presence_penalty"}
	case a.maxTokens < 1 && (q.MaxTokens != nil || q.MaxCompletionTokens != nil):
		return &refusal{fmt.Sprintf("max_tokens must be at least 1, got %d.", a.maxTokens), "max_tokens"}
	case a.greedy && a.n > 1 && !ignoresN:
		return &refusal{fmt.Sprintf("n must be 1 when using greedy sampling, got %d.", a.n), "n"}
	}

	for _, text := range a.stop {
		if text == "" {
			return &refusal{"stop cannot contain an empty string.", "stop"}
		}
	}

	return nil
}
