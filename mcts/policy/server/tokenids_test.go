package server_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/toolcalls"
)

// Proposals keep the ids of all tokens that were sampled, and say whether their text says as much.
func TestTokenIDs(t *testing.T) {
	const (
		tagged  = `<tool_call>{"name": "A", "arguments": {"x": 2.50}}</tool_call>`
		message = `{"content": "b", "calls": [{"name": "A", "arguments": {"x":2.50}}]}`
		two     = `{"content": "b", "calls": [{"name": "A", "arguments": {"x": 2.50}}, {"name": "B", "arguments": {}}]}`
		second  = `<tool_call>{"name": "B", "arguments": {}}</tool_call>`
	)

	tools := func(o *server.Options) {
		o.ReadCalls = func(_ envs.History, text string) (action.Message, int) {
			r := toolcalls.Hermes.Read(text, nil)
			return r.Message, r.End
		}
		o.Break = func(text string) string { return text }
	}
	native := func(o *server.Options) {
		tools(o)

		o.ServerCalls, o.Render = true, nil
		o.Messages = func(envs.History) []chat.Message { return []chat.Message{{Role: "user", Content: "q"}} }
		o.Tools = func(envs.History) string { return "[]" }
	}
	reasoning := func(r action.Reasoning) func(*server.Options) {
		return func(o *server.Options) { o.Reasoning = r }
	}

	for name, test := range map[string]struct {
		set    func(*server.Options)
		text   string
		pieces []string // of the tokens
		finish string
		whole  bool
	}{
		"text":                   {nil, "a b", []string{"a", " b", "\nObs"}, "", true},
		"text, special token":    {nil, "a b", []string{"a", "<|x|>", " b", ""}, "", false},
		"text, half a character": {nil, "a\uFFFDb", []string{"a", "", "b", ""}, "", true},
		"the beginning is ours":  {func(o *server.Options) { o.Lead = "Thought:" }, " b", []string{" b"}, "", true},
		"reasoning shown": {
			reasoning(action.Show), "<think>\na\n</think>\n\nb",
			[]string{"<think>a", "</think>b", ""}, "", true,
		},
		"reasoning kept": {
			reasoning(action.Once), "<think>\na\n</think>\n\nb",
			[]string{"<think>a", "</think>b", ""}, "", true,
		},
		"reasoning dropped": {
			reasoning(action.Drop), "<think>\na\n</think>\n\nb",
			[]string{"<think>a", "</think>b", ""}, "", false,
		},
		"none to drop": {
			reasoning(action.Drop), "<think>\n\n</think>\n\nb",
			[]string{"<think></think>", "b"}, "", true,
		},
		"call":                 {native, message, []string{"b\n", tagged, "<|im_end|>"}, "", true},
		"call, reasoning lost": {native, message, []string{"<think>a</think>b", tagged, ""}, "", false},
		"call, reasoning":      {native, message, []string{"<think>a</think>b", tagged, ""}, "", true},
		"text, cut":            {nil, "a b", []string{"a", " b", "<|x|>"}, server.FinishLength, false},
		"call without content": {native, message, []string{tagged, "<|im_end|>"}, "", false},
		"content dropped":      {native, message, []string{"b c\n", tagged, "<|im_end|>"}, "", false},
		"number rewritten": {
			native, `{"content": "b", "calls": [{"name": "A", "arguments": {"x": 2.5}}]}`,
			[]string{"b", tagged, ""}, "", false,
		},
		"name changed": {
			native, `{"content": "b", "calls": [{"name": "B", "arguments": {"x": 2.50}}]}`,
			[]string{"b", tagged, ""}, "", false,
		},
		"text behind":           {native, message, []string{"b\n", tagged, " so", "<|im_end|>"}, "", false},
		"cut behind":            {native, message, []string{"b\n", tagged, " so"}, server.FinishLength, false},
		"cut right behind":      {native, message, []string{"b\n", tagged}, server.FinishLength, true},
		"two calls":             {native, two, []string{"b\n", tagged, "\n", second, "<|im_end|>"}, "", true},
		"imagined between":      {native, two, []string{"b\n", tagged, "<tool_response>", second, ""}, "", false},
		"a second call is lost": {native, message, []string{"b\n", tagged, "\n", second, ""}, "", false},
		"no call":               {native, `{"content": "b c"}`, []string{"b", " c", "<|im_end|>"}, "", true},
		"no call, less":         {native, `{"content": "b"}`, []string{"b", " c", "<|im_end|>"}, "", false},
		"pieces are lost":       {native, message, nil, "", false},
		"raw call":              {tools, "b\n" + tagged, []string{"b\n", tagged, ""}, "", true},
		"raw call, text behind": {tools, "b\n" + tagged + "c", []string{"b\n", tagged, "c", ""}, "", false},
		"raw call, broken words": {
			func(o *server.Options) { tools(o); o.Break = func(string) string { return "d" } }, "b",
			[]string{"b", ""}, "", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := server.Choice{Text: test.text, Pieces: test.pieces, Finish: test.finish, PromptIDs: []int{7, 8},
				IDs: []int{1}}
			if name == "call, reasoning" {
				c.Reasoning = "a"
			}

			if c.Finish == "" {
				c.Finish = server.FinishStop
			}

			for i := range max(len(test.pieces)-1, 0) {
				c.IDs = append(c.IDs, i)
			}

			for range c.IDs {
				c.LogProbs = append(c.LogProbs, -0.5)
			}

			o := options(fixed{server.Reply{Choices: []server.Choice{c}}})
			o.TokenIDs = true

			if test.set != nil {
				test.set(&o)
			}

			got, err := newPolicy(t, o).Propose(t.Context(), request(0, 1))
			if err != nil {
				t.Fatal(err)
			}

			var ids mcts.TokenIDs
			if err := ids.UnpackSampled(got[0].Sampled); err != nil {
				t.Fatal(err)
			}

			if ids.Prompt, err = mcts.UnpackIDs(got[0].PromptIDs); err != nil {
				t.Fatal(err)
			}

			want := mcts.TokenIDs{Prompt: c.PromptIDs, Sampled: c.IDs, LogProbs: c.LogProbs, Whole: test.whole}
			if d := cmp.Diff(want, ids); d != "" {
				t.Errorf("of %s, -want +got:\n%s", got[0].Text, d)
			}
		})
	}
}

// A server that tells no ids is refused at once, and one that is not asked for any keeps none.
func TestNoTokenIDs(t *testing.T) {
	for name, c := range map[string]server.Choice{
		"none":         {Text: "a", Finish: server.FinishStop, LogProbs: []float64{-1}},
		"of no prompt": {Text: "a", Finish: server.FinishStop, LogProbs: []float64{-1}, IDs: []int{1}},
	} {
		o := options(fixed{server.Reply{Choices: []server.Choice{c}}})
		o.TokenIDs = true

		_, err := newPolicy(t, o).Propose(t.Context(), request(0, 1))
		if fault := server.FaultOf(err); fault == nil || fault.Kind != server.Refused {
			t.Errorf("%s: %v", name, err)
		}

		o.TokenIDs = false

		got, err := newPolicy(t, o).Propose(t.Context(), request(0, 1))
		if err != nil || got[0].Sampled+got[0].PromptIDs != "" {
			t.Errorf("%s, unasked: %+v, %v", name, got, err)
		}
	}
}
