package console

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// The bar and the line about servers are one line each, whatever there is to tell, and are drawn over.
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

// Words that come while the bar is drawn are whole lines: nothing of the bar stands before or behind them.
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

// TestTimeLeft holds that the time left is told by what this process did, not by what it found done.
func TestTimeLeft(t *testing.T) {
	t.Parallel()
	s := Status{Done: 90, Before: 80, Total: 100}
	if left := remaining(s, 10*time.Second); left != 10*time.Second {
		t.Errorf("%v are left, want 10s: 10 of 100 are to do, and the last 10 took 10s", left)
	}

	if left := remaining(Status{Done: 80, Before: 80, Total: 100}, time.Second); left != 0 {
		t.Errorf("%v are left, and nothing was done yet", left)
	}
}
