package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
)

var pear = map[string]any{"task_id": "fruit-train-pear-03", "api": "new"}

// TestNoGoldLeaves plays a task whose answer, 228, no tool says, by a wrong answer: the right one
// is in nothing that the server says, whatever it is asked.
func TestNoGoldLeaves(t *testing.T) {
	_, h := serve(t, shop(t))
	c := dial(t, h)

	said := []string{c.sends(`{"type":"reset","data":{"task_id":"tools-train-hammer-12","api":"old"}}`)}
	for _, frame := range []string{
		`{"type":"state"}`,
		`{"type":"step","data":{"type":"list_tools"}}`,
		`{"type":"step","data":{"tool_name":"Price","arguments":{"item":"hammer"}}}`,
		`{"type":"step","data":{"tool_name":"Price","arguments":{"article":"hammer"}}}`,
		`{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}`,
		`{"type":"step","data":{"tool_name":"Finish","arguments":{"answer":"7"}}}`,
		`{"type":"state"}`,
	} {
		said = append(said, c.sends(frame))
	}

	if last := said[len(said)-2]; !strings.Contains(last, `"outcome":"incorrect"`) {
		t.Errorf("the episode was not played: %s", last)
	}

	for _, path := range []string{
		"/metadata", "/state", "/schema", "/tasks", "/metrics", "/openapi.json",
	} {
		_, text := get(t, h, path)
		said = append(said, text)
	}

	for _, text := range said {
		if strings.Contains(text, "228") {
			t.Errorf("the gold answer is told: %s", text)
		}
	}
}

// TestNothingIsShared holds that an episode knows neither what another session learns, nor what one
// before it in its own session did.
func TestNothingIsShared(t *testing.T) {
	o := shop(t)
	o.Shapes = map[Shape]float64{RecoveredDeprecation: 0.5}
	_, h := serve(t, o)
	one, other := dial(t, h), dial(t, h)

	for range 2 {
		one.reset(pear)
		other.reset(pear)
		one.calls("Price", map[string]any{"item": "pear"}) // is deprecated

		if r := other.calls("Quote", map[string]any{"article": "pear"}); *r.Data.Reward != 0 {
			t.Errorf("a tool recovers that another session called: %+v", r.Data)
		}

		one.reset(pear)

		if r := one.calls("Quote", map[string]any{"article": "pear"}); *r.Data.Reward != 0 {
			t.Errorf("a tool recovers that an episode before called: %+v", r.Data)
		}

		if s := one.asks("state", nil); s.Data.Steps != 1 {
			t.Errorf("%+v", s.Data)
		}
	}
}

// TestLimitsToTheByte holds that what may be sent may be sent to the last byte and to the last
// turn.
func TestLimitsToTheByte(t *testing.T) {
	o := shop(t)
	o.MaxBytes = 1000
	_, h := serve(t, o)
	c := dial(t, h)
	c.reset(pear)

	frame := `{"type":"state"}`
	for extra, want := range []string{"state", "error"} {
		padded := frame + strings.Repeat(" ", int(o.MaxBytes)-len(frame)+extra)
		if r := read(t, c.sends(padded)); r.Type != want {
			t.Errorf("a frame of %d bytes: %+v", len(padded), r)
		}
	}

	for _, step := range []struct {
		bytes int
		want  string
	}{{600, "running"}, {400, "running"}, {1, "truncated"}} {
		r := c.asks("step", map[string]any{"type": "text", "text": strings.Repeat("x", step.bytes)})
		if r.Data.Observation.Status != step.want {
			t.Errorf("%d bytes more: %+v", step.bytes, r.Data)
		}
	}

	for path, body := range map[string]string{"/reset": "{}", "/mcp": "{}"} {
		body += strings.Repeat(" ", int(o.MaxBytes))
		status, text := ask(t, h, http.MethodPost, path, body)
		if status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "1000 bytes") {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}

// TestNew holds that a server that could not serve is not made, and that the least of every limit
// is.
func TestNew(t *testing.T) {
	updates := map[Shape]float64{TruthfulUpdate: 1}
	unopened := func(string) (Deployed, error) { return Deployed{}, errors.New("broken") }

	for name, change := range map[string]func(*Options){
		"there are no tasks":    func(o *Options) { o.Tasks = nil },
		"0 turns":               func(o *Options) { o.MaxTurns = 0 },
		"-1 sessions":           func(o *Options) { o.MaxSessions = -1 },
		"-1 bytes":              func(o *Options) { o.MaxBytes = -1 },
		"-1ns of silence":       func(o *Options) { o.Idle = -1 },
		"needs IsTrue":          func(o *Options) { o.Shapes = updates },
		"openenv: broken":       func(o *Options) { o.Open = unopened },
		"want at least 1 of ea": func(o *Options) { o.MaxTurns = -7 },
	} {
		o := shop(t)
		change(&o)

		if s, err := New(o); err == nil || s != nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}

	o := shop(t)
	o.Tasks = o.Tasks[:1]
	o.MaxTurns, o.MaxSessions, o.MaxBytes, o.Idle = 1, 1, 1, 1
	o.Shapes, o.IsTrue = map[Shape]float64{}, func(string, *toolapi.Version) bool { return true }

	for _, s := range Shapes() {
		o.Shapes[s] = 1
	}

	if _, err := New(o); err != nil || len(o.Shapes) != 2 {
		t.Errorf("%d shapes: %v", len(o.Shapes), err)
	}
}

// failing is an environment that fails when it is told to.
type failing struct {
	envs.Environment
	err *error
}

func (f failing) Reset(ctx context.Context, task envs.Task) (envs.State, error) {
	if *f.err != nil {
		return nil, *f.err
	}
	return f.Environment.Reset(ctx, task)
}

func (f failing) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	if *f.err != nil {
		return envs.Transition{}, *f.err
	}
	return f.Environment.Step(ctx, s, a)
}

