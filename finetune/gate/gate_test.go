package gate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolevo/envs/console"
	"toolevo/finetune/gate"
)

// changed is an input of two versions with one changed tool, move. Of the tasks that used it some
// were lost, some won, and for some nothing changed; those that are equal used another tool.
func changed(lost, won, same, equal int) gate.Input {
	in := gate.Input{
		Current: gate.Version{Name: "1.0", Tools: []string{"move", "list"}},
		Next:    gate.Version{Name: "2.0", Tools: []string{"move", "list"}},
		Changes: []gate.Change{{Tool: "move", By: "rename-parameter", What: "to is now target"}},
	}

	for i := range lost + won + same {
		id := fmt.Sprintf("task-%03d", i)
		in.Tasks = append(in.Tasks, used(id, i < lost || i >= lost+won, i >= lost))
	}

	for i := range equal {
		in.Tasks = append(in.Tasks, gate.Task{
			ID:      fmt.Sprintf("equal-%03d", i),
			Calls:   map[string][]string{"list": {"list()"}},
			Equal:   true,
			Current: []gate.Try{{Right: true}},
		})
	}

	return in
}

// used is a task that used move once under each version.
func used(id string, current, next bool) gate.Task {
	return gate.Task{
		ID: id, Calls: map[string][]string{"move": {`move({"to": 3})`}},
		Current: []gate.Try{{Right: current}}, Next: []gate.Try{{Right: next}},
	}
}

var down = gate.Try{Failure: "connection refused"}

