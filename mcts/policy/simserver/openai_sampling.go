package simserver

import (
	"encoding/json"
	"fmt"
)

// defaultMaxTokens is vLLM's limit of a completion that states none.
const defaultMaxTokens = 16

// sampling reads the sampling parameters; values out of range, which toolevo's clients refuse, are
// taken as they are. top is how many alternatives to each token are wanted, -1 if not even the
// token's own log-probability is.
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
	return a, top, q.checkN(&a, s)
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

// top reads which log-probabilities are asked for.
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
	return n, nil
}

// checkN refuses invalid numbers of completions. A server that ignores n does not check it.
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
