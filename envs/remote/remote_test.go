package remote_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolevo/envs"
	"toolevo/envs/remote"
)

// shelf is a source of instances that hold texts: put adds one, all lists them.
type shelf struct {
	starts, calls atomic.Int64
	open, most    atomic.Int64

	down   atomic.Int64 // how many starts fail from now on
	breaks atomic.Int64 // how many calls fail from now on
	clock  atomic.Int64 // stands in answers of "when"
}

func (s *shelf) Start(context.Context) (remote.Instance, error) {
	if s.down.Add(-1) >= 0 {
		return nil, errors.New("the shelf is down")
	}

	s.starts.Add(1)

	for open := s.open.Add(1); ; {
		most := s.most.Load()
		if open <= most || s.most.CompareAndSwap(most, open) {
			return &board{shelf: s}, nil
		}
	}
}

type board struct {
	shelf *shelf
	texts []string
	busy  atomic.Bool
}

func (b *board) Call(_ context.Context, tool string, args envs.Args) (envs.Result, error) {
	if b.busy.Swap(true) {
		return envs.Result{}, errors.New("two callers use one instance")
	}
	defer b.busy.Store(false)

	b.shelf.calls.Add(1)
	text, _ := args.Text("text")

	if b.shelf.breaks.Add(-1) >= 0 {
		tool = "fail"
	}

	switch tool {
	case "put":
		b.texts = append(b.texts, text)
		return envs.Result{Observation: fmt.Sprint(len(b.texts))}, nil
	case "when":
		return envs.Result{Observation: fmt.Sprintf("at %d", b.shelf.clock.Add(1))}, nil
	case "draw":
		b.texts = append(b.texts, fmt.Sprint("card ", b.shelf.clock.Add(1)))
		return envs.Result{Observation: b.texts[len(b.texts)-1]}, nil
	case "fail":
		return envs.Result{}, errors.New("the board broke")
	}

	return envs.Result{Observation: strings.Join(b.texts, " ")}, nil
}

func (b *board) Close() error { b.shelf.open.Add(-1); return nil }

func service(t *testing.T, s *shelf, change func(*remote.Options)) *remote.Service {
	t.Helper()

	o := remote.Options{
		ReadsOnly: func(tool string) bool { return tool == "all" },
		Most:      2, Timeout: time.Minute, Patience: time.Minute,
	}
	if change != nil {
		change(&o)
	}

	all := remote.New(s, o)
	t.Cleanup(func() {
		if err := all.Close(); err != nil || s.open.Load() != 0 {
			t.Errorf("%d instances are left, %v", s.open.Load(), err)
		}
	})

	return all
}

func call(t *testing.T, s *remote.Service, at remote.Log, tool, text string) (remote.Log, string) {
	t.Helper()

	next, result, err := s.Call(t.Context(), nil, at, tool, envs.Object("text", text))
	if err != nil {
		t.Fatal(err)
	}
	return next, result.Observation
}

// A branch sees its own calls and no other's, in whatever order branches are visited, and a state
// that was left is not built again where an instance is still there.
func TestBranches(t *testing.T) {
	t.Parallel()

	s := &shelf{}
	tools := service(t, s, nil)

	a, _ := call(t, tools, remote.Log{}, "put", "a")
	ab, _ := call(t, tools, a, "put", "b")
	ac, _ := call(t, tools, a, "put", "c")

	for _, test := range []struct {
		at   remote.Log
		want string
	}{{ab, "a b"}, {ac, "a c"}, {a, "a"}, {ab, "a b"}, {remote.Log{}, ""}, {ac, "a c"}} {
		if after, got := call(t, tools, test.at, "all", ""); got != test.want || !remote.Same(after, test.at) {
			t.Errorf("a branch reads %q, want %q", got, test.want)
		}
	}

	starts := s.starts.Load()
	for at, i := ac, 0; i < 5; i++ { // the instance is there
		at, _ = call(t, tools, at, "put", fmt.Sprint(i))
	}

	if s.starts.Load() != starts || s.most.Load() > 2 {
		t.Errorf("%d starts more, %d instances at the same time", s.starts.Load()-starts, s.most.Load())
	}
}

// overtaken is a memory of a caller that looks for an answer, after which another caller finds it.
type overtaken struct {
	envs.Memory

	other func()
}

func (o *overtaken) Recall(ctx context.Context, key string) (envs.Result, bool, error) {
	if other := o.other; other != nil {
		o.other = nil
		other()

		return envs.Result{}, false, nil
	}
	return o.Memory.Recall(ctx, key)
}

