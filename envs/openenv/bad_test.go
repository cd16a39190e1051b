package openenv

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"toolevo/envs"
)

const price = `{"type":"step","data":{"tool_name":"Price","arguments":{"item":"pear"}}}`

// What a client does wrong has OpenEnv's code, and its session goes on as if it had not been sent.
func TestBadMessages(t *testing.T) {
	_, h := serve(t, shop(t))
	c := dial(t, h)

	for frame, want := range map[string]Code{
		`{`:                                      InvalidJSON,
		``:                                       InvalidJSON,
		`[]`:                                     InvalidJSON,
		"\xff\xfe":                               InvalidJSON,
		strings.Repeat("[", 1e5):                 InvalidJSON,
		`{}`:                                     UnknownType,
		`{"type":7}`:                             UnknownType,
		`{"type":"jump"}`:                        UnknownType,
		`{"type":"step"}`:                        ValidationError,
		`{"type":"step","data":[]}`:              ValidationError,
		`{"type":"step","data":{}}`:              ValidationError,
		`{"type":"step","data":{"type":"fly"}}`:  ValidationError,
		`{"type":"step","data":{"type":"text"}}`: ValidationError,
		`{"type":"step","data":{"type":"text","text":1}}`:                             ValidationError,
		`{"type":"step","data":{"tool_name":1}}`:                                      ValidationError,
		`{"type":"step","data":{"tool_name":"a Action Input: b"}}`:                    ValidationError,
		`{"type":"step","data":{"tool_name":"Price","arguments":"{}"}}`:               ValidationError,
		`{"type":"step","data":{"tool_name":"Price","speed":1}}`:                      ValidationError,
		`{"type":"reset","data":{"seed":-1}}`:                                         ValidationError,
		`{"type":"reset","data":{"seed":"1"}}`:                                        ValidationError,
		`{"type":"reset","data":{"seed":1.5}}`:                                        ValidationError,
		`{"type":"reset","data":{"task":"a"}}`:                                        ValidationError,
		`{"type":"reset","data":{"episode_id":"` + strings.Repeat("é", 256) + `"}}`:   ValidationError,
		`{"type":"state","data":{}}`:                                                  ValidationError,
		`{"type":"reset","data":{"task_id":"fruit-test-pear-03"}}`:                    ExecutionError,
		`{"type":"reset","data":{"dataset":"cars"}}`:                                  ExecutionError,
		`{"type":"reset","data":{"api":"newest"}}`:                                    ExecutionError,
		`{"type":"reset","data":{"task_id":"fruit-train-pear-03","dataset":"tools"}}`: ExecutionError,
		price: ExecutionError, // before a reset
	} {
		r := read(t, c.sends(frame))
		if r.Type != "error" || r.Data.Code != want || (want == ValidationError) != (len(r.Data.Errors) > 0) {
			t.Errorf("%.100q: %+v, want %s", frame, r, want)
		}
	}

	c.reset(map[string]any{"seed": 1})

	if r := read(t, c.sends(`{"type":"jump"}`)); r.Type != "error" {
		t.Errorf("%+v", r)
	}

	if r := c.calls("Finish", map[string]any{"answer": "0"}); outcome(r) != "incorrect" || *r.Data.Reward != 0 {
		t.Errorf("after errors: %+v", r)
	}

	if r := read(t, c.sends(price)); r.Data.Code != ExecutionError {
		t.Errorf("after the end: %+v", r)
	}
}

