package finetune_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/mcts"
)

// An episode asks for one greedy sample a turn, each under the path of its own turn.
func TestPlayAsksGreedily(t *testing.T) {
	w := &walker{words: map[string][]string{"a": detour}}
	id := mcts.NodeID{Question: "cell/a", Tree: 3, Path: "to be ignored"}

	e, err := finetune.Play(context.Background(), maze(), w, tasks("a")[0], id, finetune.Limits{MaxTurns: 8})
	if err != nil {
		t.Fatal(err)
	}
	type asked struct {
		Node           mcts.NodeID
		Turns          int
		First, N       int
		Seed           uint64
		Greedy         bool
		LastOfTheTurns envs.Outcome
	}
	var want, got []asked
	last := []envs.Outcome{0, envs.Deprecated, envs.OK, envs.InvalidAction, envs.OK, envs.InvocationError, envs.OK}

	for i := range detour {
		path := "0" + strings.Repeat(".0", i)
		want = append(want, asked{
			Node:           mcts.NodeID{Question: "cell/a", Tree: 3, Path: path},
			Turns:          i,
			N:              1,
			Greedy:         true,
			LastOfTheTurns: last[i],
		})
	}

	for _, r := range w.requests {
		turn, _ := r.History.Last()
		got = append(got, asked{r.Node, r.History.Len(), r.First, r.N, r.Seed, r.Greedy, turn.Outcome})
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}

	for _, n := range e.Branch.Nodes[1:] {
		if n.Draws != 1 || n.ID != n.Depth || n.Parent != n.ID-1 {
			t.Errorf("a node of the branch is %+v", n)
		}
	}

	if e.Status != envs.Terminated || !e.Grade.Official || !e.Grade.Strict || e.History.Len() != len(detour) {
		t.Errorf("the episode is %s with %+v after %d turns", e.Status, e.Grade, e.History.Len())
	}
}

func TestPlayEnds(t *testing.T) {
	for _, test := range []struct {
		name     string
		words    []string
		maxTurns int
		turns    int // taken
		calls    int // made
		status   envs.Status
		official bool
	}{
		{"right", solution, 8, 4, 4, envs.Terminated, true},
		{"right in the last turn", solution, 4, 4, 4, envs.Terminated, true},
		{"one turn too few", solution, 3, 3, 3, envs.Running, false},
		{"wrong", wrong, 8, 2, 2, envs.Terminated, false},
		{"the environment's limit", endless, 20, 8, 8, envs.Truncated, false},
		{"our limit", endless, 5, 5, 5, envs.Running, false},
		{"no proposal", solution[:2], 8, 2, 3, envs.Running, false},
		{"blank text", []string{"climb", " \n\t", "stop"}, 8, 1, 2, envs.Running, false},
		{"nothing at all", []string{}, 8, 0, 1, envs.Running, false},
		{"not UTF-8", []string{"\xff", "stop"}, 8, 2, 2, envs.Terminated, false},
		{"a megabyte", []string{strings.Repeat("[", 1<<20), "stop"}, 8, 2, 2, envs.Terminated, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &walker{words: map[string][]string{"a": test.words}}

			e, err := finetune.Play(context.Background(), maze(), w, tasks("a")[0], mcts.NodeID{Question: "a"},
				finetune.Limits{MaxTurns: test.maxTurns})
			if err != nil {
				t.Fatal(err)
			}

			if e.Status != test.status || e.Grade.Official != test.official || e.History.Len() != test.turns ||
				len(w.requests) != test.calls {
				t.Errorf("%s with %+v after %d turns and %d calls", e.Status, e.Grade, e.History.Len(), len(w.requests))
			}
		})
	}
}

func TestPlayFails(t *testing.T) {
	for _, test := range []struct {
		name   string
		task   string
		change func(*walker, *estate)
		stage  envs.Stage
		turns  int // before the failure
		want   string
	}{
		{"the model", "a", func(w *walker, _ *estate) {
			w.asked = func(_ mcts.Request, before int) error {
				if before == 2 {
					return errGone
				}
				return nil
			}
		}, envs.StagePolicy, 2, "episode cell/a, turn 2"},
		{"the environment", "a", func(_ *walker, e *estate) {
			e.stepped = func(a envs.Action) error {
				if a == "right" {
					return errGone
				}
				return nil
			}
		}, envs.StageEnvironment, 1, "episode cell/a, turn 1"},
		{"a tool", "a", func(_ *walker, e *estate) {
			e.stepped = func(envs.Action) error { return envs.Fail(envs.StageTool, "run python", errGone) }
		}, envs.StageTool, 0, "run python"},
		{"an unknown task", "nowhere", func(*walker, *estate) {}, envs.StageEnvironment, 0, "nowhere"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, env := &walker{}, maze()
			test.change(w, env)

			e, err := finetune.Play(context.Background(), env, w, tasks(test.task)[0],
				mcts.NodeID{Question: "cell/" + test.task}, finetune.Limits{MaxTurns: 8})
			if stage, _ := envs.FailedStage(err); stage != test.stage || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error is %v, want a failure of the %s with %q", err, test.stage, test.want)
			}

			if test.task == "a" && !errors.Is(err, errGone) {
				t.Errorf("%v does not wrap its cause", err)
			}

			if e.History.Len() != test.turns || e.Status != envs.Running {
				t.Errorf("the episode is %s after %d turns, want %d", e.Status, e.History.Len(), test.turns)
			}
		})
	}
}