// TestFailuresOfOurs holds that a failure of ours is an error, after which the same may be tried
// again as if it had not been sent, whichever part failed.
func TestFailuresOfOurs(t *testing.T) {
	var fault error

	kept := &recorder{}
	o := shop(t)
	o.Recorder = kept
	open := o.Open
	o.Open = func(version string) (Deployed, error) {
		d, err := open(version)
		d.Env = failing{d.Env, &fault}
		return d, err
	}

	s, h := serve(t, o)
	c := dial(t, h)
	fails := func(what string, r reply) {
		t.Helper()

		if r.Type != "error" || r.Data.Code != ExecutionError ||
			!strings.Contains(r.Data.Message, "try again: broken") {
			t.Errorf("%s: %+v", what, r)
		}
	}

	fault = errors.New("broken")
	fails("a reset", c.asks("reset", pear))
	fault = nil
	c.reset(pear)

	quote := map[string]any{"article": "pear"}
	fault = errors.New("broken")
	fails("a step", c.calls("Quote", quote))
	fault = nil

	if r := c.calls("Quote", quote); outcome(r) != "ok" {
		t.Errorf("again: %+v", r)
	}

	// The episode that cannot be recorded is not left.
	kept.err = errors.New("broken")
	fails("leaving an episode", c.asks("reset", pear))

	if state := c.asks("state", nil); state.Data.Steps != 1 || state.Data.Status != "running" {
		t.Errorf("%+v", state.Data)
	}

	kept.err = nil
	c.reset(pear)

	if len(kept.episodes) != 1 || s.Counts().Episodes["unanswered"] != 1 {
		t.Errorf("%d recorded, %v", len(kept.episodes), s.Counts())
	}
}

// TestCounts holds that each turn, each end and each error counts once, and open sessions while
// they are open.
func TestCounts(t *testing.T) {
	kept := &recorder{}
	o := shop(t)
	o.Recorder = kept
	s, h := serve(t, o)

	if got := s.Counts(); got.Episodes == nil || got.Turns == nil || got.Errors == nil {
		t.Errorf("before anything: %+v", got)
	}

	c := dial(t, h)
	c.reset(pear)
	c.calls("Finish", map[string]any{"answer": "9"}) // at once
	c.reset(pear)
	c.calls("Price", map[string]any{"item": "pear"})
	c.calls("Price", map[string]any{"item": "pear"})
	c.calls("Finish", map[string]any{"answer": "8"})
	c.reset(pear)
	c.asks("step", map[string]any{"type": "text", "text": " "}) // nothing at all was done
	c.asks("jump", nil)
	ask(t, h, http.MethodPost, "/reset", "[]")

	want := Counts{
		Episodes: map[string]int64{"correct": 1, "incorrect": 1, "unanswered": 1},
		Turns:    map[string]int64{"correct": 1, "incorrect": 1, "deprecated": 2},
		Errors:   map[string]int64{string(UnknownType): 1, string(InvalidJSON): 1},
	}
	if diff := cmp.Diff(want, s.Counts()); diff != "" {
		t.Error(diff)
	}

	if len(kept.episodes) != 2 {
		t.Errorf("%d episodes are recorded", len(kept.episodes))
	}

	if _, text := get(t, h, "/metrics"); !strings.Contains(text, "toolevo_env_sessions 1\n") {
		t.Errorf("one session is open: %s", text)
	}
}

