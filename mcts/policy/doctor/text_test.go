package doctor

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStopIn(t *testing.T) {
	for text, want := range map[string][2]string{
		"Thought: I load the coffee database first.": {"load the", "Thought: I "},
		"abcabcabcabcabcabc":                         {"bcabcabca", "a"}, // where it occurs first
		"aaaaaaaaaaaaaaaaaa":                         {},                 // nothing stands before it
		"ab cdefgh":                                  {"cdefgh", "ab "},
		"short":                                      {"hort", "s"},
		"abcd":                                       {},
		"":                                           {},
		"aaaaaaaaaa\ufffd\ufffd\ufffd\ufffd\ufffd": {},
	} {
		if stop, before := stopIn(text); stop != want[0] || before != want[1] {
			t.Errorf("%q: %q after %q, want %q", text, stop, before, want)
		}
	}
}

func TestStopInAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")

		stop, before := stopIn(text)
		if stop == "" {
			return
		}

		if before == "" || !strings.HasPrefix(text, before+stop) || strings.Contains(before, stop) {
			t.Fatalf("%q: %q after %q", text, stop, before)
		}
	})
}

func TestFigures(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234",
		-123: "-123"} {
		if got := number(n); got != want {
			t.Errorf("%d is written %s", n, got)
		}
	}

	for d, want := range map[time.Duration]string{
		0: "0.0 ms", 1234 * time.Microsecond: "1.2 ms", 45 * time.Millisecond: "45 ms",
		1500 * time.Millisecond: "1.5 s", time.Minute: "60 s",
	} {
		if got := duration(d); got != want {
			t.Errorf("%v is written %s", d, got)
		}
	}

	for n, want := range map[int]int{7: 7, 99: 99, 123: 120, 17482: 17000} {
		if got := rounded(n); got != want {
			t.Errorf("%d is rounded to %d", n, got)
		}
	}
}

const report = `ok  reachable     http://127.0.0.1:8000/v1 answers in 0.4 ms
!   window        it states 8,192 tokens: 4,090 fit, 4,103 are refused
!!  stop          stop texts are ignored: "abc" did not end a completion
??  slots         the probe failed: no answer within 30s

!   window
    run: ends a branch whose prompt is refused, without a reward: deep branches
         are lost sooner than the settings say
    do:  start the server with the window it states

!!  stop
    run: would take observations that the model makes up for its actions

??  slots

Expect about 17,000 completions an hour at 8 in flight, of 100 tokens written
and 200 read for each.
Do not run on this server before what is marked !! is set right. (44 probes in
2.0 s)
`

func TestText(t *testing.T) {
	r := &Report{
		Verdict: Problem,
		Probes:  44,
		Took:    2 * time.Second,
		Checks: []Check{
			{Name: Reachable, Verdict: OK, Seen: "http://127.0.0.1:8000/v1 answers in 0.4 ms"},
			{
				Name:    Window,
				Verdict: Warning,
				Seen:    "it states 8,192 tokens: 4,090 fit, 4,103 are refused",
				Run: "ends a branch whose prompt is refused, without a reward: deep branches are lost sooner " +
					"than the settings say",
				Do: "start the server with the window it states",
			},
			{Name: Stop, Verdict: Problem, Seen: `stop texts are ignored: "abc" did not end a completion`,
				Run: "would take observations that the model makes up for its actions"},
			{Name: Slots, Verdict: Unknown, Seen: "the probe failed: no answer within 30s"},
		},
		Estimate: &Estimate{CompletionsPerHour: 17482, InFlight: 8, TokensWritten: 100, TokensRead: 200},
	}

	var b strings.Builder
	for _, c := range r.Checks {
		if err := WriteCheck(&b, c); err != nil {
			t.Fatal(err)
		}
	}

	if err := r.WriteFindings(&b, OK); err != nil {
		t.Fatal(err)
	}

	if b.String() != report {
		t.Errorf("%s", b.String())
	}
}
