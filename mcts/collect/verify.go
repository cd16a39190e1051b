package collect

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"toolevo/mcts"
)

// Verification is what Verify found.
type Verification struct {
	Trees    int      `json:"trees"`    // stored trees that were grown again
	Calls    int      `json:"calls"`    // model calls read back from the log
	Missing  int      `json:"missing"`  // trees that are not stored: unresolved, or not come to in the first pass
	Problems []string `json:"problems"` // in the order of the questions; empty when all is well
}

// Verify proves that the stored trees are what the log says: it grows each again from the log alone, without asking
// any model, checks its invariants and compares it with the stored rows node by node. The error is a failure to
// verify; what is wrong with the run stands in the report. Trees that sharing the budget has yet to deal out are not
// counted as missing: only Run knows them.
func Verify(ctx context.Context, o Options) (Verification, error) {
	if err := o.validate(); err != nil {
		return Verification{}, err
	}
	reports := make([]Verification, len(o.Questions))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(o.Workers)
	for i, q := range o.Questions {
		group.Go(func() (err error) {
			reports[i], err = o.verify(ctx, q)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return Verification{}, err
	}
	all := Verification{Problems: []string{}}
	for _, r := range reports {
		all.Trees += r.Trees
		all.Calls += r.Calls
		all.Missing += r.Missing
		all.Problems = append(all.Problems, r.Problems...)
	}
	return all, nil
}

func (o *Options) verify(ctx context.Context, q Question) (Verification, error) {
	var v Verification
	indices, err := o.Store.TreeIndices(ctx, q.Task.ID)
	if err != nil {
		return v, err
	}
	found := mcts.Found{}
	for _, i := range indices {
		stored, _, err := o.Store.LoadTree(ctx, q.Task.ID, i)
		if err != nil {
			return v, err
		}
		problems, calls, err := o.regrow(ctx, q, stored, found)
		if err != nil {
			return v, err
		}
		for _, p := range problems {
			v.Problems = append(v.Problems, fmt.Sprintf("question %s, tree %d: %s", q.Task.ID, i, p))
		}
		v.Trees++
		v.Calls += calls
		found.AddRecord(stored)
	}
	v.Missing = o.missing(indices, len(found))
	return v, nil
}

// missing counts the trees of a question that are not stored: gaps, and, while it still wants trajectories, what the
// first pass has not come to.
func (o *Options) missing(indices []int, found int) int {
	end := 0
	if len(indices) > 0 {
		end = indices[len(indices)-1] + 1
	}
	if o.Search.Enough == 0 || found < o.Search.Enough {
		end = max(end, o.Search.Trees)
	}
	return end - len(indices)
}

// regrow grows one tree from the log and says how it differs from the stored one.
func (o *Options) regrow(ctx context.Context, q Question, stored *mcts.TreeRecord, found mcts.Found) (problems []string, calls int, err error) {
	policy, err := o.Store.Policy(ctx, q.Task.ID, stored.Tree, nil)
	if err != nil {
		return nil, 0, err
	}
	if o.Search.Enough == 0 {
		found = nil
	}
	search := o.search(q, policy)
	tree, err := search.Grow(ctx, q.Task, stored.Tree, found)
	_, calls = policy.Counts()
	if err != nil {
		if ctx.Err() != nil {
			return nil, calls, ctx.Err()
		}
		return []string{fmt.Sprintf("cannot be grown from the log: %v", err)}, calls, nil
	}
	if err := tree.Check(search.Config); err != nil {
		problems = append(problems, err.Error())
	}
	return append(problems, differences(tree.Record(), stored)...), calls, nil
}

// differences compares a tree grown from the log with the stored one.
func differences(grown, stored *mcts.TreeRecord) []string {
	var out []string
	a, b := *grown, *stored
	a.Nodes, b.Nodes = nil, nil
	if fmt.Sprint(a) != fmt.Sprint(b) {
		out = append(out, fmt.Sprintf("is %+v in the store, %+v by the log", b, a))
	}
	if len(grown.Nodes) != len(stored.Nodes) {
		return append(out, fmt.Sprintf("has %d nodes in the store, %d by the log", len(stored.Nodes), len(grown.Nodes)))
	}
	for i := range grown.Nodes {
		if grown.Nodes[i] != stored.Nodes[i] {
			out = append(out, fmt.Sprintf("node %d is %+v in the store, %+v by the log", i, stored.Nodes[i], grown.Nodes[i]))
		}
	}
	return out
}
