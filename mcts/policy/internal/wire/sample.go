package wire

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/mcts/policy/server"
)

// SampleLimit bounds the reply that holds n samples of at most maxTokens tokens, in bytes after
// decompression: 70 to 200 a token are usual, with its log-probability.
func SampleLimit(n, maxTokens int) int64 {
	return min(1<<20+int64(n)*int64(maxTokens)*512, 64<<20)
}

// seedBits bounds the seeds that are sent. Some servers keep them in 32 signed bits and refuse
// others; the engine below Ollama takes the highest value of 32 bits, like -1, for a random one.
// All servers get the same seeds, so that it does not matter which of them draws a sample.
const seedBits = 31

// Seed is a seed as it is sent.
func Seed(seed uint64) uint64 { return seed & (1<<seedBits - 1) }

// ends are the words for an end that every server may use: OpenAI's, eos, and Anthropic's, which
// gateways before its models pass on. A server's own words are in the backends' options.
var ends = map[string]string{
	"stop":   server.FinishStop,
	"eos":    server.FinishStop,
	"length": server.FinishLength,

	"end_turn":      server.FinishStop,
	"stop_sequence": server.FinishStop,
	"max_tokens":    server.FinishLength,
}

// Finish maps a server's word for the end of a sample of that many tokens. own are the server's own
// words for a whole sample, "" among them if it names none; under those a sample of maxTokens
// tokens counts as cut. Any other word does not say whether the text is whole: the error is
// [server.ErrNoEnd].
func Finish(word string, own []string, tokens, maxTokens int) (string, error) {
	finish, known := ends[word]

	switch {
	case known:
		return finish, nil
	case slices.Contains(own, word) && tokens >= maxTokens:
		return server.FinishLength, nil
	case slices.Contains(own, word):
		return server.FinishStop, nil
	}

	shown := "nothing"
	if word != "" {
		shown = fmt.Sprintf("%.40q", word)
	}
	return "", fmt.Errorf("%w: it says %s, where stop, eos or length belongs",
		server.ErrNoEnd, shown)
}

// Bounds of a log-probability: rounding makes a certain token's a little more than 0, and vLLM
// writes an impossible one's as -9999.
const (
	mostLogProb  = 1e-5
	leastLogProb = -1e4
)

// ScoredToken is a token of a sample, as chats and Ollama report it.
type ScoredToken struct {
	Token   string   `json:"token"`
	LogProb *float64 `json:"logprob"` // nil for a null
	Top     []struct {
		LogProb float64 `json:"logprob"`
	} `json:"top_logprobs"`
}

// Likeliest is the log-probability of the likeliest token in its place, or nil.
func (t ScoredToken) Likeliest() *float64 {
	var likeliest *float64
	for i := range t.Top {
		if p := &t.Top[i].LogProb; likeliest == nil || *p > *likeliest {
			likeliest = p
		}
	}

	return likeliest
}

// Unseen is how many tokens of a sample can leave no trace in its text: those of one of the stop
// texts, and the one that ends a text.
func Unseen(stops []string) int {
	longest := 0
	for _, stop := range stops {
		longest = max(longest, len(stop))
	}
	return longest + 1
}

// Cut ends a sample at the first of the stop texts, as a server does that is sent them. tokens are
// the texts of the sample's tokens, as far as the server reports them.
func Cut(s *server.Choice, tokens, stops []string) {
	end := len(s.Text)
	for _, stop := range stops {
		if i := strings.Index(s.Text[:end], stop); i >= 0 {
			end = i
		}
	}

	if end == len(s.Text) {
		return
	}

	s.Text, s.Finish, s.Tokens, s.Ended = s.Text[:end], server.FinishStop, 0, true

	for length := 0; s.Tokens < len(tokens) && length < end; s.Tokens++ {
		length += len(tokens[s.Tokens])
	}

	if s.Tokens > 0 {
		s.LogProbs = s.LogProbs[:min(s.Tokens, len(s.LogProbs))]
		s.Pieces = s.Pieces[:min(s.Tokens, len(s.Pieces))]
	}
}

// CheckSamples finds samples that cannot be what the model wrote: their log-probabilities are
// impossible, or not of all the tokens that the server reports for them together, or the text of
// those is missing. In each sample unseen tokens may leave no trace.
func CheckSamples(samples []server.Choice, tokens, unseen int) error {
	figures, scored, silent, room := 0, true, true, 0

	for _, s := range samples {
		for _, l := range s.LogProbs {
			if !(l >= leastLogProb && l <= mostLogProb) {
				return fmt.Errorf("a log-probability of %v", l)
			}
		}

		figures += len(s.LogProbs)
		scored = scored && len(s.LogProbs) > 0
		silent = silent && strings.TrimSpace(s.Text+s.Reasoning) == ""
		room += len(s.Text) + len(s.Reasoning) + unseen
	}

	switch tokens = max(tokens, figures); {
	case silent && tokens > room:
		return fmt.Errorf("the server reports %d tokens, and no text of them", tokens)
	case scored && figures+len(samples)*unseen < tokens:
		return fmt.Errorf("log-probabilities of %d tokens out of %d", figures, tokens)
	}

	return nil
}
