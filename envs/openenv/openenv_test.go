package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/drift"
	"toolevo/envs/dynamic"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// wording is a Text without the words of a real one.
type wording struct{ apis []*toolapi.API }

func (w wording) List(envs.Task) []*toolapi.API { return w.apis }

func (wording) System(t envs.Task) string    { return "tools of " + t.Labels[envs.LabelDataset] }
func (wording) Render(h envs.History) string { return "Question: " + h.Task().Question + "\n\n" }

// shop is the toy suite as it is served.
func shop(t testing.TB) Options {
	t.Helper()

	b := suitetest.Shop{}

	catalog, err := b.Versions("")
	if err != nil {
		t.Fatal(err)
	}

	s, err := b.Open(t.Context(), suite.Choice{
		Split: "train", Prompt: "old", Versions: catalog, Environment: dynamic.Settings{UpdateTool: true},
	})
	if err != nil {
		t.Fatal(err)
	}

	prompt, err := catalog.Version("old")
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Name: "shop", Software: "test", Split: "train", Tasks: s.Tasks(), Prompt: prompt,
		Deployed: &drift.Deployed{Families: []drift.Family{
			{Name: "old", Versions: []string{"old"}}, {Name: "new", Versions: []string{"new"}},
		}},
		Open: func(version string) (Deployed, error) {
			v, err := catalog.Version(version)
			if err != nil {
				return Deployed{}, err
			}

			env, err := s.Environment(version, nil)
			return Deployed{env, v}, err
		},
		Text: wording{prompt.APIs}, MaxTurns: 5,
	}
}

// serve starts a server of what is served.
func serve(t testing.TB, o Options) (*Server, *httptest.Server) {
	t.Helper()

	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}

	h := httptest.NewServer(s)

	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.Drain(ctx)
		h.Close()
	})

	return s, h
}

// client is a client of a server.
type client struct {
	t    testing.TB
	conn *websocket.Conn
}

func dial(t testing.TB, h *httptest.Server, header ...string) *client {
	t.Helper()

	o := &websocket.DialOptions{HTTPHeader: http.Header{}}
	for i := 0; i < len(header); i += 2 {
		o.HTTPHeader.Set(header[i], header[i+1])
	}

	conn, _, err := websocket.Dial(t.Context(), h.URL+"/ws", o)
	if err != nil {
		t.Fatal(err)
	}

	conn.SetReadLimit(1 << 24)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &client{t, conn}
}

// reply is what a server answers.
type reply struct {
	Type string
	Data struct {
		Observation struct {
			TaskID, Dataset, Question, System, Prompt string
			Functions, Tools                          []struct{ Name, Description string }
			Result, Text, Status                      string
			Outcome                                   *string
			Error                                     *struct{ Message string }
			Task                                      string `json:"task_id"`
			ToolName                                  string `json:"tool_name"`
			Kind                                      string `json:"-"`
		}
		Reward *float64
		Done   bool

		Code    Code
		Message string
		Errors  []Fault

		EpisodeID *string `json:"episode_id"`
		Steps     int     `json:"step_count"`
		Deployed  *string `json:"deployed_version"`
		Seed      *uint64
		Status    string

		Result json.RawMessage
		Error  *rpcError
	}
}

// sends sends a frame and returns the answer.
func (c *client) sends(frame string) string {
	c.t.Helper()

	if err := c.conn.Write(c.t.Context(), websocket.MessageText, []byte(frame)); err != nil {
		c.t.Fatalf("%.200s: %v", frame, err)
	}
	return c.hears()
}

