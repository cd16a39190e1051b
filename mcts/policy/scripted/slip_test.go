package scripted

import (
	"fmt"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
)

// always returns a profile that makes one mistake whenever it is possible.
func always(set func(*Rates)) Profile {
	p := Profile{Name: "always", ReadsNotices: true, Patience: 3}
	set(&p.Rates)
	return p
}

// walk returns the history of the reader after n turns.
func walk(t *testing.T, version string, n int) envs.History {
	t.Helper()

	w, p, h := newWorld(version), New(profile(t, "reader"), plans), ask(openQuestion)
	for range n {
		h = w.act(h, propose(t, p, mcts.Request{History: h, N: 1, Greedy: true})[0].Text)
	}
	return h
}

func TestSlips(t *testing.T) {
	right := func(h envs.History) string {
		return propose(t, New(profile(t, "reader"), plans),
			mcts.Request{History: h, N: 1, Greedy: true})[0].Text
	}
	afterPlain := func(n int) envs.History { return walk(t, "p_c", n) }

	drift := func(n int) envs.History { return walk(t, "p_s_in", n) }
	for _, c := range []struct {
		name string
		set  func(*Rates)
		h    envs.History
		want func(text string) bool
	}{
		{"another column", func(r *Rates) { r.Column = 1 }, afterPlain(2), func(s string) bool {
			return strings.Contains(s, "Action: GetValue\n") && !strings.Contains(s, `"Open"`)
		}},
		{"another column under the new name", func(r *Rates) { r.Column = 1 }, drift(4), func(s string) bool {
			return strings.Contains(s, "Action: Apply_Database_Filters\n") &&
				(!strings.Contains(s, `"Date=`) || !strings.Contains(s, `"Open>`)) &&
				strings.Contains(s, `"condition2"`)
		}},
		{"another digit in code", func(r *Rates) { r.Arithmetic = 1 }, afterPlain(3), func(s string) bool {
			return strings.Contains(s, "print(x)") && !strings.Contains(s, "122.25")
		}},
		{"another digit in the answer", func(r *Rates) { r.Arithmetic = 1 }, afterPlain(4), func(s string) bool {
			return strings.Contains(s, "Action: Finish\n") && !strings.Contains(s, "122.25")
		}},
		{"early answer", func(r *Rates) { r.EarlyAnswer = 1 }, afterPlain(2), func(s string) bool {
			return strings.HasSuffix(s, "Action: Finish\nAction Input: {\"answer\": \"1\"}")
		}},
		{"early answer without a number", func(r *Rates) { r.EarlyAnswer = 1 }, afterPlain(1), func(s string) bool {
			return strings.HasSuffix(s, "Action: Finish\nAction Input: {\"answer\": \"unknown\"}")
		}},
		{"given up", func(r *Rates) { r.GiveUp = 1 }, afterPlain(2), func(s string) bool {
			return strings.HasSuffix(s, "Action: Finish\nAction Input: {\"answer\": \"unknown\"}")
		}},
		{"malformed", func(r *Rates) { r.Malformed = 1 }, afterPlain(0), func(s string) bool {
			_, err := action.ReAct{}.ParseStrict(s)
			return err != nil && strings.Contains(s, "Action: LoadDB\nAction Input: {")
		}},
		{"no action", func(r *Rates) { r.NoAction = 1 }, afterPlain(0), func(s string) bool {
			return !strings.Contains(s, "\nAction:") && strings.Contains(s, "\nAction Input:")
		}},
		{"old parameters", func(r *Rates) { r.OldParams = 1 }, drift(1), func(s string) bool {
			return strings.HasSuffix(s, "Action: InitializeDatabase\nAction Input: {\"DBName\": \"coffee\"}")
		}},
		{"notice ignored", func(r *Rates) { r.IgnoreNotice = 1 }, drift(1), func(s string) bool {
			return strings.HasSuffix(s, "Action: LoadDB\nAction Input: {\"DBName\": \"coffee\"}")
		}},
		{"update forgotten", func(r *Rates) { r.ForgetUpdate = 1 }, drift(2), func(s string) bool {
			return strings.Contains(s, "Action: FilterDB\n")
		}},
		{"update repeated", func(r *Rates) { r.RepeatUpdate = 1 }, drift(3), func(s string) bool {
			return strings.Contains(s, "Action: UpdateTool\n")
		}},
		{"extra call", func(r *Rates) { r.ExtraCall = 1 }, afterPlain(2), func(s string) bool {
			return strings.Contains(s, "Action: FilterDB\n")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want(right(c.h)) {
				t.Fatalf("the right move looks like the mistake:\n%s", right(c.h))
			}

			p := New(always(c.set), plans)
			steady := profile(t, "reader")
			steady.Rephrase = 0

			for seed := range uint64(30) {
				r := mcts.Request{History: c.h, N: 1, Seed: seed}

				got := propose(t, p, r)[0]
				if !c.want(got.Text) {
					t.Fatalf("seed %d wrote\n%s", seed, got.Text)
				}

				if good := propose(t, New(steady, plans), r)[0]; got.LogProb >= good.LogProb {
					t.Errorf("log-probability %v of a mistake, %v of the right move", got.LogProb, good.LogProb)
				}
			}
		})
	}
}

