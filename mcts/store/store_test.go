package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

func open(t testing.TB) *store.Store {
	t.Helper()

	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "odd name?#%.db"))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})

	return s
}

// echo answers every request with its path and sample numbers, and counts how often it is asked.
type echo struct {
	mu    sync.Mutex
	calls int
	text  string
}

func (e *echo) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++

	ps := make([]mcts.Proposal, r.N)
	for i := range ps {
		ps[i] = mcts.Proposal{
			Text:    fmt.Sprint(e.text, r.Node.Path, " ", r.Seed+uint64(i)),
			LogProb: -0.1234567890123,
			Scored:  true,
			Tokens:  3,
		}
	}

	return ps, nil
}

func request(path string, seed uint64) mcts.Request {
	return mcts.Request{Node: mcts.NodeID{Question: "q", Tree: 2, Path: path}, N: 2, Seed: seed}
}

func policy(t *testing.T, s *store.Store, next mcts.Policy) *store.Policy {
	t.Helper()

	p, err := s.Policy(context.Background(), "q", 2, next)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestACallIsMadeOnce(t *testing.T) {
	ctx, s, model := context.Background(), open(t), &echo{text: "bad \xff\xfe byte "}

	first, err := policy(t, s, model).Propose(ctx, request("0.1", 1<<63+7))
	if err != nil {
		t.Fatal(err)
	}

	replay := policy(t, s, nil)

	again, err := replay.Propose(ctx, request("0.1", 1<<63+7))
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the log answers differently (-asked +logged):\n%s", diff)
	}

	if asked, replayed := replay.Counts(); model.calls != 1 || asked != 0 || replayed != 1 {
		t.Errorf("the model was asked %d times, replay counts %d asked and %d replayed", model.calls, asked, replayed)
	}
}

// A log-probability that is no number is the server's fault, whichever sample has it, and nothing
// of its answer is logged.
func TestLogProbabilitiesAreNumbers(t *testing.T) {
	ctx, s := context.Background(), open(t)

	for _, wrong := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		model := proposer(func(mcts.Request) []mcts.Proposal {
			return []mcts.Proposal{{Text: "a", LogProb: -1}, {Text: "b", LogProb: wrong}}
		})

		got, err := policy(t, s, model).Propose(ctx, request("0", 1))
		if stage, _ := envs.FailedStage(err); stage != envs.StagePolicy || got != nil {
			t.Errorf("%v: %v, %v", wrong, got, err)
		}
	}

	if n, err := s.CallCount(ctx); n != 0 || err != nil {
		t.Errorf("%d calls in the log, %v", n, err)
	}
}

// What a model fails to answer is no call, and its error is passed on.
func TestAFailedCallIsNotLogged(t *testing.T) {
	ctx, s := context.Background(), open(t)
	gone := errors.New("gone")
	p := policy(t, s, failing{gone})

	if got, err := p.Propose(ctx, request("0", 1)); !errors.Is(err, gone) || got != nil {
		t.Errorf("%v, %v", got, err)
	}

	if n, err := s.CallCount(ctx); n != 0 || err != nil {
		t.Errorf("%d calls in the log, %v", n, err)
	}

	p = policy(t, s, &echo{})
	for range 2 { // the second is another sample of the same node
		r := request("0", 1)
		asked, _ := p.Counts()
		r.First, r.Seed = 2*asked, r.Seed+2*uint64(asked)

		if _, err := p.Propose(ctx, r); err != nil {
			t.Fatal(err)
		}
	}

	if asked, replayed := p.Counts(); asked != 2 || replayed != 0 {
		t.Errorf("%d asked and %d replayed, want 2 and 0", asked, replayed)
	}
}

