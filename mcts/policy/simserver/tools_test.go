package simserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/mcts"
	"toolevo/mcts/policy/simserver"
)

// says is a model that always writes the same.
type says string

func (s says) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	list := make([]mcts.Proposal, r.N)
	for i := range list {
		list[i] = mcts.Proposal{Text: string(s), LogProb: -0.5, Scored: true}
	}
	return list, nil
}

// loads is a message that calls LoadDB, as an action.
const loads = `{"content": "I load it.", "calls": [{"name": "LoadDB", "arguments": {"DBName": "coffee", "x": 2.50}}]}`

// startTools runs a server of a policy whose actions are messages.
func startTools(t testing.TB, p mcts.Policy, o simserver.Options) *simserver.Server {
	t.Helper()

	o.Policy, o.Model = p, model
	if o.Codec == nil {
		o.Codec = action.Tools{}
	}

	s, err := simserver.Start(o)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(s.Close)
	return s
}

// function is a tool as requests list it.
func function(name string) body {
	return body{"type": "function", "function": body{
		"name": name, "description": "Does it.", "parameters": body{"type": "object", "properties": body{}},
	}}
}

// asking is a chat with tools.
func asking(messages ...body) body {
	if messages == nil {
		messages = []body{{"role": "user", "content": "Question: q"}}
	}
	return usual("").with("prompt", nil, "messages", messages, "logprobs", true, "n", 1,
		"tools", []body{function("LoadDB"), function("InitDB"), function("Finish")})
}

func chat(t testing.TB, s *simserver.Server, b body) *reply {
	t.Helper()

	r := post(t, s.URL()+"/v1/chat/completions", b)
	if r.status != 200 {
		t.Fatalf("%d: %s", r.status, r.raw)
	}
	return r
}

// tokensOf is what the model wrote, whatever the server made of it.
func tokensOf(r *reply) (text string) {
	for _, token := range r.Choices[0].LogProbs.Content {
		text += token.Token
	}
	return text
}

// seen is what a client is told of a reply: the finish reason, the content, and the calls.
func seen(r *reply) string {
	c := r.Choices[0]

	text := c.Finish + " " + c.Message.Content
	for _, call := range c.Message.ToolCalls {
		text += " | " + call.Function.Name + " " + call.Function.Arguments
	}
	return text
}

