package interop

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/ollama"
	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/toolcalls"
)

// forcing has a server write a text, whatever the model: a grammar of that text alone goes with
// each request. It keeps the last reply.
type forcing struct {
	by   func(text string) map[string]any // the members of a request that force it
	text string
	kept []byte
}

// byRegex forces vLLM.
func byRegex(text string) map[string]any {
	return map[string]any{
		"structured_outputs": map[string]string{"regex": regexp.QuoteMeta(text)}, "return_token_ids": true,
	}
}

// byGrammar forces llama.cpp.
func byGrammar(text string) map[string]any {
	return map[string]any{"grammar": "root ::= " + strconv.Quote(text)}
}

// bySchema has Ollama write what a schema describes: it has no other grammar.
func bySchema(schema string) map[string]any { return map[string]any{"format": json.RawMessage(schema)} }

func (f *forcing) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/completions") || strings.HasSuffix(req.URL.Path, "/generate") {
		body := map[string]json.RawMessage{} // the order of what a schema has is the client's
		if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
			return nil, err
		}

		for name, member := range f.by(f.text) {
			text, err := json.Marshal(member)
			if err != nil {
				return nil, err
			}

			body[name] = text
		}

		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}

		req = req.Clone(req.Context())
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	}

	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()

	f.kept, err = io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(f.kept))
	return resp, err
}

// promptIDs are those of the last reply.
func (f *forcing) promptIDs(t *testing.T) []int {
	t.Helper()

	var reply struct {
		IDs     []int `json:"prompt_token_ids"`
		Choices []struct {
			IDs []int `json:"prompt_token_ids"`
		}
	}
	if err := json.Unmarshal(f.kept, &reply); err != nil {
		t.Fatal(err)
	}

	if len(reply.IDs) > 0 {
		return reply.IDs
	}
	return reply.Choices[0].IDs
}

const callTools = `[{"type": "function", "function": {"name": "LoadDB", "description": "Loads.", "parameters": ` +
	`{"type": "object", "properties": {"DBName": {"type": "string"}, "share": {"type": "number"}}, "required": []}}}, ` +
	`{"type": "function", "function": {"name": "Finish", "description": "Ends.", "parameters": ` +
	`{"type": "object", "properties": {"answer": {"type": "string"}}, "required": []}}}]`

// written is a call as models of Hermes' kind write it.
func written(name, arguments string) string {
	return "<tool_call>\n{\"name\": \"" + name + "\", \"arguments\": " + arguments + "}\n</tool_call>"
}

// callHistory is a turn whose call has a number, one whose call cannot be read, and what came of
// them.
func callHistory(t *testing.T) envs.History {
	t.Helper()

	played := action.Message{Content: "I load.", Calls: []action.ToolCall{{
		Name: "LoadDB", Arguments: `{"DBName": "coffee", "share": 2.50}`,
	}}}
	unread := action.Message{Content: "Again.", Calls: []action.ToolCall{{Name: "LoadDB", Arguments: `{"DBName": coffee}`}}}

	h := envs.NewHistory(envs.Task{Question: "What is it?"})
	h = h.Append(envs.Turn{Action: envs.Action(played.Text()), Observation: "Loaded."})
	return h.Append(envs.Turn{Action: envs.Action(unread.Text()), Observation: "The action cannot be read."})
}

// caller asks a server for native calls.
type caller struct {
	*server.Policy
	sent *forcing
}

// newCaller is one of a server whose samples a parser reads.
func newCaller(t *testing.T, b server.Backend, sent *forcing, parser toolcalls.Parser, o server.Options) caller {
	t.Helper()

	clean, err := chat.NewSanitizer()
	if err != nil {
		t.Fatal(err)
	}

	o.Backends, o.Break = []server.Backend{b}, clean.Clean
	o.Sampling, o.Reasoning = sampling(mostCalled), action.Once
	o.ReadCalls = func(_ envs.History, text string) (action.Message, int) {
		r := parser.Read(text, nil)
		return r.Message, r.End
	}

	if o.Render == nil {
		o.Messages = func(h envs.History) []chat.Message { return chat.ToolMessages("Call tools.", h, clean) }
		o.Tools = func(envs.History) string { return callTools }
	}

	p, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})

	return caller{p, sent}
}

// mostCalled is how many tokens a turn has, at most.
const mostCalled = 200

// caller asks vLLM, of messages or of tokens.
func (v vllm) caller(t *testing.T, ask string) caller {
	t.Helper()

	sent := &forcing{by: byRegex}
	tools := server.ToolCalls{Calls: server.CallsAuto, Choice: "auto", Parallel: server.ParallelUnset, Ask: ask}

	if ask == server.AskTokens {
		tools.Calls = string(toolcalls.Hermes)
	}

	b := v.open(t, openai.Options{Chat: true, Tools: tools, Endpoint: server.Endpoint{Transport: sent}})

	o := server.Options{LogProbs: true, ServerCalls: ask == server.AskMessages}
	return newCaller(t, b, sent, toolcalls.Hermes, o)
}

