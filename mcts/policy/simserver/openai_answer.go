package simserver

import (
	"fmt"
	"unicode/utf8"

	"github.com/ollama/ollama/api"
	"github.com/sashabaranov/go-openai"
)

// openAIAnswer is the answer of either path. Choices are those of the first prompt, then those of the next.
type openAIAnswer struct {
	ID      string         `json:"id"`
	Object  string         `json:"object"`
	Created int64          `json:"created"`
	Model   string         `json:"model"`
	Choices []openAIChoice `json:"choices"`
	Usage   openai.Usage   `json:"usage"`

	Timings *llamaCppTimings `json:"timings,omitempty"`
}

type openAIChoice struct {
	Index        int            `json:"index"`
	Text         *string        `json:"text,omitempty"`
	Message      *openAIMessage `json:"message,omitempty"`
	LogProbs     any            `json:"logprobs"`
	FinishReason string         `json:"finish_reason"`
	StopReason   *string        `json:"stop_reason"`
	TokenIDs     []uint32       `json:"token_ids"`
}

type openAIMessage struct {
	Role             string `json:"role"`
	Content          any    `json:"content"` // a text, or a list of parts
	Reasoning        string `json:"reasoning,omitempty"`
	ReasoningContent string `json:"reasoning_content,omitempty"`
	Thinking         string `json:"thinking,omitempty"`
}

type completionLogProbs struct {
	Tokens        []string             `json:"tokens"`
	TokenLogProbs []float64            `json:"token_logprobs"`
	TopLogProbs   []map[string]float64 `json:"top_logprobs"`
	TextOffset    []int                `json:"text_offset"`
}

func (x *exchange) openAIAnswer(q *openAIRequest, chat bool, prompts []*input, lists [][]drawn, top int) openAIAnswer {
	o := &x.s.o

	answer := openAIAnswer{
		ID: fmt.Sprintf("cmpl-%024x", x.s.id()), Object: "text_completion", Created: created(), Model: o.served(),
		Choices: []openAIChoice{},
	}
	if chat {
		answer.ID, answer.Object = "chat"+answer.ID, "chat.completion"
	}

	if x.fault == LostLogProbs || o.wrong(NoLogProbs) || o.Kind == Ollama && !chat {
		top = -1
	}

	u := &answer.Usage
	cached := 0

	for i, p := range prompts {
		u.PromptTokens += p.tokens.len()
		cached += p.cached

		for _, d := range lists[i] {
			u.CompletionTokens += len(d.tokens)
			c := d.choice(chat, top, o.Thoughts)
			c.Index = len(answer.Choices)

			if q.ReturnTokenIDs {
				for _, t := range d.tokens {
					c.TokenIDs = append(c.TokenIDs, tokenID(t))
				}
			}

			answer.Choices = append(answer.Choices, c)
		}
	}

	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	if !o.NoDetails && o.Kind == VLLM && !o.wrong(NoPrefixCache) {
		u.PromptTokensDetails = &openai.PromptTokensDetails{CachedTokens: cached}
	}

	if o.llamaCpp() {
		answer.asLlamaCpp(prompts[0], lists[0][0])
	}

	return answer
}

func (d *drawn) choice(chat bool, top int, thoughts Thoughts) openAIChoice {
	c := openAIChoice{FinishReason: "stop"}
	if d.length {
		c.FinishReason = "length"
	}

	if d.stop != "" {
		c.StopReason = &d.stop
	}

	if chat {
		c.Message = d.message(thoughts)
		if top >= 0 {
			c.LogProbs = map[string]any{"content": d.chatLogProbs(len(d.tokens), top)}
		}

		return c
	}

	c.Text = &d.text
	if top >= 0 {
		c.LogProbs = d.completionLogProbs(top)
	}

	return c
}

// completionLogProbs lists the tokens with at most top alternatives each; the sampled token is the first of them.
func (d *drawn) completionLogProbs(top int) *completionLogProbs {
	l := &completionLogProbs{Tokens: d.tokens, TokenLogProbs: d.logprobs}
	at := 0

	for i, token := range d.tokens {
		best := map[string]float64{token: d.logprobs[i]}

		names, logprob := alternatives(d.logprobs[i], max(0, top-1))
		for _, name := range names {
			if name != token {
				best[name] = logprob
			}
		}

		l.TopLogProbs = append(l.TopLogProbs, best)
		l.TextOffset = append(l.TextOffset, at)
		at += utf8.RuneCountInString(token)
	}

	return l
}

// chatLogProbs lists the first n tokens in the form of chats and of Ollama.
func (d *drawn) chatLogProbs(n, top int) []api.Logprob {
	list := make([]api.Logprob, n)
	for i := range list {
		sampled := tokenLogProb(d.tokens[i], d.logprobs[i])

		list[i].TokenLogprob = sampled
		if top > 0 {
			list[i].TopLogprobs = []api.TokenLogprob{sampled}
		}

		names, logprob := alternatives(d.logprobs[i], max(0, top-1))
		for _, name := range names {
			list[i].TopLogprobs = append(list[i].TopLogprobs, tokenLogProb(name, logprob))
		}
	}

	return list
}

func tokenLogProb(token string, logprob float64) api.TokenLogprob {
	l := api.TokenLogprob{Token: token, Logprob: logprob, Bytes: make([]int, 0, len(token))}
	for _, b := range []byte(token) {
		l.Bytes = append(l.Bytes, int(b))
	}

	return l
}