// Whatever the verdict, its reason says what to do, and the error has the kind that makes the exit
// code.
func TestVerdicts(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		in      func() gate.Input
		o       gate.Options
		verdict gate.Verdict
		because string
		kind    console.Kind // 0 where the release passes
	}{
		// Clopper and Pearson have 10 of 100 from 4.9 to 17.6, and none up to 3.6; see the test of
		// tabulate.DifferenceOf.
		"lost": {
			in:      func() gate.Input { return changed(10, 0, 50, 40) },
			verdict: gate.Red,
			because: "the loss is 10.0 % of the tasks (95 % interval 3.6 to 17.6), the limit 5 %",
			kind:    console.BadResult,
		},
		// 1 - 0.025^(1/100) = 3.6 %.
		"nothing lost": {
			in:      func() gate.Input { return changed(0, 0, 5, 95) },
			verdict: gate.Green,
			because: "the loss is 0.0 % of the tasks (95 % interval -3.6 to 3.6), the limit 5 %",
		},
		// 1 - 0.025^(1/n) is below 5 % from n = log 0.025 / log 0.95 = 71.9.
		"too few tasks": {
			in:      func() gate.Input { return changed(0, 0, 5, 55) },
			verdict: gate.Undecided,
			because: "about 72 tasks like these would decide",
			kind:    console.BadResult,
		},
		"too few tasks, which passes": {
			in:      func() gate.Input { return changed(0, 0, 5, 55) },
			verdict: gate.Undecided,
			o:       gate.Options{PassUndecided: true},
			because: "about 72 tasks like these would decide",
		},
		"red does not pass with it": {
			in:      func() gate.Input { return changed(10, 0, 50, 40) },
			verdict: gate.Red,
			o:       gate.Options{PassUndecided: true},
			because: "the loss is",
			kind:    console.BadResult,
		},
		// 4.9 of 100 lost: the upper end is above 5 % for very long.
		"at the limit": {
			in:      func() gate.Input { return changed(49, 0, 951, 0) },
			verdict: gate.Undecided,
			because: "not even 10000 tasks like these would decide",
			kind:    console.BadResult,
		},
		// 50 of 1000 are the limit itself.
		"lost up to the limit": {
			in:      func() gate.Input { return changed(50, 0, 950, 0) },
			verdict: gate.Red,
			because: "the loss is 5.0 %",
			kind:    console.BadResult,
		},
		// As many are won: the loss is 0, and of 1000 tasks it is known well enough.
		"as many won": {
			in:      func() gate.Input { return changed(10, 10, 80, 900) },
			verdict: gate.Green,
			because: "the loss is 0.0 %",
		},
		// It is above 0 for sure, and less than the limit.
		"few lost of many": {
			in:      func() gate.Input { return changed(30, 0, 470, 500) },
			verdict: gate.Green,
			because: "the loss is 3.0 % of the tasks (95 % interval 2.0 to 4.3)",
		},
		"nothing that is used changed": {
			in: func() gate.Input {
				in := changed(0, 0, 0, 3)
				in.Changes = nil
				return in
			},
			verdict: gate.Green,
			because: "nothing that the tasks use changed",
		},
		"tools are added": {
			in: func() gate.Input {
				in := changed(0, 0, 0, 3)
				in.Changes = []gate.Change{{Tool: "copy", By: "add-tool"}}
				in.Next.Tools = append(in.Next.Tools, "copy")
				return in
			},
			verdict: gate.Green,
			because: "nothing that the tasks use changed",
		},
		"no task uses what changed": {
			in:      func() gate.Input { return changed(0, 0, 0, 200) },
			verdict: gate.Red,
			because: "no task uses move, which changed: add tasks that do, or allow that by name",
			kind:    console.BadResult,
		},
		"no task has to use it": {
			in:      func() gate.Input { return changed(0, 0, 0, 3) },
			o:       gate.Options{Allowed: []string{"move"}},
			verdict: gate.Green,
			because: "nothing that the tasks use changed",
		},
		"no tool is left": {
			in: func() gate.Input {
				in := changed(0, 0, 5, 95)
				in.Next.Tools = nil
				return in
			},
			verdict: gate.Red,
			because: "2.0 has no tools",
			kind:    console.BadResult,
		},
		"no tool was there": {
			in: func() gate.Input {
				in := changed(0, 0, 5, 95)
				in.Current.Tools = nil
				return in
			},
			verdict: gate.Red,
			because: "1.0 has no tools",
			kind:    console.BadResult,
		},
		"no tasks": {
			in: func() gate.Input {
				in := changed(0, 0, 0, 0)
				in.Changes = nil
				return in
			},
			verdict: gate.Red,
			because: "there are no tasks",
			kind:    console.BadResult,
		},
		"the service is down": {
			in: func() gate.Input {
				in := changed(0, 0, 3, 0)
				for i := range in.Tasks {
					in.Tasks[i] = gate.Task{ID: in.Tasks[i].ID, Current: []gate.Try{down}}
				}
				return in
			},
			verdict: gate.Unmeasured,
			kind:    console.Infrastructure,
			because: "tries of 3 of 3 tasks failed (connection refused), which could turn the " +
				"verdict: play the tasks again",
		},
		"the next service is down": {
			in:      func() gate.Input { return failing(changed(0, 0, 100, 0), 100) },
			verdict: gate.Unmeasured,
			because: "tries of 100 of 100 tasks failed",
			kind:    console.Infrastructure,
		},
		// 4 of 40 are lost. If all that failed were lost, too, it would be red, and else undecided.
		"a service is flaky": {
			in:      func() gate.Input { return failing(changed(4, 0, 56, 0), 20) },
			verdict: gate.Unmeasured,
			because: "tries of 20 of 60 tasks failed",
			kind:    console.Infrastructure,
		},
		// 8 of 20 would be red, but the 20 that failed were wrong before, and may all be won.
		"what failed may be won": {
			in:      func() gate.Input { return failing(changed(8, 12, 0, 0), 12) },
			verdict: gate.Unmeasured,
			because: "tries of 12 of 20 tasks failed",
			kind:    console.Infrastructure,
		},
		// What failed may have used the tool that nothing else did.
		"nobody knows what is used": {
			in: func() gate.Input {
				in := changed(0, 0, 0, 300)
				in.Tasks[0].Current = append(in.Tasks[0].Current, down)
				return in
			},
			verdict: gate.Unmeasured,
			because: "tries of 1 of 300 tasks failed",
			kind:    console.Infrastructure,
		},
		"one failure does not matter, red": {
			in:      func() gate.Input { return failing(changed(20, 0, 40, 0), 1) },
			verdict: gate.Red,
			because: "the loss is",
			kind:    console.BadResult,
		},
		"one failure does not matter, green": {
			in:      func() gate.Input { return failing(changed(0, 0, 100, 100), 1) },
			verdict: gate.Green,
			because: "the loss is",
		},
		"one failure under the current version does not matter": {
			in: func() gate.Input {
				in := changed(0, 0, 100, 300)
				in.Tasks[0].Current = append(in.Tasks[0].Current, down)
				return in
			},
			verdict: gate.Green,
			because: "the loss is",
		},
		// Undecided as well, but what failed comes before more tasks.
		"too few tasks, and a failure": {
			in:      func() gate.Input { return failing(changed(0, 0, 20, 0), 1) },
			verdict: gate.Unmeasured,
			because: "tries of 1 of 20 tasks failed",
			kind:    console.Infrastructure,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if test.o.Limit == 0 {
				test.o.Limit = 0.05
			}

			r := judge(t, test.in(), test.o)
			if r.Verdict != test.verdict || !strings.Contains(r.Because, test.because) {
				t.Errorf("%s: %s; want %s: %s", r.Verdict, r.Because, test.verdict, test.because)
			}

			if kind := console.KindOf(r.Err()); kind != test.kind || (r.Err() == nil) != r.Passed {
				t.Errorf("error %v of kind %v, passed %v; want kind %v", r.Err(), kind, r.Passed,
					test.kind)
			}
		})
	}
}