// prompt is a raw prompt of Qwen's kind in which tools are shown.
func prompt(t *testing.T) func(envs.History) string {
	t.Helper()

	template, err := chat.ParseTemplate("qwen")
	if err != nil {
		t.Fatal(err)
	}

	clean, err := chat.NewSanitizer()
	if err != nil {
		t.Fatal(err)
	}

	tools, err := pytext.Decode(callTools)
	if err != nil {
		t.Fatal(err)
	}

	var functions []envs.Args
	for _, f := range tools.([]any) {
		functions = append(functions, f.(envs.Args))
	}
	return func(h envs.History) string { return template.RenderTools("Call tools.", functions, h, clean) }
}

// write has the model write a text behind a history, and returns the turn that becomes of it.
func (c caller) write(t *testing.T, h envs.History, text string) mcts.Proposal {
	t.Helper()
	c.sent.text = text

	proposals, err := c.Propose(testContext(t), mcts.Request{
		Node: mcts.NodeID{Question: "interop", Path: "0"}, N: 1, Seed: 1, History: h,
	})
	if err != nil {
		t.Fatal(err)
	}

	return proposals[0]
}

// playedOf says what is played of a turn.
func playedOf(p mcts.Proposal) string {
	call, err := action.Tools{}.Parse(p.Text)
	if err != nil {
		return "nothing"
	}
	return call.Name + " " + pytext.JSON(call.Args)
}

const coffee = `{"DBName": "coffee"}`

// forced are texts that models write, with what vLLM's parser makes of them, and ours.
func forced() []struct{ name, text, messages, ours string } {
	coffee := written("LoadDB", coffee)
	return []struct{ name, text, messages, ours string }{
		{"a call", "I look.\n" + coffee, `LoadDB {"DBName": "coffee"}`, `LoadDB {"DBName": "coffee"}`},
		// Under its own name, which is on no list, and never by the one that it begins with.
		{"a made name", written("LoadDB_v2", `{}`), `LoadDB_v2 {}`, `LoadDB_v2 {}`},
		{"numbers", written("LoadDB", `{"share": 2.50, "n": 1e3}`), `LoadDB {"share": 2.5, "n": 1000.0}`,
			`LoadDB {"share": 2.50, "n": 1e3}`},
		{"order", written("LoadDB", `{"z": "1", "a": "2"}`), `LoadDB {"z": "1", "a": "2"}`, `LoadDB {"z": "1", "a": "2"}`},
		// What it calls behind an answer that it imagines is not played.
		{"an imagined answer", coffee + "\n<tool_response>\nok\n</tool_response>\n" + written("Finish", `{"answer": "1"}`),
			`LoadDB {"DBName": "coffee"}`, `LoadDB {"DBName": "coffee"}`},
		{"a cut call", written("LoadDB", `{"DBName": "`+strings.Repeat("x", 3*mostCalled)+`"}`), "nothing", "nothing"},
		// Of a text that is cut behind a whole call, vLLM's parser tells nothing that is known to
		// be whole.
		{"a cut text", coffee + strings.Repeat(" x", 3*mostCalled), "nothing", `LoadDB {"DBName": "coffee"}`},
		{"a cut second call", coffee + written("LoadDB", `{"DBName": "`+strings.Repeat("x", 3*mostCalled)+`"}`), "nothing",
			`LoadDB {"DBName": "coffee"}`},
		{"arguments that are no JSON", written("LoadDB", `{"DBName": coffee}`), "nothing", "nothing"},
		{"arguments that are a text", written("LoadDB", `"coffee"`), "nothing", "nothing"},
		{"no call", "It is 7.", "nothing", "nothing"},
	}
}

