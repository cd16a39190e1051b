package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// Transcript is a reply with what the protocol tells beyond it.
type Transcript struct {
	server.Reply
	Details []Detail // one for each of Choices
}

// Detail is what a server tells of one choice beyond its text.
type Detail struct {
	Tokens     []string // as text, those of the stop text included where the server reports them; nil when it reports none
	StopReason string   // vLLM: the stop text, or the id of the token, that ended the text; "" for the end-of-text token
	Finish     string   // the server's own word
}

// The server's words for a choice that it broke off itself.
const (
	finishAbort = "abort"
	finishError = "error"
)

// errBrokenOff says that the server gave a choice up.
var errBrokenOff = errors.New("the server broke a completion off")

type replyJSON struct {
	Model   string          `json:"model"`
	Choices []choiceJSON    `json:"choices"`
	Usage   *usageJSON      `json:"usage"`
	Error   json.RawMessage `json:"error"` // some gateways send an error with a 200
}

type choiceJSON struct {
	Index        int             `json:"index"`
	Text         string          `json:"text"`
	Message      *messageJSON    `json:"message"`
	FinishReason string          `json:"finish_reason"` // null while nothing is known
	StopReason   json.RawMessage `json:"stop_reason"`   // a text, a number or null
	LogProbs     *logProbsJSON   `json:"logprobs"`
}

type messageJSON struct {
	Content string `json:"content"` // null when the model said nothing
}

// logProbsJSON takes the shape of completions (two parallel lists) and that of chats (a list of objects). The lists are
// the bulk of a reply: they are read by hand, and the tokens' texts only for who wants them.
type logProbsJSON struct {
	Tokens        json.RawMessage `json:"tokens"`
	TokenLogProbs json.RawMessage `json:"token_logprobs"`
	Content       []struct {
		Token   string   `json:"token"`
		LogProb *float64 `json:"logprob"`
	} `json:"content"`
}

type usageJSON struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	PromptDetails    *struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// decodeReply reads the body of a reply to a request for n samples of at most maxTokens tokens, and the texts of the
// tokens if they are wanted.
func decodeReply(body []byte, n, maxTokens int, tokens bool) (Transcript, error) {
	var r replyJSON
	if err := json.Unmarshal(body, &r); err != nil {
		return Transcript{}, fmt.Errorf("the reply is not the JSON of a completion: %w", err)
	}
	if e := bytes.TrimSpace(r.Error); len(e) > 0 && !bytes.Equal(e, []byte("null")) && len(r.Choices) == 0 {
		return Transcript{}, errInReply
	}
	if len(r.Choices) == 0 {
		return Transcript{}, fmt.Errorf("no choices for %d samples", n)
	}
	slices.SortStableFunc(r.Choices, func(a, b choiceJSON) int { return cmp.Compare(a.Index, b.Index) })
	if len(r.Choices) > n {
		r.Choices = r.Choices[:n]
	}

	t := Transcript{Reply: server.Reply{Model: wire.Shorten(r.Model)}}
	if u := r.Usage; u != nil {
		t.PromptTokens, t.CompletionTokens = max(u.PromptTokens, 0), max(u.CompletionTokens, 0)
		if u.PromptDetails != nil {
			t.CachedTokens = max(u.PromptDetails.CachedTokens, 0)
		}
	}
	for _, c := range r.Choices {
		if c.FinishReason == finishAbort || c.FinishReason == finishError {
			return Transcript{}, fmt.Errorf("%w: finish_reason %q", errBrokenOff, c.FinishReason)
		}
		choice, detail, err := c.read(tokens)
		if err != nil {
			return Transcript{}, err
		}
		if choice.Tokens == 0 && len(r.Choices) == 1 {
			choice.Tokens = t.CompletionTokens
		}
		choice.Finish = finish(c.FinishReason, choice.Tokens, maxTokens)
		t.Choices = append(t.Choices, choice)
		t.Details = append(t.Details, detail)
	}
	return t, nil
}

// read is the choice but for its end.
func (c choiceJSON) read(tokens bool) (server.Choice, Detail, error) {
	choice := server.Choice{Text: c.Text}
	if c.Message != nil {
		choice.Text = c.Message.Content
	}
	detail := Detail{Finish: c.FinishReason, StopReason: stopReason(c.StopReason)}
	p := c.LogProbs
	if p == nil {
		return choice, detail, nil
	}
	var err error
	if choice.LogProbs, choice.Tokens, err = figures(p.TokenLogProbs); err != nil {
		return choice, detail, err
	}
	if tokens && len(p.Tokens) > 0 {
		if err := json.Unmarshal(p.Tokens, &detail.Tokens); err != nil {
			return choice, detail, fmt.Errorf("the tokens: %w", err)
		}
	}
	for _, t := range p.Content {
		choice.Tokens++
		if tokens {
			detail.Tokens = append(detail.Tokens, t.Token)
		}
		if t.LogProb != nil {
			choice.LogProbs = append(choice.LogProbs, *t.LogProb)
		}
	}
	return choice, detail, nil
}

// figures reads a list of numbers and nulls, which is valid JSON already: the numbers, and how many entries there are.
func figures(raw json.RawMessage) (numbers []float64, entries int, err error) {
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

// finish maps a server's word for the end. A word that is missing is guessed from the count of tokens; every other word
// (tool_calls, content_filter, eos_token, stop_sequence, repetition) is an end that the limit did not make.
func finish(word string, tokens, maxTokens int) string {
	switch {
	case word == "length", word == "max_tokens", word == "" && tokens >= maxTokens:
		return server.FinishLength
	default:
		return server.FinishStop
	}
}
