package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect"
	"toolevo/mcts/store"
	"toolevo/trajectories/export"
)

func (a *app) checkCommand() *cobra.Command {
	cmd := newCommand("check RUN|EXPORT")
	data, asJSON := a.runDataFlag(cmd), cmdline.JSONFlag(cmd)
	workers := cmd.Flags().Int("workers", runtime.NumCPU(), "`N` trees or episodes checked at the same time")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *workers < 1 {
			return console.Usage("--workers %d: want at least 1", *workers)
		}

		export, err := export.ReadManifest(args[0])
		if err == nil {
			return a.checkExport(args[0], export, *asJSON)
		}

		if !isMissing(err) {
			return console.Bad("%w: write it again with `toolevo export`", err)
		}

		return a.checkRun(cmd.Context(), args[0], func(v *stored.Run) string {
			return dataOf(cmd, *data, &v.Manifest, v.Dir)
		}, *workers, *asJSON)
	}

	return cmd
}

// checkRun checks a run of any kind. data is the data folder that it was made from.
func (a *app) checkRun(ctx context.Context, dir string, data func(*stored.Run) string, workers int,
	asJSON bool) (err error) {
	v, err := stored.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()

	b, err := a.recordedBench(ctx, v, data(v))
	if err != nil {
		return err
	}
	defer b.close()

	if v.Manifest.Kind == stored.Evaluated {
		return a.checkEvaluation(ctx, b, v, workers, asJSON)
	}

	return a.check(ctx, b, v, workers, asJSON)
}

// recordedBench opens what a run was made from, with the run's own engine in place of one that runs programs.
func (a *app) recordedBench(ctx context.Context, v *stored.Run, data string) (*bench, error) {
	m := v.Manifest
	defer a.starting(console.ProgressAuto).Step("Reading corpora and questions")()

	b, err := readBench(ctx, data, v.Config, v.Versions, nil)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, wayToCheck(&m, "The run was made from "+m.DataFolder(v.Dir)+
			"; --data says where that is now"))
	}

	b.Servers = a.serving()

	if b.runsPrograms() {
		var first recorded
		if len(v.Engines) > 0 {
			first.stamp = v.Engines[0]
		}

		if err := b.start(first, nil); err != nil {
			return nil, errors.Join(err, b.close())
		}

		b.lineage[inputPython] = m.Inputs[inputPython] // it takes no Python to look at what programs showed
	}

	if other := differentInputs(b.lineage, m.Inputs, func(string) bool { return true }); len(other) > 0 {
		return nil, errors.Join(b.close(), console.Usage("%s was made from other inputs than these:\n  %s\n%s.",
			v.Dir, strings.Join(other, "\n  "), wayToCheck(&m, "Give the --data it was made from")))
	}

	return b, nil
}

// wayToCheck is what to do about a run that cannot be checked: what helps with this version, if it made the
// run, and else to take the version that did.
func wayToCheck(m *store.Manifest, here string) string {
	if m.Software == software() {
		return here
	}

	return "The run was made by toolevo " + m.Software + ": check it with that version, and the --data it was made from"
}

// checked is the result of a check.
type checked struct {
	collect.Verification
	checkedRun
}

// checkedRun is what the checks of all kinds of runs say.
type checkedRun struct {
	Rows int `json:"rows"` // of the Parquet file, compared with the store
	// the run has all its trees or episodes, but for those given up, and its files
	Complete bool `json:"complete"`

	Engines  []string `json:"engines"`            // of PythonInterpreter, in words; more than one when they were mixed
	Warnings []string `json:"warnings,omitempty"` // about walls that were not there
}

func checkedRunOf(v *stored.Run) checkedRun {
	return checkedRun{Engines: engines.InWords(v.Engines), Warnings: engines.Warnings(v.Engines)}
}

