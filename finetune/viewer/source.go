package viewer

import (
	"context"
	"fmt"
	"sync"

	"toolevo/finetune/rundir"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// Run is a run directory as the viewer reads it.
type Run struct {
	Name      string // unique among the runs that are shown; not "-"
	Dir       string
	Questions []trajectories.Question // in the order of the run
	Source    Source

	once  sync.Once
	index map[string]int // of the questions, by ID
}

// Source reads what a run has, even while another process adds to it. It is safe for concurrent
// use.
type Source interface {
	// Counts returns the counts of the questions that have any, by ID. It is cheap.
	Counts(ctx context.Context) (map[string]Count, error)
	// Attempts returns the attempts at a question. New ones come last, except for episodes of an
	// evaluation.
	Attempts(ctx context.Context, q trajectories.Question) ([]Attempt, error)
	// Prompt returns what a model of the run is shown after the turns of a trajectory.
	Prompt(row *trajectories.Row) (string, error)
}

// Count is how many attempts at a question a run has, and how many were begun and have no result:
// they are still running, or were lost to an infrastructure failure.
type Count struct{ Stored, Open int }

// Attempt is a tree of a collection, or the episode of an evaluation as a tree of one branch.
type Attempt struct {
	API  string // the deployed version, or the family of versions of which each question meets one
	Meta trajectories.Meta
	Tree *mcts.TreeRecord
}

// row returns the trajectory that ends at a node.
func (a *Attempt) row(node int) trajectories.Row { return trajectories.FromNode(a.Meta, a.Tree, node) }

// turns returns those of the trajectory that ends at a node. Their thoughts are still part of the
// actions.
func (a *Attempt) turns(node int) (turns []trajectories.Turn) {
	for _, id := range a.Tree.Path(node)[1:] {
		n := &a.Tree.Nodes[id]
		turns = append(turns, trajectories.Turn{
			Action: n.Action, Tool: n.Tool, API: n.Name, Key: n.Key,
			Observation: n.Observation, Outcome: n.Outcome,
			Prior: n.Prior, Visits: n.Visits, Value: n.Q(), Limit: string(n.Limit),
		})
	}

	return turns
}

// ends returns the nodes where the attempt was answered or stopped, the accepted first.
func (a *Attempt) ends() (ids []int) {
	for _, wanted := range []func(*mcts.Record) bool{
		(*mcts.Record).Accepted,
		func(n *mcts.Record) bool { return !n.Accepted() && n.Official },
		func(n *mcts.Record) bool { return !n.Official && (n.Outcome.Ends() || n.Limit != mcts.LimitNone) },
	} {
		for i := range a.Tree.Nodes {
			if wanted(&a.Tree.Nodes[i]) {
				ids = append(ids, i)
			}
		}
	}

	return ids
}

// bestNode returns the node with the most telling trajectory of the attempt.
func (a *Attempt) bestNode() int {
	if ids := a.ends(); len(ids) > 0 {
		return ids[0]
	}
	return len(a.Tree.Nodes) - 1
}

// State says in words how far a run is, and whether a process works on it.
func (r *Run) State() (words string, grows bool, err error) {
	state, err := rundir.StateOf(r.Dir)
	if err != nil {
		return "", false, err
	}

	words = map[rundir.State]string{
		rundir.Running: "growing", rundir.Finished: "finished", rundir.Interrupted: "unfinished",
	}[state]
	return words, state == rundir.Running, nil
}

// kind returns the command that made the run, "collect" or "eval".
func (r *Run) kind() (string, error) {
	m, err := store.ReadManifest(r.Dir)
	return m.Kind, err
}

// question returns a question of the run.
func (r *Run) question(id string) (trajectories.Question, error) {
	if i, ok := r.number(id); ok {
		return r.Questions[i], nil
	}
	return trajectories.Question{}, fmt.Errorf("%s has no question %q", r.Name, id)
}

// number returns the place of a question in the run, from 0.
func (r *Run) number(id string) (int, bool) {
	r.once.Do(func() {
		r.index = map[string]int{}
		for i, q := range r.Questions {
			r.index[q.ID] = i
		}
	})

	i, ok := r.index[id]
	return i, ok
}
