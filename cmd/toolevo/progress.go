package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// The ways to report progress.
const (
	progressAuto  = "auto"
	progressBar   = "bar"
	progressPlain = "plain"
	progressNone  = "none"
)

// plainEvery is how often a line is written where a bar cannot be drawn.
const plainEvery = 10 * time.Second

func progressFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("progress", progressAuto, "`HOW`: auto, bar, plain or none; auto draws a bar on a terminal and else prints lines")
}

func checkProgress(mode string) error {
	modes := []string{progressAuto, progressBar, progressPlain, progressNone}
	if !slices.Contains(modes, mode) {
		return usage("unknown --progress %q: valid are %s", mode, strings.Join(modes, ", "))
	}
	return nil
}

// status is what there is to report: how far it is, and what else is worth knowing, short enough for one line.
type status struct {
	done, total int64
	text        string
}

// report shows progress on stderr until the returned function is called, which waits for the last line.
func (a *app) report(mode string, read func() status) (stop func()) {
	switch mode {
	case progressNone:
		return func() {}
	case progressAuto:
		if mode = progressPlain; isTerminal(a.err) {
			mode = progressBar
		}
	}
	show, every := a.plain(), plainEvery
	if mode == progressBar {
		show, every = a.bar(), 200*time.Millisecond
	}
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				show(read(), false)
			case <-done:
				show(read(), true)
				return
			}
		}
	})
	return func() { close(done); wait.Wait() }
}

// plain writes a line at a time, with the share done and the time left.
func (a *app) plain() func(s status, last bool) {
	start := time.Now()
	return func(s status, last bool) {
		fmt.Fprintf(a.err, "%s  %s\n", share(s, time.Since(start), last), s.text)
	}
}

func share(s status, elapsed time.Duration, last bool) string {
	if s.total == 0 {
		return "  0%"
	}
	text := fmt.Sprintf("%3d%%", 100*s.done/s.total)
	if !last && s.done > 0 {
		left := time.Duration(float64(elapsed) * float64(s.total-s.done) / float64(s.done))
		text += " ETA " + left.Round(time.Second).String()
	}
	return text
}

func (a *app) bar() func(s status, last bool) {
	bar := progressbar.NewOptions64(1,
		progressbar.OptionSetWriter(a.err), progressbar.OptionSetWidth(10), progressbar.OptionSetPredictTime(true),
		progressbar.OptionUseANSICodes(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionClearOnFinish())
	return func(s status, last bool) {
		bar.ChangeMax64(max(s.total, s.done, 1))
		bar.Describe(s.text)
		if last {
			_ = bar.Clear() // a terminal that is gone is no reason to fail
			fmt.Fprintf(a.err, "%s  %s\n", share(s, 0, true), s.text)
			return
		}
		_ = bar.Set64(s.done)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