// Samples that come with an error are paid for: they are logged, and a second try asks for the
// others alone, in the same process or in a later one.
func TestSamplesBeforeAnErrorAreKept(t *testing.T) {
	gone := errors.New("gone")

	for _, later := range []bool{false, true} {
		ctx, s, model := context.Background(), open(t), &breaking{err: gone}
		p := policy(t, s, model)
		r := request("0", 100)
		r.N = 3

		if _, err := p.Propose(ctx, r); !errors.Is(err, gone) {
			t.Errorf("error is %v", err)
		}

		if model.err = nil; later {
			p = policy(t, s, model)
		}

		got, err := p.Propose(ctx, r)
		if err != nil || len(got) != 3 || got[0].Text != "0 100" || got[2].Text != "0 102" ||
			model.samples != 3 {
			t.Errorf("%+v after %d samples, %v", got, model.samples, err)
		}
	}
}

// breaking is an echo that draws one sample of a request and fails, as long as it has an error.
type breaking struct {
	echo
	err     error
	samples int
}

func (b *breaking) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	if b.err != nil {
		r.N = 1
	}
	b.samples += r.N

	ps, _ := b.echo.Propose(ctx, r)
	return ps, b.err
}

// failing is a model that cannot be reached.
type failing struct{ err error }

func (f failing) Propose(context.Context, mcts.Request) ([]mcts.Proposal, error) {
	return nil, f.err
}

func TestReplayRefusesToAsk(t *testing.T) {
	_, err := policy(t, open(t), nil).Propose(context.Background(), request("0", 1))
	if stage, _ := envs.FailedStage(err); !errors.Is(err, store.ErrNotLogged) || stage != envs.StageStore {
		t.Errorf("error is %v", err)
	}
}

func TestAnotherSearchIsRefused(t *testing.T) {
	ctx, s := context.Background(), open(t)
	if _, err := policy(t, s, &echo{}).Propose(ctx, request("0", 1)); err != nil {
		t.Fatal(err)
	}

	other := request("0", 1)

	other.Seed++
	if _, err := policy(t, s, &echo{}).Propose(ctx, other); err == nil ||
		!strings.Contains(err.Error(), "another configuration") {
		t.Errorf("error is %v", err)
	}
}

// The log answers requests for fewer samples than it has, and of one for more only the rest is
// asked for, once.
func TestAnotherSampleCount(t *testing.T) {
	ctx, s := context.Background(), open(t)
	var asked []string
	model := proposer(func(r mcts.Request) []mcts.Proposal {
		asked = append(asked, fmt.Sprint(r.First, "+", r.N, " seed ", r.Seed))

		ps := make([]mcts.Proposal, r.N)
		for i := range ps {
			ps[i].Text = fmt.Sprint("sample ", r.First+i)
		}
		return ps
	})
	r := request("0", 2)

	r.Seed = 100
	for _, n := range []int{2, 1, 4, 3, 4} {
		r.N = n

		got, err := policy(t, s, model).Propose(ctx, r)
		if err != nil || len(got) != n {
			t.Fatalf("%d samples, want %d: %v", len(got), n, err)
		}

		for i, p := range got {
			if want := fmt.Sprint("sample ", i); p.Text != want {
				t.Errorf("of %d samples number %d is %q", n, i, p.Text)
			}
		}
	}

	if diff := cmp.Diff([]string{"0+2 seed 100", "2+2 seed 102"}, asked); diff != "" {
		t.Errorf("the model was asked (-want +got):\n%s", diff)
	}
}

// The samples that one request drew answer requests that draw them one after the other, from
// wherever those begin.
func TestSamplesOfOneRequestAnswerSeveral(t *testing.T) {
	ctx, s := context.Background(), open(t)
	r := request("0", 100)

	r.N = 4
	if _, err := policy(t, s, proposer(func(r mcts.Request) []mcts.Proposal {
		return []mcts.Proposal{{Text: "a"}, {Text: "b"}, {Text: "c"}, {Text: "d"}}
	})).Propose(ctx, r); err != nil {
		t.Fatal(err)
	}

	for first, want := range map[int]string{0: "ab", 1: "bc", 2: "cd"} {
		r.First, r.N, r.Seed = first, 2, 100+uint64(first)

		got, err := policy(t, s, nil).Propose(ctx, r)
		if err != nil {
			t.Fatal(err)
		}

		text := ""
		for _, p := range got {
			text += p.Text
		}

		if text != want {
			t.Errorf("samples from %d on are %q, want %q", first, text, want)
		}
	}

	for _, first := range []int{3, 4} { // the last one asked for is in no request
		r.First, r.Seed = first, 100+uint64(first)
		if _, err := policy(t, s, nil).Propose(ctx, r); !errors.Is(err, store.ErrNotLogged) {
			t.Errorf("two samples from %d on: %v", first, err)
		}
	}
}

