package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"
)

// test is a test of a package, run once without a mutant.
type test struct {
	name  string
	took  time.Duration
	reach map[int]bool // the mutants it reaches
}

// bench is a test binary, and where it runs.
type bench struct {
	*target
	binary, dir string // of the binary, and of what tests leave
	tests       []*test
	grace       time.Duration
}

// Limits of a mutant: how many times as long its tests may take as without it, and what they may
// use of memory.
const (
	slower   = 10
	memoryKB = 6 << 20
)

// measurement is the result for a package.
type measurement struct {
	pkg     string
	planted int // of which the results are a sample
	results []result
}

// measure runs the tests of a package under a sample of its mutants.
func measure(ctx context.Context, name string, o options, known *results) (*measurement, error) {
	t, err := load(name)
	if err != nil {
		return nil, err
	}

	drawn := draw(t.mutants, o)
	m := &measurement{pkg: t.ImportPath, planted: len(t.mutants), results: make([]result, len(drawn))}

	// Kept results are those of the same sources and tests: after any change none of them counts.
	digest, err := t.digest()
	if err != nil {
		return nil, err
	}

	// Building takes long, so there is no test binary until a mutant has to run.
	var b *bench
	var group errgroup.Group
	group.SetLimit(o.workers)

	for i, mu := range drawn {
		if old, ok := known.lookup(digest, mu.id); ok {
			old.mutant = *mu
			m.results[i] = old

			continue
		}

		if b == nil {
			if b, err = newBench(ctx, t, o.grace); err != nil {
				return nil, err
			}
			defer os.RemoveAll(b.dir)
		}

		// Each result has a place of its own, so that they stay in the order of the draw.
		group.Go(func() error {
			outcome, by, err := b.run(ctx, mu)
			if err != nil {
				return err
			}

			m.results[i] = result{t.ImportPath, digest, mu.id, *mu, outcome, by}
			return known.add(m.results[i])
		})
	}
	return m, group.Wait()
}

// draw returns the mutants of a sample.
func draw(all []*mutant, o options) []*mutant {
	if o.sample <= 0 || o.sample >= len(all) {
		return all
	}

	drawn := slices.Clone(all)
	rng := rand.New(rand.NewPCG(o.seed, 0))
	rng.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return drawn[:o.sample]
}

// newBench builds the test binary, and runs every test once alone.
func newBench(ctx context.Context, t *target, grace time.Duration) (*bench, error) {
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}

	b := &bench{target: t, binary: filepath.Join(dir, "tests"), dir: dir, grace: grace}

	if err := b.build(); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}

	if err := b.runAlone(ctx); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return b, nil
}

// build compiles the package's tests with all mutants.
func (b *bench) build() error {
	overlay := struct{ Replace map[string]string }{map[string]string{}}

	for path, text := range b.planted {
		file := filepath.Join(b.dir, filepath.Base(path))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}

		overlay.Replace[path] = file
	}

	text, err := json.Marshal(overlay)
	if err != nil {
		return err
	}

	list := filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o600); err != nil {
		return err
	}

	// An overlay leaves the checkout as it is. vet would complain about the planted code.
	build := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w",
		"-overlay", list, "-o", b.binary, ".")
	build.Dir = b.Dir

	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build with mutants: %w: %s", err, out)
	}

	// Tests that a mutant kills leave files behind: they are removed with this folder.
	return os.Mkdir(filepath.Join(b.dir, "tmp"), 0o700)
}