// Of two callers that make the same call at the same time one answer is kept, and the instance that
// gave another one is not in the state that both go on from.
func TestSameCallTwice(t *testing.T) {
	t.Parallel()

	tools := service(t, &shelf{}, nil)
	m := &memory{}

	_, result, err := tools.Call(t.Context(), &overtaken{m, func() {
		if _, _, err := tools.Call(t.Context(), m, remote.Log{}, "draw", nil); err != nil {
			t.Error(err)
		}
	}}, remote.Log{}, "draw", nil)
	if err != nil || result.Observation != "card 1" {
		t.Errorf("%+v, %v", result, err)
	}

	at, _, err := tools.Call(t.Context(), m, remote.Log{}, "draw", nil)
	if err != nil {
		t.Fatal(err)
	}

	if _, got := call(t, tools, at, "all", ""); got != "card 1" {
		t.Errorf("it goes on from %q", got)
	}
}

// The same holds for many callers, of trees that are drawn.
func TestConcurrentBranches(t *testing.T) {
	t.Parallel()

	s := &shelf{}
	tools := service(t, s, func(o *remote.Options) { o.Most = 3 })

	var all sync.WaitGroup
	for caller := range 8 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(caller)))
			logs, texts := []remote.Log{{}}, []string{""}

			for i := range 60 {
				at := rng.IntN(len(logs))
				word := fmt.Sprintf("%d-%d", caller, i)

				next, _, err := tools.Call(t.Context(), nil, logs[at], "put", envs.Object("text", word))
				if err != nil {
					t.Error(err)
					return
				}

				logs, texts = append(logs, next), append(texts, strings.TrimSpace(texts[at]+" "+word))

				at = rng.IntN(len(logs))
				if _, result, err := tools.Call(t.Context(), nil, logs[at], "all", nil); err != nil ||
					result.Observation != texts[at] {
					t.Errorf("%q, %v, want %q", result.Observation, err, texts[at])
				}
			}
		})
	}

	all.Wait()

	if s.most.Load() > 3 {
		t.Errorf("%d instances at the same time", s.most.Load())
	}
}

// An answer that changes by itself is our error, not the agent's, unless it is masked.
func TestDivergence(t *testing.T) {
	t.Parallel()

	branches := func(tools *remote.Service) error {
		when, _, err := tools.Call(t.Context(), nil, remote.Log{}, "when", nil)
		if err != nil {
			return err
		}

		for _, word := range []string{"a", "b"} {
			if _, _, err := tools.Call(t.Context(), nil, when, "put", envs.Object("text", word)); err != nil {
				return err
			}
		}

		return nil
	}

	err := branches(service(t, &shelf{}, nil))

	var diverged *remote.Diverged
	if !errors.As(err, &diverged) || diverged.Was.Observation != "at 1" || diverged.Now.Observation != "at 2" {
		t.Errorf("the error is %v", err)
	}

	if reason, ok := envs.GivenUp(err); !ok || reason == "" {
		t.Errorf("%v stops everything", err)
	}

	masks := []remote.Mask{{Pattern: regexp.MustCompile(`\d+`), With: "TIME"}}
	masked := service(t, &shelf{}, func(o *remote.Options) { o.Masks = masks })

	if err := branches(masked); err != nil {
		t.Errorf("what is masked: %v", err)
	}

	if _, text := call(t, masked, remote.Log{}, "when", ""); text != "at TIME" {
		t.Errorf("the agent reads %q", text)
	}
}

// An instance that breaks on the way to where a call is made is our failure, and is not used again.
func TestInstancesThatBreakOnTheWay(t *testing.T) {
	t.Parallel()

	s := &shelf{}
	tools := service(t, s, func(o *remote.Options) { o.Most = 1 })

	a, _ := call(t, tools, remote.Log{}, "put", "a")
	b, _ := call(t, tools, remote.Log{}, "put", "b") // the instance of a has ended

	s.breaks.Store(1)

	_, _, err := tools.Call(t.Context(), nil, a, "all", nil)
	if stage, _ := envs.FailedStage(err); stage != envs.StageTool || !strings.Contains(err.Error(), "broke") {
		t.Errorf("%v", err)
	}

	for at, want := range map[remote.Log]string{a: "a", b: "b"} {
		if _, got := call(t, tools, at, "all", ""); got != want {
			t.Errorf("a branch reads %q, want %q", got, want)
		}
	}
}

