package collect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// Verification is what Verify found.
type Verification struct {
	Trees int `json:"trees"` // stored trees that were grown again
	Calls int `json:"calls"` // model calls read back from the log
	// trees that are not stored because a request of theirs failed alone
	GivenUp  []store.GivenUp `json:"given_up,omitempty"`
	Missing  int             `json:"missing"`  // others that are not: unresolved, or not come to
	Problems []string        `json:"problems"` // in the order of the questions; empty when all is well
}

// Verify proves that the stored trees are what the log says: it reads every row of the database,
// grows each tree again from the log alone, without asking any model, checks its invariants and
// compares it with the stored one node by node. Of a tree that is not finished it makes sure that
// the log answers what the search asks, as far as the log goes. The error is a failure to verify;
// what is wrong with the run is in the report.
func Verify(ctx context.Context, o Options) (Verification, error) {
	givenUp, err := o.Store.GivenUp(ctx)
	if err != nil {
		return Verification{}, err
	}

	// Missing on purpose, they must not count among the trees that are unresolved or still to come.
	trees := map[string][]int{}
	for _, g := range givenUp {
		trees[g.Question] = append(trees[g.Question], g.Tree)
	}

	reports, err := eachQuestion(ctx, &o, func(
		ctx context.Context, q Question,
	) (Verification, error) {
		return o.verify(ctx, q, trees[q.Task.ID])
	})
	if err != nil {
		return Verification{}, err
	}

	// Trees that cannot be read were passed over above: they are reported here, once.
	damage, err := o.Store.Check(ctx)
	if err != nil {
		return Verification{}, err
	}

	all := Verification{GivenUp: givenUp, Problems: append([]string{}, damage...)}
	for _, r := range reports {
		all.Trees += r.Trees
		all.Calls += r.Calls
		all.Missing += r.Missing
		all.Problems = append(all.Problems, r.Problems...)
	}

	return all, nil
}

// verify verifies the trees of a question, some of which were given up.
func (o *Options) verify(ctx context.Context, q Question, givenUp []int) (Verification, error) {
	var v Verification

	indices, err := o.Store.TreeIndices(ctx, q.Task.ID)
	if err != nil {
		return v, err
	}

	logged, err := o.Store.LoggedTrees(ctx, q.Task.ID)
	if err != nil {
		return v, err
	}

	// Trees that are only logged count, too: an interrupted run has calls of unfinished trees.
	all := append(logged, indices...)
	slices.Sort(all)

	found := mcts.NewFound(q.Task, o.Accept)

	for _, i := range slices.Compact(all) {
		report := func(problem string) {
			v.Problems = append(v.Problems, fmt.Sprintf("question %s, tree %d: %s", q.Task.ID, i, problem))
		}

		stored, ok, err := o.Store.LoadTree(ctx, q.Task.ID, i)
		if errors.Is(err, store.ErrDamaged) {
			continue // Store.Check says so
		}

		if err != nil {
			return v, err
		}

		calls, err := o.regrow(ctx, q, i, stored, found, report)
		if err != nil {
			return v, err
		}

		// In order, and the stored tree rather than the regrown: the next one was grown knowing it.
		v.Calls += calls
		if ok {
			v.Trees++

			found.Add(stored)
		}
	}

	v.Missing = o.missing(append(indices, givenUp...), found)
	return v, nil
}

// missing counts the missing trees of a question: gaps, and those it still wants.
func (o *Options) missing(known []int, found *mcts.Found) int {
	end := 0
	if len(known) > 0 {
		end = slices.Max(known) + 1
	}

	if !found.Done(o.Search) {
		end = max(end, o.Search.Trees)
	}
	return end - len(known)
}

// regrow grows one tree from the log and reports how it differs from the stored one, which is nil
// where the tree is not finished: then it may end where the log does.
func (o *Options) regrow(ctx context.Context, q Question, i int, stored *mcts.TreeRecord, found *mcts.Found,
	report func(string)) (calls int, err error) {
	policy, err := o.Store.Policy(ctx, q.Task.ID, i, nil)
	if errors.Is(err, store.ErrDamaged) {
		return 0, nil // Store.Check says so
	}

	if err != nil {
		return 0, err
	}

	search := o.search(q, policy)
	tree, err := search.Grow(ctx, q.Task, i, o.known(found))
	_, calls = policy.Counts()

	stage, _ := envs.FailedStage(err)

	// A stop is not a finding. Nor is an unfinished tree whose log ends, or answers all of it: the
	// run was stopped, or failed, before it stored the tree. Anything else the log should have
	// answered.
	switch {
	case err != nil && ctx.Err() != nil:
		return calls, ctx.Err()
	case stored == nil && (stage != envs.StageStore || errors.Is(err, store.ErrNotLogged)):
		return calls, nil
	case err != nil:
		report(fmt.Sprintf("cannot be grown from the log: %v", err))
		return calls, nil
	}

	// Both: trees that agree may have been grown wrongly twice.
	if err := tree.Check(search.Config); err != nil {
		report(err.Error())
	}

	for _, difference := range stored.Differences(tree.Record()) {
		report(difference)
	}
	return calls, nil
}
