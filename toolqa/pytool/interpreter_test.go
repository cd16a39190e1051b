package pytool

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"toolevo/envs"
	"toolevo/envs/sandbox"
	"toolevo/toolqa"
)

// counter is an engine that counts its runs and waits for a signal before it answers.
type counter struct {
	runs, running, most atomic.Int32
	started             chan struct{} // told of every run, when there is room
	release             chan struct{}
}

func (c *counter) Stamp() sandbox.Stamp { return sandbox.Stamp{Engine: "counter", Python: "3.11.2"} }
func (c *counter) Close() error         { return nil }

func (c *counter) Run(ctx context.Context, p sandbox.Program, _ sandbox.Limits) (sandbox.Reply, error) {
	c.runs.Add(1)

	select {
	case c.started <- struct{}{}:
	default:
	}

	now := c.running.Add(1)
	defer c.running.Add(-1)

	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}

	select {
	case <-c.release:
	case <-ctx.Done():
		return sandbox.Reply{}, ctx.Err()
	}

	return sandbox.Reply{Output: "ran " + p.Code}, nil
}

func opened() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

type mapMemory struct {
	mu   sync.Mutex
	m    map[string]envs.Result
	fail error
}

func (m *mapMemory) Recall(_ context.Context, key string) (envs.Result, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	r, ok := m.m[key]
	return r, ok, m.fail
}

func (m *mapMemory) Remember(_ context.Context, key string, r envs.Result) error {
	m.mu.Lock()
	defer m.mu.Unlock()

	m.m[key] = r
	return nil
}

func TestMemory(t *testing.T) {
	memory := &mapMemory{m: map[string]envs.Result{}}
	c := &counter{release: opened()}
	in := New(c, Options{Memory: memory})

	first := run(t, in, "a")
	for range 3 {
		if got := run(t, in, " a\n"); got != first {
			t.Errorf("got %+v, then %+v", first, got)
		}
	}

	run(t, New(c, Options{Memory: memory}), "a")

	if got := run(t, New(&answering{}, Options{Memory: memory}), "a"); got != first {
		// a memory belongs to a run, which keeps to one engine
		t.Errorf("another engine with the same memory: %+v", got)
	}

	if n := c.runs.Load(); n != 1 {
		t.Errorf("one program ran %d times", n)
	}

	run(t, in, "b")
	run(t, New(c, Options{Memory: memory, PublishedCapture: true}), "a")
	run(t, New(c, Options{Memory: memory, Limits: sandbox.Limits{Output: 5}}), "a")

	if n := c.runs.Load(); n != 4 {
		t.Errorf("four different programs ran %d times", n)
	}

	memory.fail = errors.New("disk full")

	_, _, err := in.Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "Python", Value: "c"}})
	if stage, _ := envs.FailedStage(err); stage != envs.StageTool || !errors.Is(err, memory.fail) {
		t.Errorf("a failing memory: %v", err)
	}
}

// A program that is too long is the agent's mistake: it is told so, and no engine is asked.
func TestLongPrograms(t *testing.T) {
	c := &counter{release: opened()}
	memory := &mapMemory{m: map[string]envs.Result{}}
	in := New(c, Options{Memory: memory})

	longest := strings.Repeat("x", maxProgram)
	if r := run(t, in, longest); r.Observation != "ran "+longest {
		t.Errorf("the longest program shows %.80q", r.Observation)
	}

	want := envs.Result{
		Observation: "SyntaxError: the code is too long: it has 262145 bytes, at most 262144 are run",
		Outcome:     envs.ToolError,
	}
	if r := run(t, in, longest+"x"); r != want {
		t.Errorf("a longer one shows %.200q, %v", r.Observation, r.Outcome)
	}

	if n := c.runs.Load(); n != 1 || len(memory.m) != 1 {
		t.Errorf("the engine ran %d programs, and %d are remembered", n, len(memory.m))
	}
}

// TestLeaderGivesUp cancels the call that runs a program while another one waits for its result.
func TestLeaderGivesUp(t *testing.T) {
	c := &counter{started: make(chan struct{}, 1), release: make(chan struct{})}
	in := New(c, Options{})
	args := envs.Args{{Name: "Python", Value: "a"}}
	ctx, cancel := context.WithCancel(t.Context())
	leader := make(chan error, 1)

	go func() {
		_, _, err := in.Call(ctx, toolqa.Session{}, args)
		leader <- err
	}()
	<-c.started

	var wg sync.WaitGroup
	wg.Go(func() {
		if _, r, err := in.Call(t.Context(), toolqa.Session{}, args); err != nil || r.Observation != "ran a" {
			t.Errorf("the waiting call: %+v, %v", r, err)
		}
	})
	cancel()

	if err := <-leader; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled call: %v", err)
	}

	close(c.release)
	wg.Wait()
}
