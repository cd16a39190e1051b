package main

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"

	"toolevo/envs/console"
	"toolevo/mcts/collect"
	"toolevo/trajectories"
)

// checkCompacted checks a run that was compacted. Its log does not say what the model was shown, so no tree is grown
// again: every row of the database is read, and the trajectories of the trees are compared with the Parquet file.
func (a *app) checkCompacted(ctx context.Context, v *view, asJSON bool) error {
	problems, err := v.run.Check(ctx)
	if err != nil {
		return console.GaveUp(err)
	}

	stamps, err := stampsOf(ctx, v.run)
	if err != nil {
		return console.GaveUp(err)
	}

	result := checked{
		collect.Verification{Problems: append([]string{}, problems...)},
		checkedRun{Engines: inWords(stamps), Warnings: wallWarnings(stamps)},
	}

	if v.run.Manifest.Kind == kindCollect && len(problems) == 0 {
		if err := a.compareCompacted(ctx, v, &result); err != nil {
			return err
		}
	}

	a.Say("An older version began this run: its trees were read, not grown again.")

	head := fmt.Sprintf("every row of the database read, %d trajectories compared", result.Rows)

	return a.printChecked(asJSON, v.run.Dir, result, head, result.Problems, result.checkedRun)
}

// whatWasDone is what a trajectory says of its tree; its other columns came and went with versions.
type whatWasDone struct {
	question         string
	tree, node       int
	answer           string
	official, strict bool
	visits           int
	turns            []trajectories.Turn
}

// done are what rows say of their trees.
func done(rows iter.Seq2[trajectories.Row, error]) iter.Seq2[whatWasDone, error] {
	return func(yield func(whatWasDone, error) bool) {
		for r, err := range rows {
			if !yield(whatWasDone{
				r.QuestionID, r.Tree, r.Node, r.Answer, r.Official, r.Strict, r.Visits, r.Turns,
			}, err) {
				return
			}
		}
	}
}

// compareCompacted compares the trajectories of the trees with those of the file.
func (a *app) compareCompacted(ctx context.Context, v *view, result *checked) error {
	c, err := runConfig(v.run)
	if err != nil {
		return err
	}

	path := filepath.Join(v.run.Dir, rowsFile)
	grown, stored := done(rows(ctx, v.run, c, v.questions)), done(trajectories.ReadFile(path))

	n, problem, err := trajectories.Differ(grown, stored, func(w *whatWasDone) string {
		return fmt.Sprintf("that of question %s, tree %d, node %d", w.question, w.tree, w.node)
	})

	switch {
	case isMissing(err):
		a.Say("The run has no %s: it is unfinished.", rowsFile)
	case err != nil:
		result.Problems = append(result.Problems, fmt.Sprintf("%s: %v", path, err))
	case problem != "":
		result.Problems = append(result.Problems, path+": "+problem)
	default:
		result.Rows, result.Complete = n, v.run.Manifest.Finished != nil
	}

	return nil
}