// TestEpisodesHaveNames holds that an episode without a name gets one of its own, and that one with
// a name has the seed that the name stands for in every process: its hash by FNV-1a, halved.
func TestEpisodesHaveNames(t *testing.T) {
	_, h := serve(t, shop(t))
	c := dial(t, h)

	for i := range 11 {
		c.reset(nil)

		s := c.asks("state", nil).Data
		if want := fmt.Sprintf("episode-%d", i+1); *s.EpisodeID != want || *s.Seed != uint64(i) {
			t.Errorf("%s with the seed %d, want %s with %d", *s.EpisodeID, *s.Seed, want, i)
		}
	}

	c.reset(map[string]any{"episode_id": "é"})

	if s := c.asks("state", nil).Data; *s.Seed != 387603703882583808 {
		t.Errorf("é stands for %d", *s.Seed)
	}

	c.reset(map[string]any{"episode_id": strings.Repeat("é", 255), "seed": uint64(1<<63 - 1)})

	r := c.asks("reset", map[string]any{"seed": uint64(1 << 63)})
	if r.Data.Code != ValidationError {
		t.Errorf("a seed of 64 bits: %+v", r)
	}
}

// TestRefusalsSayWhatIsServed holds that a choice that is not served is answered with those that
// are.
func TestRefusalsSayWhatIsServed(t *testing.T) {
	o := shop(t)
	both := drift.Family{Name: "any", Versions: []string{"new", "old"}}
	o.Deployed.Families = append(o.Deployed.Families, both)
	_, h := serve(t, o)
	c := dial(t, h)

	for _, test := range []struct {
		data map[string]any
		want string
	}{
		{map[string]any{"task_id": "none"}, "not among the 10 of the split train that are served"},
		{map[string]any{"task_id": "fruit-train-pear-03", "dataset": "tools"}, `not in the dataset "tools"`},
		{map[string]any{"dataset": "cars"}, "valid are fruit, tools"},
		{map[string]any{"api": "newest"}, "valid are any, new, old"},
	} {
		r := c.asks("reset", test.data)
		if r.Data.Code != ExecutionError || !strings.Contains(r.Data.Message, test.want) {
			t.Errorf("%v: %+v, want %q", test.data, r.Data, test.want)
		}
	}

	c.reset(map[string]any{"task_id": "fruit-train-pear-03", "dataset": "fruit"})

	var met []string

	for seed := range 20 {
		c.reset(map[string]any{"seed": seed, "api": "any"})
		met = append(met, *c.asks("state", nil).Data.Deployed)
	}

	slices.Sort(met)

	if met = slices.Compact(met); !slices.Equal(met, []string{"new", "old"}) {
		t.Errorf("a family of two versions: %v", met)
	}
}

