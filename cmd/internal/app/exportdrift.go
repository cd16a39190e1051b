package app

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/dynamic"
	"toolevo/envs/silent"
	"toolevo/finetune/facts"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// driftOf lets a selection ask what versions change silently. stop ends that.
func (e *ExportJob) driftOf(ctx context.Context, s *sources, o *export.Selection) (
	stop func() error) {
	var failed error

	// A selection takes yes or no; what went wrong it asks for before it uses the answers.
	noted := func(yes bool, err error) bool {
		failed = cmp.Or(failed, err)
		return yes && err == nil
	}

	o.Failed = func() error { return failed }
	o.Blind = func(row *trajectories.Row) bool { return noted(s.isBlind(row)) }

	// Many rows are about one question under one version: the naive policy plays that once.
	references, known := map[*exportedRun]*Bench{}, map[[2]string]bool{}
	o.Misled = func(row *trajectories.Row) bool {
		r, err := s.runOf(row)
		if err != nil || failed != nil {
			return noted(false, err)
		}

		// A run's corpora and engine are opened only if a row of it is asked about.
		if references[r] == nil {
			b, err := OpenBench(ctx, r.data, r.Config, r.Versions, e.OpenEngine)
			if err != nil {
				return noted(false, err)
			}

			references[r] = b
		}

		question := [2]string{row.Question, row.DeployedAPI}
		if _, ok := known[question]; !ok {
			known[question] = noted(references[r].misleads(ctx, row))
		}
		return known[question]
	}
	return func() (err error) {
		for _, b := range references {
			err = errors.Join(err, b.Close())
		}
		return err
	}
}

// isBlind reports whether a call of a row meant something else than it did and nothing in the row
// tells so: no prompt of a collection shows the documents of the deployed version.
func (s *sources) isBlind(row *trajectories.Row) (bool, error) {
	r, err := s.runOf(row)
	if err != nil { // of a document: those of other programs say nothing about versions
		return s.imported != nil && s.imported.IsBlind(row), nil
	}

	if r.Config.Environment.Hint == dynamic.HintAnswer {
		return false, nil
	}

	all, err := r.versions()
	if err != nil {
		return false, err
	}

	v, err := all.Version(row.DeployedAPI)
	if err != nil {
		return false, err
	}

	isBlind := func(c trajectories.Call) bool {
		a, ok := v.API(c.API)
		return ok && c.Outcome == envs.OK &&
			slices.ContainsFunc(a.Silent, func(c silent.Change) bool { return !c.IsProbed() })
	}
	return slices.ContainsFunc(row.Turns, func(t trajectories.Turn) bool {
		return slices.ContainsFunc(t.Calls(nil), isBlind)
	}), nil
}

// misleads reports whether the naive policy is wrong on the question of a row under its version.
func (b *Bench) misleads(ctx context.Context, row *trajectories.Row) (bool, error) {
	i := slices.IndexFunc(b.Tasks, func(t envs.Task) bool {
		return t.ID == row.QuestionID && t.Labels[envs.LabelDataset] == row.Labels[envs.LabelDataset] &&
			t.Labels[envs.LabelDifficulty] == row.Labels[envs.LabelDifficulty]
	})
	if i < 0 {
		return false, console.GaveUp(errors.New("the data folder has no question " + row.QuestionID))
	}

	play, err := b.player(facts.Naive, drift.Family{Versions: []string{row.DeployedAPI}})
	if err != nil {
		return false, err
	}

	played, err := play(ctx, b.Tasks[i])
	return !played.Grade.Official, err
}