// conversation is a history as a client of native calls sends it.
func conversation(h envs.History, codec action.Codec) (messages []body) {
	messages = []body{
		{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Question: " + h.Task().Question},
	}

	for i, turn := range h.Turns() {
		call, err := codec.Parse(string(turn.Action))
		if err != nil {
			messages = append(messages, body{"role": "assistant", "content": string(turn.Action)},
				body{"role": "user", "content": turn.Observation})

			continue
		}

		id := action.CallID(i, 1)
		messages = append(messages,
			body{"role": "assistant", "content": codec.Thought(string(turn.Action)), "tool_calls": []body{{
				"id": id, "type": "function",
				"function": body{"name": call.Name, "arguments": pytext.JSON(call.Args)},
			}}},
			body{"role": "tool", "tool_call_id": id, "content": turn.Observation})
	}

	return messages
}

func inJSON(t testing.TB, v any) string {
	t.Helper()

	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var callID = regexp.MustCompile(`^chatcmpl-tool-[0-9a-f]+$`)

// Whatever the codec of the policy, a model with tools writes its calls in tags, and the server
// takes them out.
func TestToolCalls(t *testing.T) {
	ids := map[string]bool{}

	for seed, codec := range []action.Codec{action.Tools{}, action.ReAct{}, action.FunctionCall{}} {
		env, _ := environmentOf(t, "p_s_in", codec)
		p := profiledIn(t, "noisy", codec)
		s := startTools(t, p, simserver.Options{Codec: codec, Seed: uint64(seed)})

		for i, h := range histories(t, env, profiledIn(t, "reader", codec), 1, true) {
			want, err := p.Propose(t.Context(), mcts.Request{History: h, N: 3, Seed: 42})
			if err != nil {
				t.Fatal(err)
			}

			r := chat(t, s, asking(conversation(h, codec)...).with("n", 3))
			total := 0

			for j, c := range r.Choices {
				var text string
				var logprobs []float64

				for _, token := range c.LogProbs.Content {
					text, logprobs = text+token.Token, append(logprobs, token.LogProb)
				}

				total += len(logprobs)
				if d := mean(logprobs) - want[j].LogProb; d > 1e-12 || d < -1e-12 {
					t.Errorf("%s, turn %d: the mean of all tokens is off by %v", codec, i, d)
				}

				call, err := codec.Parse(want[j].Text)
				if err != nil {
					if c.Finish != "stop" || len(c.Message.ToolCalls) > 0 || c.Message.Content != text {
						t.Errorf("%s: %q is no call: %+v", codec, want[j].Text, c)
					}

					continue
				}

				content := codec.Thought(want[j].Text) + "\n"

				object := fmt.Sprintf(`{"name": %q, "arguments": %s}`, call.Name, pytext.JSON(call.Args))
				if text != content+"<tool_call>\n"+object+"\n</tool_call>" {
					t.Errorf("%s: the model wrote %q for %q", codec, text, want[j].Text)
				}

				if c.Finish != "tool_calls" || len(c.Message.ToolCalls) != 1 || c.Message.Content != content {
					t.Fatalf("%s: %+v", codec, c)
				}

				got := c.Message.ToolCalls[0]
				if got.Type != "function" || got.Function.Name != call.Name ||
					got.Function.Arguments != pytext.JSON(call.Args) {
					t.Errorf("%s: the call is %+v, want %v", codec, got, call)
				}

				if !callID.MatchString(got.ID) || ids[got.ID] {
					t.Errorf("the id %q", got.ID)
				}

				ids[got.ID] = true
			}

			if r.Usage.Completion != total {
				t.Errorf("%d completion tokens, %d were written", r.Usage.Completion, total)
			}
		}

	}

	if len(ids) < 20 {
		t.Errorf("%d calls: too few to show anything", len(ids))
	}
}

// What is not a call comes back as content, in the tags it was written in.
func TestUnreadableToolCall(t *testing.T) {
	for text, codec := range map[string]action.Codec{
		`{"content": "I load it.", "calls": [{"name": "LoadDB", "arguments": {"DBName": "coffee"}}]`: action.Tools{},
		`{'content': 'I load it.', 'calls': [{'name': 'LoadDB', 'arguments': {}}]}`:                  action.Tools{},
		`{"content": "I load it.", "calls": [{"arguments": {"DBName": "coffee"}}]}`:                  action.Tools{},
		`{"arguments": {"DBName": "coffee"}}`:                                                        action.FunctionCall{},
	} {
		r := chat(t, startTools(t, says(text), simserver.Options{Codec: codec}), asking())
		if got, want := seen(r), "stop <tool_call>\n"+text+"\n</tool_call>"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Beside a call the content is null unless the model says something; what it thinks is reasoning
// where the server parts that.
func TestContentBesideToolCalls(t *testing.T) {
	silent := `{"calls": [{"name": "LoadDB", "arguments": {}}]}`
	draft := `I could give up.\n{\"name\": \"Finish\", \"arguments\": {\"answer\": \"unknown\"}}`

	for _, tt := range []struct {
		text     string
		thoughts simserver.Thoughts
		want     string
	}{
		{silent, "", `"content":null,"tool_calls":[{"id"`},
		{loads, "", `"content":"I load it.\n","tool_calls":[{"id"`},
		{silent, simserver.FieldThoughts, `"content":null,"reasoning":"` + draft + `","tool_calls":[{"id"`},
		{loads, simserver.FieldThoughts, `"content":null,"reasoning":"` + draft + `\nI load it.","tool_calls":[{"id"`},
		{loads, simserver.ContentThoughts, `"reasoning_content":"` + draft + `\nI load it.","tool_calls":[{"id"`},
		{loads, simserver.EmptyTags, `"content":"\u003cthink\u003e\n\n\u003c/think\u003e\n\nI load it.\n","tool_calls"`},
		{loads, simserver.TagThoughts, `I load it.\n\u003c/think\u003e\n\n","tool_calls":[{"id"`},
		{loads, simserver.PromptThoughts, `"content":"` + draft + `\nI load it.\n\u003c/think\u003e\n\n","tool_calls"`},
	} {
		r := chat(t, startTools(t, says(tt.text), simserver.Options{Thoughts: tt.thoughts}), asking())
		if !strings.Contains(r.raw, tt.want) || r.Choices[0].Message.ToolCalls[0].Function.Name != "LoadDB" {
			t.Errorf("%q: %s\nwant %s", tt.thoughts, r.raw, tt.want)
		}
	}
}

// Conversations of native calls are read as the histories they are, and so are prompts that show
// them.
func TestToolHistoriesAreAsGood(t *testing.T) {
	seen := map[envs.Outcome]int{}
	tools := inJSON(t, []body{function("LoadDB")})

	for _, codec := range []action.Codec{action.Tools{}, action.ReAct{}, action.FunctionCall{}} {
		env, _ := environmentOf(t, "p_s_in", codec)

		for _, profile := range []string{"reader", "noisy"} {
			p := profiledIn(t, profile, codec)

			for seed := range uint64(6) {
				for i, h := range histories(t, env, p, seed, seed == 0) {
					got, rendered, err := simserver.ReadMessages(codec, inJSON(t, conversation(h, codec)), tools)
					if err != nil {
						t.Fatal(err)
					}

					what := fmt.Sprintf("%s, seed %d, turn %d", codec, seed, i)
					sameProposals(t, what, p, h, got)

					if codec == (action.Tools{}) {
						sameProposals(t, what+", rendered", p, h, simserver.ReadText(codec, rendered))
					}

					if last, ok := h.Last(); ok {
						seen[last.Outcome]++
					}
				}
			}
		}
	}

	for _, o := range []envs.Outcome{envs.OK, envs.Malformed, envs.Deprecated, envs.ToolError} {
		if seen[o] < 5 {
			t.Errorf("the runs saw %d turns that ended with %s: too few to show anything", seen[o], o)
		}
	}
}

// The template shows tools, calls and their answers; arguments that are no object are {}.
func TestToolTemplate(t *testing.T) {
	call := func(id, arguments string) body {
		return body{"id": id, "type": "function", "function": body{"name": "LoadDB", "arguments": arguments}}
	}

	h, got, err := simserver.ReadMessages(action.Tools{}, inJSON(t, []body{
		{"role": "system", "content": "Be brief."},
		{"role": "user", "content": "Question: q"},
		{"role": "assistant", "content": nil, "tool_calls": []body{call("a", `{"x":2.50}`), call("b", `{}`)}},
		{"role": "tool", "tool_call_id": "a", "content": "Question: loaded"},
		{"role": "tool", "tool_call_id": "b", "content": "unseen"},
		{"role": "assistant", "content": "Again.", "tool_calls": []body{call("c", `{"DBName": "cof`)}},
		{"role": "tool", "tool_call_id": "c", "content": ""},
		{"role": "assistant", "content": "Hm."},
		{"role": "user", "content": "Your action is filtered due to some error in content."},
	}), `[{"type":"function",  "function":{"name":"LoadDB"}}]`)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(`<|im_start|>system
Be brief.

# Tools

You may call these functions:
<tools>
{"type": "function", "function": {"name": "LoadDB"}}
</tools>

Write each call as a JSON object in tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
<|im_start|>user
Question: q<|im_end|>
<|im_start|>assistant
<tool_call>
{"name": "LoadDB", "arguments": {"x": 2.50}}
</tool_call>
<tool_call>
{"name": "LoadDB", "arguments": {}}
</tool_call><|im_end|>
<|im_start|>user
<tool_response>
Question: loaded
</tool_response><|im_end|>
<|im_start|>user
<tool_response>
unseen
</tool_response><|im_end|>
<|im_start|>assistant
Again.
<tool_call>
{"name": "LoadDB", "arguments": {}}
</tool_call><|im_end|>
<|im_start|>user
<tool_response>

</tool_response><|im_end|>
<|im_start|>assistant
Hm.<|im_end|>
<|im_start|>user
Your action is filtered due to some error in content.<|im_end|>
<|im_start|>assistant
`, got); diff != "" {
		t.Error(diff)
	}

	var turns []string
	for _, turn := range h.Turns() {
		turns = append(turns, fmt.Sprintf("%s > %s > %s", turn.Action, turn.Observation, turn.Outcome))
	}

	if diff := cmp.Diff([]string{
		`{"calls": [{"name": "LoadDB", "arguments": {"x": 2.50}}]} > Question: loaded > ok`,
		`{"calls": [{"name": "LoadDB", "arguments": {}}]} > unseen > ok`,
		`{"content": "Again.", "calls": [{"name": "LoadDB", "arguments": {}}]} >  > ok`,
		`Hm. > Your action is filtered due to some error in content. > malformed`,
	}, turns); diff != "" {
		t.Error(diff)
	}
}

// Tools make prompts longer, and a conversation goes on where it was read and written before.
func TestToolPrompts(t *testing.T) {
	s := startTools(t, says(loads), simserver.Options{CacheBlock: 1})
	first := asking(body{"role": "user", "content": "Question: q"})

	r := chat(t, s, first)
	if bare := chat(t, s, first.with("tools", nil)); bare.Usage.Prompt+60 > r.Usage.Prompt {
		t.Errorf("%d prompt tokens with three tools, %d without", r.Usage.Prompt, bare.Usage.Prompt)
	}

	next := chat(t, s, asking(body{"role": "user", "content": "Question: q"},
		body{"role": "assistant", "content": "I load it.", "tool_calls": r.Choices[0].Message.ToolCalls},
		body{"role": "tool", "tool_call_id": r.Choices[0].Message.ToolCalls[0].ID, "content": "Loaded."}))
	// All but the end of the text, which the template writes in another way, is known.
	if known := r.Usage.Prompt + r.Usage.Completion - 1; next.Usage.Details.Cached != known {
		t.Errorf("%d tokens of the next prompt are known, want %d", next.Usage.Details.Cached, known)
	}

	cut := startTools(t, says(loads), simserver.Options{
		MaxModelLen: 200, Wrong: []simserver.Misconfiguration{simserver.SilentTruncation},
	})
	if got := seen(chat(t, cut, first.with("max_tokens", 60))); !strings.HasPrefix(got, "tool_calls I load it.") {
		t.Errorf("a prompt that was cut: %s", got)
	}
}

func TestToolChoice(t *testing.T) {
	s := startTools(t, says(loads), simserver.Options{})
	named := func(name string) body { return body{"type": "function", "function": body{"name": name}} }
	call := ` {"DBName": "coffee", "x": 2.50}`

	for _, tt := range []struct {
		choice any
		want   string
	}{
		{nil, "tool_calls I load it.\n | LoadDB" + call},
		{"auto", "tool_calls I load it.\n | LoadDB" + call},
		{"required", "tool_calls  | LoadDB" + call},
		{named("InitDB"), "tool_calls  | InitDB" + call},
		{"none", "stop I load it.\n<tool_call>\n{\"name\": \"LoadDB\", \"arguments\":" + call + "}\n</tool_call>"},
	} {
		r := chat(t, s, asking().with("tool_choice", tt.choice))
		if got := seen(r); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.choice, got, tt.want)
		}

		if auto := chat(t, s, asking()).Usage.Prompt; r.Usage.Prompt != auto {
			t.Errorf("%v: %d prompt tokens, %d under auto", tt.choice, r.Usage.Prompt, auto)
		}
	}

	unread := startTools(t, says("Hm."), simserver.Options{})
	if got := seen(chat(t, unread, asking().with("tool_choice", "required"))); got != "tool_calls  | LoadDB {}" {
		t.Errorf("what is no call, under a grammar for calls: %s", got)
	}
}

func TestToolRefusals(t *testing.T) {
	s := startTools(t, says(loads), simserver.Options{})
	question := body{"role": "user", "content": "Question: q"}
	calls := body{"role": "assistant", "content": nil, "tool_calls": []body{
		{"id": "a", "type": "function", "function": body{"name": "LoadDB", "arguments": "{}"}},
	}}
	answer := body{"role": "tool", "tool_call_id": "a", "content": "Loaded."}
	two := calls.with("tool_calls", append(calls["tool_calls"].([]body),
		body{"id": "b", "type": "function", "function": body{"name": "LoadDB", "arguments": "{}"}}))
	unnamed := body{"role": "assistant", "tool_calls": []body{{"type": "function", "function": body{}}}}

	for _, tt := range []struct {
		b    body
		want string
	}{
		{asking().with("tools", []body{}), "`tools` must not be an empty array"},
		{asking().with("tools", []body{function("Load DB")}), "tools must be functions"},
		{asking().with("tools", []body{function("LoadDB").with("type", "web_search")}), "tools must be functions"},
		{asking().with("tools", []string{"LoadDB"}), "want a JSON object"},
		{asking().with("tools", nil, "tool_choice", "auto"), "When using `tool_choice`, `tools` must be set."},
		{asking().with("tool_choice", "any"), "Invalid value for `tool_choice`: any!"},
		{asking().with("tool_choice", function("Look")), "does not match any of the specified `tools`"},
		{asking().with("tool_choice", body{"type": "function"}), "does not match any of the specified `tools`"},
		{asking().with("tool_choice", 5), "does not match any of the specified `tools`"},
		{asking().with("parallel_tool_calls", "no"), "parallel_tool_calls"},
		{asking(question, answer), "must be a response to a preceding message"},
		{asking(question, calls, answer, answer), "must be a response to a preceding message"},
		{asking(question, calls, question), "did not have response messages: a"},
		{asking(question, calls), "did not have response messages: a"},
		{asking(question, two, answer), "did not have response messages: b"},
		{asking(question, two, answer, question), "did not have response messages: b"},
		{asking(question, unnamed, question), "did not have response messages: "},
		{asking(question, calls.with("tool_calls", "a")), "cannot unmarshal"},
	} {
		r := post(t, s.URL()+"/v1/chat/completions", tt.b)
		if r.status != 400 || !strings.Contains(r.raw, tt.want) {
			t.Errorf("want %q: %d %s", tt.want, r.status, r.raw)
		}
	}

	chat(t, s, asking().with("tools", nil, "tool_choice", "none"))
	chat(t, s, asking(question, calls, answer))
	chat(t, s, asking(question, two, answer.with("tool_call_id", "b"), answer))
}

// Each thing that goes wrong with tools, and what a healthy server answers to the same.
func TestWrongTools(t *testing.T) {
	number := `{"DBName": "coffee", "x": 2.50}`
	object := `{"name": "LoadDB", "arguments": ` + number + "}"
	inTags := "<tool_call>\n" + object + "\n</tool_call>"
	healthy := "tool_calls I load it.\n | LoadDB " + number
	finish := `{"answer": "unknown"}`
	single := asking().with("parallel_tool_calls", false)
	unlisted := `{"calls": [{"name": "InitializeDB", "arguments": {}}]}`
	prefixed := `{"calls": [{"name": "X_LoadDB", "arguments": {}}]}`
	numbers := `{"calls": [{"name": "LoadDB", "arguments": ` +
		`{"z": 2.50, "a": "2.50", "b": [1e3, -0, 12345678901234567890]}}]}`
	turn := []body{
		{"role": "user", "content": "Question: q"}, {"role": "assistant", "content": "Hm."},
		{"role": "user", "content": "Your action is filtered due to some error in content."},
	}

	for _, tt := range []struct {
		wrong       simserver.Misconfiguration
		says        string
		b           body
		sound, want string
	}{
		{simserver.IgnoresTools, loads, asking(), healthy, "stop I load it.\n" + inTags},
		{simserver.IgnoresTools, loads, asking().with("tool_choice", "required"), "tool_calls  | LoadDB " + number,
			"stop I load it.\n" + inTags},
		{simserver.CallsAsText, loads, asking(), healthy,
			"stop " + object + "\n" + `{"name": "Finish", "arguments": ` + finish + "}"},
		{simserver.CallsAsText, loads, asking(turn...), healthy, "stop ```json\n" + object + "\n```"},
		{simserver.ParallelCalls, loads, asking(), healthy, healthy + " | Finish " + finish},
		{simserver.ParallelCalls, loads, single, healthy, healthy},
		{simserver.FinishOverLength, loads, asking().with("max_tokens", 31),
			"length I load it.\n<tool_call>\n{\"name\": \"LoadDB\", \"arguments\": {\"DBName",
			"tool_calls I load it.\n | LoadDB {\"DBName"},
		{simserver.FinishOverLength, loads, asking().with("max_tokens", 14),
			"length I load it.\n<tool_call>\n{\"name", "length I load it.\n<tool_call>\n{\"name"},
		{simserver.FinishOverLength, loads, asking(), healthy, healthy},
		{simserver.RewrittenNumbers, numbers, asking(),
			`tool_calls  | LoadDB {"z": 2.50, "a": "2.50", "b": [1e3, -0, 12345678901234567890]}`,
			`tool_calls  | LoadDB {"z": 2.5, "a": "2.50", "b": [1000.0, 0, 12345678901234567890]}`},
		{simserver.DroppedText, loads, asking(), healthy, "tool_calls  | LoadDB " + number},
		{simserver.ListedNamesOnly, unlisted, single, "tool_calls  | InitializeDB {}", "tool_calls  | InitDB {}"},
		{simserver.ListedNamesOnly, unlisted, asking(), "tool_calls  | InitializeDB {}",
			"tool_calls  | InitializeDB {}"},
		{simserver.ListedNamesOnly, loads, single, healthy, healthy},
		{simserver.SubstringNames, prefixed, asking(), "tool_calls  | X_LoadDB {}", "tool_calls  | LoadDB {}"},
		{simserver.SubstringNames, unlisted, asking(), "tool_calls  | InitializeDB {}",
			"stop <tool_call>\n{\"name\": \"InitializeDB\", \"arguments\": {}}\n</tool_call>"},
		{simserver.SubstringNames, loads, asking(), healthy, healthy},
	} {
		o := simserver.Options{Wrong: []simserver.Misconfiguration{tt.wrong}}
		sound, wrong := chat(t, startTools(t, says(tt.says), simserver.Options{}), tt.b),
			chat(t, startTools(t, says(tt.says), o), tt.b)

		if got := seen(sound); got != tt.sound {
			t.Errorf("%s, a healthy server: %s\nwant %s", tt.wrong, got, tt.sound)
		}

		if got := seen(wrong); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.wrong, got, tt.want)
		}

		bare := chat(t, startTools(t, says(tt.says), o), tt.b.with("tools", nil, "tool_choice", nil)).Usage.Prompt
		if ignored := wrong.Usage.Prompt == bare; ignored != (tt.wrong == simserver.IgnoresTools) {
			t.Errorf("%s: %d prompt tokens with tools, %d without", tt.wrong, wrong.Usage.Prompt, bare)
		}

		if limit, ok := tt.b["max_tokens"].(int); ok && limit < 100 && wrong.Usage.Completion != limit {
			t.Errorf("%s: %d completion tokens, want %d", tt.wrong, wrong.Usage.Completion, limit)
		}
	}
}

