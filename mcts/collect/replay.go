package collect

import (
	"context"
	"errors"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// Replayed is what a search over the log of a run found. It is exact where the log has every answer
// that the search asks for: each of those trees is, node for node, the one that a fresh run would
// grow if its model answers the same. A tree for which the log lacks an answer ends there. What it
// had found by then is counted, because the fresh run would have found it, too; the figures are
// then the least that the fresh run would have.
type Replayed struct {
	Questions int `json:"questions"`       // of the run
	Whole     int `json:"questions_whole"` // of those, the ones for which the log has every answer
	Solved    int `json:"solved"`          // questions with an accepted trajectory
	// solved questions, if all would be solved for which an answer is lacking
	SolvedAtMost int `json:"solved_at_most"`
	Correct      int `json:"correct"` // correct trajectories, which the official matcher takes
	// distinct trajectories that training takes: correct by the strict matcher, too
	Accepted int `json:"distinct_accepted"`

	Trees       int     `json:"trees"`        // those that end for lack of an answer, too
	Nodes       int     `json:"nodes"`        // in them
	Calls       int     `json:"calls"`        // to the model, which the log answered
	Samples     int     `json:"samples"`      // completions that it answered with
	Lacking     []Lack  `json:"lacking"`      // answers that the log lacks, each of which ends its tree
	LackedShare float64 `json:"lacked_share"` // of the answers that the search asked for, 0 to 1
}

// Lack is an answer that the log lacks.
type Lack struct {
	Question    string `json:"question_id"` // unique within a run
	Tree        int    `json:"tree"`        // index among the question's trees, from 0
	Simulations int    `json:"simulations"` // of the tree that the log has every answer for
}

// Replay searches over the log of a run under other settings than the run's, which o has, and never
// asks a model. An answer counts as lacking, too, when the log has one for another history in its
// place: other settings may give a path another meaning. So does the result of a tool, where the
// log keeps such results. Where trees depend on those before them (mcts.Config.InTurn), a question
// ends with a lack.
func Replay(ctx context.Context, o Options) (Replayed, error) {
	results, err := eachQuestion(ctx, &o, o.replay)
	if err != nil {
		return Replayed{}, err
	}

	all := Replayed{Lacking: []Lack{}}
	for _, r := range results {
		all.add(r)
	}

	if lacked := len(all.Lacking); lacked > 0 {
		all.LackedShare = float64(lacked) / float64(all.Calls+lacked)
	}
	return all, nil
}

// replay replays one question.
func (o *Options) replay(ctx context.Context, q Question) (Replayed, error) {
	r := Replayed{Questions: 1}
	found := mcts.NewFound(q.Task, o.Accept)

	for i := 0; i < o.Search.Trees && !found.Done(o.Search); i++ {
		tree, err := o.replayTree(ctx, q, i, found)
		if tree == nil {
			return r, err
		}

		// Counted even if the log ends inside it: the fresh run would have found this much.
		r.addTree(tree)
		found.Add(tree)

		if err == nil {
			continue
		}

		r.Lacking = append(r.Lacking, Lack{Question: q.Task.ID, Tree: i, Simulations: tree.Simulations})
		// Which trees come next depends on what this one would have found.
		if o.Search.InTurn() {
			break
		}
	}

	r.Accepted = found.Len()
	r.Solved = min(r.Accepted, 1)
	r.SolvedAtMost = r.Solved

	if len(r.Lacking) > 0 {
		// An answer that is lacking might have led to a trajectory.
		r.SolvedAtMost = 1
	} else {
		r.Whole = 1
	}

	return r, nil
}

// replayTree grows one tree from the log. It returns an error beside a tree when the log lacks the
// tree's next answer, and no tree with any other error.
func (o *Options) replayTree(ctx context.Context, q Question, i int, found *mcts.Found) (*mcts.TreeRecord, error) {
	policy, err := o.Store.Policy(ctx, q.Task.ID, i, nil)
	if err != nil {
		return nil, err
	}

	tree, err := o.search(q, policy).Grow(ctx, q.Task, i, o.known(found))
	lacks := errors.Is(err, store.ErrNotLogged) || errors.Is(err, store.ErrHistory) ||
		errors.Is(err, envs.ErrNotRemembered)
	if err != nil && !lacks {
		return nil, err
	}

	if tree == nil { // the log lacks a step of the prefix
		return &mcts.TreeRecord{Question: q.Task.ID, Tree: i}, err
	}
	return tree.Record(), err
}

// addTree counts a tree.
func (r *Replayed) addTree(t *mcts.TreeRecord) {
	r.Trees++
	r.Nodes += len(t.Nodes)
	r.Calls += t.Calls
	r.Samples += t.Samples

	for i := range t.Nodes {
		if t.Nodes[i].Outcome == envs.Correct {
			r.Correct++
		}
	}
}

// add adds the figures of another question.
func (r *Replayed) add(q Replayed) {
	r.Questions += q.Questions
	r.Whole += q.Whole
	r.Solved += q.Solved
	r.SolvedAtMost += q.SolvedAtMost
	r.Correct += q.Correct
	r.Accepted += q.Accepted
	r.Trees += q.Trees
	r.Nodes += q.Nodes
	r.Calls += q.Calls
	r.Samples += q.Samples
	r.Lacking = append(r.Lacking, q.Lacking...)
}
