// Command mutants measures what the tests of a package notice: it plants small faults in the
// package, one at a time, and counts those that make a test fail.
//
//	go run ./cmd/internal/mutants [-sample N] [-json FILE] [PACKAGE…]
//
// A mutant is one such fault: a comparison that is negated or moves its bound, an operand of && or
// || that no longer counts, a condition turned round, another arithmetic operator, a number plus
// one, the other truth value, an assignment or call left out, a return of zero values (which
// swallows errors), a break for a continue, or neither. A mutant is killed when a test of its own
// package fails, panics, or takes much longer than without it; otherwise it is alive. A mutant that
// no test reaches is alive without being run.
//
// All mutants of a package are compiled at once, into one test binary, by an overlay that leaves
// the files alone: each is a branch that an environment variable takes. A change that does not
// compile is found by type-checking before, and left out. Every test runs once alone and writes
// down which mutants it reaches, and a mutant meets only those tests, the quickest first.
//
// Without packages, those of the list (-list) are measured. It names for each the share that has to
// be killed, in percent, and the survivors that are accepted, with the reason: they are identified
// by file, function and change, not by line, * stands for any text, and they do not count. Exit
// status 1: a package is below its share, or its tests fail without a mutant.
//
// With -json, each result is appended to a file as one line of JSON, and what the file has for the
// same sources and tests is not run again: an interrupted measurement continues, and a larger
// sample pays only for what is new.
//
// Guarantees: the same sources, tests and seed give the same mutants and the same sample; a larger
// sample contains a smaller one. Caveats: files that use cgo are not mutated; calls of log/slog, of
// locks, and deferred ones are never left out; a test that other programs help (a child that gets
// no environment) sees no mutant there.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"time"
)

// options say what is measured, and how.
type options struct {
	sample  int    // mutants of each package; 0 is all
	seed    uint64 // of the sample
	workers int    // mutants that run at a time
	results string // the file of results, "" for none
	grace   time.Duration
}

func main() {
	var o options

	path := flag.String("list", "cmd/internal/mutants/mutants.yaml",
		"the `FILE` of packages and accepted survivors")
	flag.IntVar(&o.sample, "sample", 0,
		"measure `N` mutants of each package, drawn by chance (0: all)")
	flag.Uint64Var(&o.seed, "seed", 1, "the `SEED` of the sample")
	flag.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "run `N` mutants at a time")
	flag.DurationVar(&o.grace, "grace", 10*time.Second,
		"a mutant hangs when its tests take this `TIME` more than ten times what they take without it")
	flag.StringVar(&o.results, "json", "",
		"append results to this `FILE`, and do not run again what it has")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	good, err := run(ctx, *path, flag.Args(), o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}

	if !good {
		os.Exit(1)
	}
}

// run measures packages and prints the table; good is false if one is below its share.
func run(ctx context.Context, path string, names []string, o options) (good bool, err error) {
	list, err := readList(path)
	if err != nil {
		return false, err
	}

	if len(names) == 0 {
		for _, p := range list.Packages {
			names = append(names, "./"+p.Package)
		}
	}

	// What an interrupted measurement found is not measured again.
	known, err := readResults(o.results)
	if err != nil {
		return false, err
	}

	good = true

	for _, name := range names {
		m, err := measure(ctx, name, o, known)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}

		// A package below its share does not keep the others from being measured.
		if !list.print(os.Stdout, m) {
			good = false
		}
	}
	return good, nil
}
