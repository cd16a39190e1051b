package openai

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"toolevo/envs/action"
	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// decoder reads one reply, and refuses what cannot be what a model wrote.
type decoder struct {
	n        int // samples asked for
	sampling server.Sampling
	ends     []string // the server's own words for an end
	figures  bool     // log-probabilities were asked for
	details  bool     // the tokens are wanted
	ids      bool     // the ids of tokens were asked for
	pieces   bool     // the texts of the scored tokens are wanted
	tools    bool     // samples are messages with native calls

	reply    server.Reply
	reasoned int // tokens of all samples that were reasoning, which may be kept from us
}

// choice is one sample of a reply.
type choice struct {
	Index        wire.Count     `json:"index"`
	Text         *string        `json:"text"`
	Message      *answer        `json:"message"`
	FinishReason wire.Word      `json:"finish_reason"`
	StopReason   jsontext.Value `json:"stop_reason"`
	// The ids of tokens; in a chat those of the prompt are beside the choices.
	TokenIDs       wire.Lenient[[]int] `json:"token_ids"`
	PromptTokenIDs wire.Lenient[[]int] `json:"prompt_token_ids"`

	LogProbs struct {
		// The lists of completions, beside each other.
		Tokens        []string       `json:"tokens"`
		TokenLogProbs figures        `json:"token_logprobs"`
		TopLogProbs   jsontext.Value `json:"top_logprobs"`
		// The list of chats.
		Content []wire.ScoredToken `json:"content"`
	} `json:"logprobs"`
}

// usage is what a server counts.
type usage struct {
	PromptTokens     wire.Count `json:"prompt_tokens"`
	CompletionTokens wire.Count `json:"completion_tokens"`
	Details          wire.Lenient[struct {
		CachedTokens wire.Count `json:"cached_tokens"`
	}] `json:"prompt_tokens_details"`
	Written wire.Lenient[struct {
		ReasoningTokens wire.Count `json:"reasoning_tokens"`
	}] `json:"completion_tokens_details"`
}

// read reads a reply. What a run does not need cannot spoil it.
func (d *decoder) read(body io.Reader) error {
	t := &d.reply
	choices := wire.List[choice]{Most: d.n}

	var usage wire.Lenient[usage]
	var name wire.Word
	var timings jsontext.Value // llama.cpp's own
	var promptIDs wire.Lenient[[]int]
	var complaint jsontext.Value // some gateways send one with a 200

	err := wire.NewDocument(body).Object(map[string]any{
		"model": &name, "choices": &choices, "usage": &usage, "timings": &timings, "error": &complaint,
		"prompt_token_ids": &promptIDs,
	})
	if err != nil {
		return fmt.Errorf("the reply is not the JSON of a completion: %w", err)
	}

	if err := wire.CheckError(complaint); err != nil {
		return err
	}

	t.Model = wire.Shorten(string(name))

	// Negative counts would be subtracted from an account. Whether cached tokens were reported at
	// all is kept, because 0 of them is a finding.
	t.Reading = readingIn(timings)
	t.PromptTokens, t.CompletionTokens = max(usage.V.PromptTokens.N, 0), max(usage.V.CompletionTokens.N, 0)
	d.reasoned = max(usage.V.Written.V.ReasoningTokens.N, 0)
	cached := usage.V.Details.V.CachedTokens
	t.CachedTokens, t.CachedKnown = max(cached.N, 0), cached.Known

	// A chat has them once, beside the choices; a completion has them in each.
	for i := range choices.All {
		if ids := &choices.All[i].PromptTokenIDs; len(ids.V) == 0 {
			*ids = promptIDs
		}
	}

	return d.gather(choices.All)
}

// readingIn returns how long a server read the prompt by its timings, 0 if these do not say.
func readingIn(timings jsontext.Value) time.Duration {
	var fields struct {
		PromptMS float64 `json:"prompt_ms"`
	}
	if json.Unmarshal(timings, &fields) != nil {
		return 0
	}

	return time.Duration(fields.PromptMS * float64(time.Millisecond))
}

