package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/policy/scripted"
	toolqa "toolevo/toolqa/bench"
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
		Observation struct {
			Question, Result string
			Outcome          envs.Outcome
			Status           envs.Status
		}
		Reward   *float64
		Done     bool
		Message  string
		Deployed string `json:"deployed_version"`
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

	for version, want := range map[string]envs.Outcome{"p_c": envs.OK, "p_s_in": envs.Deprecated} {
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
	if r := a.asks("step", call); r.Data.Reward == nil || *r.Data.Reward != 0 || !r.Data.Done {
		t.Errorf("%+v", r)
	}

	// The official matcher takes any punctuation.
	type question struct{ QID, Question, Answer string }

	text := string(read(t, filepath.Join(smallData(t), "questions", "train", "coffee-easy.jsonl")))
	asked := document[question](t, text[:strings.IndexByte(text, '\n')])

	for answer, want := range map[string]float64{
		asked.Answer: 1, strings.Replace(asked.Answer, ".", "", 1): 0,
	} {
		a.asks("reset", map[string]any{"task_id": asked.QID, "api": "p_c"})

		call["arguments"] = map[string]any{"answer": answer}
		if r := a.asks("step", call); r.Data.Reward == nil || *r.Data.Reward != want {
			t.Errorf("the answer %s to %q: %+v, want %v", answer, asked.Question, r.Data.Reward, want)
		}
	}

	out, _ := s.interrupt()

	report := document[servedEnv](t, out)
	if report.Episodes["incorrect"] != 2 || report.Episodes["correct"] != 1 ||
		report.Episodes["unanswered"] != 1 || report.Turns["deprecated"] != 1 {
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
		{[]string{"--python-servers", "-1"}, "at least 1"},
		{[]string{"--engine", "unsafe", "--set", "python.modules=no_such_module"},
			"has no no_such_module, which the prompt says can be imported"},
		{[]string{"--engine", "unsafe", "--set", "python.modules=no_such_module"},
			"or name an interpreter that has it: --set python.executable"},
	} {
		fails(t, exitUsage, []string{tt.says}, append([]string{"serve", "env", "--data", smallData(t)}, tt.args...)...)
	}
}

// Sessions whose programs never end hold up the programs of another by one place, however many they
// are.
func TestServeEnvIsFair(t *testing.T) {
	t.Parallel()

	s := startServing(t, nil, "serve", "env", "--data", smallData(t), "--dataset", "coffee", "--api", "p_c",
		"--python-servers", "1", "--set", "python.wall_seconds=1.5")

	const endless = 4

	begin := func() *agent {
		a := newAgent(t, s.url)
		a.asks("reset", map[string]any{"seed": 1})
		return a
	}
	run := func(a *agent, code string) string {
		program := map[string]any{"Python": code}
		call := map[string]any{"tool_name": "PythonInterpreter", "arguments": program}
		return a.asks("step", call).Data.Observation.Result
	}

	var all, known sync.WaitGroup

	var ended atomic.Int64 // of the second round

	known.Add(endless)

	for i := range endless {
		a := begin()

		all.Go(func() {
			counted := sync.OnceFunc(known.Done)
			defer counted() // also where the test has failed

			run(a, fmt.Sprintf("import time\ntime.sleep(100 + %d)", i))
			counted()
			known.Wait()
			run(a, fmt.Sprintf("import time\ntime.sleep(200 + %d)", i))
			ended.Add(1)
		})
	}

	a := begin()

	known.Wait()

	before := ended.Load()

	if got := run(a, "print('fine')"); got != "fine" {
		t.Errorf("it shows %q", got)
	}

	// The one that runs ends first, and one may have ended before and be counted late.
	if n := ended.Load() - before; n > 2 {
		t.Errorf("%d of %d endless programs ended before the short one", n, endless)
	}

	all.Wait()
}

// remote is the environment at the other end of a connection, under a version.
type remote struct {
	agent   *agent
	version string
}

// remoteState is what a client knows of a state.
type remoteState struct {
	history envs.History
	status  envs.Status
}

func (s remoteState) History() envs.History { return s.history }
func (s remoteState) Status() envs.Status   { return s.status }

func (r remote) Reset(_ context.Context, t envs.Task) (envs.State, error) {
	if got := r.agent.asks("reset", map[string]any{"task_id": t.ID, "api": r.version}); got.Type != "observation" {
		r.agent.t.Errorf("%s under %s: %+v", t.ID, r.version, got)
	}
	return remoteState{history: envs.NewHistory(t)}, nil
}

func (r remote) Step(_ context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	got := r.agent.asks("step", map[string]any{"type": "text", "text": string(a)}).Data
	o := got.Observation
	turn := envs.Turn{Action: a, Observation: o.Result, Outcome: o.Outcome}
	turn.Call, _ = action.ReAct{}.Parse(string(a))
	history := s.History().Append(turn)

	if text, ok := turn.Call.Args.Text("newtool_desc"); ok && turn.Outcome == envs.OK {
		history = history.Learn(text)
	}
	return envs.Transition{State: remoteState{history, o.Status}, Turn: turn}, nil
}

