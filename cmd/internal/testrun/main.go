// Command testrun runs `go test -json` with its arguments and prints what a person wants to know of it: a line for each
// package, all that failed tests wrote, and what was skipped and why.
//
// A file (-skips) lists what may be skipped: a line with how the reasons begin, and below it, indented, the
// tests. A test that is skipped otherwise is named; with -strict it fails the run.
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
)

func main() {
	list := flag.String("skips", "", "the `FILE` that lists what may be skipped")
	strict := flag.Bool("strict", false, "fail when a test is skipped that the file does not list")

	flag.Parse()

	ok, err := run(*list, *strict, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(2)
	}

	if !ok {
		os.Exit(1)
	}
}

func run(list string, strict bool, args []string) (ok bool, err error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return false, fmt.Errorf("read the list of skips: %w", err)
	}

	allowed, err := parseSkips(string(text))
	if err != nil {
		return false, fmt.Errorf("%s: %w", list, err)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt) // go test meets the signal, too
	defer stop()

	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints

	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}

	started := time.Now()

	if err := cmd.Start(); err != nil {
		return false, fmt.Errorf("start go test: %w", err)
	}

	r := report{out: os.Stdout}
	readErr := r.read(out)
	failed := cmd.Wait()

	if readErr != nil {
		return false, fmt.Errorf("read what go test says: %w", readErr)
	}

	os.Stdout.Write(complaints.Bytes())

	unlisted := r.writeSkips(allowed)
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Printf("%d tests passed, %d failed, %d were skipped; %v, %v of processor time\n", r.passed, r.failed,
		len(r.skipped),
		time.Since(started).Round(time.Second), used.Round(time.Second))

	return failed == nil && ctx.Err() == nil && !(strict && unlisted > 0), nil
}