type proposer func(mcts.Request) []mcts.Proposal

func (p proposer) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	return p(r), nil
}

func TestTheSameKeyTwiceIsAnError(t *testing.T) {
	ctx, s := context.Background(), open(t)

	a, b := policy(t, s, &echo{}), policy(t, s, &echo{}) // two that do not know of each other
	if _, err := a.Propose(ctx, request("0", 1)); err != nil {
		t.Fatal(err)
	}

	if _, err := b.Propose(ctx, request("0", 1)); err == nil {
		t.Error("a call was logged twice")
	}

	if n, err := s.CallCount(ctx); n != 1 || err != nil {
		t.Errorf("%d calls in the log, %v", n, err)
	}
}

func TestAFaultyWriteDoesNotHarmItsGroup(t *testing.T) {
	ctx, s := context.Background(), open(t)

	policies := make([]*store.Policy, 200) // none of which knows what the others log
	for i := range policies {
		policies[i] = policy(t, s, &echo{})
	}
	var wg sync.WaitGroup
	var failures atomic.Int64

	for i, p := range policies {
		wg.Go(func() {
			r := request(fmt.Sprintf("0.%d", i), 1)
			if i%10 == 0 {
				r.Node.Path = "0" // one of twenty writes under this key can succeed
			}

			if _, err := p.Propose(ctx, r); err != nil {
				failures.Add(1)
			}
		})
	}

	wg.Wait()

	if n, err := s.CallCount(ctx); n != 181 || failures.Load() != 19 || err != nil {
		t.Errorf("%d calls in the log and %d refused, want 181 and 19 (%v)", n, failures.Load(), err)
	}
}

func TestToolResults(t *testing.T) {
	ctx, s := context.Background(), open(t)
	if _, ok, err := s.Recall(ctx, "k"); ok || err != nil {
		t.Fatalf("recalled something from nothing: %v %v", ok, err)
	}

	want := envs.Result{Observation: "22.5\x00\n", Outcome: envs.ToolError}
	for _, r := range []envs.Result{want, {Observation: "later"}} {
		if err := s.Remember(ctx, "k", r); err != nil {
			t.Fatal(err)
		}
	}

	got, ok, err := s.Recall(ctx, "k")
	if got != want || !ok || err != nil {
		t.Errorf("recalled %+v %v %v, want the first result", got, ok, err)
	}
}

// A run that is only read keeps what it has: a check on a busy machine, where a statement is slow,
// is no damage.
func TestToolResultsOfAReadRun(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "run.db")

	s, err := store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}

	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	if s, err = store.OpenReadOnly(ctx, path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	if err := s.Remember(ctx, "k", envs.Result{Observation: "slow"}); err != nil {
		t.Error(err)
	}

	if _, ok, err := s.Recall(ctx, "k"); ok || err != nil {
		t.Errorf("a run that is only read has something new: %v, %v", ok, err)
	}
}

