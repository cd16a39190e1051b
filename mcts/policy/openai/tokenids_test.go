package openai

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// The ids of tokens are read where vLLM tells them: in each completion, and in a chat those of the
// prompt beside them. What cannot be those of the log-probabilities beside them is no reply.
func TestTokenIDs(t *testing.T) {
	const (
		completion = `{"choices":[{"index":0,"text":"a","finish_reason":"stop","token_ids":[IDS],` +
			`"prompt_token_ids":[1,2],"logprobs":{"tokens":["a",""],"token_logprobs":[-1,-2]}}]}`
		inChat = `{"prompt_token_ids":[1,2],"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop",` +
			`"token_ids":[IDS],"logprobs":{"content":[{"token":"a","logprob":-1},{"token":"","logprob":-2}]}}]}`
	)

	read := func(body string, c server.Completion, change ...func(*Options)) (server.Choice, error) {
		f := wiretest.Serve(t, wiretest.Answers(200, body))

		reply, err := backend(t, f, change...).Complete(t.Context(), c)
		if err != nil {
			return server.Choice{}, err
		}
		return reply.Choices[0], nil
	}
	keep := func(o *Options) { o.TokenIDs = true }
	chatty := func(o *Options) { o.Chat = true }

	message := ask(1)
	message.Prompt, message.Messages = "", []chat.Message{{Role: "user", Content: "q"}}

	for name, test := range map[string]struct {
		ids  string
		want []int
		bad  bool
	}{
		"two":        {"5,150000", []int{5, 150000}, false},
		"none":       {"", []int{}, false},
		"one":        {"5", nil, true},
		"negative":   {"5,-1", nil, true},
		"not a list": {`5,"x"`, nil, false},
	} {
		for body, c := range map[string]server.Completion{completion: ask(1), inChat: message} {
			all := []func(*Options){keep}
			if c.Prompt == "" {
				all = append(all, chatty)
			}

			got, err := read(strings.Replace(body, "IDS", test.ids, 1), c, all...)
			if (err != nil) != test.bad {
				t.Errorf("%s: %v", name, err)
			} else if d := cmp.Diff(test.want, got.IDs); err == nil && d != "" {
				t.Errorf("%s: -want +got:\n%s", name, d)
			} else if d := cmp.Diff([]int{1, 2}, got.PromptIDs); err == nil && d != "" {
				t.Errorf("%s, prompt: -want +got:\n%s", name, d)
			}
		}
	}

	if got, err := read(strings.Replace(completion, "IDS", "5,-1,3", 1), ask(1)); err != nil || got.IDs != nil {
		t.Errorf("ids that nobody asked for: %+v, %v", got, err)
	}
}

// The ids of a long prompt come with each sample: the reply may be as long.
func TestTokenIDsOfALongPrompt(t *testing.T) {
	ids := strings.TrimSuffix(strings.Repeat("100000,", 400_000), ",")
	f := wiretest.Serve(t, wiretest.Answers(200, `{"choices":[{"text":"a","finish_reason":"stop","token_ids":[3],`+
		`"prompt_token_ids":[`+ids+`],"logprobs":{"tokens":["a"],"token_logprobs":[-1]}}]}`))

	reply, err := backend(t, f, func(o *Options) { o.TokenIDs = true }).Complete(t.Context(), ask(1))
	if err != nil || len(reply.Choices[0].PromptIDs) != 400_000 {
		t.Errorf("%d choices, %v", len(reply.Choices), err)
	}
}