// TestWordsOfErrors says what each outcome is in OpenEnv's words, and what an end without an answer
// is.
func TestWordsOfErrors(t *testing.T) {
	o := shop(t)
	o.MaxTurns = 20
	_, h := serve(t, o)
	c := dial(t, h)
	c.reset(pear)

	kind := func(frame, outcome, kind string) {
		t.Helper()

		text := c.sends(frame)
		if !strings.Contains(text, `"outcome":"`+outcome+`"`) || !strings.Contains(text, kind) ||
			strings.Contains(text, `"error":null`) != (kind == "") {
			t.Errorf("%s: %s, want %s and %s", frame, text, outcome, kind)
		}
	}
	call := `{"type":"step","data":{"tool_name":%q,"arguments":{%q:%q}}}`

	kind(fmt.Sprintf(call, "Price", "item", "pear"), "deprecated", `"error_type":"tool_not_found"`)
	kind(fmt.Sprintf(call, "Cost", "item", "pear"), "invalid-action", `"error_type":"tool_not_found"`)
	kind(fmt.Sprintf(call, "Quote", "item", "pear"), "invocation-error", `"error_type":"invalid_args"`)
	kind(fmt.Sprintf(call, "Quote", "article", "brick"), "tool-error", `"error_type":"execution_error"`)
	kind(fmt.Sprintf(call, "", "a", "b"), "malformed", `"error_type":"invalid_args"`)
	kind(fmt.Sprintf(call, "Quote", "article", "pear"), "ok", "")

	// Silence: the outcome is that of the last call, and there is nothing to read.
	want := `{"type":"observation","data":{"observation":{"tool_name":"","result":"","error":null,` +
		`"outcome":"ok","text":"","status":"truncated"},"reward":0,"done":true}}`
	if text := c.sends(`{"type":"step","data":{"type":"text","text":" \n"}}`); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// TestRewardsAddUp holds that the end of an episode is rewarded beside what its last turn earns.
func TestRewardsAddUp(t *testing.T) {
	o := shop(t)
	o.MaxTurns, o.Shapes = 3, map[Shape]float64{RecoveredDeprecation: 0.25}
	_, h := serve(t, o)
	c := dial(t, h)
	c.reset(pear)
	c.calls("Price", map[string]any{"item": "pear"})

	// Nobody knows what is true, and nobody is asked: descriptions earn nothing here.
	r := c.calls("UpdateTool", map[string]any{"newtool_desc": "Quote"})
	if outcome(r) != "ok" || *r.Data.Reward != 0 {
		t.Errorf("%+v", r.Data)
	}

	r = c.calls("Quote", map[string]any{"article": "pear"})
	if !r.Data.Done || *r.Data.Reward != 0.25 {
		t.Errorf("a recovery in the last turn: %+v", r.Data)
	}
}

// TestPages reads the pages whose members others rely on, byte by byte or name by name.
func TestPages(t *testing.T) {
	o := shop(t)
	o.Tasks = o.Tasks[:1]
	_, h := serve(t, o)
	c := dial(t, h)

	none := `{"episode_id":null,"step_count":0,"task_id":null,"dataset":null,"seed":null,` +
		`"prompt_version":"old","deployed_version":null,"status":"none","max_turns":5}`
	if text := c.sends(`{"type":"state"}`); text != `{"type":"state","data":`+none+`}` {
		t.Errorf("state of a session: %s", text)
	}

	for path, want := range map[string]string{
		"/state": none,
		"/tasks": `{"split":"train","versions":["new","old"],"families":["old","new"],"tasks":[{` +
			`"task_id":"fruit-train-apple-03","dataset":"fruit","difficulty":"",` +
			`"question":"What do 3 pieces of apple cost?"}]}`,
	} {
		_, text := get(t, h, path, "Authorization", "Bearer any") // there is no key
		if strings.TrimSpace(text) != want {
			t.Errorf("%s: %s, want %s", path, text, want)
		}
	}

	_, text := get(t, h, "/schema")
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		t.Fatal(err)
	}

	want := []string{"action", "functions", "observation", "reset_observation", "state"}
	if got := slices.Sorted(maps.Keys(members)); !slices.Equal(got, want) {
		t.Errorf("schema: %q, want %q", got, want)
	}

	for _, test := range []struct{ path, body, want string }{
		{"/reset", "{", string(InvalidJSON)},
		{"/step", "{}", "action: is required"},
		{"/mcp", `{"jsonrpc":"2.0","id":1}`, "-32600"},
		{"/mcp", `{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, "-32600"},
		{"/mcp", `{"id":1,"method":"tools/list"}`, "-32600"},
		{"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","more":1}`, "-32600"},
	} {
		_, text := ask(t, h, http.MethodPost, test.path, test.body)
		if !strings.Contains(text, test.want) {
			t.Errorf("%s %s: %s, want %s", test.path, test.body, text, test.want)
		}
	}

	if r := read(t, c.sends(`{"type":"mcp"}`)); r.Data.Code != ValidationError {
		t.Errorf("%+v", r)
	}
}

// TestTheServerEndsAnEpisode holds that an episode that the server ends is not recorded, though the
// agent acted.
func TestTheServerEndsAnEpisode(t *testing.T) {
	kept := &recorder{}
	o := shop(t)
	o.Recorder = kept
	server, h := serve(t, o)
	c := dial(t, h)
	c.reset(pear)
	c.calls("Quote", map[string]any{"article": "pear"})

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server.Drain(ctx)

	if len(kept.episodes) != 0 || len(server.Counts().Episodes) != 0 {
		t.Errorf("%d episodes are recorded, %v", len(kept.episodes), server.Counts())
	}
}