// In an episode an action of another form is a turn, of which the model reads what is wrong, and
// the episode goes on: trainers pass on what it wrote, in the one member that the schema requires
// where that is no object.
func TestActionsOfOtherForms(t *testing.T) {
	o := shop(t)
	o.MaxTurns = 100
	_, h := serve(t, o)
	c := dial(t, h)
	c.reset(pear)

	const react = `Thought: 3 times.\nAction: Quote\nAction Input: {\"article\": \"pear\"}`

	for data, want := range map[string]string{
		`{"type":"` + react + `"}`:                        "",
		`{"tool_name":"` + react + `","arguments":{}}`:    "",
		`{"type":"The price is 3."}`:                      "data.type",
		`{"type":["Quote"]}`:                              "data.type",
		`{"type":9}`:                                      "data.type",
		`{}`:                                              "data.tool_name",
		`{"tool_name":"a Action Input: b"}`:               "data.tool_name",
		`{"name":"Quote","arguments":{"article":"pear"}}`: "data.tool_name",
		`{"type":"function","function":{"name":"Quote","arguments":"{}"}}`:      "data.type",
		`{"role":"assistant","tool_calls":[{"function":{"name":"Quote"}}]}`:     "data.tool_name",
		`{"tool_name":"Quote","arguments":"{\"article\":\"pear\"}"}`:            "data.arguments",
		`{"type":"call_tool","tool_name":"Quote","arguments":{},"id":"call_1"}`: "data.id",
		`{"type":"text"}`: "data.text",
		`{"type":"list_tools","tool_name":"Quote","arguments":{"article":"pear"}}`: "data.tool_name",
	} {
		r := read(t, c.sends(`{"type":"step","data":`+data+`}`))
		got := r.Data.Observation

		switch {
		case r.Type != "observation" || r.Data.Done || got.Status != "running":
			t.Errorf("%s: %+v", data, r)
		case want == "" && (outcome(r) != "ok" || got.Result != "3"):
			t.Errorf("%s: %+v", data, r)
		case want != "" && (outcome(r) != "malformed" || got.Error == nil ||
			!strings.Contains(got.Error.Message, want) || !strings.Contains(got.Error.Message, "call_tool")):
			t.Errorf("%s: %+v, want %s", data, r, want)
		}
	}
}

// A client that adds up the rewards of the steps it took gives an unfinished episode no more than a
// wrong one, also one without a turn.
func TestUnfinishedIsWorthNoMore(t *testing.T) {
	for _, shapes := range []map[Shape]float64{nil, {RecoveredDeprecation: 0.25}} {
		o := shop(t)
		o.Shapes = shapes
		_, h := serve(t, o)
		c := dial(t, h)

		for turns := range o.MaxTurns {
			c.reset(pear)

			worth := 0.0
			add := func(r reply) {
				if r.Data.Reward != nil {
					worth += *r.Data.Reward
				}
			}

			for turn := range turns {
				add(c.calls([]string{"Price", "Quote"}[turn%2], map[string]any{"article": "pear"}))
			}

			unfinished := worth
			add(c.calls("Finish", map[string]any{"answer": "0"}))

			if unfinished > worth {
				t.Errorf("%v: %v after %d turns, and %v for a wrong one", shapes, unfinished, turns, worth)
			}
		}
	}
}

// A frame that is too large is thrown away, and the session goes on.
func TestLargeFrame(t *testing.T) {
	o := shop(t)
	o.MaxBytes = 1000

	_, h := serve(t, o)
	c := dial(t, h)
	c.reset(map[string]any{"seed": 1})

	for range 3 {
		large := `{"type":"step","data":{"type":"text","text":"` + strings.Repeat("x", 1<<22) + `"}}`
		if r := read(t, c.sends(large)); r.Data.Code != ValidationError {
			t.Errorf("%+v", r)
		}
	}

	// All actions together are bounded, too.
	text := map[string]any{"type": "text", "text": strings.Repeat("x", 400)}

	for i, want := range []string{"running", "running", "truncated"} {
		if r := c.asks("step", text); r.Data.Observation.Status != want {
			t.Errorf("%d: %+v, want %s", i, r, want)
		}
	}
}

// slow is an environment in which a step lasts until its context ends.
type slow struct {
	envs.Environment
	begun, ended chan struct{}
}

func (s slow) Step(ctx context.Context, _ envs.State, _ envs.Action) (envs.Transition, error) {
	close(s.begun)
	<-ctx.Done()
	close(s.ended)
	return envs.Transition{}, envs.Fail(envs.StageTool, "wait", ctx.Err())
}

// slowed is the shop whose steps last.
func slowed(t *testing.T) (Options, slow) {
	o, s := shop(t), slow{begun: make(chan struct{}), ended: make(chan struct{})}
	open := o.Open
	o.Open = func(version string) (Deployed, error) {
		d, err := open(version)
		s := s
		s.Environment = d.Env
		d.Env = s
		return d, err
	}
	return o, s
}