// The grammar makes the model write a listed name; Ollama reads one where another was written.
func TestNamesAreWrittenOrRead(t *testing.T) {
	for wrong, want := range map[simserver.Misconfiguration]string{
		simserver.ListedNamesOnly: `"LoadDB"`, simserver.SubstringNames: `"LoadDB2"`,
	} {
		s := startTools(t, says(`{"calls": [{"name": "LoadDB2", "arguments": {}}]}`),
			simserver.Options{Wrong: []simserver.Misconfiguration{wrong}})

		r := chat(t, s, asking().with("parallel_tool_calls", false))
		if got := r.Choices[0].Message.ToolCalls[0].Function.Name; got != "LoadDB" ||
			!strings.Contains(tokensOf(r), want) {
			t.Errorf("%s: %s of %q", wrong, got, tokensOf(r))
		}
	}
}

func TestToolsRefused(t *testing.T) {
	s := startTools(t, says(loads),
		simserver.Options{Wrong: []simserver.Misconfiguration{simserver.ToolsRefused}})

	for choice, want := range map[string]string{
		"auto":     `\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`,
		"required": `tool_choice=\"required\" requires --tool-call-parser to be set`,
	} {
		r := post(t, s.URL()+"/v1/chat/completions", asking().with("tool_choice", choice))
		if r.status != 400 || !strings.Contains(r.raw, want) || !strings.Contains(r.raw, `"BadRequestError"`) {
			t.Errorf("%s: %d %s", choice, r.status, r.raw)
		}
	}

	chat(t, s, asking().with("tool_choice", "none"))
	chat(t, s, asking().with("tools", nil))
}

