package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/internal/wiretest"
	"toolevo/mcts/policy/server"
)

// inTokens asks with the tokens of a chat.
func inTokens(o *Options) {
	o.Chat = true
	o.Tools = server.ToolCalls{Calls: "hermes", Choice: "auto", Ask: server.AskTokens}
	o.Template = server.TemplateArguments{"enable_thinking": "false"}
}

func askInTokens() server.Completion {
	c := ask(2)
	c.Prompt, c.Tools = "", `[{"type":"function","function":{"name":"A"}}]`
	c.Messages = []chat.Message{
		{Role: "user", Content: "u"},
		{Role: "assistant", Calls: []chat.Call{{
			ID: "call00101", ToolCall: action.ToolCall{Name: "A", Arguments: "{}"},
		}}},
		{Role: "tool", CallID: "call00101", Content: "o"},
	}

	return c
}

// The server's own template makes tokens of messages and tools, and the model goes on from these:
// what it writes comes back as it is, what stands for calls included.
func TestTokens(t *testing.T) {
	const written = "I look.\n<tool_call>\n{\"name\": \"A\", \"arguments\": {\"x\": 2.50}}\n</tool_call>"

	text, err := json.Marshal(written)
	if err != nil {
		t.Fatal(err)
	}

	choice := `"text":` + string(text) + `,"finish_reason":"stop","logprobs":{"tokens":["a","b"],"token_logprobs":[-1,-2]}}`
	replies := map[string]string{
		"/tokenize":       `{"count":3,"max_model_len":99,"tokens":[5,6,7],"token_strs":null}`,
		"/v1/completions": `{"choices":[{"index":0,` + choice + `,{"index":1,` + choice + `]}`,
	}
	f := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, replies[r.URL.Path]) })
	b := backend(t, f, inTokens)

	reply, err := b.Complete(t.Context(), askInTokens())
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range reply.Choices {
		if m := action.ParseMessage(c.Text); m.Content != written || len(m.Calls) > 0 || len(c.LogProbs) != 2 {
			t.Errorf("%+v", c)
		}
	}

	got := f.Received()
	if len(got) != 2 || got[0].Path != "/tokenize" || got[1].Path != "/v1/completions" {
		t.Fatalf("asked %v", got)
	}

	tokenized, completed := fields(t, got[0].Body), fields(t, got[1].Body)

	asChat, err := json.Marshal(b.request(askInTokens(), nil, 2))
	if err != nil {
		t.Fatal(err)
	}

	// What the template renders is what chats hold.
	chat := fields(t, asChat)
	for _, name := range []string{"messages", "tools", "chat_template_kwargs"} {
		if diff := cmp.Diff(chat[name], tokenized[name]); diff != "" || chat[name] == nil {
			t.Errorf("%s of a chat (-) and of its tokens (+):\n%s", name, diff)
		}

		if completed[name] != nil {
			t.Errorf("the completion holds %s", name)
		}
	}

	if fmt.Sprint(completed["prompt"]) != "[5 6 7]" || completed["skip_special_tokens"] != false ||
		completed["tool_choice"] != nil {
		t.Errorf("completed %v", completed)
	}

	if tokenized["add_generation_prompt"] != true || tokenized["model"] != "m" {
		t.Errorf("tokens of %v", tokenized)
	}
}

// Another server than vLLM is found out, whatever it makes of /tokenize.
func TestTokensOfOthers(t *testing.T) {
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"llama.cpp": {200, `{"tokens":[]}`},
		"none":      {404, `404 page not found`},
	} {
		b := backend(t, wiretest.Serve(t, wiretest.Answers(answer.status, answer.body)), inTokens)

		_, err := b.Complete(t.Context(), askInTokens())
		if fault := server.FaultOf(err); fault == nil || fault.Kind != server.Refused ||
			!strings.Contains(err.Error(), "wants a vLLM") {
			t.Errorf("%s: %v", name, err)
		}
	}

	b := backend(t, wiretest.Serve(t, wiretest.Answers(503, `{"error":"starting"}`)), inTokens)
	if _, err := b.Complete(t.Context(), askInTokens()); server.FaultOf(err).Kind != server.Transient {
		t.Errorf("a server that starts: %v", err)
	}
}
