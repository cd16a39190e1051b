package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	api "github.com/sashabaranov/go-openai"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// decoder reads one reply, and refuses what cannot be what a model wrote.
type decoder struct {
	n        int // samples asked for
	sampling server.Sampling
	ends     []string // the server's own words for an end
	figures  bool     // log-probabilities were asked for
	details  bool     // the details of a transcript are wanted

	transcript server.Transcript
}

// choice is one sample of a reply. The lists of figures are its bulk: they are read by hand, and
// the tokens' texts only for who wants them.
type choice struct {
	Index   *int       `json:"index"`
	Text    *wire.Text `json:"text"`
	Message *struct {
		Content wire.Text `json:"content"` // null when the model said nothing
	} `json:"message"`
	FinishReason string          `json:"finish_reason"`
	StopReason   json.RawMessage `json:"stop_reason"`
	LogProbs     struct {
		// The lists of completions, beside each other.
		Tokens        json.RawMessage `json:"tokens"`
		TokenLogProbs json.RawMessage `json:"token_logprobs"`
		TopLogProbs   json.RawMessage `json:"top_logprobs"`
		// The list of chats.
		Content []wire.ScoredToken `json:"content"`
	} `json:"logprobs"`
}

// read reads a reply into the transcript.
func (d *decoder) read(body io.Reader) error {
	var choices []choice
	var usage api.Usage
	var complaint json.RawMessage
	t := &d.transcript

	doc := wire.NewDocument(body)

	err := doc.Object(func(name string) (bool, error) {
		switch name {
		case "model":
			return true, doc.Decode(&t.Model)
		case "usage":
			return true, doc.Decode(&usage)
		case "error": // some gateways send one with a 200
			return true, doc.Decode(&complaint)
		case "choices":
			return true, doc.List(d.n, func() error {
				choices = append(choices, choice{})
				return doc.Decode(&choices[len(choices)-1])
			})
		}

		return false, nil
	})
	if err == nil {
		err = doc.End()
	}

	if err != nil {
		return fmt.Errorf("the reply is not the JSON of a completion: %w", err)
	}

	if text := string(complaint); text != "" && text != "null" && text != `""` {
		return errorInReply(text)
	}

	t.Model = wire.Shorten(t.Model)

	t.PromptTokens, t.CompletionTokens = max(usage.PromptTokens, 0), max(usage.CompletionTokens, 0)
	if details := usage.PromptTokensDetails; details != nil {
		t.CachedTokens, t.CachedKnown = max(details.CachedTokens, 0), true
	}

	return d.gather(choices)
}

// gather checks the choices, and puts them in their order.
func (d *decoder) gather(choices []choice) error {
	if len(choices) == 0 {
		return fmt.Errorf("no choices for %d samples", d.n)
	}

	ordered := make([]*choice, d.n)

	for i := range choices {
		at := i
		if index := choices[i].Index; index != nil {
			at = *index
		}

		if at < 0 || at >= d.n || ordered[at] != nil {
			return fmt.Errorf("choice %d of %d has the index %d, which is another's or none", i, d.n, at)
		}

		ordered[at] = &choices[i]
	}

	t := &d.transcript

	for i, c := range ordered {
		if c == nil {
			continue // lost: the caller counts
		}

		tokens := 0
		if len(choices) == 1 {
			tokens = t.CompletionTokens
		}

		got, detail, err := d.sample(c, tokens)
		if err != nil {
			return fmt.Errorf("choice %d: %w", i, err)
		}

		t.Choices, t.Details = append(t.Choices, got), append(t.Details, detail)
	}

	if len(choices) < d.n {
		return nil // what is reported of all may count the lost ones
	}

	return wire.CheckSamples(t.Choices, t.CompletionTokens, wire.Unseen(d.sampling.Stop))
}