func TestTreeRoundTrip(t *testing.T) {
	ctx, s := context.Background(), open(t)
	text := rapid.String()

	rapid.Check(t, func(t *rapid.T) {
		want := &mcts.TreeRecord{
			Question:    text.Draw(t, "question"),
			Tree:        rapid.IntRange(0, 99).Draw(t, "tree"),
			Seed:        rapid.Uint64().Draw(t, "seed"),
			Simulations: rapid.IntRange(0, 99).Draw(t, "simulations"),
			Idle:        1,
			Calls:       2,
			Samples:     5,
		}
		for id := range rapid.IntRange(1, 5).Draw(t, "nodes") {
			want.Nodes = append(want.Nodes, mcts.Record{
				ID:          id,
				Parent:      id - 1,
				Depth:       id,
				Action:      text.Draw(t, "action"),
				Tool:        "T",
				Name:        text.Draw(t, "name"),
				Key:         text.Draw(t, "key"),
				Observation: text.Draw(t, "observation"),
				Outcome:     rapid.SampledFrom(envs.Outcomes()).Draw(t, "outcome"),
				Status:      envs.Truncated,
				Limit:       mcts.LimitDepth,
				Prior:       rapid.Float64Range(0, 1).Draw(t, "prior"),
				Visits:      7,
				TotalValue:  -3,
				Expanded:    id == 0,
				Reward:      -1,
				Grade:       envs.Grade{Answer: text.Draw(t, "answer"), Official: id%2 == 0, Strict: true},
			})
		}

		if err := s.SaveTree(ctx, want); err != nil {
			t.Fatal(err)
		}

		got, ok, err := s.LoadTree(ctx, want.Question, want.Tree)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-saved +loaded:\n%s", diff)
		}
	})
}

func TestDropTrees(t *testing.T) {
	ctx, s := context.Background(), open(t)
	for i := range 4 {
		if err := s.SaveTree(ctx, &mcts.TreeRecord{
			Question: "q",
			Tree:     i,
			Nodes:    []mcts.Record{{Parent: mcts.NoParent}},
		}); err != nil {
			t.Fatal(err)
		}
	}

	if err := s.DropTrees(ctx, "q", 2); err != nil {
		t.Fatal(err)
	}

	got, err := s.TreeIndices(ctx, "q")
	if diff := cmp.Diff([]int{0, 1}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "run.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database ", 100)), 0o644); err != nil {
		t.Fatal(err)
	}

	if s, err := store.Open(ctx, path); err == nil {
		t.Error("opened it", s.Close())
	}

	// The database of another program, which has a table, is left as it is.
	dir := t.TempDir()
	alter(t, dir, `CREATE TABLE theirs (x)`)

	other := filepath.Join(dir, "run.db")
	before, _ := os.ReadFile(other)

	if s, err := store.Open(ctx, other); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("opened %v: %v", s, err)
	}

	if after, err := os.ReadFile(other); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database of another program was changed (%v)", err)
	}

	if _, err := store.OpenRun(ctx, t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a run directory") {
		t.Errorf("error is %v", err)
	}
}

func BenchmarkLogCall(b *testing.B) {
	s := open(b)
	b.ReportAllocs()
	b.SetParallelism(8)
	var mu sync.Mutex
	n := 0

	b.RunParallel(func(pb *testing.PB) {
		p, err := s.Policy(context.Background(), "q", 0, &echo{text: strings.Repeat("Thought: x\n", 30)})
		if err != nil {
			b.Error(err)
			return
		}

		for pb.Next() {
			mu.Lock()
			n++
			r := mcts.Request{Node: mcts.NodeID{Question: "q", Path: fmt.Sprint("0.", n)}, N: 2, Seed: 1}
			mu.Unlock()

			if _, err := p.Propose(context.Background(), r); err != nil {
				b.Error(err)
			}
		}
	})
}

// Two calls of two samples with three tokens each; other trees count for themselves.
func TestCompletionTokens(t *testing.T) {
	ctx, s := context.Background(), open(t)

	p := policy(t, s, &echo{})
	for _, path := range []string{"0", "0.1"} {
		if _, err := p.Propose(ctx, request(path, 1)); err != nil {
			t.Fatal(err)
		}
	}

	for tree, want := range map[int]int{2: 12, 3: 0} {
		if n, err := s.CompletionTokens(ctx, "q", tree); n != want || err != nil {
			t.Errorf("tree %d: %d tokens, %v, want %d", tree, n, err, want)
		}
	}
}
