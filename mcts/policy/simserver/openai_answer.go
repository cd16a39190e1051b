package simserver

import (
	"time"

	"github.com/ollama/ollama/api"
	"github.com/sashabaranov/go-openai"
)

// openAIAnswer is the answer of either path.
type openAIAnswer struct {
	ID      string         `json:"id"`
	Object  string         `json:"object"`
	Created int64          `json:"created"`
	Model   string         `json:"model"`
	Choices []openAIChoice `json:"choices"`
	Usage   openai.Usage   `json:"usage"`

	PromptTokenIDs []int `json:"prompt_token_ids,omitempty"` // of a chat

	Timings *llamaCppTimings `json:"timings,omitempty"`
}

type openAIChoice struct {
	Index        int            `json:"index"`
	Text         *string        `json:"text,omitempty"`
	Message      *openAIMessage `json:"message,omitempty"`
	LogProbs     any            `json:"logprobs"`
	FinishReason string         `json:"finish_reason"`
	StopReason   *string        `json:"stop_reason"`

	TokenIDs       []int `json:"token_ids,omitempty"`
	PromptTokenIDs []int `json:"prompt_token_ids,omitempty"`
}

type openAIMessage struct {
	Role             string `json:"role"`
	Content          any    `json:"content"` // a text, or a list of parts
	Reasoning        string `json:"reasoning,omitempty"`
	ReasoningContent string `json:"reasoning_content,omitempty"`
	Thinking         string `json:"thinking,omitempty"`

	ToolCalls []openai.ToolCall `json:"tool_calls,omitempty"`
}

type completionLogProbs struct {
	Tokens        []string             `json:"tokens"`
	TokenLogProbs []float64            `json:"token_logprobs"`
	TopLogProbs   []map[string]float64 `json:"top_logprobs"`
}

func (x *exchange) openAIAnswer(chat bool, p *input, list []drawn, top int) openAIAnswer {
	o := &x.s.o

	answer := openAIAnswer{
		ID: "cmpl-simulated", Object: "text_completion", Created: time.Now().Unix(), Model: o.served(),
		Choices: []openAIChoice{},
	}
	if chat {
		answer.ID, answer.Object = "chat"+answer.ID, "chat.completion"
	}

	// Ollama's /v1/completions gives no log-probabilities.
	if x.fault == LostLogProbs || o.wrong(NoLogProbs) || o.Kind == Ollama && !chat {
		top = -1
	}

	u := &answer.Usage
	u.PromptTokens = p.tokens.len()

	// Tokens count as the model wrote them, before calls are taken out of the text.
	for i, d := range list {
		u.CompletionTokens += len(d.tokens)

		if p.tools != nil {
			x.s.readCalls(&d, p.tools)
		}

		c := d.choice(chat, top, o.Thoughts)
		c.Index = i
		answer.Choices = append(answer.Choices, c)
	}

	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	if !o.NoDetails && o.Kind == VLLM && !o.wrong(NoPrefixCache) {
		u.PromptTokensDetails = &openai.PromptTokensDetails{CachedTokens: p.cached}
	}

	x.s.engine.count(func(st *Stats) {
		st.PromptTokensTold += u.PromptTokens

		if u.PromptTokensDetails != nil {
			st.CachedTokensTold += u.PromptTokensDetails.CachedTokens
		}
	})

	// Replaces the usage above: llama.cpp counts the first choice alone.
	if o.llamaCpp() {
		answer.asLlamaCpp(p, list[0])
	}
	return answer
}

// addIDs adds the ids of the tokens of a prompt and its completions, as vLLM has them.
func (a *openAIAnswer) addIDs(chat bool, p *input, list []drawn) {
	prompt := shownIDs(p.tokens.strings(p.text))
	if chat {
		a.PromptTokenIDs = prompt
	}

	for i := range a.Choices {
		if a.Choices[i].TokenIDs = shownIDs(list[i].tokens); !chat {
			a.Choices[i].PromptTokenIDs = prompt
		}
	}
}

func (d *drawn) choice(chat bool, top int, thoughts Thoughts) openAIChoice {
	c := openAIChoice{FinishReason: "stop"}
	if len(d.calls) > 0 {
		c.FinishReason = "tool_calls"
	}

	// After the calls, of which the last may have been cut.
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
		c.LogProbs = d.completionLogProbs()
	}
	return c
}

// completionLogProbs lists the tokens; as the likeliest ones, if they are wanted, only the sampled
// token.
func (d *drawn) completionLogProbs() *completionLogProbs {
	l := &completionLogProbs{Tokens: d.tokens, TokenLogProbs: d.logprobs}
	for i, token := range d.tokens {
		l.TopLogProbs = append(l.TopLogProbs, map[string]float64{token: d.logprobs[i]})
	}
	return l
}

// chatLogProbs lists the first n tokens in the form of chats and of Ollama.
func (d *drawn) chatLogProbs(n, top int) []api.Logprob {
	list := make([]api.Logprob, n)
	for i := range list {
		list[i].TokenLogprob = api.TokenLogprob{Token: d.tokens[i], Logprob: d.logprobs[i]}
		if top > 0 {
			list[i].TopLogprobs = []api.TokenLogprob{list[i].TokenLogprob}
		}
	}

	return list
}