// failing has the tries of the last tasks that were played twice fail under the next version.
func failing(in gate.Input, tasks int) gate.Input {
	for i := len(in.Tasks) - 1; i >= 0 && tasks > 0; i-- {
		if !in.Tasks[i].Equal {
			in.Tasks[i].Next = []gate.Try{down}
			tasks--
		}
	}

	return in
}

func judge(t interface {
	Helper()
	Fatal(args ...any)
}, in gate.Input, o gate.Options) *gate.Report {
	t.Helper()

	r, err := gate.Judge(in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Several tries of a task are a share of one: 2 of 4 tries are lost by half of the tasks, which is
// a loss of a quarter, and more certain than that of as many tasks with one try.
func TestSeveralTries(t *testing.T) {
	t.Parallel()

	several := changed(0, 0, 40, 0)
	for i := range several.Tasks {
		several.Tasks[i].Current = slices.Repeat([]gate.Try{{Right: true}}, 4)

		several.Tasks[i].Next = slices.Clone(several.Tasks[i].Current)
		if i%2 == 0 {
			several.Tasks[i].Next[0].Right, several.Tasks[i].Next[1].Right = false, false
		}
	}

	o := gate.Options{Limit: 0.05}

	r, once := judge(t, several, o), judge(t, changed(10, 0, 30, 0), o)
	if math.Abs(r.Loss-0.25) > 1e-9 || r.States[gate.Lost] != 20 {
		t.Errorf("loss %v of %v, want 0.25 of 20 lost tasks", r.Loss, r.States)
	}

	if r.High-r.Low >= once.High-once.Low {
		t.Errorf("[%v, %v], and with one try [%v, %v]", r.Low, r.High, once.Low, once.High)
	}
}

// A task is charged to each change of each tool that it used.
func TestCosts(t *testing.T) {
	t.Parallel()

	in := changed(2, 1, 3, 4)
	in.Current.Tools = append(in.Current.Tools, "drop")
	in.Changes = append(in.Changes,
		gate.Change{Tool: "move", By: "swap-required"},
		gate.Change{Tool: "drop", By: "remove-tool"},
		gate.Change{Tool: "copy", By: "add-tool"})
	in.Tasks[0].Calls["drop"] = []string{"drop()"}
	in.Tasks[3].Calls = nil // played twice for another reason
	in.Tasks[3].Next[0].Right = false

	r := judge(t, in, gate.Options{Limit: 0.05, Allowed: []string{"move"}})

	var got []string
	for _, c := range r.Changes {
		got = append(got, fmt.Sprintf("%s %s %d %v %v %v %v", c.Tool, c.By, c.Users, c.Lost, c.Won,
			c.New, c.Unused))
	}

	want := []string{
		"move rename-parameter 5 [task-000 task-001] [task-002] false false",
		"move swap-required 5 [task-000 task-001] [task-002] false false",
		"  1 [task-003] [] false false",
		"drop remove-tool 1 [task-000] [] false false",
		"copy add-tool 0 [] [] true false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What cannot be meant is refused.
func TestInputsThatMakeNoSense(t *testing.T) {
	t.Parallel()

	type spoiled struct {
		*gate.Input
		*gate.Options
	}

	for want, spoil := range map[string]func(spoiled){
		"two tasks are called":         func(s spoiled) { s.Tasks[1].ID = s.Tasks[0].ID },
		"above 0 and below":            func(s spoiled) { s.Limit = 1 },
		"not played under the current": func(s spoiled) { s.Tasks[0].Current = nil },
		"not played under the next":    func(s spoiled) { s.Tasks[0].Next = nil },
		"was played under the next":    func(s spoiled) { s.Tasks[3].Next = s.Tasks[3].Current },
		`used "move", which changed`:   func(s spoiled) { s.Tasks[3].Calls = s.Tasks[0].Calls },
		"‹loss›: want a share":         func(s spoiled) { s.Limit = 0 },
		"above 0 and below 1":          func(s spoiled) { s.Limit = math.NaN() },
	} {
		in, o := changed(1, 1, 1, 1), gate.Options{Limit: 0.05}
		spoil(spoiled{&in, &o})

		if _, err := gate.Judge(in, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// drawn is a random input, of tasks with one try.
func drawn(t *rapid.T) gate.Input {
	count := rapid.IntRange(0, 60)
	lost, won := count.Draw(t, "lost"), count.Draw(t, "won")
	in := changed(lost, won, count.Draw(t, "same"), count.Draw(t, "equal"))

	in.Current.Tools = append(in.Current.Tools, "drop")
	in.Changes = append(in.Changes, gate.Change{Tool: "drop", By: "remove-tool"})

	if in.Tasks != nil && !in.Tasks[0].Equal {
		in.Tasks[0].Calls["drop"] = []string{"drop()"}
	}

	for i := range min(len(in.Tasks), rapid.IntRange(0, 5).Draw(t, "failed")) {
		if !in.Tasks[i].Equal {
			in.Tasks[i].Next = []gate.Try{down}
		}
	}

	return in
}

func TestProperties(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		in := drawn(t)
		limit := rapid.SampledFrom([]float64{0.01, 0.05, 0.2}).Draw(t, "limit")
		o := gate.Options{Limit: limit, Allowed: []string{"move", "drop"}}
		r := judge(t, in, o)

		mixed := in
		mixed.Tasks = rapid.Permutation(in.Tasks).Draw(t, "tasks")
		mixed.Changes = rapid.Permutation(in.Changes).Draw(t, "changes")

		if other := judge(t, mixed, o); fmt.Sprint(*other) != fmt.Sprint(*r) {
			t.Errorf("%+v, and in another order %+v", r, other)
		}

		more := in
		more.Tasks = append(slices.Clip(in.Tasks), used("another", true, false))

		isRed := r.Verdict == gate.Red && len(in.Tasks) > 0
		if worse := judge(t, more, o); isRed && worse.Verdict != gate.Red {
			t.Errorf("%s, with another lost task %s: %s", r.Because, worse.Verdict, worse.Because)
		}

		// What failed may have been anything.
		settled := in
		settled.Tasks = slices.Clone(in.Tasks)

		for i := range settled.Tasks {
			if next := settled.Tasks[i].Next; len(next) > 0 && next[0].Failure != "" {
				settled.Tasks[i].Next = []gate.Try{{Right: rapid.Bool().Draw(t, "right")}}
			}
		}

		after := judge(t, settled, o)
		if r.Verdict != gate.Unmeasured && after.Verdict != r.Verdict {
			t.Errorf("%s: %s; played again %s: %s", r.Verdict, r.Because, after.Verdict,
				after.Because)
		}
	})
}