// A policy at the other end of a connection is measured as in an evaluation, in each version,
// however many play at the same time; and a server that is killed has every episode whose end it
// has told.
func TestServeEnvIsAnEvaluation(t *testing.T) {
	t.Parallel()

	data, run, subtle := smallData(t), filepath.Join(t.TempDir(), "run"), t.TempDir()
	for _, factor := range []string{"scale-field", "half-answer", "timeout"} { // which refuse nothing, or pass
		made(t, "versions", "make", "--factor", factor, "--count", "1", "--out", subtle)
	}

	chosen := []string{"--data", data, "--dataset", "coffee", "--split", "train", "--limit", "4", "--api",
		"file:" + subtle + "/half*,p_c,p_s_in,p_s_ood,file:" + subtle + "/scale*,file:" + subtle + "/time*"}
	versions := []string{"p_c", "p_s_in", "p_s_ood", "scale-field_1_000", "half-answer_1_000", "timeout_1_000"}
	tasks, err := toolqa.ToolQA{}.List(data, "train")
	if err != nil {
		t.Fatal(err)
	}

	evaluated := document[finetune.Report](t, must(t, append([]string{"eval", "--policy", "scripted:careful", "--json",
		"--set", "environment.reward=strict", "--out", filepath.Join(t.TempDir(), "eval")}, chosen...)...))

	s := startServing(t, nil, append([]string{"serve", "env", "--record", run, "--agent", "careful"}, chosen...)...)

	served := document[struct {
		Tasks []struct {
			ID string `json:"task_id"`
		}
	}](t, page(t, s.url+"/tasks"))

	ids := map[string]bool{}
	for _, task := range served.Tasks {
		ids[task.ID] = true
	}

	tasks = slices.DeleteFunc(tasks, func(task envs.Task) bool { return !ids[task.ID] })

	profile, err := scripted.ParseProfile("careful")
	if err != nil {
		t.Fatal(err)
	}

	policy := scripted.New(profile, toolqa.ToolQA{}.Plans())

	var clients sync.WaitGroup

	for _, version := range versions {
		for _, task := range tasks {
			env := remote{newAgent(t, s.url), version}
			job := finetune.Job{Cell: finetune.CellOf("scripted:careful", version, task.Labels)}

			clients.Go(func() {
				_, err := finetune.Play(t.Context(), env, policy, task, mcts.NodeID{Question: job.Episode(task)},
					finetune.Limits{MaxTurns: 20})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}

	clients.Wait()

	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()

	recorded := document[toolevo.EvaluationOverview](t, must(t, "inspect", run, "--json"))
	for i := range recorded.Rows {
		recorded.Rows[i].Policy = "scripted:careful"
		evaluated.Rows[i].Tokens = 0 // only a policy of ours counts them
	}

	if len(recorded.Rows) == 0 || recorded.Rows[0].N != 4 {
		t.Fatalf("it recorded %+v", recorded.Rows)
	}

	if diff := cmp.Diff(evaluated.Rows, recorded.Rows); diff != "" {
		t.Errorf("-evaluated +recorded:\n%s", diff)
	}

	// The run goes on under its own configuration, and ends whole.
	again := startServing(t, nil, "serve", "env", "--record", run)
	a := newAgent(t, again.url)
	a.asks("reset", map[string]any{"task_id": tasks[0].ID, "api": "p_c"})
	a.asks("step", map[string]any{"tool_name": "Finish", "arguments": map[string]any{"answer": "none"}})
	again.interrupt()

	says(t, "check", must(t, "check", run), "49 episodes played again", "49 rows compared: 0 problems")
	fails(t, exitUsage, []string{"serve env"}, "eval", "--resume", "--out", run)
	fails(t, exitUsage, []string{"the episodes of careful", "--agent other"}, "serve", "env", "--record", run,
		"--agent", "other")
}

// A server that is killed goes on by the same command, or by --record alone: what it told the end
// of is there once, and an episode that was under way is not. What would be another run is refused.
func TestServeEnvGoesOn(t *testing.T) {
	t.Parallel()

	run := filepath.Join(t.TempDir(), "run")
	short := []string{"serve", "env", "--record", run}
	same := append(slices.Clone(short), "--agent", "me", "--data", smallData(t), "--dataset", "coffee",
		"--limit", "2", "--api", "p_c")
	wrong := map[string]any{"tool_name": "Finish", "arguments": map[string]any{"answer": "none"}}
	lists := map[string]any{"tool_name": "LoadDB", "arguments": map[string]any{"DBName": "coffee"}}

	for i, command := range [][]string{same, same, same, short, same} {
		s := startServing(t, nil, command...)

		if i != 1 { // which is killed with nothing done
			a := newAgent(t, s.url)
			a.asks("reset", map[string]any{"seed": 0})
			a.asks("step", wrong)
			a.asks("reset", map[string]any{"seed": 1})
			a.asks("step", lists)
		}

		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}

		_ = s.cmd.Wait()
	}

	startServing(t, nil, same...).interrupt()
	says(t, "check", must(t, "check", run), "4 episodes played again", "4 rows compared: 0 problems")

	for says, flags := range map[string][]string{
		"the episodes of me": {"--agent", "other"},
		"--agent is empty":   {"--agent", ""},
		"api: [p_s_in]":      {"--api", "p_s_in"},
		"started with more":  {"--limit", "1"},
	} {
		fails(t, exitUsage, []string{says}, append(slices.Clone(same), flags...)...)
	}
}