// runAlone runs every test once alone, without a mutant, and notes which mutants it reaches.
func (b *bench) runAlone(ctx context.Context) error {
	list := exec.CommandContext(ctx, b.binary, "-test.list", ".")
	list.Dir = b.Dir

	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("list tests: %w", err)
	}

	reached := filepath.Join(b.dir, "reached")

	for name := range strings.Lines(string(out)) {
		t := &test{name: strings.TrimSpace(name), reach: map[int]bool{}}

		// The list has benchmarks, too, which nothing here runs.
		if strings.HasPrefix(t.name, "Benchmark") {
			continue
		}

		// Each test runs alone, or nobody could say which of them reaches a mutant.
		_ = os.Remove(reached)
		began := time.Now()

		alone := b.command(ctx, 20*time.Minute, []*test{t}, "TOOLEVO_MUTANTS_REACHED="+reached)
		said, failed := alone.CombinedOutput()

		if failed != nil {
			return fmt.Errorf("%s fails without a mutant: %w: %s", t.name, failed, said)
		}

		t.took = time.Since(began)

		ids, err := os.ReadFile(reached)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}

		for ; len(ids) >= 4; ids = ids[4:] {
			t.reach[int(binary.LittleEndian.Uint32(ids))] = true
		}

		b.tests = append(b.tests, t)
	}

	// A mutant meets the quickest tests first, in which most die.
	slices.SortStableFunc(b.tests, func(x, y *test) int { return cmp.Compare(x.took, y.took) })
	return nil
}

// command runs some tests as a group of processes with limited memory, which is killed as a whole.
func (b *bench) command(
	ctx context.Context, limit time.Duration, tests []*test, env string,
) *exec.Cmd {
	var names []string
	for _, t := range tests {
		names = append(names, regexp.QuoteMeta(t.name))
	}

	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -d "$0"; exec "$@"`, strconv.Itoa(memoryKB),
		b.binary, "-test.run=^("+strings.Join(names, "|")+")$",
		"-test.failfast", "-test.timeout="+limit.String())
	if slices.Contains(slices.Concat(b.TestImports, b.XTestImports), "pgregory.net/rapid") {
		cmd.Args = append(cmd.Args, "-rapid.nofailfile") // it would stay in testdata
	}

	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(b.dir, "tmp"), env)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second

	return cmd
}

// run returns what the tests that reach a mutant say of it, and the one that failed.
func (b *bench) run(ctx context.Context, mu *mutant) (outcome, by string, err error) {
	var tests []*test
	var took time.Duration

	for _, t := range b.tests {
		if t.reach[mu.id] {
			tests = append(tests, t)
			took += t.took
		}
	}

	if len(tests) == 0 {
		return unreached, "", nil
	}

	// Most mutants die in the quick tests, so the slow ones need not run.
	for _, batch := range batches(tests, took) {
		// The tests end themselves at the limit; those that are stuck are killed a little later.
		limit := slower*took + b.grace
		bounded, stop := context.WithTimeout(ctx, limit+b.grace)
		cmd := b.command(bounded, limit, batch, "TOOLEVO_MUTANT="+strconv.Itoa(mu.id))
		out, failed := cmd.CombinedOutput()
		late := bounded.Err()

		stop()

		switch {
		case ctx.Err() != nil:
			return "", "", ctx.Err()
		case late != nil || strings.Contains(string(out), "panic: test timed out"):
			return hung, "", nil
		case failed != nil:
			return killed, firstFailure(string(out)), nil
		}
	}

	return alive, "", nil
}

// batches puts the quick tests, which take a quarter of the time, before the slow ones.
func batches(tests []*test, took time.Duration) [][]*test {
	quick, spent := 0, time.Duration(0)
	for quick < len(tests) && spent+tests[quick].took <= took/4 {
		spent += tests[quick].took
		quick++
	}

	if quick == 0 || quick == len(tests) || took < 2*time.Second {
		return [][]*test{tests}
	}
	return [][]*test{tests[:quick], tests[quick:]}
}

// firstFailure returns the name of the first test that a binary said has failed.
func firstFailure(out string) string {
	for line := range strings.Lines(out) {
		if _, rest, ok := strings.Cut(line, "--- FAIL: "); ok {
			return strings.Fields(rest)[0]
		}
	}

	return ""
}