// What a real vLLM makes of calls: its parser reads the replies to messages, ours the text that
// follows tokens.
func TestVLLMCalls(t *testing.T) {
	v := openVLLM(t)
	byMessages, byTokens := v.caller(t, server.AskMessages), v.caller(t, server.AskTokens)
	h := envs.NewHistory(envs.Task{Question: "What is it?"})

	for _, c := range forced() {
		for _, asked := range []struct {
			caller
			want string
		}{{byMessages, c.messages}, {byTokens, c.ours}} {
			p := asked.write(t, h, c.text)
			t.Logf("%s: %d tokens, %s: %s", c.name, p.Tokens, p.Finish, p.Text)

			if got := playedOf(p); got != asked.want || !p.Scored {
				t.Errorf("%s: %s is played of %+v, want %s", c.name, got, p, asked.want)
			}
		}
	}

	// vLLM gives the second of two calls as one beside the first.
	if n := byMessages.Snapshot().CallsBehind; n != 1 {
		t.Errorf("%d calls behind the first", n)
	}

	// What came of an unreadable call stands in the history as it was written, under either way to
	// ask.
	h = callHistory(t)
	byMessages.write(t, h, written("LoadDB", coffee))
	ids := byMessages.sent.promptIDs(t)
	byTokens.write(t, h, written("LoadDB", coffee))

	if got := byTokens.sent.promptIDs(t); len(got) == 0 || !slices.Equal(got, ids) {
		t.Errorf("the prompt has %d tokens of a chat, and others, %d, of its tokens", len(ids), len(got))
	}

	var read struct{ Prompt string }
	post(t, strings.TrimSuffix(v.url, "/v1")+"/detokenize", map[string]any{"model": v.model, "tokens": ids}, &read)

	_, conversation, _ := strings.Cut(read.Prompt, "<|im_end|>\n")
	want := "<|im_start|>user\nQuestion: What is it?<|im_end|>\n<|im_start|>assistant\nI load.\n" +
		// Of the history, too, vLLM rewrites numbers.
		written("LoadDB", `{"DBName": "coffee", "share": 2.5}`) + "<|im_end|>\n" +
		"<|im_start|>user\n<tool_response>\nLoaded.\n</tool_response><|im_end|>\n" +
		"<|im_start|>assistant\nAgain.\n" + `{"name": "LoadDB", "arguments": "{\"DBName\": coffee}"}` + "<|im_end|>\n" +
		"<|im_start|>user\nObservation: The action cannot be read.<|im_end|>\n<|im_start|>assistant\n"

	if diff := cmp.Diff(want, conversation); diff != "" {
		t.Errorf("the conversation (-want +got):\n%s", diff)
	}
}

// Of llama.cpp our parsers read the texts that follow raw prompts. Its own server takes a grammar
// beside tools from nobody, so what its parser makes of a text cannot be forced.
func TestLlamaCalls(t *testing.T) {
	name := strings.TrimPrefix(setting(t, "TOOLEVO_MODEL_POLICY", "test-model.sh"), "openai:")
	sent := &forcing{by: byGrammar}

	b, err := openai.New(openai.Options{OmitLogProbs: true, Endpoint: server.Endpoint{
		URL: setting(t, "TOOLEVO_MODEL_SERVER", "test-model.sh") + "/v1", Model: name, Transport: sent,
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)

	c := newCaller(t, b, sent, toolcalls.Hermes, server.Options{Render: prompt(t)})
	h := envs.NewHistory(envs.Task{Question: "What is it?"})

	for _, f := range forced() {
		if got := playedOf(c.write(t, h, f.text)); got != f.ours {
			t.Errorf("%s: %s is played, want %s", f.name, got, f.ours)
		}
	}

	// Behind a call that cannot be read the model goes on as behind any other.
	if got := playedOf(c.write(t, callHistory(t), written("LoadDB", coffee))); got != "LoadDB "+coffee {
		t.Errorf("behind an unreadable call %s is played", got)
	}
}

// Ollama writes JSON of any schema: calls without tags, as Qwen2.5-Coder writes them.
func TestOllamaCalls(t *testing.T) {
	o := openOllama(t)
	sent := &forcing{by: bySchema}
	b := o.open(t, ollama.Options{Endpoint: server.Endpoint{Transport: sent}})
	c := newCaller(t, b, sent, toolcalls.Qwen25Coder, server.Options{Render: prompt(t)})
	h := envs.NewHistory(envs.Task{Question: "What is it?"})

	call := func(name, arguments string) string {
		return `{"type":"object","properties":{"name":{"const":"` + name + `"},"arguments":{"type":"object",` +
			`"properties":{` + arguments + `},"required":[]}},"required":["name","arguments"]}`
	}
	loads := call("LoadDB", `"DBName":{"const":"coffee"}`)

	for _, f := range []struct{ name, schema, want string }{
		{"a made name", call("LoadDB_v2", ""), `LoadDB_v2 \{\}`},
		{"a cut call", call("LoadDB", `"DBName":{"type":"string","minLength":2000}`), "nothing"},
		{"two calls", `{"type":"array","prefixItems":[` + loads + `,` + call("Finish", "") + `]}`, `LoadDB .*`},
		{"a number", call("LoadDB", `"share":{"type":"number"}`), `LoadDB \{("share": (\S+))?\}`},
		{"no call", `{"type":"object","properties":{"answer":{"const":"7"}},"required":["answer"]}`, "nothing"},
	} {
		for _, history := range []envs.History{h, callHistory(t)} {
			p := c.write(t, history, f.schema)
			t.Logf("%s: %s", f.name, p.Text)

			got := playedOf(p)
			played := regexp.MustCompile("^" + f.want + "$").FindStringSubmatch(got)

			if played == nil {
				t.Errorf("%s: %s is played, want %s", f.name, got, f.want)
			} else if number := played[len(played)-1]; len(played) > 1 && !bytes.Contains(sent.kept, []byte(number)) {
				t.Errorf("%s: the model did not write %s", f.name, number)
			}
		}
	}
}
