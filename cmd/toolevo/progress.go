package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"toolevo/envs/display"
	"toolevo/envs/names"
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
	return cmd.Flags().String("progress", progressAuto, "`HOW`: auto, bar, plain or none; auto draws a bar on a "+
		"terminal and else prints lines")
}

func checkProgress(mode string) error {
	modes := []string{progressAuto, progressBar, progressPlain, progressNone}
	if !slices.Contains(modes, mode) {
		return usage("--progress: %w", names.Unknown("way", mode, modes))
	}

	return nil
}

// status is what there is to report: how far it is, what else is worth knowing, and how the servers do, which
// is "" without any. Both texts are short enough for one line.
type status struct {
	done, total int64
	before      int64 // of done, what took this process no work: the time left is told by the rest
	text        string
	servers     string
}

// report shows progress on stderr until the returned function is called, which waits for the last line.
func (a *app) report(mode string, read func() status) (stop func()) {
	if mode == progressNone {
		return func() {}
	}

	show, every := a.plain(), plainEvery
	if a.draws(mode) {
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

// draws reports whether progress is drawn over and over, and not written in lines.
func (a *app) draws(mode string) bool {
	return mode == progressBar || mode == progressAuto && a.err.isTerminal() && a.lookup("TERM") != "dumb"
}

// plain writes a line at a time, with the share done and the time left, and another one about servers.
func (a *app) plain() func(s status, last bool) {
	start := time.Now()
	return func(s status, last bool) { fmt.Fprint(a.err, s.lines(time.Since(start), last)) }
}

// lines are the status as text that stays.
func (s status) lines(elapsed time.Duration, last bool) string {
	text := share(s, elapsed, last) + "  " + s.text + "\n"
	if s.servers != "" {
		text += "     " + s.servers + "\n"
	}

	return text
}

func share(s status, elapsed time.Duration, last bool) string {
	if s.total == 0 {
		return "  0%"
	}

	text := fmt.Sprintf("%3d%%", 100*s.done/s.total)
	if left := remaining(s, elapsed); !last && left > 0 {
		text += " ETA " + left.String()
	}

	return text
}

// remaining is about how long it takes yet, to the second; 0 when nobody knows.
func remaining(s status, elapsed time.Duration) time.Duration {
	if s.done <= s.before {
		return 0
	}

	return time.Duration(float64(elapsed) * float64(s.total-s.done) / float64(s.done-s.before)).Round(time.Second)
}

// bar draws a bar with the text behind it, and the line about servers below it, over and over. What is longer than the
// terminal is wide is cut: a line that wraps cannot be drawn over.
func (a *app) bar() func(s status, last bool) {
	bar := progressbar.NewOptions64(1, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(10),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	_ = bar.RenderBlank() // it is drawn for bar.String alone
	start, screen := time.Now(), a.err

	return func(s status, last bool) {
		if last {
			fmt.Fprint(screen, s.lines(0, true))
			return
		}

		bar.ChangeMax64(max(s.total, s.done+1)) // a bar that is full has ended, and more may be planned yet
		_ = bar.Set64(s.done)                   // it fails above the maximum alone
		width := max(screen.columns()-1, 1)

		line := fmt.Sprintf("%17s", strings.TrimSpace(bar.String()))
		if left := remaining(s, time.Since(start)); left > 0 {
			line += " ETA " + left.String()
		}

		second := ""
		if s.servers != "" {
			second = display.Cut("     "+s.servers, width)
		}

		screen.draw(display.Cut(line+"  "+s.text, width), second)
	}
}
