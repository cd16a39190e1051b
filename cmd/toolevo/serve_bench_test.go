package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/configs"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/collect"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/store"
)

// BenchmarkServer drives a simulated server, which is a process of its own, with the real
// collector: 200 questions, preset efficient, scripted:noisy, durable store, 64 slots, 200 ms for
// each completion, the limit found by itself. It reports how busy the slots were between the first
// request and the moment when all but the last 2 % of the questions were done, our own processor
// time, and how much of the prompts' bytes the prefix cache held: of all requests, and of tokens
// without the first request of each tree. Nothing is faster than it would be.
func BenchmarkServer(b *testing.B) {
	dir := generatedData(b)
	for b.Loop() {
		s := startSimulated(b, "--slots", "64", "--latency", "200ms")
		d := newDriven(b, dir, s.url, "auto", "preset", "efficient", "limit", "100")
		before, beforeTools := processorTime(syscall.RUSAGE_SELF), processorTime(syscall.RUSAGE_CHILDREN)

		end := make(chan time.Duration, 1)
		go d.await(end, 0.98)

		snapshot, err := collect.Run(context.Background(), d.options)
		if err != nil {
			b.Fatal(err)
		}

		own, tools := processorTime(syscall.RUSAGE_SELF), processorTime(syscall.RUSAGE_CHILDREN)

		d.close()

		r := s.end()
		completions := float64(snapshot.Samples)

		b.ReportMetric(100*r.busyUntil((<-end).Seconds()), "%_slots_busy")
		b.ReportMetric(float64((own-before).Microseconds())/1e3/completions, "ms_own/completion")
		b.ReportMetric(float64((tools-beforeTools).Microseconds())/1e3/completions, "ms_tools/completion")
		b.ReportMetric(100*r.PrefixReused, "%_prefix_reused")
		b.ReportMetric(100*d.reuseInTrees(), "%_reused_in_trees")
		b.ReportMetric(float64(r.Requests)/float64(snapshot.Asked), "requests/expansion")
		b.ReportMetric(r.Seconds, "s/run")
		b.ReportMetric(0, "ns/op")
	}
}

// BenchmarkToolLists says how much of the prompts' bytes the prefix cache of a simulated server
// holds under p_s_in, in texts and with native tools, by what becomes of their list: of all
// requests, and without the first of each tree.
func BenchmarkToolLists(b *testing.B) {
	dir := generatedData(b)

	for name, settings := range map[string][]string{
		"react":     nil,
		"fixed":     {"environment.codec", "tools"},
		"learned":   {"environment.codec", "tools", "environment.tool_list", "learned"},
		"announced": {"environment.codec", "tools", "environment.tool_list", "announced"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := startSimulated(b, "--slots", "64")
				d := newDriven(b, dir, s.url, "auto", append(settings, "server.form", "chat", "preset", "efficient",
					"limit", "25", "api", "p_s_in")...)

				if _, err := collect.Run(context.Background(), d.options); err != nil {
					b.Fatal(err)
				}

				d.close()
				b.ReportMetric(100*s.end().PrefixReused, "%_prefix_reused")
				b.ReportMetric(100*d.reuseInTrees(), "%_reused_in_trees")
			}
		})
	}
}

