package gate

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"toolevo/envs/display"
	"toolevo/finetune/tabulate"
)

// MostNeeded is the largest number of tasks that a report asks for.
const MostNeeded = 10_000

// Judge compares the tasks of two versions.
func Judge(in Input, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}

	// The interval rests on the tasks being distinct and really played: a wrong input would give a
	// verdict all the same.
	if err := in.check(); err != nil {
		return nil, err
	}

	results := in.results()
	r := &Report{
		Current: in.Current.Name,
		Next:    in.Next.Name,
		Limit:   o.Limit,
		States:  map[State]int{},
		Changes: in.costs(results, o.Allowed),
		Tasks:   results,
	}

	for _, t := range r.Tasks {
		r.States[t.State]++
	}

	// Failed tries count for neither version: the failure was a service's, not the policy's.
	loss := r.difference(Score.seen, Score.seen)
	r.Loss, r.Low, r.High, r.N = loss.Share, loss.Low, loss.High, loss.Questions

	r.decide(&in, loss)

	// PassUndecided forgives too few tasks, never what could not be measured.
	r.Passed = r.Verdict == Green || r.Verdict == Undecided && o.PassUndecided
	return r, nil
}

// difference returns the loss, with the tries of tasks counted as two functions say.
func (r *Report) difference(current, next func(Score) tabulate.Cluster) tabulate.Difference {
	all := make([]tabulate.Both, len(r.Tasks))
	for i, t := range r.Tasks {
		all[i] = tabulate.Both{First: current(t.Current), Second: next(t.Next)}
	}
	return tabulate.DifferenceOf(all)
}

// decide gives the report its verdict. The loss comes before what is missing, except where there is
// nothing to measure.
func (r *Report) decide(in *Input, loss tabulate.Difference) {
	// With failed tries the loss alone decides nothing: the verdict must hold whatever they had
	// shown.
	failed, verdict := r.failed(), judged(loss, r.Limit)
	if failed != "" {
		verdict = r.despiteFailures()
	}

	unused := r.unused()

	switch {
	case len(in.Current.Tools) == 0:
		r.say(Red, "%s has no tools: look at where its list comes from", r.Current)
	case len(in.Next.Tools) == 0:
		r.say(Red, "%s has no tools: look at where its list comes from", r.Next)
	case len(r.Tasks) == 0:
		r.say(Red, "there are no tasks: nothing was measured")
	// A loss that is large enough is red whatever else is unknown: it would only come on top.
	case verdict == Red:
		r.say(Red, "%s", r.lossInWords())
	// A try that failed may have used the tool: nobody can say yet that no task does.
	case unused != "" && r.unknownUse(), verdict == Unmeasured:
		r.say(Unmeasured, "%s, which could turn the verdict: play the tasks again", failed)
	case unused != "":
		r.say(Red, "no task uses %s, which changed: add tasks that do, or allow that by name",
			unused)
	// Before the verdict by the loss: with few tasks the interval alone would leave this undecided.
	case r.States[Equal] == len(r.Tasks):
		r.say(Green, "nothing that the tasks use changed: %s", r.lossInWords())
	case verdict == Green:
		r.say(Green, "%s", r.lossInWords())
	default:
		r.Needed = needed(loss, r.Limit)
		r.say(Undecided, "%s: %s", r.lossInWords(), r.neededInWords())
	}
}

func (r *Report) say(v Verdict, format string, args ...any) {
	r.Verdict, r.Because = v, fmt.Sprintf(format, args...)
}

// judged returns the verdict by the loss alone.
func judged(loss tabulate.Difference, limit float64) Verdict {
	const rounding = 1e-9 // 5 of 100 tasks are a loss of 0.05

	switch {
	case loss.Low > rounding && loss.Share >= limit-rounding:
		return Red
	case loss.High < limit-rounding:
		return Green
	}

	return Undecided
}

// despiteFailures returns the verdict by the loss if it holds whatever the failed tries had shown.
// Where more tasks would be needed anyway, the failed ones come first.
func (r *Report) despiteFailures() Verdict {
	as := func(right bool) func(Score) tabulate.Cluster {
		return func(s Score) tabulate.Cluster { return s.had(right) }
	}
	best, worst := r.difference(as(false), as(true)), r.difference(as(true), as(false))

	if v := judged(best, r.Limit); v == judged(worst, r.Limit) && v != Undecided {
		return v
	}
	return Unmeasured
}

// widthOfFailure is how much of an error a reason shows.
const widthOfFailure = 120

// failed says what failed, "" if nothing did.
func (r *Report) failed() string {
	tasks, first := 0, ""

	for _, t := range r.Tasks {
		if t.Current.Failed+t.Next.Failed == 0 {
			continue
		}

		tasks++

		if first == "" {
			first = t.Failure
		}
	}

	if tasks == 0 {
		return ""
	}
	return fmt.Sprintf("tries of %d of %d tasks failed (%s)", tasks, len(r.Tasks),
		display.Line(first, widthOfFailure))
}

// unused returns the changed tools that no task used and nobody allowed.
func (r *Report) unused() string {
	var tools []string

	for _, c := range r.Changes {
		if c.Unused && !c.Allowed && !slices.Contains(tools, c.Tool) {
			tools = append(tools, c.Tool)
		}
	}

	return firstFew(tools)
}

// unknownUse reports whether a try under the current version failed, which may have used any tool.
func (r *Report) unknownUse() bool {
	return slices.ContainsFunc(r.Tasks, func(t Result) bool { return t.Current.Failed > 0 })
}

// lossInWords returns the loss with its interval and the limit, in percent.
func (r *Report) lossInWords() string {
	loss := fmt.Sprintf("the loss is %.1f %% of the tasks", 100*r.Loss)
	interval := fmt.Sprintf("95 %% interval %.1f to %.1f", 100*r.Low, 100*r.High)
	return fmt.Sprintf("%s (%s), the limit %.4g %%", loss, interval, 100*r.Limit)
}

// needed returns how many tasks would decide if the rates stayed the same; 0 is more than
// MostNeeded.
func needed(loss tabulate.Difference, limit float64) int {
	n := sort.Search(MostNeeded+1, func(n int) bool {
		return judged(loss.Of(n), limit) != Undecided
	})
	if n > MostNeeded {
		return 0
	}

	return n
}

// neededInWords gives two digits of the number: it comes from rates that are themselves estimates.
func (r *Report) neededInWords() string {
	if r.Needed == 0 {
		return fmt.Sprintf("not even %d tasks like these would decide", MostNeeded)
	}

	n := float64(r.Needed)
	unit := math.Pow(10, max(0, math.Floor(math.Log10(n))-1))
	return fmt.Sprintf("about %.0f tasks like these would decide", unit*math.Ceil(n/unit))
}
