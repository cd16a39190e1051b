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

// desk is an environment where every word is a turn, "give up" ends the task without an answer, and
// "answer TEXT" with one, which is right when the text is "42".
type desk struct{}

type deskState struct {
	history envs.History
	status  envs.Status
}

func (s deskState) History() envs.History { return s.history }
func (s deskState) Status() envs.Status   { return s.status }

func (desk) Reset(_ context.Context, t envs.Task) (envs.State, error) {
	return deskState{envs.NewHistory(t), envs.Running}, nil
}

func (desk) Step(_ context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	next := deskState{status: envs.Running}
	turn := envs.Turn{Action: a, Observation: "saw " + string(a), Outcome: envs.OK}
	answer, ends := strings.CutPrefix(string(a), "answer ")

	var grade envs.Grade
	if ends || a == "give up" {
		next.status, turn.Outcome = envs.Terminated, envs.Incorrect
		if ends {
			grade = envs.Grade{Answer: answer, Official: answer == "42"}
		}
	}

	next.history = s.History().Append(turn)
	return envs.Transition{State: next, Turn: turn, Grade: grade}, nil
}

// speaker says what is written for a place and how often it was asked there before.
type speaker struct {
	words map[string]string // by path, and "/1" behind it the second time
	asked []string          // the places, and the remark of each after a colon
}

func (s *speaker) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	place := r.Node.Path + strings.Repeat("/1", r.First)
	shown := r.History.Task().Question

	if last, ok := r.History.Last(); ok {
		shown = last.Observation
	}

	_, remark, _ := strings.Cut(shown, "no answer:\n\n- ")
	remark, _, told := strings.Cut(remark, "\n\nDo something else now.")
	if told != (remark != "") {
		remark = "not told to do something else"
	}

	s.asked = append(s.asked, place+":"+strings.ReplaceAll(remark, "\n  gave: ", " → "))
	return []mcts.Proposal{{Text: s.words[place], Tokens: 1}}, nil
}

func control(t *testing.T, s *speaker, maxTurns int, c finetune.Controller) finetune.Episode {
	t.Helper()

	e, err := finetune.Play(t.Context(), desk{}, s, envs.Task{ID: "a", Question: "What?"}, mcts.NodeID{Question: "a"},
		finetune.Limits{MaxTurns: maxTurns, Controller: c})
	if err != nil {
		t.Fatal(err)
	}

	return e
}

// A chain without an answer is followed by another from the question on, which is not told of the
// first; an answer ends the episode, right or wrong.
func TestChains(t *testing.T) {
	t.Parallel()

	s := &speaker{words: map[string]string{
		"0": "look", "0.0": "give up", // an empty answer
		"0/1": "walk", "0.1": "run", // as long as a chain may be
		"0/1/1": "read", "0.2": "answer 41",
		"0/1/1/1": "never asked",
	}}
	e := control(t, s, 2, finetune.Controller{Kind: finetune.Chain, Tries: 4})

	want := []string{"0:", "0.0:", "0/1:", "0.1:", "0/1/1:", "0.2:"}
	if diff := cmp.Diff(want, s.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}

	if e.Grade.Answer != "41" || e.History.Len() != 2 || e.Branch.Calls != 6 || len(e.Branch.Nodes) != 3 {
		t.Errorf("%+v of %d turns, %d calls, %d nodes", e.Grade, e.History.Len(), e.Branch.Calls, len(e.Branch.Nodes))
	}

	if e := control(t, &speaker{words: s.words}, 2, finetune.Controller{Tries: 2}); e.Status != envs.Running ||
		e.Branch.Nodes[2].Limit != mcts.LimitDepth || e.Branch.Nodes[2].Action != "run" {
		t.Errorf("without an answer the last chain is the episode: %+v", e.Branch.Nodes)
	}
}

