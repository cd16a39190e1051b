package console

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"toolevo/envs/display"
)

// The ways to report progress.
const (
	ProgressAuto  = "auto"
	ProgressBar   = "bar"
	ProgressPlain = "plain"
	ProgressNone  = "none"
)

// ProgressModes lists the ways to report progress.
func ProgressModes() []string {
	return []string{ProgressAuto, ProgressBar, ProgressPlain, ProgressNone}
}

// plainEvery is how often a line is written if no bar can be drawn.
const plainEvery = 10 * time.Second

// Status is what a report shows: how much is done, how much work is left, what else is worth
// knowing, and how the servers are doing, which is "" without servers. Both texts fit into one
// line.
type Status struct {
	Done, Total int64
	Work        Work
	Text        string
	Servers     string
}

// Work is what the remaining time is estimated by: units of work that take about as long as each
// other. The zero Work gives no estimate.
type Work struct {
	Done int64 // by this process; earlier work took it no time
	Left int64
}

// leastWork is how many units of work an estimate of the remaining time needs: fewer are no sample.
const leastWork = 5

// Report shows progress on stderr, in the way of mode, until the returned function is called. That
// waits for the last line.
func (p *Program) Report(mode string, read func() Status) (stop func()) {
	if mode == ProgressNone {
		return func() {}
	}

	show, every := p.plain(), plainEvery
	if p.Draws(mode) {
		show, every = p.bar(), 200*time.Millisecond
	}

	end := Every(every, func() { show(read(), false) })
	return func() {
		end()
		show(read(), true)
	}
}

// Every does something at each interval until stop is called, which waits for the last time.
func Every(interval time.Duration, do func()) (stop func()) {
	done := make(chan struct{})
	var doing sync.WaitGroup

	doing.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()

		for {
			select {
			case <-ticker.C:
				do()
			case <-done:
				return
			}
		}
	})

	return func() { close(done); doing.Wait() }
}

// Draws reports whether progress is drawn over and over, rather than written in lines.
func (p *Program) Draws(mode string) bool {
	return mode == ProgressBar || mode == ProgressAuto && p.Err.isTerminal() && p.Lookup("TERM") != "dumb"
}

// plain writes lines with the share done and the time left, each with another line about servers.
func (p *Program) plain() func(s Status, last bool) {
	clock := NewClock()
	return func(s Status, last bool) {
		eta := clock.eta(s.Work)
		if last {
			eta = ""
		}

		fmt.Fprint(p.Err, s.lines(eta))
	}
}

// lines returns the Status as text that stays on the screen.
func (s Status) lines(eta string) string {
	done := "  0%"
	if s.Total > 0 {
		done = fmt.Sprintf("%3d%%", 100*s.Done/s.Total)
	}

	text := done + eta + "  " + s.Text + "\n"
	if s.Servers != "" {
		text += "     " + s.Servers + "\n"
	}
	return text
}

// Clock estimates the time left.
type Clock struct {
	began time.Time // the work
	at    time.Time // when the last unit was done
	done  int64     // units
}

// NewClock returns the clock of work that begins now.
func NewClock() *Clock {
	now := time.Now()
	return &Clock{began: now, at: now}
}

// eta returns " ETA " and about how long the work will still take, or "" if that is not known.
func (c *Clock) eta(w Work) string {
	if left := c.ETA(w); left != "" {
		return " ETA " + left
	}
	return ""
}

// ETA returns about how long the work will still take, to the second, or "" if that is not known.
// If less is done than before, another step of the work begins now.
func (c *Clock) ETA(w Work) string {
	now := time.Now()
	if w.Done < c.done {
		c.began = now
	}

	if w.Done != c.done {
		c.at, c.done = now, w.Done
	}

	if w.Done < leastWork || w.Left <= 0 {
		return ""
	}

	// The estimate falls until the next unit is overdue, and then grows: that unit is taken to end
	// now.
	left := mean(c.at.Sub(c.began), w.Done)*float64(w.Left) - float64(now.Sub(c.at))
	left = max(left, mean(now.Sub(c.began), w.Done+1)*float64(w.Left-1))

	if left < float64(time.Second) {
		return ""
	}
	return time.Duration(left).Round(time.Second).String()
}

// mean returns how many nanoseconds each of n took.
func mean(all time.Duration, n int64) float64 { return float64(all) / float64(n) }

// bar draws a bar with the text after it, and the line about servers below it, over and over. Lines
// are cut to the width of the terminal: a line that wraps cannot be drawn over.
func (p *Program) bar() func(s Status, last bool) {
	bar := progressbar.NewOptions64(1, progressbar.OptionSetWriter(io.Discard), progressbar.OptionSetWidth(10),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	_ = bar.RenderBlank() // only bar.String is used
	clock, screen := NewClock(), p.Err
	return func(s Status, last bool) {
		if last {
			fmt.Fprint(screen, s.lines(""))
			return
		}

		// A full bar has ended, and more work may be planned yet.
		bar.ChangeMax64(max(s.Total, s.Done+1))
		_ = bar.Set64(s.Done) // it fails only above the maximum
		width := max(screen.columns()-1, 1)

		line := fmt.Sprintf("%17s", strings.TrimSpace(bar.String())) + clock.eta(s.Work)

		second := ""
		if s.Servers != "" {
			second = fit("     "+s.Servers, width)
		}

		screen.draw(fit(line+"  "+s.Text, width), second)
	}
}

// fit cuts a line to a width, between two of its parts if commas tell them apart: "2 t…" says
// nothing.
func fit(line string, width int) string {
	cut := display.Cut(line, width)
	if i := strings.LastIndex(cut, ", "); cut != line && i > 0 {
		return cut[:i] + " …"
	}
	return cut
}