// compared takes the comparison of the trajectories with the file of rows. It reports whether they are the same.
func (c *checked) compared(v *stored.Run, n int, difference string, err error) bool {
	path := filepath.Join(v.Dir, stored.RowsFile)

	switch {
	case err != nil:
		c.Problems = append(c.Problems, fmt.Sprintf("%s: %v", path, err))
	case difference != "":
		c.Problems = append(c.Problems, path+": "+difference)
	default:
		c.Rows = n
		return true
	}

	return false
}

func (a *app) check(ctx context.Context, b *bench, v *stored.Run, workers int, asJSON bool) error {
	o, err := logOptions(b, v.Run)
	if err != nil {
		return err
	}

	o.Workers = workers
	done := a.starting(console.ProgressAuto).Step("Growing every tree again")
	verification, err := collect.Verify(ctx, o)

	done()

	if err != nil {
		return console.GaveUp(err)
	}

	result := checked{verification, checkedRunOf(v)}

	// Rows are written once, at the end: without them the run is unfinished, and not damaged.
	n, difference, err := v.CompareRows(ctx)
	if isMissing(err) {
		a.Say("The run has no %s yet: it is unfinished.", stored.RowsFile)
	} else {
		result.Complete = result.compared(v, n, difference, err) && result.Missing == 0
	}

	a.sayGivenUp("trees", result.GivenUp, continuation(v))

	if result.Missing > 0 {
		a.Say("%d trees are missing: the run is unfinished. Continue with: %s", result.Missing,
			continuation(v))
	}

	head := fmt.Sprintf("%d trees regrown from %d logged calls, %d trajectories compared", result.Trees,
		result.Calls, result.Rows)

	return a.printChecked(asJSON, v.Dir, result, head, result.Problems, result.checkedRun)
}

// printChecked reports on the check of a run.
func (a *app) printChecked(asJSON bool, dir string, document any, head string, problems []string,
	run checkedRun) error {
	err := a.Show(asJSON, document, func() {
		fmt.Fprintf(a.Out, "%s: %d problems\n", head, len(problems))

		a.printProblems(problems)
		printEngines(a.Out, run.Engines, run.Warnings)
	})
	if err == nil && len(problems) > 0 {
		return console.Bad("%s does not match its log: %d problems\n"+
			"Restore its files from a backup; those made from the log alone are rewritten by --resume.", dir,
			len(problems))
	}

	return err
}

func (a *app) printProblems(problems []string) {
	for _, p := range problems {
		fmt.Fprintln(a.Out, "  "+display.Line(p, 0))
	}
}

// checkedExport is the result of the check of an export.
type checkedExport struct {
	*export.Report
	Engines  []string `json:"engines,omitempty"`  // what ran model-written programs, in words
	Warnings []string `json:"warnings,omitempty"` // about walls that were not there
}

// checkExport checks an export folder as if another program had written it.
func (a *app) checkExport(dir string, m *export.Manifest, asJSON bool) error {
	linter, err := export.NewLinter(nil, "", 0)
	if err != nil {
		return err
	}

	report, err := export.Lint(dir, linter, nil)
	if err != nil {
		return console.GaveUp(err)
	}

	stamps := exportedStamps(m)
	result := checkedExport{report, engines.InWords(stamps), engines.Warnings(stamps)}

	err = a.Show(asJSON, result, func() {
		fmt.Fprintf(a.Out, "%d samples checked: %d faulty, %d problems with the folder\n", report.Rows, report.Faulty,
			len(report.Problems))

		a.printProblems(report.Problems)

		for _, f := range report.Findings {
			fmt.Fprintf(a.Out, "  sample %d: %s\n", f.Sample, display.Line(f.Finding.String(), 0))
		}

		printEngines(a.Out, result.Engines, result.Warnings)
	})
	// The report comes first: it says what is damaged.
	if err == nil && !report.OK() {
		return console.Bad("%s is damaged: write it again with `toolevo export`", dir)
	}

	return err
}
