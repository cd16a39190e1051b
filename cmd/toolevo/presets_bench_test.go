package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect"
	"toolevo/mcts/store"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// yield is what a run cost and what an export of it holds.
type yield struct {
	questions, completions, calls int
	// of the export: trajectories, questions, and per question distinct sequences of tools and
	// trees
	usable, solved, sequences, trees int
}

// BenchmarkPresets prints what a trajectory that training takes costs with each preset, in
// completions and in calls, on the default corpora: 60 questions of four datasets in p_s_in, three
// seeds of the run, with a policy that solves every question and with one that solves few. paper
// and reference grow four trees a question, at which they look best: with their 20 they cost three
// to five times as much, since at most four trajectories of a question are taken.
func BenchmarkPresets(b *testing.B) {
	data := b.TempDir()

	a := on(io.Discard)
	for _, args := range [][]string{{"data", "build", "--data", data}, {"data", "questions", "--data", data}} {
		if code := a.run(context.Background(), args); code != exitDone {
			b.Fatalf("toolevo %v: exit code %d", args, code)
		}
	}

	presets := [][]string{{"preset=efficient"}, {"preset=reference", "search.trees=4"},
		{"preset=paper", "search.trees=4"}}
	curve := [][]string{ // what one setting of efficient trades for another, on the first dataset
		{"preset=efficient", "search.barren=1"}, {"preset=efficient", "search.barren=4"},
		{"preset=efficient", "search.barren=0"},
		{"preset=efficient", "search.cpuct=1.25"}, {"preset=efficient", "search.cpuct=5"},
		{"preset=efficient", "search.samples=3"}, {"preset=efficient", "search.samples=5"},
		{"preset=efficient", "search.rollout_nodes=cached"},
	}
	// Rows go to stdout as they come: the testing package cuts what a benchmark logs after ten
	// lines.
	fmt.Println("\n| policy | dataset | preset | completions | calls | usable of 240 | sequences | trees " +
		"|\n|---|---|---|---:|---:|---:|---:|---:|")

	for b.Loop() {
		for _, policy := range []string{"scripted:noisy", "scripted:weak"} {
			for i, dataset := range []string{"coffee", "flights", "agenda", "dblp"} {
				settings := presets
				if i == 0 {
					settings = slices.Concat(presets, curve)
				}

				for _, preset := range settings {
					var runs []yield
					for seed := 1; seed <= 3; seed++ {
						runs = append(runs, measure(b, data, append([]string{"policy=" + policy, "dataset=" + dataset,
							"limit=30", fmt.Sprint("seed=", seed)}, preset...)))
					}

					fmt.Printf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", policy, dataset,
						strings.Join(preset, " "),
						spread(runs, func(y yield) (int, int) { return y.completions, y.usable }),
						spread(runs, func(y yield) (int, int) { return y.calls, y.usable }),
						spread(runs, func(y yield) (int, int) { return y.usable, 1 }),
						spread(runs, func(y yield) (int, int) { return y.sequences, y.solved }),
						spread(runs, func(y yield) (int, int) { return y.trees, y.solved }))
				}
			}
		}
	}

	b.ReportMetric(0, "ns/op")
}

// spread is the mean of some runs, and the range.
func spread(runs []yield, of func(yield) (value, per int)) string {
	mean, least, most := 0.0, math.Inf(1), math.Inf(-1)

	for _, y := range runs {
		value, per := of(y)
		ratio := float64(value) / float64(max(per, 1))
		mean += ratio / float64(len(runs))
		least, most = min(least, ratio), max(most, ratio)
	}

	if mean >= 100 {
		return fmt.Sprintf("%.0f (%.0f–%.0f)", mean, least, most)
	}
	return fmt.Sprintf("%.1f (%.1f–%.1f)", mean, least, most)
}

// measure collects, and counts what an export takes.
func measure(b *testing.B, data string, settings []string) yield {
	b.Helper()

	g := gather(b, data, settings)
	y := yield{questions: len(g.questions), completions: int(g.Samples), calls: int(g.Asked)}
	y.count(b, export.Selection{PerQuestion: 4, Seed: 1, Split: g.split}, g.rows)
	return y
}

// gathered is a collection that has ended.
type gathered struct {
	collect.Snapshot
	split     string
	questions []trajectories.Question
	rows      []trajectories.Row // that an export takes before it chooses
}

// gather collects under settings, which stand above layers.
func gather(b *testing.B, data string, settings []string, layers ...configs.Layer) (g gathered) {
	b.Helper()

	ctx := context.Background()

	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		layers = append(layers, configs.SettingLayer("benchmark", key, value))
	}

	c, err := configs.Load(layers...)
	if err != nil {
		b.Fatal(err)
	}

	bench, err := toolevo.OpenBench(ctx, data, c, nil, engines.Open)
	if err != nil {
		b.Fatal(err)
	}
	defer bench.Close()

	run, err := store.StartRun(ctx, filepath.Join(b.TempDir(), "run"),
		store.Manifest{ID: "benchmark", Kind: stored.Collection}, "")
	if err != nil {
		b.Fatal(err)
	}
	defer run.Close()

	o, err := toolevo.CollectOptions(bench, run)
	if err != nil {
		b.Fatal(err)
	}

	o.Workers = 4 * runtime.NumCPU()

	g.split, g.questions = c.Split, bench.Questions
	if g.Snapshot, err = collect.Run(ctx, o); err != nil {
		b.Fatal(err)
	}

	noted, err := stored.Note(ctx, run, bench.Config, bench.Questions, bench.Deployed, nil)
	if err != nil {
		b.Fatal(err)
	}

	for row, err := range noted.Rows(ctx) {
		if err != nil {
			b.Fatal(err)
		}

		if row.Cuts == 0 && o.Accept(historyOf(&row)) {
			g.rows = append(g.rows, row)
		}
	}
	return g
}

// count counts what a selection chooses.
func (y *yield) count(b *testing.B, s export.Selection, rows []trajectories.Row) {
	sequences, trees, solved := map[string]bool{}, map[string]bool{}, map[string]bool{}

	all := func(yield func(trajectories.Row, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}

	var report export.SelectionReport
	for row, err := range s.Select(all, &report) {
		if err != nil {
			b.Fatal(err)
		}

		sequences[sequenceOf(&row)] = true
		trees[fmt.Sprint(row.QuestionID, " ", row.Tree)] = true
		solved[row.QuestionID] = true
		y.usable++
	}

	y.sequences, y.trees, y.solved = len(sequences), len(trees), len(solved)
}

// sequenceOf is a question and the tools that were called, in their order.
func sequenceOf(row *trajectories.Row) string {
	tools := row.QuestionID
	for _, t := range row.Turns {
		tools += " " + t.API
	}
	return tools
}