// Actions are greedy where there is one chain, or a search that shows what was tried; several
// chains or episodes are sampled, each with seeds of its own.
func TestGreedyOrSampled(t *testing.T) {
	for name, test := range map[string]struct {
		repeats int
		control finetune.Controller
		greedy  bool
	}{
		"one chain":      {0, finetune.Controller{}, true},
		"one try":        {1, finetune.Controller{Kind: finetune.Chain, Tries: 1}, true},
		"two tries":      {1, finetune.Controller{Kind: finetune.Chain, Tries: 2}, false},
		"a search":       {1, finetune.Controller{Kind: finetune.DepthFirst, Tries: 2, Calls: 9}, true},
		"two episodes":   {2, finetune.Controller{}, false},
		"three searches": {3, finetune.Controller{Kind: finetune.DepthFirst, Calls: 9}, false},
	} {
		w := &walker{words: everybody(wrong[:1])} // says nothing more, so chains begin again
		j := job(w, numbered(2))
		j.Repeats, j.Controller = test.repeats, test.control
		evaluate(t, options(t), j)

		seeds, first := map[uint64]int{}, map[string]uint64{}
		for _, r := range w.requests {
			// Those of a node are spaced by one, as samples of one request are.
			if node := r.Node.String(); r.First == 0 {
				first[node] = r.Seed
			} else if !test.greedy && r.Seed != first[node]+uint64(r.First) {
				t.Errorf("%s: sample %d of a node has the seed %d, the first %d", name, r.First, r.Seed,
					first[node])
			}

			if seeds[r.Seed]++; r.Greedy != test.greedy || r.Seed > 1<<63-1 {
				t.Errorf("%s: greedy is %v, the seed %d", name, r.Greedy, r.Seed)
			}
		}

		if greedy := len(seeds) == 1; greedy != test.greedy || !greedy && len(seeds) != len(w.requests) {
			t.Errorf("%s: %d seeds of %d requests", name, len(seeds), len(w.requests))
		}
	}
}

// Where the agent gives up, two turns are taken back; where a chain is too long, one. At each place
// it acts twice at most, and is shown the second time what it did there the first time.
func TestDepthFirst(t *testing.T) {
	t.Parallel()

	s := &speaker{words: map[string]string{
		"0":       "look",
		"0.0":     "walk",
		"0.0.0":   "run",       // three turns, too long: one back
		"0.0.0/1": "give up",   // two back: to the place after look
		"0.0/1":   "read",      //
		"0.0.1":   "give up",   // two back: to the place after look, which is done with
		"0/1":     "ask",       //
		"0.1":     "answer 42", //
	}}
	e := control(t, s, 3, finetune.Controller{Kind: finetune.DepthFirst, Calls: 100})

	want := []string{
		"0:", "0.0:", "0.0.0:", "0.0.0/1:run → saw run", "0.0/1:walk → saw walk", "0.0.1:",
		"0/1:look → saw look", "0.1:",
	}
	if diff := cmp.Diff(want, s.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}

	if !e.Grade.Official || e.History.Len() != 2 || e.Branch.Calls != 8 {
		t.Errorf("%+v of %d turns, %d calls", e.Grade, e.History.Len(), e.Branch.Calls)
	}

	for _, turn := range e.History.Turns() {
		if strings.Contains(turn.Observation, "before") {
			t.Errorf("a remark is part of the episode: %q", turn.Observation)
		}
	}
}

// The calls of a search are bounded, and an agent that says nothing is at a dead end.
func TestDepthFirstEnds(t *testing.T) {
	t.Parallel()

	s := &speaker{words: map[string]string{"0": "look", "0/1": "walk", "0.1": "run"}}
	e := control(t, s, 2, finetune.Controller{Kind: finetune.DepthFirst, Calls: 100})

	want := []string{"0:", "0.0:", "0.0/1:", "0/1:look → saw look", "0.1:", "0.1/1:run → saw run"}
	if diff := cmp.Diff(want, s.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}

	if e.Limit != mcts.LimitSilence {
		t.Errorf("the last chain ended by %q", e.Limit)
	}

	bounded := &speaker{words: s.words}
	if e := control(t, bounded, 2, finetune.Controller{Kind: finetune.DepthFirst, Calls: 3}); e.Branch.Calls != 3 ||
		len(bounded.asked) != 3 {
		t.Errorf("%d calls, %d asked", e.Branch.Calls, len(bounded.asked))
	}
}

// A failure of the model in a search loses the question, wherever it happens.
func TestDepthFirstFails(t *testing.T) {
	t.Parallel()

	for fails := range 6 {
		w := &walker{words: map[string][]string{"a": endless}}
		w.asked = func(_ mcts.Request, before int) error {
			if before == fails {
				return errGone
			}
			return nil
		}
		search := finetune.Controller{Kind: finetune.DepthFirst, Calls: 9}

		_, err := finetune.Play(t.Context(), maze(), w, tasks("a")[0], mcts.NodeID{Question: "a"},
			finetune.Limits{MaxTurns: 2, Controller: search})
		if !errors.Is(err, errGone) || len(w.requests) != fails+1 {
			t.Errorf("call %d fails: %v after %d calls", fails+1, err, len(w.requests))
		}
	}
}