// A name that is listed is written, whatever else is listed that begins with it.
func TestListedNamesStay(t *testing.T) {
	s := startTools(t, says(loads), simserver.Options{
		Wrong: []simserver.Misconfiguration{simserver.ListedNamesOnly},
	})
	b := asking().with("tools", []body{function("LoadDB2"), function("LoadDB")}, "parallel_tool_calls", false)

	if got := seen(chat(t, s, b)); !strings.Contains(got, "| LoadDB {") {
		t.Error(got)
	}
}

// A call that is whole counts in a reply that was cut behind it; why the reply ended is told
// wrongly by vLLM.
func TestCutBehindTheCall(t *testing.T) {
	for _, tt := range []struct {
		wrong  []simserver.Misconfiguration
		finish string
	}{
		{[]simserver.Misconfiguration{simserver.ParallelCalls}, "length"},
		{[]simserver.Misconfiguration{simserver.ParallelCalls, simserver.FinishOverLength}, "tool_calls"},
	} {
		r := chat(t, startTools(t, says(loads), simserver.Options{Wrong: tt.wrong}), asking().with("max_tokens", 70))
		if got := seen(r); !strings.HasPrefix(got, tt.finish+" I load it.\n | LoadDB {") ||
			r.Usage.Completion != 70 {
			t.Errorf("%v: %s of %q", tt.wrong, got, tokensOf(r))
		}
	}
}