// A client that vanishes while its call runs ends the call, and its session.
func TestVanishedClient(t *testing.T) {
	o, s := slowed(t)
	server, h := serve(t, o)
	c := dial(t, h)
	c.reset(nil)

	if err := c.conn.Write(t.Context(), websocket.MessageText, []byte(price)); err != nil {
		t.Fatal(err)
	}

	<-s.begun
	_ = c.conn.CloseNow()
	<-s.ended
	server.open.Wait()
}

// A client is answered that pings while its call runs.
func TestPingDuringCall(t *testing.T) {
	o, s := slowed(t)
	_, h := serve(t, o)
	c := dial(t, h)
	c.reset(nil)

	if err := c.conn.Write(t.Context(), websocket.MessageText, []byte(price)); err != nil {
		t.Fatal(err)
	}

	<-s.begun

	ctx := c.conn.CloseRead(t.Context())
	if err := c.conn.Ping(ctx); err != nil {
		t.Error(err)
	}
}

func TestCapacity(t *testing.T) {
	o := shop(t)
	o.MaxSessions = 2

	server, h := serve(t, o)
	first := dial(t, h)
	first.reset(nil)
	dial(t, h).reset(nil)

	full := dial(t, h)
	if text := full.hears(); !strings.Contains(text, `"code":"CAPACITY_REACHED"`) ||
		!strings.Contains(text, `"active_sessions":2,"max_sessions":2`) {
		t.Error(text)
	}

	full.ends()
	first.tells(`{"type":"close"}`)
	first.ends()

	for server.active.Load() > 1 {
		runtime.Gosched()
	}

	dial(t, h).reset(nil)
}

// ends makes sure that the server closes the connection.
func (c *client) ends() {
	c.t.Helper()

	if _, text, err := c.conn.Read(c.t.Context()); websocket.CloseStatus(err) < 0 {
		c.t.Errorf("the connection is not closed: %s, %v", text, err)
	}
}

// tells sends a frame that has no answer.
func (c *client) tells(frame string) {
	c.t.Helper()

	if err := c.conn.Write(c.t.Context(), websocket.MessageText, []byte(frame)); err != nil {
		c.t.Fatal(err)
	}
}

func TestKey(t *testing.T) {
	o := shop(t)
	o.Key = "secret"

	_, h := serve(t, o)
	dial(t, h, "Authorization", "Bearer secret").reset(nil)

	for _, header := range [][]string{nil, {"Authorization", "Bearer other"}} {
		for path, want := range map[string]int{
			"/ws": 401, "/tasks": 401, "/metrics": 401, "/state": 401, "/health": 200,
		} {
			if status, text := get(t, h, path, header...); status != want {
				t.Errorf("%s with %q: %d %s", path, header, status, text)
			}
		}
	}
}

// A session that says nothing for too long is ended.
func TestIdle(t *testing.T) {
	o := shop(t)
	o.Idle = 1

	_, h := serve(t, o)

	if r := read(t, dial(t, h).hears()); r.Data.Code != SessionError {
		t.Errorf("%+v", r)
	}
}

// A server that stops ends sessions without an episode, lets the others end, and begins none.
func TestDrain(t *testing.T) {
	server, h := serve(t, shop(t))
	idle, busy := dial(t, h), dial(t, h)
	busy.reset(map[string]any{"seed": 1})

	drained := make(chan struct{})
	go func() {
		server.Drain(t.Context())
		close(drained)
	}()

	for _, open := range []func() *client{func() *client { return idle }, func() *client { return dial(t, h) }} {
		c := open()
		if r := read(t, c.hears()); r.Data.Code != SessionError {
			t.Errorf("%+v", r)
		}

		c.ends()
	}

	select {
	case <-drained:
		t.Error("drained while a session is open")
	default:
	}

	if r := read(t, busy.sends(`{"type":"reset"}`)); r.Data.Code != SessionError {
		t.Errorf("a reset: %+v", r)
	}

	if r := busy.calls("Finish", map[string]any{"answer": "0"}); !r.Data.Done {
		t.Errorf("%+v", r)
	}

	if r := read(t, busy.hears()); r.Data.Code != SessionError {
		t.Errorf("%+v", r)
	}

	busy.ends()
	<-drained
}

// What has not ended in time is cut.
func TestDrainInTime(t *testing.T) {
	o, s := slowed(t)
	server, h := serve(t, o)
	c := dial(t, h)
	c.reset(nil)
	c.tells(price)
	<-s.begun

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server.Drain(ctx)
	<-s.ended
}
