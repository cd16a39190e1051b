package console

import (
	"bytes"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// The bar and the line about servers are one line each, whatever there is to tell, and are drawn
// over.
func TestBar(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	p := &Program{Err: &Screen{W: &screen}}
	draw := p.bar()
	s := Status{Total: 40, Text: "0/20 q 0% solved", Servers: "tok/s 1 in 1 out"}
	draw(s, false)
	s.Done, s.Text, s.Servers = 10, strings.Repeat("5/20 q ", 20), strings.Repeat("tok/s ", 20)
	draw(s, false)
	s.Done, s.Text, s.Servers = 40, "20/20 q", ""
	draw(s, false)
	draw(s, true)

	frames := strings.Split(screen.String(), "\r\x1b[J")[1:]
	if len(frames) != 4 {
		t.Fatalf("%d frames: %q", len(frames), screen.String())
	}

	for i, f := range frames[:3] {
		want := 1
		if i < 2 {
			want = 2
		}

		f = strings.TrimSuffix(f, "\r")
		if want == 2 {
			if !strings.HasSuffix(f, "\x1b[1A") {
				t.Errorf("frame %d leaves the cursor below: %q", i, f)
			}

			f = strings.TrimSuffix(f, "\x1b[1A")
		}

		lines := strings.Split(f, "\n")
		if len(lines) != want {
			t.Errorf("frame %d has %d lines, want %d: %q", i, len(lines), want, f)
		}

		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > 79 {
				t.Errorf("frame %d has a line of %d columns: %q", i, n, line)
			}
		}
	}

	for i, percent := range []string{"  0% |", " 25% |", " 97% |"} {
		if !strings.HasPrefix(frames[i], percent) {
			t.Errorf("frame %d is %q, want it to begin with %q", i, frames[i], percent)
		}
	}

	if frames[3] != "100%  20/20 q\n" {
		t.Errorf("the last line is %q", frames[3])
	}
}

// Words that come while the bar is drawn are whole lines: nothing of the bar stands before or
// behind them.
func TestWordsAmongProgress(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	p := &Program{Err: &Screen{W: &screen}}
	draw := p.bar()
	p.Say("before")
	draw(Status{Total: 2, Text: "0/2 q", Servers: "tok/s 1 in 1 out"}, false)
	p.Say("first")
	p.Say("second")
	draw(Status{Done: 2, Total: 2, Text: "2/2 q"}, true)

	frames := strings.Split(screen.String(), "\r\x1b[J")

	want := []string{"before\n", frames[1], "first\nsecond\n100%  2/2 q\n"}
	if diff := cmp.Diff(want, frames); diff != "" || !strings.Contains(frames[1], "tok/s 1 in") {
		t.Errorf("%q\n%s", screen.String(), diff)
	}
}

// The time left is told once five units of work are done, by how long those took.
func TestTimeLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock()
		<-time.After(40 * time.Second)

		for _, test := range []struct {
			work Work
			then time.Duration // that it stays so
			want string
		}{
			{Work{}, 0, ""},
			{Work{Left: 20}, 0, ""},
			{Work{Done: 4, Left: 16}, 0, ""},
			{Work{Done: 5, Left: 15}, 4 * time.Second, " ETA 2m0s"},  // 15 of 8 s
			{Work{Done: 5, Left: 15}, 4 * time.Second, " ETA 1m56s"}, // 4 s later
			{Work{Done: 5, Left: 15}, 6 * time.Second, " ETA 1m52s"}, // 8 s later, when the sixth is due
			{Work{Done: 5, Left: 15}, 0, " ETA 2m6s"},                // it is overdue: 6 in 54 s and 14 of 9 s
			{Work{Done: 19, Left: 1}, time.Minute, " ETA 3s"},        // 54 s / 19
			{Work{Done: 19, Left: 1}, 0, ""},                         // overdue
			{Work{Done: 20}, 0, ""},
		} {
			if got := clock.eta(test.work); got != test.want {
				t.Errorf("of %+v the time left is %q, want %q", test.work, got, test.want)
			}

			<-time.After(test.then)
		}

		clock.eta(Work{Left: 10}) // another step
		<-time.After(30 * time.Second)

		if got := clock.eta(Work{Done: 6, Left: 4}); got != " ETA 20s" {
			t.Errorf("of a second step the time left is %q, want 20s", got)
		}
	})
}

// Lines have the time left but for the last, and what there is to do from the first on.
func TestPlain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var screen bytes.Buffer
		p := &Program{Err: &Screen{W: &screen}}
		var done atomic.Int64
		stop := p.Report(ProgressPlain, func() Status {
			n := done.Load()
			return Status{Done: n, Total: 10, Work: Work{Done: n, Left: 10 - n}, Text: "q", Servers: "s"}
		})

		for range 4 {
			<-time.After(plainEvery)
			synctest.Wait()

			done.Add(2)
		}

		stop()

		want := "  0%  q\n     s\n 20%  q\n     s\n 40%  q\n     s\n 60% ETA 27s  q\n     s\n 80%  q\n     s\n"
		if diff := cmp.Diff(want, screen.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// A rate is the mean of a minute, and of so long a time that five events fit in.
func TestMeter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, count := NewMeter(), int64(0)
		expect := func(when string, want float64) {
			t.Helper()

			if got := m.Rate(count); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %v a second, want %v", when, got, want)
			}
		}
		expect("at once", 0)

		<-time.After(8 * time.Second)
		expect("before the first event", 0)

		count = 4
		expect("four after 8 s", 4./8)

		// One every 8 s, and looked at far more often.
		for range 20 {
			for range 40 {
				<-time.After(200 * time.Millisecond)
				m.Rate(count)
			}

			count++
			if got := m.Rate(count); got < 0.12 || got > 5./16 { // the first four came at once
				t.Errorf("%d events: %v a second, want about 1/8", count, got)
			}
		}

		expect("after 168 s", 1./8)

		// One every minute: the time of five.
		for range 10 {
			<-time.After(time.Minute)

			count++
			m.Rate(count)
		}

		expect("one a minute", 1./60)

		// Ten a second: those of the last minute.
		for range 100 {
			<-time.After(time.Second)

			count += 10
			m.Rate(count)
		}

		expect("ten a second", 10)
	})
}

// What does not fit is cut between two parts, so that no figure loses its end.
func TestFit(t *testing.T) {
	for _, test := range []struct {
		line  string
		width int
		want  string
	}{
		{"1/40 questions, 2 solved, 33 trees", 34, "1/40 questions, 2 solved, 33 trees"},
		{"1/40 questions, 2 solved, 33 trees", 33, "1/40 questions, 2 solved …"},
		{"1/40 questions, 2 solved, 33 trees", 25, "1/40 questions …"},
		{"1/40 questions", 8, "1/40 qu…"},
	} {
		if got := fit(test.line, test.width); got != test.want {
			t.Errorf("%d columns: %q, want %q", test.width, got, test.want)
		}
	}
}