// sample checks one choice, of which the server reports so many tokens beside the list of them; 0
// is not known.
func (d *decoder) sample(c *choice, tokens int) (server.Choice, server.Detail, error) {
	var s server.Choice

	switch {
	case c.Text != nil:
		s.Text = string(*c.Text)
	case c.Message != nil:
		s.Text = string(c.Message.Content)
	default:
		return s, server.Detail{}, errors.New("it has no text")
	}

	detail := server.Detail{Finish: c.FinishReason, StopReason: stopReason(c.StopReason)}

	var err error
	if d.figures {
		if s.LogProbs, s.Tokens, err = c.figures(); err != nil {
			return s, detail, err
		}
	}

	if d.details {
		detail.Likeliest = c.likeliest()

		if detail.Tokens, err = c.tokens(); err != nil {
			return s, detail, err
		}
	}

	s.Tokens = cmp.Or(s.Tokens, tokens)

	s.Finish, err = wire.Finish(c.FinishReason, d.ends, s.Tokens, d.sampling.MaxTokens)
	if err != nil {
		return s, detail, err
	}

	unseen := wire.Unseen(d.sampling.Stop)
	if len(c.StopReason) > 0 { // vLLM tells what was seen
		unseen = 1
		if slices.Contains(d.sampling.Stop, detail.StopReason) {
			unseen += len(detail.StopReason)
		}
	}

	return s, detail, wire.CheckSamples([]server.Choice{s}, s.Tokens, unseen)
}

// figures are the log-probabilities of all tokens, nil when there are none, and how many tokens are
// listed.
func (c *choice) figures() (numbers []float64, tokens int, err error) {
	if numbers, tokens, err = readFigures(c.LogProbs.TokenLogProbs); err != nil {
		return nil, 0, err
	}

	tokens = max(tokens, countTexts(c.LogProbs.Tokens))
	for _, entry := range c.LogProbs.Content {
		tokens++

		if entry.LogProb != nil {
			numbers = append(numbers, *entry.LogProb)
		}
	}

	if len(numbers) > 0 && len(numbers) < tokens {
		return nil, 0, fmt.Errorf("log-probabilities of %d tokens out of %d", len(numbers), tokens)
	}

	return numbers, tokens, nil
}

// tokens are the texts of the tokens, nil when the server reports none.
func (c *choice) tokens() (texts []string, err error) {
	if raw := c.LogProbs.Tokens; len(raw) > 0 {
		if err := json.Unmarshal(raw, &texts); err != nil {
			return nil, fmt.Errorf("the tokens: %w", err)
		}
	}

	for _, entry := range c.LogProbs.Content {
		texts = append(texts, entry.Token)
	}

	return texts, nil
}

// likeliest is the log-probability of the likeliest first token, nil when it is not told.
func (c *choice) likeliest() *float64 {
	if len(c.LogProbs.Content) > 0 {
		return c.LogProbs.Content[0].Likeliest()
	}

	var lists []map[string]float64
	if json.Unmarshal(c.LogProbs.TopLogProbs, &lists) != nil || len(lists) == 0 || len(lists[0]) == 0 {
		return nil
	}

	return new(slices.Max(slices.Collect(maps.Values(lists[0]))))
}

// countTexts counts the texts in a list, which is valid JSON already.
func countTexts(raw json.RawMessage) int {
	quotes := 0

	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			quotes++
		}
	}

	return quotes / 2
}

// readFigures reads a list of numbers and nulls, which is valid JSON already: the numbers, and how
// many entries there are.
func readFigures(raw json.RawMessage) (numbers []float64, entries int, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, 0, nil
	}

	if raw[0] != '[' {
		return nil, 0, errors.New("token_logprobs is not a list")
	}

	inner := bytes.TrimSpace(raw[1 : len(raw)-1])
	if len(inner) == 0 {
		return nil, 0, nil
	}

	numbers = make([]float64, 0, bytes.Count(inner, []byte(","))+1)
	for entry := range bytes.SplitSeq(inner, []byte(",")) {
		entries++

		entry = bytes.TrimSpace(entry)
		if string(entry) == "null" {
			continue
		}

		f, err := strconv.ParseFloat(string(entry), 64)
		if err != nil {
			return nil, 0, fmt.Errorf("token_logprobs, entry %d: %w", entries, err)
		}

		numbers = append(numbers, f)
	}

	if len(numbers) == 0 {
		return nil, entries, nil
	}

	return numbers, entries, nil
}

// stopReason is a text as it is, and a token's id in digits.
func stopReason(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}

	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}

	return ""
}
