package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/internal/wire"
	"toolevo/mcts/policy/server"
)

// minTemperature is the lowest temperature that is not greedy: vLLM silently raises those between 0
// and it.
const minTemperature = 0.01

// message is one of a chat. go-openai's type leaves out an empty content, which servers refuse, and
// with it an empty observation.
type message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCalls  []call `json:"tool_calls,omitempty"` // no key without calls: templates test for it
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// call is a native call of a message.
type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func messagesOf(c server.Completion) []message {
	all := make([]message, len(c.Messages))

	for i, m := range c.Messages {
		all[i] = message{Role: m.Role, Content: m.Content, ToolCallID: m.CallID}
		for _, c := range m.Calls {
			all[i].ToolCalls = append(all[i].ToolCalls, call{c.ID, "function", function(c.ToolCall)})
		}
	}

	return all
}

// ownFields are those that requests may hold anyway, so that none of them can hold the session.
var ownFields = append(server.Parameters(),
	"model", "messages", "prompt", "max_completion_tokens", "top_logprobs",
	"return_token_ids", "skip_special_tokens", "tools", "tool_choice", "parallel_tool_calls",
	"chat_template_kwargs")

// request writes the request for n samples, of ids if these are the prompt. go-openai's types leave
// out every field that is zero (temperature 0, logprobs 0), and have none for vLLM's own.
func (b *Backend) request(c server.Completion, ids []int, n int) map[string]any {
	s := c.Sampling

	fields := map[string]any{
		"model":             b.opts.Model,
		"n":                 n,
		"seed":              wire.Seed(c.Seed),
		"stream":            false,
		"max_tokens":        s.MaxTokens, // the name for the limit that nearly all servers know
		"temperature":       s.Temperature,
		"top_p":             s.TopP,
		"frequency_penalty": s.FrequencyPenalty,
		"presence_penalty":  s.PresencePenalty,
	}
	if len(s.Stop) > 0 {
		fields["stop"] = s.Stop
	}

	// In tokens the server has applied its template already, tools included: see tokens.
	chat := b.opts.Chat && ids == nil

	switch {
	// A call may begin with a special token, which the text would otherwise lack.
	case ids != nil:
		fields["prompt"], fields["skip_special_tokens"] = ids, false
	case chat:
		b.addMessages(fields, c)

		if c.Tools != "" {
			b.addToolChoice(fields)
		}
	default:
		fields["prompt"] = c.Prompt
	}

	if c.Dialect.MaxCompletionTokens {
		fields["max_completion_tokens"] = s.MaxTokens
		delete(fields, "max_tokens")
	}

	if name := b.opts.Session.Field; name != "" && c.Session != "" {
		fields[name] = c.Session
	}

	if !b.opts.OmitLogProbs && !c.Dialect.Omits("logprobs") {
		addLogProbs(fields, chat, c.Likeliest, c.Dialect.OneLogProb)
	}

	if b.opts.TokenIDs {
		fields["return_token_ids"] = true
	}

	if b.opts.Extensions {
		b.addExtensions(fields, s)
	}

	// Last, because whatever was added above may be what the server does not take.
	for _, name := range c.Dialect.LeaveOut {
		delete(fields, name)
	}
	return fields
}

// addMessages adds what the model's template renders. Strict schemas are not asked for: under a
// grammar the model could not call unlisted names and parameters.
func (b *Backend) addMessages(fields map[string]any, c server.Completion) {
	fields["messages"] = messagesOf(c)

	if c.Tools != "" {
		fields["tools"] = json.RawMessage(c.Tools)
	}

	if len(b.opts.Template) > 0 {
		fields["chat_template_kwargs"] = b.opts.Template.Values()
	}
}

// addToolChoice says which of the tools may be called.
func (b *Backend) addToolChoice(fields map[string]any) {
	fields["tool_choice"] = b.opts.Tools.Choice

	if parallel, err := strconv.ParseBool(b.opts.Tools.Parallel); err == nil {
		fields["parallel_tool_calls"] = parallel
	}
}

// sessionHeader returns the header that names the tree, or nil.
func (b *Backend) sessionHeader(c server.Completion) map[string]string {
	if name := b.opts.Session.Header; name != "" && c.Session != "" {
		return map[string]string{name: c.Session}
	}
	return nil
}

// addLogProbs asks for the log-probabilities of the sampled tokens, and maybe of the likeliest
// ones.
func addLogProbs(fields map[string]any, chat, likeliest, atLeastOne bool) {
	beside := 0
	if likeliest || atLeastOne {
		beside = 1
	}

	switch {
	case chat && likeliest:
		fields["logprobs"], fields["top_logprobs"] = true, 2 // the first that vLLM lists is the sampled one
	case chat:
		fields["logprobs"], fields["top_logprobs"] = true, beside
	default:
		fields["logprobs"] = beside
	}
}

// addExtensions adds vLLM's own fields.
func (b *Backend) addExtensions(fields map[string]any, s server.Sampling) {
	fields["top_k"] = cmp.Or(s.TopK, -1) // off in every version; older ones refuse 0
	fields["min_p"] = s.MinP
	fields["repetition_penalty"] = s.RepetitionPenalty
	fields["include_stop_str_in_output"] = false

	if b.opts.AddSpecialTokens != nil {
		fields["add_special_tokens"] = *b.opts.AddSpecialTokens
	}
}

// check says why a completion cannot be sent as it is meant.
func (b *Backend) check(c server.Completion) error {
	if c.N < 1 {
		return fmt.Errorf("%d samples", c.N)
	}

	if b.opts.Chat {
		if err := checkMessages(c); err != nil {
			return err
		}
	} else if c.Prompt == "" || len(c.Messages) > 0 {
		return errors.New("this backend sends prompts, and was given messages or nothing")
	}

	return b.checkSampling(c.Sampling, c.Dialect)
}

// checkMessages accepts only roles that every chat template renders, and a last message that is not
// the model's own: servers accept others, and render nothing for them.
func checkMessages(c server.Completion) error {
	if len(c.Messages) == 0 || c.Prompt != "" {
		return errors.New("this backend sends messages, and was given a prompt or nothing")
	}

	for i, m := range c.Messages {
		roles := []string{chat.SystemRole, chat.UserRole, chat.AssistantRole}
		if c.Tools != "" {
			roles = append(roles, chat.ToolRole)
		}

		if !slices.Contains(roles, m.Role) {
			return fmt.Errorf("message %d has the role %q, which chat templates may leave out", i, m.Role)
		}
	}

	if c.Messages[len(c.Messages)-1].Role == chat.AssistantRole {
		return errors.New("the last message is the model's own, which servers may close or repeat")
	}
	return nil
}

// checkSampling rejects what no server takes, and what this one would silently change or leave out.
func (b *Backend) checkSampling(s server.Sampling, d server.Dialect) error {
	if err := s.Validate(); err != nil {
		return err
	}

	switch {
	case s.Temperature > 0 && s.Temperature < minTemperature:
		return fmt.Errorf("temperature %v: it is 0, or at least %v", s.Temperature, minTemperature)
	case !b.opts.Extensions && (s.TopK != 0 && !d.Omits("top_k") || s.MinP != 0 && !d.Omits("min_p") ||
		s.RepetitionPenalty != 1 && !d.Omits("repetition_penalty")):
		return fmt.Errorf("top_k %d, min_p %v and repetition_penalty %v %w",
			s.TopK, s.MinP, s.RepetitionPenalty, server.ErrExtensions)
	}

	return nil
}