// hears returns the next frame of the server.
func (c *client) hears() string {
	c.t.Helper()

	_, text, err := c.conn.Read(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

func (c *client) asks(kind string, data any) reply {
	c.t.Helper()

	m := map[string]any{"type": kind}
	if data != nil {
		m["data"] = data
	}

	text, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	return read(c.t, c.sends(string(text)))
}

func read(t testing.TB, text string) (r reply) {
	t.Helper()

	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return r
}

func (c *client) reset(data map[string]any) reply {
	c.t.Helper()

	r := c.asks("reset", data)
	if r.Type != "observation" {
		c.t.Fatalf("reset to %v: %+v", data, r)
	}
	return r
}

func (c *client) calls(tool string, args map[string]any) reply {
	c.t.Helper()
	return c.asks("step", map[string]any{"type": "call_tool", "tool_name": tool, "arguments": args})
}

func outcome(r reply) string {
	if o := r.Data.Observation.Outcome; o != nil {
		return *o
	}
	return "null"
}

// An agent calls what the prompt shows, reads the notice, and answers under the version in force.
func TestEpisode(t *testing.T) {
	_, h := serve(t, shop(t))
	c := dial(t, h)

	begun := c.reset(map[string]any{"task_id": "fruit-train-pear-03", "api": "new", "seed": 7})

	o := begun.Data.Observation
	if o.Task != "fruit-train-pear-03" || o.System != "tools of fruit" || begun.Data.Reward != nil || begun.Data.Done ||
		!strings.HasPrefix(o.Prompt, "Question: What do 3 pieces of pear") || o.Text+"\n\n" != o.Prompt {
		t.Errorf("%+v", begun)
	}

	if len(o.Functions) != 3 || o.Functions[0].Name != "Price" ||
		o.Functions[0].Description != "Returns the price of one piece." {
		t.Errorf("functions %+v", o.Functions)
	}

	for _, step := range []struct {
		tool, parameter, value, outcome, result string
	}{
		{"Price", "item", "pear", "deprecated", "Error: Price[item] is deprecated."},
		{"Cost", "item", "pear", "invalid-action", "There is no such tool"},
		{"Quote", "item", "pear", "invocation-error", "Quote takes one article."},
		{"Quote", "article", "pear", "ok", "3"},
	} {
		r := c.calls(step.tool, map[string]any{step.parameter: step.value})

		o := r.Data.Observation
		if outcome(r) != step.outcome || !strings.HasPrefix(o.Result, step.result) || o.ToolName != step.tool ||
			r.Data.Reward != nil || r.Data.Done || o.Status != "running" || o.Text != "Observation: "+o.Result ||
			(o.Error == nil) != (step.outcome == "ok") {
			t.Errorf("%+v: %+v", step, r.Data)
		}
	}

	r := c.asks("step", map[string]any{"type": "text", "text": "Thought: 3 times 3.\nAction: Finish\n" +
		"Action Input: {\"answer\": \"9\"}"})
	if outcome(r) != "correct" || r.Data.Reward == nil || *r.Data.Reward != 1 || !r.Data.Done ||
		r.Data.Observation.Status != "terminated" {
		t.Errorf("%+v", r.Data)
	}

	s := c.asks("state", nil)
	if s.Data.Steps != 5 || *s.Data.Deployed != "new" || *s.Data.Seed != 7 || s.Data.Status != "terminated" {
		t.Errorf("%+v", s.Data)
	}
}

// get asks for a page.
func get(t testing.TB, h *httptest.Server, path string, header ...string) (status int, text string) {
	t.Helper()
	return ask(t, h, http.MethodGet, path, "", header...)
}

func ask(t testing.TB, h *httptest.Server, method, path, body string, header ...string) (status int, text string) {
	t.Helper()

	r, err := http.NewRequestWithContext(t.Context(), method, h.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}

	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()

	b, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(b)
}

// play plays the episode of a seed, and returns what it was shown, in order.
func play(c *client, seed int) []string {
	c.t.Helper()

	begun := c.reset(map[string]any{"seed": seed}).Data.Observation
	seen := []string{begun.Task, begun.Prompt}

	text, _, _ := strings.Cut(begun.Question, " cost?")
	words := strings.Fields(text)

	for _, call := range []struct{ tool, parameter, value string }{
		{"Price", "item", words[len(words)-1]},
		{"Quote", "article", words[len(words)-1]},
		{"Finish", "answer", "6"},
	} {
		r := c.calls(call.tool, map[string]any{call.parameter: call.value})
		seen = append(seen, outcome(r), r.Data.Observation.Text)

		if r.Data.Done {
			seen = append(seen, fmt.Sprint(*r.Data.Reward))
		}
	}

	s := c.asks("state", nil).Data
	return append(seen, *s.Deployed, fmt.Sprint(s.Steps))
}

// Equal seeds give equal episodes, in other servers too, and two hundred clients at once meet what
// one meets.
func TestSameSeedsSameEpisodes(t *testing.T) {
	_, h := serve(t, shop(t))
	alone := dial(t, h)

	var want [][]string
	for seed := range 20 {
		want = append(want, play(alone, seed))
	}

	versions := map[string]bool{}
	for _, seen := range want {
		versions[seen[len(seen)-2]] = true
	}

	if len(versions) != 2 {
		t.Errorf("the seeds draw %v", versions)
	}

	_, other := serve(t, shop(t))

	var clients sync.WaitGroup

	for i := range 200 {
		c := dial(t, []*httptest.Server{h, other}[i%2])

		clients.Go(func() {
			for seed := i; seed < i+2; seed++ {
				if diff := cmp.Diff(want[seed%20], play(c, seed%20)); diff != "" {
					t.Errorf("client %d, seed %d: %s", i, seed%20, diff)
				}
			}
		})
	}

	clients.Wait()
}

func TestSeeds(t *testing.T) {
	o := shop(t)
	s, h := serve(t, o)
	c := dial(t, h)

	for i := range 2 { // the server counts
		if r := c.reset(nil); r.Data.Observation.Task != o.Tasks[i].ID {
			t.Errorf("%d: %s, want %s", i, r.Data.Observation.Task, o.Tasks[i].ID)
		}
	}

	if r := c.reset(map[string]any{"seed": len(o.Tasks) + 3}); r.Data.Observation.Task != o.Tasks[3].ID {
		t.Errorf("%s, want %s", r.Data.Observation.Task, o.Tasks[3].ID)
	}

	if r := c.reset(map[string]any{"seed": 5, "dataset": "tools"}); r.Data.Observation.Dataset != "tools" {
		t.Errorf("%+v", r)
	}

	// The name of an episode stands for a seed.
	first, again := c.reset(map[string]any{"episode_id": "é"}), c.asks("state", nil)
	if c.reset(map[string]any{"episode_id": "é"}).Data.Observation.Task != first.Data.Observation.Task ||
		*again.Data.EpisodeID != "é" {
		t.Errorf("%+v", again)
	}

	// A family's version is the one that an evaluation of the seed draws.
	s.families["both"] = drift.Family{Name: "both", Versions: []string{"new", "old"}}

	for seed := range 10 {
		task := c.reset(map[string]any{"seed": seed, "api": "both"}).Data.Observation.Task
		if got := *c.asks("state", nil).Data.Deployed; got != s.families["both"].Of(uint64(seed), task) {
			t.Errorf("seed %d: %s", seed, got)
		}
	}
}

// A turn earns what is named, and nothing twice.
func TestShapes(t *testing.T) {
	o := shop(t)
	o.MaxTurns = 20
	o.Shapes = map[Shape]float64{RecoveredDeprecation: 0.25, TruthfulUpdate: 0.5}
	o.IsTrue = func(description string, v *toolapi.Version) bool {
		_, known := v.API(description)
		return known
	}

	_, h := serve(t, o)
	c := dial(t, h)
	c.reset(map[string]any{"task_id": "fruit-train-pear-03", "api": "new"})

	for i, step := range []struct {
		tool, parameter, value string
		reward                 float64
	}{
		{"UpdateTool", "newtool_desc", "Quote", 0}, // nothing was deprecated yet
		{"Quote", "article", "pear", 0},
		{"Price", "item", "pear", 0},
		{"UpdateTool", "newtool_desc", "Price", 0},  // the prompt's own
		{"UpdateTool", "newtool_desc", "Finish", 0}, // of both versions
		{"UpdateTool", "newtool_desc", "Buy", 0},    // of neither
		{"UpdateTool", "newtool_desc", "Quote", 0.5},
		{"UpdateTool", "newtool_desc", "Quote", 0},
		{"Quote", "article", "brick", 0}, // an error
		{"Quote", "article", "pear", 0.25},
		{"Quote", "article", "pear", 0},
		{"Finish", "answer", "9", 1},
	} {
		r := c.calls(step.tool, map[string]any{step.parameter: step.value})
		if r.Data.Reward == nil || *r.Data.Reward != step.reward {
			t.Errorf("%d: %+v: %+v", i, step, r.Data)
		}
	}
}

// Of several native calls in a turn each earns what it would earn alone.
func TestShapesOfSeveralCalls(t *testing.T) {
	o := shop(t)
	o.Codec = action.Tools{Most: 2}
	o.Shapes = map[Shape]float64{RecoveredDeprecation: 0.25}
	s, _ := serve(t, o)
	e := &episode{version: "new"}

	quote := envs.Call{Tool: "Price", Name: "Quote"}

	for i, step := range []struct {
		turn envs.Turn
		want float64
	}{
		{envs.Turn{Call: envs.Call{Tool: "Price", Name: "Price"}, Outcome: envs.Deprecated}, 0},
		{envs.Turn{
			Call: quote, Outcome: envs.ToolError,
			Calls: []envs.Turn{{Call: quote}, {Call: quote, Outcome: envs.ToolError}},
		}, 0.25},
	} {
		if got := s.shape(e, envs.Transition{Turn: step.turn}); *got != step.want {
			t.Errorf("turn %d earns %v, want %v", i, *got, step.want)
		}
	}
}

// An episode has as many turns as it may have and no more, and one without an answer is worth as
// little as silence.
func TestEndsWithoutAnAnswer(t *testing.T) {
	o := shop(t)
	_, h := serve(t, o)
	c := dial(t, h)

	for silence := range o.MaxTurns + 1 { // blank text comes after this many turns
		c.reset(pear)

		for turn := range silence {
			r := c.calls("Quote", map[string]any{"article": "pear"})
			if last := turn+1 == o.MaxTurns; r.Data.Done != last || (r.Data.Reward != nil) != last ||
				last && (*r.Data.Reward != 0 || r.Data.Observation.Status != "truncated") {
				t.Errorf("turn %d: %+v", turn+1, r.Data)
			}
		}

		r := c.asks("step", map[string]any{"type": "text", "text": " "})
		if silence == o.MaxTurns {
			if r.Data.Code != ExecutionError {
				t.Errorf("a step after the end: %+v", r)
			}
		} else if !r.Data.Done || r.Data.Reward == nil || *r.Data.Reward != 0 {
			t.Errorf("silence after %d turns: %+v", silence, r.Data)
		}
	}
}

// recorder is a Recorder in memory that may fail.
type recorder struct {
	mu       sync.Mutex
	episodes []Episode
	err      error
}

func (r *recorder) Record(ctx context.Context, e Episode) error {
	r.mu.Lock()
	defer r.mu.Unlock()

	if ctx.Err() != nil {
		return ctx.Err() // as a store would
	}

	if r.err == nil {
		r.episodes = append(r.episodes, e)
	}
	return r.err
}

// An episode is recorded before its end is told, once; one that the client leaves, too.
func TestRecord(t *testing.T) {
	o, kept := shop(t), &recorder{err: errors.New("the disk is full")}
	o.Recorder = kept

	server, h := serve(t, o)
	c := dial(t, h)
	c.reset(pear)
	c.calls("Price", map[string]any{"item": "pear"})

	if r := c.calls("Finish", map[string]any{"answer": "9"}); r.Data.Code != ExecutionError {
		t.Errorf("not recorded, but answered: %+v", r)
	}

	kept.err = nil
	if r := c.calls("Finish", map[string]any{"answer": "9"}); outcome(r) != "correct" || len(kept.episodes) != 1 {
		t.Errorf("%+v, %d recorded", r, len(kept.episodes))
	}

	c.reset(pear)
	c.reset(pear) // nothing was done
	c.calls("Price", map[string]any{"item": "pear"})
	c.reset(pear)
	c.calls("Quote", map[string]any{"article": "pear"})
	c.asks("step", map[string]any{"type": "text", "text": " "})
	c.reset(pear)
	c.calls("Quote", map[string]any{"article": "pear"})
	c.tells(`{"type":"close"}`)
	c.ends()

	gone := dial(t, h)
	gone.reset(pear)
	gone.calls("Quote", map[string]any{"article": "pear"})
	_ = gone.conn.CloseNow() // without a word

	server.open.Wait()

	var got []string
	for _, e := range kept.episodes {
		got = append(got, fmt.Sprint(e.Version, " ", len(e.Turns), " ", e.Silent, " ", e.Start.History().Len()))
	}

	left := "new 1 true 0"
	if diff := cmp.Diff([]string{"new 2 false 0", left, left, left, left}, got); diff != "" {
		t.Error(diff)
	}

	want := map[string]int64{"correct": 1, "unanswered": 4}
	if diff := cmp.Diff(want, server.Counts().Episodes); diff != "" {
		t.Error(diff)
	}
}

// What a server says over HTTP is what OpenEnv's validator looks for, and nowhere is there a gold
// answer.
func TestHTTP(t *testing.T) {
	_, h := serve(t, shop(t))

	for _, tt := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"GET", "/health", "", 200, `"status":"healthy"`},
		{"GET", "/metadata", "", 200, `"name":"toolevo-shop"`},
		{"GET", "/state", "", 200, `"episode_id":null,"step_count":0`},
		{"GET", "/openapi.json", "", 200, `"/reset"`},
		{"GET", "/schema", "", 200, `"const":"Price"`},
		{"GET", "/schema?dataset=fruit", "", 200, `"functions":[{"name":"Price"`},
		{"GET", "/schema?dataset=cars", "", 404, "fruit"},
		{"GET", "/tasks", "", 200, `{"task_id":"fruit-train-apple-03","dataset":"fruit"`},
		{"GET", "/metrics", "", 200, "toolevo_env_sessions 0"},
		{"POST", "/reset", `{"seed":0}`, 200, `"task_id":"fruit-train-apple-03"`},
		{"POST", "/reset", ``, 200, `"done":false`},
		{"POST", "/reset", `{"seed":-1}`, 422, "VALIDATION_ERROR"},
		{"POST", "/step", `{"action":{"type":"list_tools"}}`, 200, `"tools":[{"name":"Price"`},
		{"POST", "/step", `{"action":{"tool_name":"Price"}}`, 409, "EXECUTION_ERROR"},
		{"POST", "/step", `{}`, 422, "is required"},
		{"POST", "/mcp", `{}`, 200, `"jsonrpc":"2.0"`},
		{"POST", "/mcp", `{`, 200, `-32700`},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 200, `"inputSchema":{"type":"object"`},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Price"}}`, 200, `-32000`},
		{"GET", "/elsewhere", "", 404, ""},
	} {
		status, text := ask(t, h, tt.method, tt.path, tt.body)
		if status != tt.status || !strings.Contains(text, tt.says) {
			t.Errorf("%s %s %s: %d %s", tt.method, tt.path, tt.body, status, text)
		}
	}
}

