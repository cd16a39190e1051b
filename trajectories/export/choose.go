package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/trajectories"
)

// survey goes through the chosen rows once before they are written, if weights or a held-out share
// of the questions need counts of all of them.
func (w *writer) survey(ctx context.Context, rows iter.Seq2[trajectories.Row, error]) (err error) {
	s := w.manifest.Selection
	weighed := len(s.Mix.Weights) > 0

	if !weighed && s.Dev == 0 {
		return nil
	}

	// The second pass finds the same defects: they are reported once, then.
	found := w.opt.Found
	w.opt.Found = nil
	counts, asked := map[string]int{}, map[string]bool{}

	for q, err := range w.questions(ctx, rows) {
		if err != nil {
			return err
		}

		asked[envs.QuestionKey(q.chosen[0].Question)] = true

		for _, row := range q.chosen {
			shown, err := w.shown.get(row)
			if err != nil {
				return err
			}

			counts[s.Mix.key(row, shown.Suite)]++
		}
	}

	// The second pass counts from zero, too.
	w.reset()
	w.opt.Found, w.heldOut = found, s.heldOut(asked)

	if weighed {
		w.rng = rand.New(rand.NewPCG(s.Seed, 0))
		w.quotas, err = s.Mix.quotas(counts)
	}
	return err
}

// lintShown refuses a system text of this program that the linter faults. The system text of an
// imported document is checked with its sample.
func (w *writer) lintShown(shown trajectories.Shown) error {
	found := w.linter.lintText(-1, shown.System, false)
	if len(found) == 0 || shown.Origin != "" {
		return nil
	}
	return errors.New(found[0].String())
}

// sample returns the sample of a trajectory; broken counts the messages that were sanitised.
func (w *writer) sample(row *trajectories.Row) (s Sample, broken int, err error) {
	shown, err := w.shown.get(row)
	if err != nil {
		return s, 0, err
	}

	// Files have a column of tools for all samples or for none.
	if action.IsNative(shown.Codec) != w.opt.native {
		return s, 0, errors.New("export: trajectories with native tools beside others")
	}

	// A row is asked for several times: by the linter, and by each pair that it is part of.
	if known, ok := w.samples[row]; ok {
		return known.Sample, known.broken, nil
	}

	s, broken = NewSample(shown, row, w.linter.Sanitizer())
	if shown.Origin != "" && shown.Suite == "" {
		s.dropMarker()
	}

	s.Once = shown.Reasoning == action.Once

	if why := s.stepsAlone(); why != "" && !w.form.single() {
		return s, 0, &StepsError{w.opt.Format, row.RunID, why}
	}

	// Formats of single turns leave faulty ones out. These have to show them, but need not train
	// them.
	if w.form.whole || w.form.tree {
		for i, bad := range faulty(row) {
			reply := &s.Conversations[2*i+1]
			reply.Untrained = row.Turns[i].Unreadable() || bad && w.opt.Selection.SkipFaulty
		}
	}

	w.samples[row] = cleaned{s, broken}
	return s, broken, nil
}

// cleaned is a sample, and how many of its messages were sanitised.
type cleaned struct {
	Sample
	broken int
}

// StepsError means that a sample would hold turns that no prompt ever showed together.
type StepsError struct {
	Format Format
	RunID  string
	why    string
}

// Error says which formats hold them, and what else can be done.
func (e *StepsError) Error() string {
	single := FormatsThat(func(f Format) bool {
		form := f.form()
		return f.IsTrained() && form.single()
	})
	return fmt.Sprintf("the model of run %s %s: a sample of %s has all turns, so that the model would be trained on "+
		"prompts that it never gets. Export as %s, or collect with another value of that setting", e.RunID, e.why,
		e.Format, names.Join(single))
}

// MixedError means that one export would hold rows of different makers.
type MixedError struct{ First, Other trajectories.Row }

// Error names both.
func (e *MixedError) Error() string {
	const none = "none on record"
	return fmt.Sprintf("export: trajectories of different makers: run %s has %s, run %s has %s",
		e.First.RunID, cmp.Or(trajectories.InWords(e.First.Makers), none), e.Other.RunID,
		cmp.Or(trajectories.InWords(e.Other.Makers), none))
}

// mixed makes sure that a row has the same makers as the rows before it. Their limits may differ.
func (w *writer) mixed(row *trajectories.Row) error {
	if w.opt.MixEngines {
		return nil
	}

	if w.first == nil {
		w.first = row
	}

	if trajectories.InWords(w.first.Makers) != trajectories.InWords(row.Makers) {
		return &MixedError{*w.first, *row}
	}
	return nil
}

// questions streams the questions with chosen rows.
func (w *writer) questions(ctx context.Context, rows iter.Seq2[trajectories.Row, error]) iter.Seq2[*question, error] {
	return func(yield func(*question, error) bool) {
		for group, err := range byQuestion(rows) {
			var q *question
			if err = errors.Join(err, ctx.Err()); err == nil {
				q, err = w.question(group)
			}

			if err != nil {
				yield(nil, err)
				return
			}

			if len(q.chosen) > 0 && !yield(q, nil) {
				return
			}
		}
	}
}

// question chooses among the rows of a question.
func (w *writer) question(group []*trajectories.Row) (*question, error) {
	var correct []*trajectories.Row

	clear(w.samples)

	for _, row := range group {
		if err := w.mixed(row); err != nil {
			return nil, err
		}

		if w.opt.Format.NeedsFailures() && !row.IsCorrect() {
			continue
		}

		good, err := w.lintRow(row)
		if err != nil {
			return nil, err
		}

		if good {
			correct = append(correct, row)
		}
	}

	chosen := w.manifest.Selection.selectFrom(correct, &w.manifest.Selected)
	if err := w.opt.Selection.failed(); err != nil { // the choice rests on failed answers
		return nil, err
	}

	kept, err := w.withinQuotas(chosen)
	return &question{chosen: kept, all: group}, err
}

// lintRow reports whether the linter has nothing against a trajectory. Its length counts only if
// samples hold all of it.
func (w *writer) lintRow(row *trajectories.Row) (bool, error) {
	sample, _, err := w.sample(row)
	if err != nil {
		return false, err
	}

	w.manifest.Lint.Checked++

	format, linter := w.opt.Format, w.linter
	if !w.form.whole {
		format, linter = SFTTrajectory, linter.withoutCutoff()
	}

	found := linter.LintRow(format, row, &sample)
	if len(found) == 0 {
		return true, nil
	}

	w.manifest.Lint.Dropped++
	w.manifest.Lint.ByRule[found[0].Rule]++
	w.report(row.Name(), found)
	return false, nil
}

// report tells the user of an export what was found.
func (w *writer) report(name string, found []Finding) {
	if w.opt.Found != nil {
		w.opt.Found(name, found)
	}
}

// withinQuotas returns the chosen rows of a question that the weights allow.
func (w *writer) withinQuotas(chosen []*trajectories.Row) (kept []*trajectories.Row, err error) {
	if w.quotas == nil {
		return chosen, nil
	}

	report := &w.manifest.Selected

	for _, row := range chosen {
		shown, err := w.shown.get(row)
		if err != nil {
			return nil, err
		}

		if w.quotas[w.manifest.Selection.Mix.key(row, shown.Suite)].next(w.rng) {
			kept = append(kept, row)
			continue
		}

		report.Kept--
		report.Dropped.Weight++
	}

	if len(chosen) > 0 && len(kept) == 0 {
		report.QuestionsKept--
	}
	return kept, nil
}