// Under a template without tools the model does not see what it called before.
func TestIgnoredCallsAreForgotten(t *testing.T) {
	env, _ := environmentOf(t, "p_c", action.Tools{})
	p := profiledIn(t, "reader", action.Tools{})
	all := histories(t, env, p, 1, true)
	b := asking(conversation(all[len(all)-1], action.Tools{})...).with("temperature", 0)

	if got := seen(chat(t, startTools(t, p, simserver.Options{}), b)); !strings.Contains(got, "| Finish") {
		t.Errorf("the last turn: %s", got)
	}

	s := startTools(t, p, simserver.Options{Wrong: []simserver.Misconfiguration{simserver.IgnoresTools}})
	ignored := chat(t, s, b).Usage.Prompt

	for _, m := range b["messages"].([]body) {
		delete(m, "tool_calls")
		delete(m, "tool_call_id")
	}

	if bare := chat(t, s, b.with("tools", nil)).Usage.Prompt; ignored != bare {
		t.Errorf("%d prompt tokens, %d without tools and calls", ignored, bare)
	}
}

// Without tools no server says anything else than a healthy one.
func TestWithoutToolsNothingChanges(t *testing.T) {
	created := regexp.MustCompile(`"created":\d+`)
	b := asking().with("tools", nil)
	ask := func(o simserver.Options) string {
		return created.ReplaceAllString(chat(t, startTools(t, says(loads), o), b).raw, "")
	}

	want := ask(simserver.Options{})
	if !strings.Contains(want, `"message":{"role":"assistant","content":"{\"content\": \"I load it.\"`) {
		t.Errorf("an action is text: %s", want)
	}

	for _, m := range []simserver.Misconfiguration{
		simserver.IgnoresTools, simserver.CallsAsText, simserver.ParallelCalls, simserver.FinishOverLength,
		simserver.RewrittenNumbers, simserver.DroppedText, simserver.ListedNamesOnly, simserver.SubstringNames,
		simserver.ToolsRefused,
	} {
		if got := ask(simserver.Options{Wrong: []simserver.Misconfiguration{m}}); got != want {
			t.Errorf("%s: %s, want %s", m, got, want)
		}
	}
}
