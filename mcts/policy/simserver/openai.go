package simserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// openAIRequest is a request of /v1/completions or /v1/chat/completions. Fields that are not
// modelled are ignored, as unknown ones are.
type openAIRequest struct {
	Model               string          `json:"model"`
	Prompt              json.RawMessage `json:"prompt"`
	Messages            []message       `json:"messages"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	N                   *int            `json:"n"`
	Seed                *int64          `json:"seed"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	TopK                *int            `json:"top_k"`
	MinP                *float64        `json:"min_p"`
	RepetitionPenalty   *float64        `json:"repetition_penalty"`
	FrequencyPenalty    *float64        `json:"frequency_penalty"`
	PresencePenalty     *float64        `json:"presence_penalty"`
	Stop                json.RawMessage `json:"stop"`
	LogProbs            json.RawMessage `json:"logprobs"` // a number for completions, true or false for chats
	TopLogProbs         *int            `json:"top_logprobs"`
	Tools               []tool          `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"` // a word, or an object that names a tool
	ParallelToolCalls   *bool           `json:"parallel_tool_calls"`
	AddSpecialTokens    *bool           `json:"add_special_tokens"`
	ReturnTokenIDs      bool            `json:"return_token_ids"` // vLLM
	Stream              bool            `json:"stream"`
	IDSlot              json.RawMessage `json:"id_slot"`      // the number of a slot (llama.cpp)
	CachePrompt         json.RawMessage `json:"cache_prompt"` // true or false (llama.cpp)
}

// beginOfText is the special token that servers put before the prompt of a completion.
const beginOfText = "<|begin_of_text|>"

func (s *Server) completions(x *exchange) { x.openAI(false) }

func (s *Server) chatCompletions(x *exchange) { x.openAI(true) }

// openAI answers a request of either path.
func (x *exchange) openAI(chat bool) {
	q, ok := x.request()
	if !ok {
		return
	}

	// In this order, because how long a prompt may be depends on the parameters.
	p, bad := x.prompt(q, chat)
	var a sampling

	var top int
	if bad == nil {
		a, top, bad = q.sampling(x.s, chat)
	}

	if bad == nil {
		bad = x.fit(p, &a)
	}

	if bad != nil {
		x.refuse(http.StatusBadRequest, bad.text, bad.param)
		return
	}

	if x.s.ignoresN() {
		a.n = 1
	}

	// Not before: a request that is refused must not change what later ones get.
	if q.Seed == nil {
		a.seed = x.s.random64()
	}

	list, ok := x.generate(p, a)
	if !ok {
		return
	}

	// The samples are spoiled, not the answer, so that its counts fit them.
	list = x.spoil(list)
	answer := x.openAIAnswer(chat, p, list, top)

	if q.ReturnTokenIDs && x.s.o.Kind == VLLM && !x.s.o.llamaCpp() {
		answer.addIDs(chat, p, list)
	}

	x.answer("application/json", answer)
}

// request reads a request. One that cannot be read is answered, and ok is false.
func (x *exchange) request() (q *openAIRequest, ok bool) {
	if err := json.Unmarshal(x.body, &q); err != nil {
		text := "1 validation error:\n  " + err.Error()
		x.refuseAs(http.StatusBadRequest, "Bad Request", text, badField(err))
		return nil, false
	}

	if q.Model != "" && q.Model != x.s.o.served() {
		x.refuse(http.StatusNotFound, fmt.Sprintf("The model `%s` does not exist.", q.Model), "model")
		return nil, false
	}
	return q, true
}

// ignoresN reports whether one choice comes back, whatever n says.
func (s *Server) ignoresN() bool { return s.o.Kind == Ollama || s.o.wrong(IgnoreN) }

func badField(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return wrong.Field
	}
	return ""
}

// prompt reads what is to be continued.
func (x *exchange) prompt(q *openAIRequest, chat bool) (*input, *refusal) {
	var text string
	var ids []int

	switch {
	case q.Stream:
		return nil, &refusal{"streams are not simulated", "stream"}
	case chat && len(q.Messages) == 0:
		return nil, &refusal{"messages must not be empty", "messages"}
	case chat:
		return x.toolPrompt(q)
	case json.Unmarshal(q.Prompt, &ids) == nil && len(ids) > 0:
		text, known := x.s.vocabulary.decode(ids)
		if !known {
			return nil, &refusal{"prompt has token IDs that /tokenize has not told.", "prompt"}
		}
		return x.s.newPrompt(text), nil
	case json.Unmarshal(q.Prompt, &text) != nil:
		return nil, &refusal{"prompt must be a text, or token IDs: lists are not simulated.", "prompt"}
	case x.s.o.Kind == Ollama: // its /v1/completions applies the model's template
		return x.s.chatPrompt([]message{{Role: "user", Content: messageText(text)}}, nil), nil
	case q.AddSpecialTokens == nil || *q.AddSpecialTokens:
		text = beginOfText + text
	}

	return x.s.newPrompt(text), nil
}

// textOrList reads a string or a list of strings; null and nothing leave list as it is.
func textOrList(raw json.RawMessage, list *[]string) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}

	if raw[0] == '[' {
		return json.Unmarshal(raw, list)
	}

	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}

	*list = []string{text}
	return nil
}

// refusal is why vLLM answers 400.
type refusal struct{ text, param string }

// fit refuses what does not fit the context window, or cuts it if the server does so silently.
// Without a limit of its own a chat may fill the window.
func (x *exchange) fit(p *input, a *sampling) *refusal {
	window, limited := x.s.o.window(), a.maxTokens > 0

	// max_tokens alone is a mistake of its own, for which the prompt is not to blame.
	silent := x.s.o.wrong(SilentTruncation) || x.s.o.Kind == Ollama
	if limited && a.maxTokens > window && !silent {
		return &refusal{fmt.Sprintf("max_tokens=%d cannot be greater than max_model_len=max_total_tokens=%d. "+
			"Please request fewer output tokens. (parameter=max_tokens, value=%d)",
			a.maxTokens, window, a.maxTokens), "max_tokens"}
	}

	// At least one token has to be left to write.
	most := window - 1
	if limited && a.maxTokens < window {
		most = window - a.maxTokens
	}

	if p.tokens.len() > most && !silent {
		return &refusal{fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d "+
			"output tokens and your prompt contains at least %d input tokens, "+
			"for a total of at least %d tokens. Please reduce the length of the input prompt or the number of "+
			"requested output tokens. (parameter=input_tokens, value=%d)",
			window, a.maxTokens, most+1, a.maxTokens+most+1, most+1), "input_tokens"}
	}

	x.s.keepEnd(p, most)

	if !limited || a.maxTokens >= window {
		a.maxTokens = window - p.tokens.len()
	}
	return nil
}

// spoil changes the samples as the exchange's fault wants it.
func (x *exchange) spoil(list []drawn) []drawn {
	switch x.fault {
	case WrongN:
		if len(list) > 1 {
			return list[1:]
		}
		return append(list, list...)
	case Empty:
		for i, d := range list {
			list[i] = drawn{tokens: []string{""}, logprobs: spread(d.logprobs[0], 0, 1)}
		}
	}

	return list
}
