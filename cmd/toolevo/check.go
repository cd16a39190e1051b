package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/mcts/collect"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

func (a *app) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check RUN|EXPORT",
		Short: "Check that a run matches its log, or an export is complete",
		Long: `For a run, regrows every tree from the log alone, without asking any model,
checks the invariants of each tree, and compares it with the stored nodes and
its trajectories with the Parquet file.

For an evaluation, replays every episode from the log and scores its answer
again, then compares the stored episodes, both episode files and the report.

For a run that was compacted, reads every row of the database instead, and
compares its trajectories with the Parquet file.

For an export, checks the checksums of the files, that both data files hold the
same samples, and every sample as the trainer will read it.

Exits with 1 if anything differs.`,
		Example:           "  toolevo check runs/first\n  toolevo check runs/eval\n  toolevo check export",
		Args:              console.Positional(1, 1),
		ValidArgsFunction: runs(1),
	}
	data, asJSON := a.runDataFlag(cmd), console.JSONFlag(cmd)
	workers := cmd.Flags().Int("workers", runtime.NumCPU(), "`N` trees or episodes checked at the same time")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
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

		v, err := openView(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.run.Close()) }()

		compacted, err := v.run.Compacted(cmd.Context())
		if err != nil {
			return console.GaveUp(err)
		}

		if compacted {
			return a.checkCompacted(cmd.Context(), v, *asJSON)
		}

		b, err := a.recordedBench(cmd.Context(), v, dataOf(cmd, *data, &v.run.Manifest, v.run.Dir))
		if err != nil {
			return err
		}
		defer b.close()

		if v.run.Manifest.Kind == kindEval {
			return a.checkEvaluation(cmd.Context(), b, v, *workers, *asJSON)
		}

		return a.check(cmd.Context(), b, v, *workers, *asJSON)
	}

	return cmd
}

// recordedBench opens what a run was made from, with the run's own engine in place of one that runs programs.
func (a *app) recordedBench(ctx context.Context, v *view, data string) (*bench, error) {
	m := v.run.Manifest
	if m.Hash == "" {
		return nil, console.Usage("%s was collected by an earlier version, %s: it can be inspected and exported, but "+
			"not checked", v.run.Dir, m.Software)
	}

	c, err := runConfig(v.run)
	if err != nil {
		return nil, err
	}

	noted, err := notedVersions(ctx, v.run, c)
	if err != nil {
		return nil, err
	}

	defer a.starting(console.ProgressAuto).step("Reading corpora and questions")()

	b, err := readBench(ctx, data, c, noted)
	if err != nil {
		return nil, fmt.Errorf("%w\nThe run was made from %s; --data says where that is now", err,
			m.DataFolder(v.run.Dir))
	}

	b.serving = a.serving()

	if b.runsPrograms() {
		engine, err := openRecorded(ctx, v.run)
		if err := b.start(engine, err); err != nil {
			return nil, errors.Join(err, b.close())
		}

		b.lineage[inputPython] = m.Inputs[inputPython] // it takes no Python to look at what programs showed
	}

	if other := differentInputs(b.lineage, m.Inputs, func(string) bool { return true }); len(other) > 0 {
		return nil, errors.Join(b.close(), console.Usage("%s was made from other inputs than these:\n  %s\n"+
			"Give the --data it was made from, and check it with the version that made it, %s.",
			v.run.Dir, strings.Join(other, "\n  "), m.Software))
	}

	return b, nil
}

// checked is the result of a check.
type checked struct {
	collect.Verification
	checkedRun
}

// checkedRun is what the checks of all kinds of runs say.
type checkedRun struct {
	Rows     int  `json:"rows"`     // of the Parquet file, compared with the store
	Complete bool `json:"complete"` // the run has all its trees or episodes, and its files

	Engines  []string `json:"engines"`            // of PythonInterpreter, in words; more than one when they were mixed
	Warnings []string `json:"warnings,omitempty"` // about walls that were not there
}

func (a *app) check(ctx context.Context, b *bench, v *view, workers int, asJSON bool) error {
	o, err := logOptions(b, v.run)
	if err != nil {
		return err
	}

	o.Workers = workers
	done := a.starting(console.ProgressAuto).step("Growing every tree again")
	verification, err := collect.Verify(ctx, o)

	done()

	if err != nil {
		return console.GaveUp(err)
	}

	stamps, err := stampsOf(ctx, v.run)
	if err != nil {
		return console.GaveUp(err)
	}

	result := checked{verification, checkedRun{Engines: inWords(stamps), Warnings: wallWarnings(stamps)}}
	path := filepath.Join(v.run.Dir, rowsFile)

	n, problem, err := trajectories.Differ(rows(ctx, v.run, b.config, v.questions), trajectories.ReadFile(path),
		rowName)
	if err == nil && problem == "" {
		err = checkResult(v.run)
	}

	switch {
	case isMissing(err):
		a.Say("The run has no %s yet: it is unfinished.", rowsFile)
	case err != nil:
		result.Problems = append(result.Problems, fmt.Sprintf("%s: %v", path, err))
	case problem != "":
		result.Problems = append(result.Problems, path+": "+problem)
	default:
		result.Rows, result.Complete = n, result.Missing == 0
	}

	if result.Missing > 0 {
		a.Say("%d trees are missing: the run is unfinished, or they were given up.", result.Missing)
	}

	head := fmt.Sprintf("%d trees regrown from %d logged calls, %d trajectories compared", result.Trees,
		result.Calls, result.Rows)

	return a.printChecked(asJSON, v.run.Dir, result, head, result.Problems, result.checkedRun)
}

// printChecked reports on the check of a run.
func (a *app) printChecked(asJSON bool, dir string, document any, head string, problems []string,
	run checkedRun) error {
	err := a.Show(asJSON, document, func() {
		fmt.Fprintf(a.Out, "%s: %d problems\n", head, len(problems))

		for _, p := range problems {
			fmt.Fprintln(a.Out, "  "+display.Line(p, 0))
		}

		printEngines(a.Out, run.Engines, run.Warnings)
	})
	if err == nil && len(problems) > 0 {
		return console.Bad("%s does not match its log: %d problems\n"+
			"Restore its files from a backup; those made from the log alone are rewritten by --resume.", dir,
			len(problems))
	}

	return err
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
	result := checkedExport{report, inWords(stamps), wallWarnings(stamps)}

	err = a.Show(asJSON, result, func() {
		fmt.Fprintf(a.Out, "%d samples checked: %d faulty, %d problems with the folder\n", report.Rows, report.Faulty,
			len(report.Problems))

		for _, p := range report.Problems {
			fmt.Fprintln(a.Out, "  "+display.Line(p, 0))
		}

		for _, f := range report.Findings {
			fmt.Fprintf(a.Out, "  sample %d: %s\n", f.Sample, display.Line(f.Finding.String(), 0))
		}

		printEngines(a.Out, result.Engines, result.Warnings)
	})
	if err == nil && !report.OK() {
		return console.Bad("%s is damaged: write it again with `toolevo export`", dir)
	}

	return err
}