// BenchmarkAuto measures how long finding the limit takes through the real collector, from the
// first request until a server does nine tenths of what it does at the best fixed limit, and how
// much it does in the ten seconds from then on. Completions take 200 ms, so S slots do 5S in a
// second at best; the best fixed limit is taken to be 3S/2, at which the queue of the server is
// never empty. Nothing is faster than it would be.
func BenchmarkAuto(b *testing.B) {
	dir := generatedData(b)
	for _, slots := range []int{8, 64, 256} {
		b.Run(fmt.Sprintf("slots=%d", slots), func(b *testing.B) {
			for b.Loop() {
				best, _ := throughput(b, dir, slots, strconv.Itoa(slots*3/2), 0)
				rate, took := throughput(b, dir, slots, "auto", 0.9*best)
				b.ReportMetric(best, "fixed_completions/s")
				b.ReportMetric(rate, "auto_completions/s")
				b.ReportMetric(100*rate/best, "%_of_fixed")
				b.ReportMetric(took.Seconds(), "s_to_90%")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// throughput runs the collector at a limit until it has kept the wanted rate for two
// seconds, or for a minute at most, and measures the ten seconds after that. took is the time from
// the first request to the end of these two seconds.
func throughput(b *testing.B, dir string, slots int, parallel string, wanted float64) (rate float64,
	took time.Duration) {
	b.Helper()

	s := startSimulated(b, "--slots", strconv.Itoa(slots), "--latency", "200ms")
	defer s.end()

	d := newDriven(b, dir, s.url, parallel, "preset", "paper")
	defer d.close()

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	ended := make(chan error, 1)

	go func() {
		_, err := collect.Run(ctx, d.options)
		ended <- err
	}()
	const window = 2 * time.Second

	var start time.Time
	for look := time.Tick(time.Millisecond); start.IsZero(); {
		<-look

		if d.policy.Snapshot().Requests > 0 {
			start = time.Now()
		}
	}

	for rate = -1; rate < wanted && took < time.Minute; took = time.Since(start) {
		rate = d.rate(window)
	}

	rate = d.rate(10 * time.Second)

	cancel()

	if err := <-ended; !errors.Is(err, context.Canceled) {
		b.Fatalf("the collector ended before the measurement: %v", err)
	}
	return rate, took
}

// generatedData fills a data folder that has questions of every split.
func generatedData(b *testing.B) string {
	b.Helper()
	dir := benchData(b)
	must(b, "data", "questions", "--data", dir, "--dataset", "coffee")
	return dir
}

// simulated is a process that runs toolevo bench serve.
type simulated struct {
	b   *testing.B
	cmd *exec.Cmd
	out bytes.Buffer
	url string
}

func startSimulated(b *testing.B, args ...string) *simulated {
	b.Helper()

	args = append([]string{"bench", "serve", "--listen", "127.0.0.1:0", "--json"}, args...)
	return startProcess(b, program(b, args...))
}

// startProcess starts a process that serves, and returns once it has said where.
func startProcess(b *testing.B, cmd *exec.Cmd) *simulated {
	b.Helper()
	s := &simulated{b: b, cmd: cmd}
	s.cmd.Stdout = &s.out

	words, err := s.cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}

	if err := s.cmd.Start(); err != nil {
		b.Fatal(err)
	}

	line, err := bufio.NewReader(words).ReadString('\n')
	if s.url = listening.FindString(line); s.url == "" {
		b.Fatalf("the server says %q (%v)", line, err)
	}

	go io.Copy(io.Discard, words) // it ends with the process
	return s
}

var listening = regexp.MustCompile(`http://[0-9.:]+`)

// end ends the server and returns its report.
func (s *simulated) end() serveReport {
	s.b.Helper()

	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		s.b.Fatal(err)
	}

	if err := s.cmd.Wait(); err != nil {
		s.b.Fatal(err)
	}
	return document[serveReport](s.b, s.out.String())
}

// driven is a collection on a server.
type driven struct {
	b       *testing.B
	bench   *toolevo.Bench
	run     *store.Run
	policy  *server.Policy
	options collect.Options

	prompt, cached atomic.Int64 // tokens of requests that are not the first of their tree, as the server counts them
}

// newDriven makes a collection with settings, given as names and values.
func newDriven(b *testing.B, dir, url, parallel string, settings ...string) *driven {
	b.Helper()

	ctx := context.Background()

	layers := []configs.Layer{configs.SettingLayer("benchmark", "policy", "openai:sim")}
	for i := 0; i < len(settings); i += 2 {
		layers = append(layers, configs.SettingLayer("benchmark", settings[i], settings[i+1]))
	}

	c, err := configs.Load(layers...)
	if err != nil {
		b.Fatal(err)
	}

	d := &driven{b: b}
	if d.bench, err = toolevo.OpenBench(ctx, dir, c, nil, engines.Open); err != nil {
		b.Fatal(err)
	}

	d.bench.Servers = on(os.Stderr).serving()
	d.bench.Servers.Addresses, d.bench.Servers.Parallel = url+"/v1", parallel

	o, err := d.bench.Options(kindOpenAI, "sim")
	if err != nil {
		b.Fatal(err)
	}

	o.Backends[0] = tapped{o.Backends[0], d}
	if d.policy, err = server.New(o); err != nil {
		b.Fatal(err)
	}

	d.run, err = store.StartRun(ctx, filepath.Join(b.TempDir(), "run"),
		store.Manifest{ID: "benchmark", Kind: stored.Collection}, "")
	if err != nil {
		b.Fatal(err)
	}

	if d.options, err = toolevo.CollectOptions(d.bench, d.run); err != nil {
		b.Fatal(err)
	}

	d.options.Policy, d.options.Room = marking{d.policy}, d.policy.Room
	d.options.Workers, d.options.Progress = toolevo.MaxOpenTrees, &collect.Progress{}
	return d
}

func (d *driven) close() {
	if err := errors.Join(d.run.Close(), d.policy.Close(), d.bench.Close()); err != nil {
		d.b.Fatal(err)
	}
}

// await sends the time from the first request until a share of the questions is done.
func (d *driven) await(to chan<- time.Duration, share float64) {
	var start time.Time
	for range time.Tick(5 * time.Millisecond) {
		if start.IsZero() && d.policy.Snapshot().Requests > 0 {
			start = time.Now()
		}

		if s := d.options.Progress.Snapshot(); s.Questions > 0 &&
			float64(s.QuestionsDone) >= share*float64(s.Questions) {
			to <- time.Since(start)
			return
		}
	}
}

// rate is how many completions a second there are in a time from now.
func (d *driven) rate(window time.Duration) float64 {
	before, start := d.policy.Snapshot().Completions, time.Now()

	<-time.After(window)
	return float64(d.policy.Snapshot().Completions-before) / time.Since(start).Seconds()
}

func (d *driven) reuseInTrees() float64 {
	return float64(d.cached.Load()) / float64(max(d.prompt.Load(), 1))
}

// firstOfTree marks the context of a tree's first request.
type firstOfTree struct{}

// marking marks the first request of each tree.
type marking struct{ mcts.Policy }

func (m marking) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	if r.History.Len() == 0 {
		ctx = context.WithValue(ctx, firstOfTree{}, true)
	}
	return m.Policy.Propose(ctx, r)
}

// tapped counts what a server says of its prefix cache.
type tapped struct {
	server.Backend
	*driven
}

func (t tapped) Complete(ctx context.Context, c server.Completion) (server.Reply, error) {
	reply, err := t.Backend.Complete(ctx, c)
	if err == nil && ctx.Value(firstOfTree{}) == nil {
		t.prompt.Add(int64(reply.PromptTokens))
		t.cached.Add(int64(reply.CachedTokens))
	}

	return reply, err
}

// Gauges implements server.Observer.
func (t tapped) Gauges(ctx context.Context) (server.Gauges, bool) {
	return t.Backend.(server.Observer).Gauges(ctx)
}
