package main

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/finetune/stored"
	"toolevo/mcts/policy/serving"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// exportedRun is a run whose trajectories are exported.
type exportedRun struct {
	*stored.Run
	benchmark suite.Benchmark
	data      string // its data folder
	versions  func() (*toolapi.Catalog, error)
}

type exportedRuns []*exportedRun

// open opens runs that can stand in one export.
func (e *exporter) open(ctx context.Context, dirs []string) (runs exportedRuns, err error) {
	for _, dir := range dirs {
		v, err := stored.Open(ctx, dir)
		if err != nil {
			return runs, err
		}

		r := &exportedRun{Run: v, data: e.data(v.Run)}
		r.versions = sync.OnceValues(func() (*toolapi.Catalog, error) { return r.Catalog(r.data) })
		runs = append(runs, r)

		if kind := v.Manifest.Kind; kind != stored.Collection {
			return runs, console.Usage("%s is a run of `toolevo %s`; an export is made from runs of `toolevo "+
				"collect`", dir, kind)
		}

		if r.benchmark, err = suite.Lookup(r.Config.Suite); err != nil {
			return runs, err
		}

		if first := runs[0]; first.Config.Codec() != r.Config.Codec() {
			return runs, console.Usage("the actions of %s and %s are written as %s and %s (environment.codec): export "+
				"them apart", first.Dir, dir, first.Config.Codec(), r.Config.Codec())
		}
	}

	return runs, nil
}

func (runs exportedRuns) close() {
	for _, r := range runs {
		r.Close()
	}
}

// rows are the trajectories of the runs that the format needs.
func (e *exporter) rows(ctx context.Context, runs exportedRuns) (iter.Seq2[trajectories.Row, error], error) {
	var all []iter.Seq2[trajectories.Row, error]

	for _, r := range runs {
		rows, err := e.rowsOf(ctx, r)
		if err != nil {
			return nil, err
		}

		all = append(all, rows)
	}

	return trajectories.Merge(all...), nil
}

// rowsOf are the trajectories of a run: the correct ones of its file, or from its trees those that failed, too.
func (e *exporter) rowsOf(ctx context.Context, r *exportedRun) (iter.Seq2[trajectories.Row, error], error) {
	path := filepath.Join(r.Dir, stored.RowsFile)
	_, err := os.Stat(path)
	finished := err == nil

	switch failures := export.Format(e.format).NeedsFailures(); {
	case finished && !failures:
		return trajectories.ReadFile(path), r.CheckResult()
	case !finished && !e.partial:
		return nil, console.Usage("%s has no %s: the run is unfinished; continue it with `toolevo collect "+
			"--resume --out %s`, or add --partial", r.Dir, stored.RowsFile, r.Dir)
	case failures:
		return r.TreeRows(ctx, trajectories.Ended), r.Intact(ctx)
	}

	return r.Rows(ctx), r.Intact(ctx)
}

// shown returns what the model of a row was shown.
func (runs exportedRuns) shown(row *trajectories.Row) (export.Shown, error) {
	i := slices.IndexFunc(runs, func(r *exportedRun) bool { return r.Manifest.ID == row.RunID })
	if i < 0 {
		return export.Shown{}, fmt.Errorf("a trajectory of the run %s, which is none of those named", row.RunID)
	}

	r := runs[i]

	var modules []string
	if slices.ContainsFunc(row.Makers, runsPython) { // else of the first versions, whose prompts name no modules
		modules = append([]string{}, r.Config.Python.Modules...)
	}

	versions, err := r.versions()
	if err != nil {
		return export.Shown{}, err
	}

	v, err := versions.Version(row.PromptAPI)
	if err != nil {
		return export.Shown{}, err
	}

	p, err := serving.NewPrompt(r.benchmark, r.Config, v, modules)
	if err != nil {
		return export.Shown{}, err
	}

	system := p.System(row.Labels[envs.LabelDataset])

	return export.Shown{Suite: r.benchmark.Name(), System: system, Codec: p.Codec}, nil
}

// elsewhere reads the questions of the splits that are not exported, and says so where there are none.
func (e *exporter) elsewhere(runs exportedRuns) (*export.Elsewhere, error) {
	known := &export.Elsewhere{}

	type source struct{ suite, data string }

	read := map[source]bool{}

	for _, r := range runs {
		s := source{r.benchmark.Name(), r.data}
		if read[s] {
			continue
		}

		read[s] = true

		if err := e.addElsewhere(known, r.benchmark, r.data); err != nil {
			return nil, err
		}
	}

	return known, nil
}

func (e *exporter) addElsewhere(known *export.Elsewhere, benchmark suite.Benchmark, data string) error {
	found := false
	lister, _ := benchmark.(suite.Lister)

	for _, split := range suite.Splits() {
		if split == e.selection.Split || lister == nil {
			continue
		}

		tasks, err := lister.List(data, split)
		if err != nil {
			return err
		}

		found = found || len(tasks) > 0
		for _, t := range tasks {
			known.Add(t.Question, fmt.Sprintf("%s: %s", split, t.ID))
		}
	}

	if !found {
		known.Skip()
		e.app.Say("No questions of other splits in %s: whether one of them is exported was not checked. Give the "+
			"data folder with --data.", data)
	}

	return nil
}