// A source that is down is waited for; one that stays down, or a call that breaks an instance, is a
// failure of the stage of tools, and the next call finds a fresh instance.
func TestFailures(t *testing.T) {
	t.Parallel()

	s := &shelf{}
	s.down.Store(2)

	tools := service(t, s, nil)
	at, _ := call(t, tools, remote.Log{}, "put", "a")

	_, _, err := tools.Call(t.Context(), nil, at, "fail", nil)
	if stage, _ := envs.FailedStage(err); stage != envs.StageTool {
		t.Errorf("a call that broke: %v", err)
	}

	if _, got := call(t, tools, at, "all", ""); got != "a" || s.starts.Load() != 2 {
		t.Errorf("after %d starts it reads %q", s.starts.Load(), got)
	}

	s = &shelf{}
	s.down.Store(1 << 40)

	_, _, err = service(t, s, func(o *remote.Options) { o.Patience = time.Millisecond }).
		Call(t.Context(), nil, remote.Log{}, "put", nil)
	if stage, _ := envs.FailedStage(err); stage != envs.StageTool || !strings.Contains(err.Error(), "down") {
		t.Errorf("a source that stays down: %v", err)
	}
}

// memory is one that lasts.
type memory struct{ all sync.Map }

func (m *memory) Recall(_ context.Context, key string) (envs.Result, bool, error) {
	v, ok := m.all.Load(key)
	if !ok {
		return envs.Result{}, false, nil
	}
	return v.(envs.Result), true, nil
}

func (m *memory) Remember(_ context.Context, key string, r envs.Result) error {
	m.all.LoadOrStore(key, r)
	return nil
}

// What is remembered needs no instance.
func TestMemory(t *testing.T) {
	t.Parallel()

	m := &memory{}

	play := func(s *shelf) string {
		tools := service(t, s, nil)
		at, texts := remote.Log{}, ""

		for _, tool := range []string{"put", "all", "put", "all"} {
			next, result, err := tools.Call(t.Context(), m, at, tool, envs.Object("text", "x"))
			if err != nil {
				t.Fatal(err)
			}

			at, texts = next, texts+result.Observation+";"
		}
		return texts
	}

	s := &shelf{}

	first := play(s)
	again := &shelf{}

	if second := play(again); second != first || first != "1;x;2;x x;" || again.starts.Load() != 0 {
		t.Errorf("%q and, after %d starts, %q", first, again.starts.Load(), second)
	}
}

// In a state that nothing brings back, a change is made once for each log that has it: what is read
// after it is read anew, and no way to another branch repeats it.
func TestSharedState(t *testing.T) {
	t.Parallel()

	s, m := &shelf{}, &memory{}
	tools := service(t, s, func(o *remote.Options) { o.Shared, o.Most = true, 1 })

	var at remote.Log

	ask := func(tool, text, want string) {
		t.Helper()

		next, result, err := tools.Call(t.Context(), m, at, tool, envs.Object("text", text))
		if err != nil || result.Observation != want {
			t.Errorf("%s %s: %+v, %v, want %q", tool, text, result, err, want)
		}

		at = next
	}

	ask("all", "", "")
	ask("put", "a", "1")
	ask("all", "", "a")
	ask("put", "a", "2")
	ask("all", "", "a a")

	at = remote.Log{}
	ask("put", "b", "3")
	ask("all", "", "a a b")

	if calls := s.calls.Load(); calls != 7 || s.starts.Load() != 1 {
		t.Errorf("%d calls of %d instances, want 7 of 1", calls, s.starts.Load())
	}
}

// With Ahead the next instance is started while the last one is used, and there is never more than
// one that nobody uses; what is not needed ends with the service.
func TestInstancesAreStartedAhead(t *testing.T) {
	t.Parallel()

	s := &shelf{}
	tools := service(t, s, func(o *remote.Options) { o.Ahead, o.Most = true, 3 })

	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			at := remote.Log{}
			for k := range 20 {
				at, _ = call(t, tools, at, "put", fmt.Sprint(i, k))
			}
		})
	}

	all.Wait()

	if most := s.most.Load(); most > 4 {
		t.Errorf("%d instances at the same time, want at most 3 and one that waits", most)
	}

	// The one that waits is where every task begins.
	if _, got := call(t, tools, remote.Log{}, "all", ""); got != "" {
		t.Errorf("a fresh instance has %q", got)
	}
}

// A spare that could not be started is nobody's failure, unless the next one cannot be either.
func TestSparesThatFail(t *testing.T) {
	t.Parallel()

	s := &shelf{}
	tools := service(t, s, func(o *remote.Options) { o.Ahead, o.Most = true, 1 })

	first, _ := call(t, tools, remote.Log{}, "put", "a")
	s.down.Store(2)

	for range 3 {
		if _, got := call(t, tools, remote.Log{}, "put", "b"); got != "1" {
			t.Errorf("a fresh instance holds %s texts", got)
		}

		if _, got := call(t, tools, first, "all", ""); got != "a" {
			t.Errorf("the branch holds %q", got)
		}
	}
}