// gather checks the choices, and puts them in their order.
func (d *decoder) gather(choices []choice) error {
	if len(choices) == 0 {
		return fmt.Errorf("no choices for %d samples", d.n)
	}

	// Sample i belongs to seed i, and servers list them as they finish.
	indices := make([]wire.Count, len(choices))
	for i := range choices {
		indices[i] = choices[i].Index
	}

	places, err := wire.Places(indices, d.n)
	if err != nil {
		return err
	}

	ordered := make([]*choice, d.n)
	for i, place := range places {
		ordered[place] = &choices[i]
	}

	t := &d.reply

	for i, c := range ordered {
		if c == nil {
			continue // lost: the caller counts
		}

		// What the server counts is the sum of all, which says nothing about one of several.
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
	return wire.CheckSamples(t.Choices, t.CompletionTokens-d.reasoned, wire.Unseen(d.sampling.Stop))
}

// sample checks one choice. tokens is how many of it the server reports beside the list of them; 0
// is unknown.
func (d *decoder) sample(c *choice, tokens int) (server.Choice, server.Detail, error) {
	var s server.Choice
	var m action.Message

	switch {
	// Asked in tokens, a chat with tools comes back as a text, in which others read the calls.
	case c.Text != nil && d.tools:
		m.Content = *c.Text
		s.Text = m.Text()
	case c.Text != nil:
		s.Text = *c.Text
	case c.Message != nil && d.tools:
		m, s.Reasoning = c.Message.message()
		s.Text = m.Text()
	case c.Message != nil:
		s.Text, s.Reasoning = c.Message.parts()
	default:
		return s, server.Detail{}, errors.New("it has no text")
	}

	detail := server.Detail{Finish: string(c.FinishReason), StopReason: stopReason(c.StopReason)}

	var err error
	if d.figures {
		if s.LogProbs, s.Tokens, err = c.figures(); err != nil {
			return s, detail, err
		}
	}

	if d.ids {
		if s.IDs, s.PromptIDs, err = c.ids(len(s.LogProbs)); err != nil {
			return s, detail, err
		}
	}

	if d.pieces {
		s.Pieces = c.tokens()
	}

	if d.details {
		detail.Likeliest, detail.Tokens = c.likeliest(), c.tokens()
	}

	s.Reasoned = d.reasoned > 0

	// The list of tokens is this sample's own; without one the server's count has to do.
	s.Tokens = cmp.Or(s.Tokens, tokens)

	s.Finish, err = wire.Finish(string(c.FinishReason), d.ends, s.Tokens, d.sampling.MaxTokens)
	if err != nil {
		return s, detail, err
	}

	if d.tools && s.Tokens >= d.sampling.MaxTokens { // vLLM says tool_calls of calls that were cut
		s.Finish = server.FinishLength
	}

	if d.tools && s.Finish == server.FinishLength {
		m.Cut = len(m.Calls) < 2 // of several calls the first one is whole
		s.Text = m.Text()
	}

	// Any stop text may have ended the sample, unless the server names the one that did: vLLM does.
	unseen := wire.Unseen(d.sampling.Stop)
	if len(c.StopReason) > 0 {
		unseen = 1
		if slices.Contains(d.sampling.Stop, detail.StopReason) {
			unseen += len(detail.StopReason)
		}
	}

	return s, detail, wire.CheckSamples([]server.Choice{s}, s.Tokens-d.reasoned, unseen)
}

// figures returns the log-probabilities of all tokens, or nil, and how many tokens are listed.
func (c *choice) figures() (numbers []float64, tokens int, err error) {
	numbers = c.LogProbs.TokenLogProbs.numbers
	tokens = max(c.LogProbs.TokenLogProbs.entries, len(c.LogProbs.Tokens))

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

// ids returns those of the sampled tokens, as many as there are log-probabilities, and those of the
// prompt.
func (c *choice) ids(scored int) (sampled, prompt []int, err error) {
	sampled, prompt = c.TokenIDs.V, c.PromptTokenIDs.V

	switch negative := func(id int) bool { return id < 0 }; {
	case slices.ContainsFunc(sampled, negative) || slices.ContainsFunc(prompt, negative):
		err = errors.New("the id of a token is negative")
	case len(sampled) > 0 && scored > 0 && len(sampled) != scored:
		err = fmt.Errorf("ids of %d tokens, log-probabilities of %d", len(sampled), scored)
	}

	return sampled, prompt, err
}

// tokens returns the texts of the tokens, or nil if the server reports none.
func (c *choice) tokens() []string {
	texts := c.LogProbs.Tokens
	for _, entry := range c.LogProbs.Content {
		texts = append(texts, entry.Token)
	}
	return texts
}

// figures is a list of numbers and nulls: the numbers, and how many entries there are.
type figures struct {
	numbers []float64
	entries int
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (f *figures) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return wire.ReadList(dec, func() error {
		token, err := dec.ReadToken()
		f.entries++

		switch {
		case err != nil:
			return err
		case token.Kind() == jsontext.KindNull:
			return nil
		case token.Kind() != jsontext.KindNumber:
			return fmt.Errorf("entry %d is not a number", f.entries)
		}

		f.numbers = append(f.numbers, token.Float())
		return nil
	})
}

// likeliest returns the log-probability of the likeliest first token, or nil.
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

// stopReason returns a text as it is, and a token's id in digits.
func stopReason(raw jsontext.Value) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}

	if raw.Kind() == jsontext.KindNumber {
		return raw.String()
	}
	return ""
}
