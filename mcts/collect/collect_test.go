package collect_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/mcts"
	"toolevo/mcts/collect"
	"toolevo/mcts/store"
)

// estate is the maze under as many names as there are questions. A task called "nowhere" is unknown
// to it.
type estate struct {
	*envtest.Maze
	stepped func() error // called before each step, if set; its error is the step's
	teaches bool         // whoever acts knows a tool more
}

func (e *estate) Reset(ctx context.Context, t envs.Task) (envs.State, error) {
	if t.ID != "nowhere" {
		t = envtest.MazeTask
	}

	s, err := e.Maze.Reset(ctx, t)
	if e.teaches && err == nil {
		s = taught{s}
	}
	return s, err
}

// taught is a state whose history has a tool description more.
type taught struct{ envs.State }

func (s taught) History() envs.History { return s.State.History().Learn("a tool") }

func (e *estate) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	if e.stepped != nil {
		if err := e.stepped(); err != nil {
			return envs.Transition{}, err
		}
	}

	if t, ok := s.(taught); ok {
		s = t.State
	}

	next, err := e.Maze.Step(ctx, s, a)
	if e.teaches && err == nil {
		next.State = taught{next.State}
	}
	return next, err
}

// key names one model call across runs.
func key(r mcts.Request) string { return fmt.Sprintf("%s+%d", r.Node, r.First) }

// treeOf names the tree that a call belongs to.
func treeOf(r mcts.Request) string { return fmt.Sprintf("%s/%d", r.Node.Question, r.Node.Tree) }

// model is a policy that draws the words of a question from the sample's seed, and keeps account of
// its calls.
type model struct {
	// asked is called with each request and how many there were before; its error is the request's.
	asked func(r mcts.Request, before int) error
	// write, if set, replaces the words: it returns the text of one sample.
	write func(r mcts.Request, sample int, rng *rand.Rand) string

	mu       sync.Mutex
	calls    int            // requests, failed ones too
	running  int            // requests in progress
	answered map[string]int // answers by call
	samples  int
}

// words are what there is to say, by the question's difficulty: a walk to the goal is likely,
// possible, or not there.
func words(question string) []envs.Action {
	switch {
	case strings.HasPrefix(question, "easy"):
		return []envs.Action{"right", "climb", "stop"}
	case strings.HasPrefix(question, "hard"):
		return []envs.Action{"right", "climb", "stop", "left", "down", "fly", "up", "left twice"}
	}

	return []envs.Action{"left", "down", "fly", "up"}
}

func word(r mcts.Request, _ int, rng *rand.Rand) string {
	w := words(r.Node.Question)
	return string(w[rng.IntN(len(w))]) + strings.Repeat(" ", rng.IntN(2))
}

func (m *model) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	m.mu.Lock()
	before := m.calls
	m.calls++
	m.running++

	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		m.running--
		m.mu.Unlock()
	}()

	if m.asked != nil {
		if err := m.asked(r, before); err != nil {
			return nil, err
		}
	}

	write := m.write
	if write == nil {
		write = word
	}

	ps := make([]mcts.Proposal, r.N)
	for i := range ps {
		rng := rand.New(rand.NewPCG(r.Seed+uint64(i), 1))
		ps[i] = mcts.Proposal{Text: write(r, i, rng), LogProb: -rng.Float64(), Scored: true}
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if m.answered == nil {
		m.answered = map[string]int{}
	}
	m.answered[key(r)]++
	m.samples += len(ps)

	return ps, nil
}

// paper grows every tree of every question; efficient ends questions that have enough, and gives
// others up.
func paper() mcts.Config {
	return mcts.Config{
		CPUCT:          1.25,
		Samples:        3,
		RolloutSamples: 3,
		Simulations:    4,
		Trees:          3,
		MaxDepth:       5,
		ParentVisits:   mcts.OwnVisits,
		Rollouts:       mcts.OneRandom,
		Duplicates:     mcts.SameText,
		RolloutNodes:   mcts.Cached,
		CloseAtOnce:    true,
		Reflect:        true,
	}
}

func efficient() mcts.Config {
	c := paper()
	c.RolloutSamples, c.Duplicates, c.RolloutNodes = 2, mcts.SameAction, mcts.Visible
	c.Enough, c.Barren, c.Widen = 2, 2, 1
	return c
}

// presets are the two ways in which a run makes lanes of trees.
func presets() map[string]mcts.Config {
	return map[string]mcts.Config{"paper": paper(), "efficient": efficient()}
}

func questions(ids ...string) []collect.Question {
	all := make([]collect.Question, len(ids))
	for i, id := range ids {
		all[i] = collect.Question{Task: envs.Task{ID: id, Question: "Where is the goal?"}}
	}
	return all
}

// options is a collection over questions of every difficulty.
func options(c mcts.Config, p mcts.Policy, s *store.Store) collect.Options {
	all := questions("easy-0", "hard-0", "never-0", "easy-1", "hard-1", "easy-2")
	all[3].MaxDepth = 4
	return collect.Options{
		Questions: all,
		Env:       &estate{Maze: envtest.NewMaze()},
		Policy:    p,
		Search:    c,
		Seed:      7,
		Store:     s,
		Workers:   4,
		Retry:     mcts.Retry{Attempts: 1},
	}
}

func database(t testing.TB) string { return filepath.Join(t.TempDir(), "run.db") }

func open(t testing.TB, path string) *store.Store {
	t.Helper()

	s, err := store.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { s.Close() })
	return s
}

// collected runs a collection that has to succeed and returns what is stored then.
func collected(t testing.TB, o collect.Options) map[string][]*mcts.TreeRecord {
	t.Helper()

	if _, err := collect.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return stored(t, o)
}

// stored returns the stored trees by question.
func stored(t testing.TB, o collect.Options) map[string][]*mcts.TreeRecord {
	t.Helper()

	trees := map[string][]*mcts.TreeRecord{}

	for _, q := range o.Questions {
		indices, err := o.Store.TreeIndices(context.Background(), q.Task.ID)
		if err != nil {
			t.Fatal(err)
		}

		for _, i := range indices {
			tree, ok, err := o.Store.LoadTree(context.Background(), q.Task.ID, i)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}

			trees[q.Task.ID] = append(trees[q.Task.ID], tree)
		}
	}
	return trees
}

func same(t testing.TB, want, got map[string][]*mcts.TreeRecord) {
	t.Helper()

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("other trees are stored (-want +got):\n%s", diff)
	}
}

// logged returns the calls in the log of a database.
func logged(t testing.TB, path string) map[string]bool {
	t.Helper()

	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	rows, err := db.Query(`SELECT name, tree, path, first FROM calls JOIN questions ON id = question`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()

	calls := map[string]bool{}

	for rows.Next() {
		var r mcts.Request
		if err := rows.Scan(&r.Node.Question, &r.Node.Tree, &r.Node.Path, &r.First); err != nil {
			t.Fatal(err)
		}

		calls[key(r)] = true
	}

	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return calls
}

// proven fails the test unless the run is complete and is what its log says.
func proven(t testing.TB, o collect.Options) collect.Verification {
	t.Helper()

	v, err := collect.Verify(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}

	if len(v.Problems) > 0 || v.Missing > 0 {
		t.Errorf("%d trees are missing, problems: %s", v.Missing, strings.Join(v.Problems, "\n"))
	}
	return v
}
