package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect"
	"toolevo/mcts/store"
	"toolevo/trajectories/export"
)

// CheckJob proves that a run is what its log says, or that an export is whole.
type CheckJob struct {
	Host
	Path    string // the run or the export
	Data    string // the data folder of a run; "" is its own
	Workers int    // trees or episodes that are checked at a time; 0 is one for each processor
}

// Checked is what a check found, in one of its fields.
type Checked struct {
	Trees    *CheckedTrees    // of a collection
	Episodes *CheckedEpisodes // of an evaluation
	Export   *CheckedExport
}

// CheckedTrees is what the check of a collection found.
type CheckedTrees struct {
	collect.Verification
	CheckedRun
}

// CheckedRun is what the checks of all kinds of runs say.
type CheckedRun struct {
	Rows int `json:"rows"` // of the Parquet file, compared with the store
	// the run has all its trees or episodes, but for those given up, and its files
	Complete bool `json:"complete"`

	Engines  []string `json:"engines"`            // of PythonInterpreter, in words; more than one when they were mixed
	Warnings []string `json:"warnings,omitempty"` // what a reader must know, a sentence each
}

// CheckedExport is what the check of an export found.
type CheckedExport struct {
	*export.Report
	Engines  []string `json:"engines,omitempty"`  // what ran model-written programs, in words
	Warnings []string `json:"warnings,omitempty"` // what a reader must know, a sentence each
}

// Check checks a run of any kind, or an export. It returns the result beside the error of a bad
// one.
func Check(ctx context.Context, job CheckJob) (c Checked, err error) {
	if job.Workers < 0 {
		return c, console.Usage("‹workers› %d: want at least 1", job.Workers)
	}

	if job.Workers == 0 {
		job.Workers = runtime.NumCPU()
	}

	// An export is known by its manifest. One that cannot be read is a damaged export; what has
	// none is a run.
	m, err := export.ReadManifest(job.Path)

	switch {
	case err == nil:
		c.Export, err = checkExport(job.Path, m)
		return c, err
	case !isMissing(err):
		return c, console.Bad("%w: write it again with `toolevo export`", err)
	}

	v, err := stored.Open(ctx, job.Path)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()

	problems, err := job.checkRun(ctx, v, &c)
	if err == nil && len(problems) > 0 {
		err = console.Bad("%s does not match its log: %d problems\n"+
			"Restore its files from a backup; those made from the log alone are "+
			"rewritten by ‹resume›.", v.Dir, len(problems))
	}

	return c, err
}

// checkRun checks a run of any kind, and returns the problems.
func (j *CheckJob) checkRun(ctx context.Context, v *stored.Run, c *Checked) (
	problems []string, err error) {
	b, err := j.RecordedBench(ctx, v, j.DataOf(j.Data, &v.Manifest, v.Dir))
	if err != nil {
		return nil, err
	}
	defer b.Close()

	if v.Manifest.Kind == stored.Evaluated {
		if c.Episodes, err = j.checkEpisodes(ctx, b, v); err == nil {
			problems = c.Episodes.Problems
		}
		return problems, err
	}

	if c.Trees, err = j.checkTrees(ctx, b, v); err == nil {
		problems = c.Trees.Problems
	}
	return problems, err
}

// RecordedBench opens what a run was made from. In place of an engine that runs programs it has the
// run's own, which only its log can answer for.
func (h *Host) RecordedBench(ctx context.Context, v *stored.Run, data string) (*Bench, error) {
	m := v.Manifest
	defer h.Step("Reading corpora and questions")()

	// Nobody is asked anything here, so the bench is read without servers.
	b, err := ReadBench(ctx, data, v.Config, v.Versions, nil)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, checkAdvice(&m, "The run was made from "+m.DataFolder(v.Dir)+
			"; ‹data› says where that is now"))
	}

	b.Servers = h.DefaultServers()

	if b.RunsPrograms() {
		var first recorded
		if len(v.Engines) > 0 {
			first.stamp = v.Engines[0]
		}

		if err := b.Start(first, nil); err != nil {
			return nil, errors.Join(err, b.Close())
		}

		// What programs showed is in the log: it takes no Python to look at it.
		b.Lineage[inputPython] = m.Inputs[inputPython]
	}

	// With other inputs everything would differ; naming them says why.
	if other := differentInputs(b.Lineage, m.Inputs, func(string) bool { return true }); len(other) > 0 {
		return nil, errors.Join(b.Close(), console.Usage("%s was made from other inputs than these:\n  %s\n%s.",
			v.Dir, strings.Join(other, "\n  "), checkAdvice(&m, "Give the ‹data› it was made from")))
	}
	return b, nil
}

// checkAdvice says what to do about a run that cannot be checked: here if this version made the
// run, and otherwise to use the version that did.
func checkAdvice(m *store.Manifest, here string) string {
	if m.Software == Software() {
		return here
	}
	return "The run was made by toolevo " + m.Software + ": check it with that version, and the ‹data› it was made from"
}

func checkedRun(v *stored.Run) CheckedRun {
	return CheckedRun{Engines: engines.InWords(v.Engines), Warnings: v.Warnings()}
}

// checkTrees grows every tree again from the log, and compares the trajectories with the file of
// rows.
func (j *CheckJob) checkTrees(ctx context.Context, b *Bench, v *stored.Run) (*CheckedTrees, error) {
	o, err := LogOptions(b, v.Run)
	if err != nil {
		return nil, err
	}

	o.Workers = j.Workers
	done := j.Step("Growing every tree again")
	verification, err := collect.Verify(ctx, o)

	done()

	// An error is a failure to check; what is wrong with the run is in the verification.
	if err != nil {
		return nil, console.GaveUp(err)
	}

	result := &CheckedTrees{Verification: verification, CheckedRun: checkedRun(v)}

	// Rows are written once, at the end: without them the run is unfinished, not damaged.
	n, difference, err := v.CompareRows(ctx)
	if err != nil {
		difference = err.Error()
	}

	switch {
	case isMissing(err):
		j.Say("The run has no %s yet: it is unfinished.", stored.RowsFile)
	case difference != "":
		result.Problems = append(result.Problems, filepath.Join(v.Dir, stored.RowsFile)+": "+difference)
	default:
		result.Rows, result.Complete = n, result.Missing == 0
	}

	if result.Missing > 0 {
		j.Say("%d trees are missing: the run is unfinished. Continue with: %s", result.Missing,
			Continuation(v))
	}
	return result, nil
}

// checkExport checks an export folder as if another program had written it.
func checkExport(dir string, m *export.Manifest) (*CheckedExport, error) {
	linter, err := export.NewLinter(nil, "", 0)
	if err != nil {
		return nil, err
	}

	report, err := export.Lint(dir, linter, nil)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	stamps := ExportedStamps(m)

	// The report comes beside the error: it says what is damaged.
	if !report.OK() {
		err = console.Bad("%s is damaged: write it again with `toolevo export`", dir)
	}
	return &CheckedExport{report, engines.InWords(stamps), engines.Warnings(stamps)}, err
}
