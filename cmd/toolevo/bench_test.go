package main

import (
	"context"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/suite"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect"
	"toolevo/mcts/store"
	"toolevo/toolqa"
)

// BenchmarkCollect measures the whole collector on coffee's generated test questions, three mixes
// of them, one also with native calls: scripted:noisy in p_s_in, preset reference, durable store.
// An expansion is a model call. Programs that are asked for again are answered by the log:
// programs/1000 is how many ran beside a thousand expansions. The processor times are those of this
// process and of the interpreters.
func BenchmarkCollect(b *testing.B) {
	dir := benchData(b)
	all := func(toolqa.Question) bool { return true }
	withoutPrograms := func(q toolqa.Question) bool {
		return q.Template != "coffee-easy/percentage-change" && q.Template != "coffee-easy/range"
	}

	for _, mix := range []struct {
		name, difficulty, codec string
		keep                    func(toolqa.Question) bool
	}{
		{"easy-without-programs", "easy", "react", withoutPrograms},
		{"easy-without-programs-tools", "easy", "tools", withoutPrograms},
		{"easy", "easy", "react", all},
		{"hard", "hard", "react", all},
	} {
		b.Run(mix.name, func(b *testing.B) {
			var sum spent
			for b.Loop() {
				collectOnce(b, dir, mix.difficulty, mix.codec, mix.keep, &sum)
			}

			b.ReportMetric(sum.calls/sum.took.Seconds(), "expansions/s")
			b.ReportMetric(1000*sum.programs/sum.calls, "programs/1000")
			b.ReportMetric(1000*sum.own.Seconds()/sum.calls, "own-ms/expansion")
			b.ReportMetric(1000*sum.interpreters.Seconds()/sum.calls, "programs-ms/expansion")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// spent is what some runs of the collector made, and took: real time, and the processor time of
// this process and of the interpreters. These include the start of two interpreters.
type spent struct {
	calls, programs         float64
	took, own, interpreters time.Duration
}

// counting is an engine that counts the programs it runs.
type counting struct {
	sandbox.Engine
	ran atomic.Int64
}

func (c *counting) Run(ctx context.Context, p sandbox.Program, l sandbox.Limits) (sandbox.Reply, error) {
	c.ran.Add(1)
	return c.Engine.Run(ctx, p, l)
}

// collectOnce runs the collector, and adds up what it made.
func collectOnce(b *testing.B, dir, difficulty, codec string, keep func(toolqa.Question) bool, sum *spent) {
	b.Helper()

	ctx := context.Background()
	interpretersBefore := processorTime(syscall.RUSAGE_CHILDREN)

	var settings []configs.Layer
	for key, value := range map[string]string{
		"dataset": "coffee", "split": "test", "difficulty": difficulty, "preset": "reference", "search.trees": "4",
		"python.engine":     "forkserver", // whose processor time the system tells
		"environment.codec": codec,
	} {
		settings = append(settings, configs.SettingLayer("benchmark", key, value))
	}

	c, err := configs.Load(settings...)
	if err != nil {
		b.Fatal(err)
	}

	bench, err := toolevo.OpenBench(ctx, dir, c, nil, engines.Open)
	if err != nil {
		b.Skip(err)
	}

	engine := &counting{Engine: bench.Engine}
	bench.Engine = engine
	bench.Suite.(suite.Sandboxed).UseEngine(engine)

	kept := map[string]bool{}
	for _, q := range chosen(bench) {
		kept[q.ID] = keep(q)
	}

	bench.Tasks = slices.DeleteFunc(bench.Tasks, func(t envs.Task) bool { return !kept[t.ID] })

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

	start := time.Now()
	ownBefore := processorTime(syscall.RUSAGE_SELF)

	snapshot, err := collect.Run(ctx, o)
	if err != nil {
		b.Fatal(err)
	}

	own := processorTime(syscall.RUSAGE_SELF)
	sum.took += time.Since(start)
	sum.own += own - ownBefore
	sum.calls += float64(snapshot.Asked)
	sum.programs += float64(engine.ran.Load())

	if err := bench.Close(); err != nil { // which waits for the interpreters
		b.Fatal(err)
	}

	interpreters := processorTime(syscall.RUSAGE_CHILDREN)
	sum.interpreters += interpreters - interpretersBefore
}

// benchData fills a data folder with coffee, and its questions.
func benchData(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()

	a := on(io.Discard)
	for _, args := range [][]string{
		{"data", "build", "--data", dir, "--dataset", "coffee"}, {"data", "questions", "--data", dir},
	} {
		if code := a.run(context.Background(), args); code != exitDone {
			b.Fatalf("toolevo %v: exit code %d", args, code)
		}
	}

	return dir
}
