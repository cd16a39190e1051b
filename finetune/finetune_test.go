package finetune_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolevo/envs"
	"toolevo/envs/envtest"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

var errGone = errors.New("the server is gone")

// estate is the maze under as many names as there are tasks. A task called "nowhere" is unknown to
// it.
type estate struct {
	*envtest.Maze
	stepped func(envs.Action) error // called before each step, if set; its error is the step's
}

func (e *estate) Reset(ctx context.Context, t envs.Task) (envs.State, error) {
	if t.ID != "nowhere" {
		t = envtest.MazeTask
	}
	return e.Maze.Reset(ctx, t)
}

func (e *estate) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	if e.stepped != nil {
		if err := e.stepped(a); err != nil {
			return envs.Transition{}, err
		}
	}

	return e.Maze.Step(ctx, s, a)
}

func maze() *estate { return &estate{Maze: envtest.NewMaze()} }

// walker is a policy that says the words it was given for a task, one a turn, and keeps account of
// its calls.
type walker struct {
	words map[string][]string // by task; a task without words walks to the goal
	// asked is called with each request and how many there were before; its error is the request's.
	asked func(r mcts.Request, before int) error

	mu       sync.Mutex
	requests []mcts.Request
	running  int
	answered map[string]int // by node
}

func (w *walker) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	w.mu.Lock()
	before := len(w.requests)
	w.requests = append(w.requests, r)
	w.running++

	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.running--
		w.mu.Unlock()
	}()

	if w.asked != nil {
		if err := w.asked(r, before); err != nil {
			return nil, err
		}
	}

	w.mu.Lock()
	defer w.mu.Unlock()

	if w.answered == nil {
		w.answered = map[string]int{}
	}
	w.answered[r.Node.String()]++

	words, ok := w.words[taskOf(r)]
	if !ok {
		words = solution
	}

	if turn := r.History.Len(); turn < len(words) {
		return []mcts.Proposal{{Text: words[turn]}}, nil
	}
	return nil, nil
}

// taskOf is the task of a request, by the last part of its episode's name.
func taskOf(r mcts.Request) string {
	return r.Node.Question[strings.LastIndexByte(r.Node.Question, '/')+1:]
}

// Words for a task.
var (
	solution = []string{"climb", "right", "right", "stop"}
	detour   = []string{"up", "climb", "fly", "right", "left twice", "right", "stop"}
	wrong    = []string{"right", "stop"}
	endless  = []string{"left", "left", "left", "left", "left", "left", "left", "left", "left"}
)

func tasks(ids ...string) []envs.Task {
	all := make([]envs.Task, len(ids))
	for i, id := range ids {
		all[i] = envs.Task{ID: id, Question: "Where is the goal?"}
	}
	return all
}

func numbered(n int) []envs.Task {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint("task-", i)
	}
	return tasks(ids...)
}

func job(p mcts.Policy, of []envs.Task) finetune.Job {
	return finetune.Job{
		Cell: finetune.Cell{Policy: "test:walker", API: "p_c", Dataset: "toy", Difficulty: "easy"},
		Env:  maze(), Policy: p, Tasks: of, MaxTurns: 8,
	}
}

func options(t testing.TB) finetune.Options {
	return finetune.Options{
		Store:   open(t, filepath.Join(t.TempDir(), "run.db")),
		Workers: 4,
		Retry:   mcts.Retry{Attempts: 1},
	}
}

func open(t testing.TB, path string) *store.Store {
	t.Helper()

	s, err := store.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { s.Close() })
	return s
}

func evaluate(t testing.TB, o finetune.Options, jobs ...finetune.Job) *finetune.Report {
	t.Helper()

	lost, err := finetune.Evaluate(context.Background(), jobs, o)
	if err != nil {
		t.Fatal(err)
	}

	r, err := finetune.Summarise(jobs, episodes(o, lost, jobs...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// episodes are those of jobs as a run's files have them.
func episodes(o finetune.Options, lost finetune.Lost, jobs ...finetune.Job) iter.Seq2[trajectories.Episode, error] {
	return finetune.Episodes(context.Background(), o.Store, jobs, lost,
		func(c finetune.Cell, task envs.Task) trajectories.Meta {
			return trajectories.Meta{
				Run: trajectories.Run{ID: "run", Policy: c.Policy, DeployedAPI: c.API},
				Question: trajectories.Question{
					ID: task.ID, Text: task.Question,
					Labels: map[string]string{"dataset": c.Dataset, "difficulty": c.Difficulty},
				},
			}
		})
}