// Mistakes that are not possible leave the right move as it is.
// Another codec changes the text of what is done, and nothing else.
func TestSlipsInFunctionCalls(t *testing.T) {
	noisy := profile(t, "noisy")
	noisy.Rates.Malformed, noisy.Rates.NoAction = 0.2, 0.2
	calls := noisy
	calls.Codec = action.FunctionCall{}

	unread := 0

	for seed := range uint64(20) {
		w := newWorld("p_s_in")
		react := solve(t, New(noisy, plans), w, openQuestion, seed, false).Turns()
		w.codec = calls.Codec

		for i, turn := range solve(t, New(calls, plans), w, openQuestion, seed, false).Turns() {
			if turn.Outcome != react[i].Outcome || turn.Call.Name != react[i].Call.Name {
				t.Errorf("seed %d: %q is %s, %q is %s", seed, turn.Action, turn.Outcome, react[i].Action,
					react[i].Outcome)
			}

			if turn.Outcome == envs.Malformed {
				unread++
			} else if calls.Codec.Thought(string(turn.Action)) != (action.ReAct{}).Thought(string(react[i].Action)) {
				t.Errorf("seed %d: the thoughts of %q and %q", seed, turn.Action, react[i].Action)
			}
		}
	}

	if unread < 10 {
		t.Errorf("%d texts could not be read: too few to show anything", unread)
	}
}

