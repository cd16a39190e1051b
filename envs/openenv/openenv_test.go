package openenv

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

// wording is a Text without the words of a real one.
type wording struct{}

func (wording) System(dataset string) string { return "tools of " + dataset }
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
		Split: "train", Prompt: "old", Versions: catalog, Environment: suite.Environment{UpdateTool: true},
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
		Tools: map[string][]*toolapi.API{"": prompt.APIs, "fruit": prompt.APIs, "tools": prompt.APIs},
		Text:  wording{}, MaxTurns: 5,
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

		Code   Code
		Errors []Fault

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
