package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/display"
	"toolevo/mcts/collect"
	"toolevo/trajectories"
)

func (a *app) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check RUN|EXPORT",
		Short: "Prove that a run is what its log says, or an export whole",
		Long: `Grows every tree of the run again from the log alone, without asking any model,
checks the invariants of each, compares it with the stored nodes, and the
trajectories with the Parquet file. Of an export it checks the files' checksums,
that both data files hold the same, and every sample as the trainer will read
it. Exits with 1 when something differs.`,
		Example: "  toolevo check runs/first\n  toolevo check export",
		Args:    positional(1, 1),
	}
	data, asJSON := a.runDataFlag(cmd), jsonFlag(cmd)
	workers := cmd.Flags().Int("workers", runtime.NumCPU(), "`N` trees checked at the same time")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if *workers < 1 {
			return usage("--workers %d: want at least 1", *workers)
		}
		export, err := trajectories.ReadManifest(args[0])
		if err == nil {
			return a.checkExport(args[0], export, *asJSON)
		}
		if !isMissing(err) {
			return bad("%w: the export has to be written again, by `toolevo export`", err)
		}
		v, err := openView(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.run.Close()) }()
		m := v.run.Manifest
		if m.Hash == "" {
			return usage("%s was collected by an earlier version, %s: it can be inspected and exported, but not checked", v.run.Dir, m.Software)
		}
		c, err := runConfig(v.run)
		if err != nil {
			return err
		}
		starting := a.starting(progressAuto)
		done := starting.step("Reading corpora and questions")
		b, err := readBench(cmd.Context(), dataOf(cmd, *data, &m, v.run.Dir), c)
		done()
		if err != nil {
			return fmt.Errorf("%w\nThe run was collected on %s; --data says where that is now", err, m.DataFolder(v.run.Dir))
		}
		defer b.close()
		engine, err := openRecorded(cmd.Context(), v.run)
		if err := b.start(engine, err); err != nil {
			return err
		}
		b.serving = a.serving()
		b.lineage[inputPython] = m.Inputs[inputPython] // it takes no Python to look at what programs showed
		other := differentInputs(b.lineage, m.Inputs, func(string) bool { return true })
		if len(other) > 0 {
			return usage("%s was collected on other inputs than these:\n  %s\n"+
				"Give the --data it was collected on, and check it with the version that collected it, %s.",
				v.run.Dir, strings.Join(other, "\n  "), m.Software)
		}
		defer starting.step("Growing every tree again")()
		return a.check(cmd.Context(), b, v, *workers, *asJSON)
	}
	return cmd
}

// checked is the result of a check.
type checked struct {
	collect.Verification
	Rows     int  `json:"rows"`     // trajectories compared with the file
	Complete bool `json:"complete"` // the run has all its trees and its Parquet file

	Engines  []string `json:"engines"`            // of PythonInterpreter, in words; more than one when they were mixed
	Warnings []string `json:"warnings,omitempty"` // about walls that were not there
}

func (a *app) check(ctx context.Context, b *bench, v *view, workers int, asJSON bool) error {
	o, err := collectOptions(b, v.run)
	if err != nil {
		return err
	}
	o.Workers = workers
	verification, err := collect.Verify(ctx, o)
	if err != nil {
		return gaveUp(err)
	}
	stamps, err := stampsOf(ctx, v.run)
	if err != nil {
		return gaveUp(err)
	}
	result := checked{Verification: verification, Engines: inWords(stamps), Warnings: wallWarnings(stamps)}
	path := filepath.Join(v.run.Dir, rowsFile)
	n, problem, err := compareRows(rows(ctx, v.run, b.config, v.questions), trajectories.ReadFile(path))
	if err == nil && problem == "" {
		err = checkRowsFile(v.run)
	}
	switch {
	case isMissing(err):
		a.say("The run has no %s yet: it is not through.", rowsFile)
	case err != nil:
		result.Problems = append(result.Problems, fmt.Sprintf("%s: %v", path, err))
	case problem != "":
		result.Problems = append(result.Problems, path+": "+problem)
	default:
		result.Rows, result.Complete = n, result.Missing == 0
	}
	if asJSON {
		if err := a.printJSON(result); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.out, "%d trees grown again from %d logged calls, %d trajectories compared: %d problems\n",
			result.Trees, result.Calls, result.Rows, len(result.Problems))
		for _, p := range result.Problems {
			fmt.Fprintln(a.out, "  "+display.Line(p, 0))
		}
		printEngines(a.out, result.Engines, result.Warnings)
	}
	if result.Missing > 0 {
		a.say("%d trees are missing: the run is not through, or they were given up.", result.Missing)
	}
	if len(result.Problems) > 0 {
		return bad("%s is not what its log says: %d problems", v.run.Dir, len(result.Problems))
	}
	return nil
}

// checkedExport is the result of the check of an export.
type checkedExport struct {
	*trajectories.ExportReport
	Engines  []string `json:"engines,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// checkExport checks an export folder as if another program had written it.
func (a *app) checkExport(dir string, m *trajectories.Manifest, asJSON bool) error {
	linter, err := trajectories.NewLinter(nil, "", 0)
	if err != nil {
		return err
	}
	report, err := trajectories.LintExport(dir, linter)
	if err != nil {
		return gaveUp(err)
	}
	stamps := exportedStamps(m)
	if asJSON {
		result := checkedExport{report, inWords(stamps), wallWarnings(stamps)}
		if err := a.printJSON(result); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.out, "%d samples checked: %d faulty, %d problems with the folder\n", report.Rows, report.Faulty, len(report.Problems))
		for _, p := range report.Problems {
			fmt.Fprintln(a.out, "  "+display.Line(p, 0))
		}
		for _, f := range report.Findings {
			fmt.Fprintf(a.out, "  sample %d: %s\n", f.Sample, display.Line(f.Finding.String(), 0))
		}
		printEngines(a.out, inWords(stamps), wallWarnings(stamps))
	}
	if !report.OK() {
		return bad("%s is not a sound export", dir)
	}
	return nil
}

// compareRows compares two sequences of rows, and returns how many there are, and how they differ.
func compareRows(want, have iter.Seq2[trajectories.Row, error]) (n int, problem string, err error) {
	next, stop := iter.Pull2(have)
	defer stop()
	for row, err := range want {
		if err != nil {
			return n, "", err
		}
		stored, err, ok := next()
		switch {
		case !ok:
			return n, fmt.Sprintf("ends after %d rows", n), nil
		case err != nil:
			return n, "", err
		case !reflect.DeepEqual(row, stored):
			return n, fmt.Sprintf("row %d is another trajectory than question %s, tree %d, node %d", n, row.QuestionID, row.Tree, row.Node), nil
		}
		n++
	}
	switch _, err, ok := next(); {
	case err != nil:
		return n, "", err
	case ok:
		return n, fmt.Sprintf("has more than the %d rows of the run", n), nil
	}
	return n, "", nil
}