func TestImpossibleSlips(t *testing.T) {
	strict := newWorld("p_s_in")
	strict.refuse = map[string]string{envs.UpdateTool: "Tool update failed."}

	refused := strict.act(walk(t, "p_s_in", 2), "Thought: x\nAction: UpdateTool\nAction Input: "+
		"{\"newtool_desc\": \"x\"}")
	for name, c := range map[string]struct {
		set func(*Rates)
		h   envs.History
	}{
		"no column listed":   {func(r *Rates) { r.Column = 1 }, ask(openQuestion)},
		"nothing to compute": {func(r *Rates) { r.Arithmetic = 1 }, ask(openQuestion)},
		"nothing seen yet":   {func(r *Rates) { r.EarlyAnswer = 1 }, ask(openQuestion)},
		"nothing deprecated": {func(r *Rates) { r.OldParams, r.IgnoreNotice = 1, 1 }, walk(t, "p_c", 2)},
		"no update due":      {func(r *Rates) { r.ForgetUpdate, r.RepeatUpdate = 1, 1 }, walk(t, "p_c", 2)},
		"nothing to repeat":  {func(r *Rates) { r.ExtraCall = 1 }, ask(openQuestion)},
		"giving up":          {func(r *Rates) { *r = Rates{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1} }, ask(strangeRequest)},
		"two notices in a row": {func(r *Rates) { r.IgnoreNotice = 1 },
			newWorld("p_s_in").act(walk(t, "p_s_in", 1), "Thought: x\nAction: LoadDB\nAction Input: {\"DBName\": "+
				"\"coffee\"}")},
		"repeated once already": {func(r *Rates) { r.ExtraCall = 1 },
			newWorld("p_c").act(walk(t, "p_c", 1), "Thought: x\nAction: LoadDB\nAction Input: {\"DBName\": "+
				"\"coffee\"}")},
		"the last was an error": {func(r *Rates) { r.ExtraCall = 1 },
			newWorld("p_c").act(walk(t, "p_c", 1), "no action")},
		"the last update failed": {func(r *Rates) { r.RepeatUpdate = 1 }, refused},
	} {
		r := mcts.Request{History: c.h, N: 1, Seed: 11}
		reader := profile(t, "reader")
		reader.Rephrase = 0

		got, want := propose(t, New(always(c.set), plans), r)[0].Text,
			propose(t, New(reader, plans), r)[0].Text
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// An extra call brings the plan no further, so the task still comes out right.
func TestExtraCallsAndRepeatedUpdatesAreHarmless(t *testing.T) {
	p := New(always(func(r *Rates) { r.ExtraCall, r.RepeatUpdate = 0.6, 0.4 }), plans)

	for _, version := range []string{"p_c", "p_s_in"} {
		extra := false

		for seed := range uint64(30) {
			h := solve(t, p, newWorld(version), openQuestion, seed, false)
			if h.Len() < 20 && outcome(h) != envs.Correct {
				t.Fatalf("%s, seed %d: calls %q", version, seed, called(h))
			}

			extra = extra || strings.Count(strings.Join(called(h), " "), "FilterDB ok") > 1
		}

		if version == "p_c" && !extra {
			t.Error("no extra call in 30 episodes")
		}
	}
}

// Noisy lies between stale, which never succeeds in a drifted version, and reader, which always
// does.
func TestNoisyLiesBetween(t *testing.T) {
	p := New(profile(t, "noisy"), plans)

	for _, version := range []string{"p_c", "p_s_in", "p_s_ood"} {
		w, sampled, greedy := newWorld(version), 0, 0
		recovered, updated := 0, 0

		for i := range 200 {
			h := solve(t, p, w, openQuestion, uint64(i), false)
			if outcome(h) == envs.Correct {
				sampled++

				log := strings.Join(called(h), " ")
				if strings.Contains(log, "deprecated") {
					recovered++
				}

				if strings.Contains(log, envs.UpdateTool+" ok") {
					updated++
				}
			}

			if outcome(solve(t, p, w, fmt.Sprintf("%s (%d)", openQuestion, i), 0, true)) == envs.Correct {
				greedy++
			}
		}

		t.Logf("%s: of 200 sampled %d, greedy %d", version, sampled, greedy)

		if sampled < 40 || sampled > 180 || greedy < 80 || greedy > 190 {
			t.Errorf("%s: of 200 sampled %d, greedy %d are correct", version, sampled, greedy)
		}

		if version != "p_c" && (recovered != sampled || updated < sampled/2) {
			t.Errorf("%s: %d correct, %d recovered from a notice, %d described a tool", version, sampled, recovered,
				updated)
		}
	}
}

func TestWrongDigit(t *testing.T) {
	for text, want := range map[string]bool{"x1 = y_2": false, "bullish": false, "": false, "a = 12.5": true,
		"-0.0%": true, "2003-02-14": true} {
		for seed := range uint64(50) {
			d := newDice(seed)

			got := wrongDigit(text, &d)
			if (got != "") != want || got == text && want || want && len(got) != len(text) {
				t.Fatalf("wrongDigit(%q) = %q", text, got)
			}
		}
	}

	if got := wrongAggregate("SELECT MAX(High) - MIN(Low) FROM t"); got != "SELECT MIN(High) - MIN(Low) FROM t" {
		t.Errorf("aggregate: %s", got)
	}
}
