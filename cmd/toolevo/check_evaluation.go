package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"toolevo/envs/console"
	"toolevo/finetune"
	"toolevo/trajectories"
)

// checkedEvaluation is the result of the check of an evaluation.
type checkedEvaluation struct {
	finetune.Verification
	checkedRun
}

// checkEvaluation plays every episode again from the log, compares what is stored and what the files
// hold with that, and the report with what the episodes add up to.
func (a *app) checkEvaluation(ctx context.Context, b *bench, v *view, workers int, asJSON bool) error {
	e, err := newEvaluation(ctx, v.run, b.config, v.questions)
	if err != nil {
		return err
	}

	if err := e.openEnvironments(b); err != nil {
		return err
	}

	done := a.starting(console.ProgressAuto).step("Playing every episode again")
	verification, err := finetune.Verify(ctx, e.jobs,
		finetune.Options{Store: v.run.Store, Workers: workers, Retry: b.retry()})

	done()

	if err != nil {
		return console.GaveUp(err)
	}

	result := checkedEvaluation{verification, checkedRun{Engines: inWords(e.stamps), Warnings: wallWarnings(e.stamps)}}
	ended := v.run.Manifest.Finished
	isOpen := ended == nil || ended.Extended

	lost, err := e.lost()
	if isOpen && (isMissing(err) || err == nil && result.Missing > len(lost)) {
		a.Say("The evaluation is unfinished: its files were not compared. Continue with: "+
			"toolevo eval --resume --out %s",
			console.Shell(v.run.Dir))
	} else {
		if err == nil {
			result.Rows, err = e.checkFiles(ctx, lost)
		}

		if err != nil {
			result.Problems = append(result.Problems, err.Error())
		}

		result.Complete = len(result.Problems) == 0 && len(lost) == 0
	}

	if len(lost) > 0 {
		a.Say("%d questions were lost to failures of ours; --resume tries them again.", len(lost))
	}

	if ctx.Err() != nil {
		return ctx.Err()
	}

	head := fmt.Sprintf("%d episodes played again from %d logged calls, %d rows compared", result.Episodes,
		result.Calls, result.Rows)

	return a.printChecked(asJSON, v.run.Dir, result, head, result.Problems, result.checkedRun)
}

// checkFiles compares the files of an evaluation with its store, and returns how many rows they have.
// What is wrong with them is the error.
func (e *evaluation) checkFiles(ctx context.Context, lost finetune.Lost) (rows int, err error) {
	rows, problem, err := trajectories.CompareEpisodes(e.run.Dir, e.episodes(ctx, lost))
	if err == nil && problem != "" {
		err = errors.New(problem)
	}

	if err == nil {
		err = checkResult(e.run)
	}

	if err == nil {
		err = e.checkReport(ctx, lost)
	}

	return rows, err
}

// checkReport makes sure that the report is what the episodes add up to, in every format. The report of an earlier
// version says less and looks different: what it says in JSON has to agree.
func (e *evaluation) checkReport(ctx context.Context, lost finetune.Lost) error {
	r, err := e.report(ctx, lost)
	if err != nil {
		return err
	}

	texts, err := reportTexts(r)
	if err != nil {
		return err
	}

	stored, err := os.ReadFile(filepath.Join(e.run.Dir, reportJSON))
	if err != nil {
		return err
	}

	if less, err := saysLess(stored, texts[reportJSON]); less || err != nil {
		return err
	}

	for _, name := range slices.Sorted(maps.Keys(texts)) {
		have, err := os.ReadFile(filepath.Join(e.run.Dir, name))
		if err != nil {
			return err
		}

		if !bytes.Equal(have, texts[name]) {
			return fmt.Errorf("%s is not what the episodes add up to", name)
		}
	}

	return nil
}

// saysLess reports whether a JSON document lacks keys of another one and agrees with it in all others.
func saysLess(document, other []byte) (bool, error) {
	var some, all any
	if err := errors.Join(json.Unmarshal(document, &some), json.Unmarshal(other, &all)); err != nil {
		return false, fmt.Errorf("%s cannot be read: %w", reportJSON, err)
	}

	return !reflect.DeepEqual(some, all) && agrees(some, all), nil
}

// agrees reports whether two values differ in nothing but keys that only the second has.
func agrees(some, all any) bool {
	switch some := some.(type) {
	case map[string]any:
		other, ok := all.(map[string]any)
		for key, value := range some {
			v, has := other[key]
			ok = ok && has && agrees(value, v)
		}

		return ok
	case []any:
		other, ok := all.([]any)
		ok = ok && len(other) == len(some)

		for i := 0; ok && i < len(some); i++ {
			ok = agrees(some[i], other[i])
		}

		return ok
	}

	return some == all
}
