package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"toolevo/configs"
	"toolevo/mcts/collect"
	"toolevo/mcts/store"
	"toolevo/toolqa"
)

// BenchmarkCollect measures the whole collector on the published coffee-easy test questions (generated ones where the
// published files are absent): scripted:noisy in p_s_in, preset reference, durable store. An expansion is a model call.
//
// six_templates are the questions whose solutions need no Python, so only a mistake of the policy could run any.
func BenchmarkCollect(b *testing.B) {
	dir := benchData(b)
	for _, test := range []struct {
		name string
		keep func(toolqa.Question) bool
	}{
		{"six_templates", func(q toolqa.Question) bool {
			return q.Template != "coffee-easy/percentage-change" && q.Template != "coffee-easy/range"
		}},
		{"all_templates_with_python", func(toolqa.Question) bool { return true }},
	} {
		b.Run(test.name, func(b *testing.B) {
			var calls, seconds float64
			for b.Loop() {
				s := collectOnce(b, dir, test.keep)
				calls += float64(s.Asked)
			}
			seconds = b.Elapsed().Seconds()
			b.ReportMetric(calls/seconds, "expansions/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func collectOnce(b *testing.B, dir string, keep func(toolqa.Question) bool) collect.Snapshot {
	b.Helper()
	ctx := context.Background()
	c, err := configs.Load(configs.SettingLayer("benchmark", "split", "test"), configs.SettingLayer("benchmark", "difficulty", "easy"),
		configs.SettingLayer("benchmark", "preset", "reference"), configs.SettingLayer("benchmark", "search.trees", "4"))
	if err != nil {
		b.Fatal(err)
	}
	bench, err := openBench(ctx, dir, c)
	if err != nil {
		b.Fatal(err)
	}
	defer bench.close()
	kept := bench.questions[:0]
	for _, q := range bench.questions {
		if keep(q) {
			kept = append(kept, q)
		}
	}
	bench.questions = kept
	run, err := store.StartRun(ctx, filepath.Join(b.TempDir(), "run"), store.Manifest{ID: "benchmark", Kind: kindCollect}, "")
	if err != nil {
		b.Fatal(err)
	}
	defer run.Close()
	o, err := collectOptions(bench, run)
	if err != nil {
		b.Fatal(err)
	}
	o.Workers = 4 * runtime.NumCPU()
	snapshot, err := collect.Run(ctx, o)
	if err != nil {
		b.Fatal(err)
	}
	return snapshot
}

// benchData fills a data folder, from the published files where they are.
func benchData(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	a := &app{out: io.Discard, err: &console{w: io.Discard}}
	shared := os.Getenv("TOOLEVO_SHARED_DATA")
	if shared == "" {
		shared = "../../../shared/data"
	}
	steps := [][]string{
		{"data", "import", "--data", dir, "--corpus", filepath.Join(shared, "toolqa/corpus"), "--questions", filepath.Join(shared, "toolqa/questions")},
	}
	if _, err := os.Stat(filepath.Join(shared, "toolqa/corpus/coffee")); err != nil {
		b.Log("no published files: the corpus and the questions are synthetic")
		steps = [][]string{{"data", "build", "--data", dir, "--dataset", "coffee"}, {"data", "questions", "--data", dir}}
	}
	for _, args := range steps {
		if code := a.run(context.Background(), args); code != exitDone {
			b.Fatalf("toolevo %v: exit code %d", args, code)
		}
	}
	return dir
}