func TestMCP(t *testing.T) {
	_, h := serve(t, shop(t))
	c := dial(t, h)

	rpc := func(method string, params any) string {
		t.Helper()
		text, _ := json.Marshal(map[string]any{"type": "mcp", "data": map[string]any{
			"jsonrpc": "2.0", "id": "a", "method": method, "params": params,
		}})
		return c.sends(string(text))
	}
	says := func(text string, parts ...string) {
		t.Helper()

		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not say %s", text, part)
			}
		}
	}

	says(rpc("tools/list", map[string]any{}), `"id":"a"`, `"name":"Price"`)
	says(rpc("tools/call", map[string]any{"name": "Price"}), "-32000", "reset")
	says(rpc("tools/call", map[string]any{}), "-32602")
	says(rpc("resources/list", nil), "-32601")

	c.reset(map[string]any{"task_id": "fruit-train-pear-03", "api": "old"})
	for _, wrong := range []any{
		map[string]any{}, map[string]any{"name": "Price\nTag"}, map[string]any{"name": "Price", "arguments": "pear"},
	} {
		says(rpc("tools/call", wrong), `"isError":true`, `"done":false`)
	}

	says(c.sends(`{"type":"state"}`), `"step_count":3`)
	says(rpc("tools/call", map[string]any{"name": "Price", "arguments": map[string]any{"item": "pear"}}),
		`"content":[{"type":"text","text":"3"}],"isError":false`, `"done":false`)
	says(rpc("tools/call", map[string]any{"name": "Finish", "arguments": map[string]any{"answer": "9"}}), `"reward":1`)
	c.reset(map[string]any{"task_id": "fruit-train-pear-03", "api": "old"})
	// A thought that quotes a call is not the call.
	says(c.sends(`{"type":"step","data":{"type":"call_tool","tool_name":"Price","arguments":{"item":"pear"},`+
		`"thought":"My last Action Input: {\"item\": \"plum\"} was wrong"}}`), `"result":"3"`)
	says(c.sends(`{"type":"mcp","data":{"id":NaN}}`), "-32600", `"id":null`)
}

// No frame makes the parser fail but by its own error.
func FuzzMessage(f *testing.F) {
	for _, frame := range []string{
		price, `{"type":"reset","data":{"seed":1,"episode_id":"a","task_id":"b"}}`, `{"type":"state"}`, `{`,
		`{"type":"step","data":{"type":"text","text":"Thought: a\nAction: b\nAction Input: {}","metadata":{}}}`,
		`{"type":"step","data":{"tool_name":"a","arguments":{"b":NaN},"thought":"Action: c"}}`,
		`{"type":"mcp","data":{"jsonrpc":"2.0","method":"tools/list"}}`,
	} {
		f.Add([]byte(frame))
	}

	s, err := New(shop(f))
	if err != nil {
		f.Fatal(err)
	}

	f.Fuzz(func(t *testing.T, frame []byte) {
		c := &session{s: s}
		if _, err := c.reset(t.Context(), nil); err != nil {
			t.Fatal(err)
		}

		reply, ends := c.answer(t.Context(), frame)
		if !ends && !json.Valid(reply) {
			t.Errorf("%q is answered with %q", frame, reply)
		}
	})
}
