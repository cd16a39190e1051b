// Command testrun runs `go test -json` with its arguments and prints what a person wants to know of
// it: a line for each package, all that failed tests wrote, and what was skipped and why. Arguments
// after a further -- are those of another `go test`, which runs at the same time.
//
// A file (-skips) lists what may be skipped: a line with how the reasons begin, and below it,
// indented, the tests. Any other test that is skipped is named; with -strict it fails the run.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"time"

	"golang.org/x/sync/errgroup"
)

func main() {
	list := flag.String("skips", "", "the `FILE` that lists what may be skipped")
	strict := flag.Bool("strict", false, "fail when a test is skipped that the file does not list")

	flag.Parse()

	ok, err := run(*list, *strict, split(flag.Args()))
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(2)
	}

	if !ok {
		os.Exit(1)
	}
}

// run runs the groups of tests at the same time, and reports whether all of them passed.
func run(list string, strict bool, groups [][]string) (ok bool, err error) {
	// The list is read first, so that a mistake in it does not cost a run of the tests.
	text, err := os.ReadFile(list)
	if err != nil {
		return false, fmt.Errorf("read the list of skips: %w", err)
	}

	allowed, err := parseSkips(string(text))
	if err != nil {
		return false, fmt.Errorf("%s: %w", list, err)
	}

	// go test gets the signal, too, and what it did until then is still reported.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	r := &report{out: os.Stdout}
	started, used := time.Now(), make([]time.Duration, len(groups))

	var tests errgroup.Group

	ok = true // guarded by the report's lock

	for i, args := range groups {
		tests.Go(func() error {
			passed, took, err := r.run(args)
			r.mu.Lock()
			defer r.mu.Unlock()

			ok = ok && passed
			used[i] = took
			return err
		})
	}

	if err := tests.Wait(); err != nil {
		return false, err
	}

	unlisted := r.writeSkips(allowed)

	total := time.Duration(0)
	for _, took := range used {
		total += took
	}

	fmt.Printf("%d tests passed, %d failed, %d were skipped; %v, %v of processor time\n", r.passed,
		r.failed, len(r.skipped), time.Since(started).Round(time.Second), total.Round(time.Second))

	// An interrupted run has not passed, even if nothing failed.
	return ok && ctx.Err() == nil && !(strict && unlisted > 0), nil
}

// run runs `go test -json` with some arguments and reports on it. It returns whether all passed,
// and the processor time.
func (r *report) run(args []string) (passed bool, used time.Duration, err error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints

	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, 0, err
	}

	if err := cmd.Start(); err != nil {
		return false, 0, fmt.Errorf("start go test: %w", err)
	}

	readErr := r.read(out)
	failed := cmd.Wait()

	if readErr != nil {
		return false, 0, fmt.Errorf("read what go test says: %w", readErr)
	}

	r.print(complaints.String())
	return failed == nil, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// split divides arguments at each --.
func split(args []string) [][]string {
	groups := [][]string{nil}

	for _, arg := range args {
		if arg == "--" {
			groups = append(groups, nil)
			continue
		}

		groups[len(groups)-1] = append(groups[len(groups)-1], arg)
	}
	return groups
}
