package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/internal/golden"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// TestRequestBodies compares what is sent with a file: a change there changes what models are
// asked.
func TestRequestBodies(t *testing.T) {
	plain := func(o *Options) { o.Extensions = false }
	chatty := func(o *Options) { o.Chat = true }
	messages := func(c *server.Completion) {
		c.Prompt, c.Messages = "", []chat.Message{
			{Role: "system"}, {Role: "user", Content: "a <|b|> & \"é\"\n\u2028"}, {Role: "assistant", Content: "c"},
			{Role: "user", Content: "d"},
		}
	}
	const tools = `[{"type": "function", "function": {"name": "LoadDB", "parameters": {"type": "object"}}}]`

	called := func(c *server.Completion) {
		c.Prompt, c.Tools, c.Sampling.Stop = "", tools, nil
		c.Messages = []chat.Message{
			{Role: "user", Content: "a"},
			{Role: "assistant", Content: "b", Calls: []chat.Call{
				{ID: "call00101", ToolCall: action.ToolCall{Name: "LoadDB", Arguments: `{"x": 2.50}`}},
			}},
			{Role: "tool", CallID: "call00101"},
		}
	}
	asked := func(choice, parallel string) func(*Options) {
		return func(o *Options) { o.Tools = server.ToolCalls{Choice: choice, Parallel: parallel} }
	}
	greedy := func(c *server.Completion) { c.Sampling = c.Sampling.Greedy() }
	neutral := func(c *server.Completion) { c.Sampling.TopK, c.Sampling.MinP, c.Sampling.RepetitionPenalty = 0, 0, 1 }
	less := func(c *server.Completion) {
		c.Dialect = server.Dialect{LeaveOut: []string{"seed"}, MaxCompletionTokens: true, OneLogProb: true}
	}
	var text strings.Builder

	for _, tt := range []struct {
		name string
		opts []func(*Options)
		ask  []func(*server.Completion)
	}{
		{"prompt", nil, nil},
		{"prompt, greedy", nil, []func(*server.Completion){greedy}},
		{"prompt, no stop", nil, []func(*server.Completion){func(c *server.Completion) { c.Sampling.Stop = nil }}},
		{"prompt, special tokens", []func(*Options){func(o *Options) { o.AddSpecialTokens = ptr(false) }}, nil},
		{"prompt, no log-probabilities", []func(*Options){func(o *Options) { o.OmitLogProbs = true }}, nil},
		{"prompt, token ids", []func(*Options){func(o *Options) { o.TokenIDs = true }}, nil},
		{"prompt, plain", []func(*Options){plain}, []func(*server.Completion){neutral}},
		{"prompt, odd characters", nil, []func(*server.Completion){func(c *server.Completion) {
			c.Prompt = "<&>\u2028\x00\x7f\\\"\t\xff é 🙂"
		}}},
		{"prompt, large seed", nil, []func(*server.Completion){func(c *server.Completion) { c.Seed = 1<<64 - 1 }}},
		{"prompt, less", nil, []func(*server.Completion){less}},
		{"chat", []func(*Options){chatty}, []func(*server.Completion){messages}},
		{"chat, less", []func(*Options){chatty}, []func(*server.Completion){messages, less}},
		{"chat, least", []func(*Options){chatty}, []func(*server.Completion){messages, func(c *server.Completion) {
			c.Dialect.LeaveOut = server.Parameters()
		}}},
		{"chat, greedy", []func(*Options){chatty}, []func(*server.Completion){messages, greedy}},
		{"chat, plain", []func(*Options){chatty, plain}, []func(*server.Completion){messages, neutral}},
		{"chat, tools", []func(*Options){chatty, asked("auto", server.ParallelUnset)},
			[]func(*server.Completion){called}},
		{"chat, template", []func(*Options){chatty, func(o *Options) {
			o.Template = server.TemplateArguments{"enable_thinking": "false", "reasoning_effort": "low"}
		}}, []func(*server.Completion){messages}},
		{"chat, tools, one call", []func(*Options){chatty, asked("required", "false")},
			[]func(*server.Completion){called}},
		{"chat, no log-probabilities", []func(*Options){chatty, func(o *Options) { o.OmitLogProbs = true }},
			[]func(*server.Completion){messages}},
	} {
		f := wiretest.Serve(t, wiretest.Answers(500, ""))

		c := ask(3)
		for _, change := range tt.ask {
			change(&c)
		}

		_, err := backend(t, f, tt.opts...).Complete(t.Context(), c)
		if got := f.Received(); len(got) != 1 {
			t.Fatalf("%s: %d requests, %v", tt.name, len(got), err)
		}

		r := f.Received()[0]

		sorted, err := json.MarshalIndent(fields(t, r.Body), "", "  ")
		if err != nil {
			t.Fatal(err)
		}

		text.WriteString(tt.name + ": " + r.Path + " " + r.Header.Get("Content-Type") + "\n" + string(sorted) + "\n\n")
	}

	golden.Check(t, "requests.txt", text.String())
}
