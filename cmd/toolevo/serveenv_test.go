package main

import (
	"encoding/json"
	"testing"

	"github.com/coder/websocket"
)

// agent is a client of a server of environments.
type agent struct {
	t    *testing.T
	conn *websocket.Conn
}

func newAgent(t *testing.T, url string) *agent {
	t.Helper()

	conn, _, err := websocket.Dial(t.Context(), url+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.CloseNow() })

	return &agent{t, conn}
}

// answered is what a server of environments answers.
type answered struct {
	Type string
	Data struct {
		Observation struct{ Question, Result, Outcome string }
		Reward      *float64
		Done        bool
		Message     string
		Deployed    string `json:"deployed_version"`
	}
}

func (a *agent) asks(kind string, data map[string]any) answered {
	a.t.Helper()

	m := map[string]any{"type": kind}
	if data != nil {
		m["data"] = data
	}

	text, err := json.Marshal(m)
	if err != nil {
		a.t.Fatal(err)
	}

	if err := a.conn.Write(a.t.Context(), websocket.MessageText, text); err != nil {
		a.t.Fatal(err)
	}

	if _, text, err = a.conn.Read(a.t.Context()); err != nil {
		a.t.Fatal(err)
	}

	var r answered
	if err := json.Unmarshal(text, &r); err != nil {
		a.t.Fatalf("%v: %s", err, text)
	}

	return r
}

// A trainer's client meets a version by its name, and Ctrl-C ends the server with a report.
func TestServeEnv(t *testing.T) {
	t.Parallel()

	s := startServing(t, nil, "serve", "env", "--data", smallData(t), "--dataset", "coffee", "--api", "p_c,p_s_in",
		"--json")
	a := newAgent(t, s.url)

	for version, want := range map[string]string{"p_c": "ok", "p_s_in": "deprecated"} {
		if r := a.asks("reset", map[string]any{"seed": 1, "api": version}); r.Data.Observation.Question == "" {
			t.Fatalf("%+v", r)
		}

		call := map[string]any{"tool_name": "LoadDB", "arguments": map[string]any{"DBName": "coffee"}}
		if r := a.asks("step", call); r.Data.Observation.Outcome != want || r.Data.Done || r.Data.Reward != nil {
			t.Errorf("%s: %+v, want %s", version, r, want)
		}

		if r := a.asks("state", nil); r.Data.Deployed != version {
			t.Errorf("%+v, want %s", r, version)
		}
	}

	call := map[string]any{"tool_name": "Finish", "arguments": map[string]any{"answer": "none"}}
	if r := a.asks("step", call); r.Data.Reward == nil || *r.Data.Reward != -1 || !r.Data.Done {
		t.Errorf("%+v", r)
	}

	out, _ := s.interrupt()

	report := document[servedEnv](t, out)
	if report.Episodes["incorrect"] != 1 || report.Episodes["unanswered"] != 1 || report.Turns["deprecated"] != 1 {
		t.Errorf("it reports %+v", report)
	}
}

func TestServeEnvRefuses(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"--split", "test"}, "--allow-test"},
		{[]string{"--shape", "speed=1"}, "truthful-update"},
		{[]string{"--shape", "truthful-update"}, "NAME=NUMBER"},
		{[]string{"--max-sessions", "0"}, "more than 0"},
		{[]string{"--require-key"}, envKeyVariable},
		{[]string{"extra"}, "unexpected argument"},
	} {
		fails(t, exitUsage, []string{tt.says}, append([]string{"serve", "env", "--data", smallData(t)}, tt.args...)...)
	}
}
