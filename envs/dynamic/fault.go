package dynamic

import (
	"context"
	"maps"

	"toolevo/envs"
	"toolevo/envs/silent"
	"toolevo/envs/toolapi"
)

// passing is what a state knows about faults that pass: how often each tool was called on its path,
// and what the tools remembered before they last changed something. Time only passes in calls, so
// equal paths meet equal faults.
type passing[S any] struct {
	calls   map[string]int // nil if the version has no faults; never changed
	changed bool           // by some call
	before  S              // zero until then
}

// latestFirst is before how many calls a fault may begin.
const latestFirst = 2

// sameFaults reports whether states meet the same faults from here on.
func (e *Environment[S]) sameFaults(a, b passing[S]) bool {
	return maps.Equal(a.calls, b.calls) && a.changed == b.changed && (!a.changed || e.same(a.before, b.before))
}

// faultOf returns the fault that the next call of a tool meets, or nil. Calls without a task meet
// none: nobody counts them, so no fault would pass.
func (e *Environment[S]) faultOf(s *state[S], tool string) *toolapi.Fault {
	task := s.history.Task().ID

	for i := range e.deployed.Faults {
		f := &e.deployed.Faults[i]
		if !f.IsAbout(tool) || envs.IsSystem(tool) || task == "" {
			continue
		}

		r := envs.Random(uint64(i), e.deployed.Name+"\x00"+tool+"\x00"+task)
		meets, first := r.Float64() < f.Share, r.IntN(latestFirst)

		if n := s.passing.calls[tool]; meets && n >= first && n < first+f.Calls {
			return f
		}
	}
	return nil
}

// after returns what a state knows about faults once a tool was called, and the tools have a new
// session.
func (e *Environment[S]) after(s *state[S], tool string, session S) passing[S] {
	if len(e.deployed.Faults) == 0 {
		return s.passing
	}

	next := s.passing
	next.calls = maps.Clone(s.passing.calls)

	if next.calls == nil {
		next.calls = map[string]int{}
	}

	next.calls[tool]++

	if !e.same(s.session, session) {
		next.changed, next.before = true, s.session
	}
	return next
}

// run runs a deployed tool as its version does, whose answer may differ from the tool's own or be
// missing.
func (e *Environment[S]) run(
	ctx context.Context, from *state[S], known *entry[S], call envs.Call, args envs.Args,
) (answer[S], error) {
	fault := e.faultOf(from, known.tool)
	if fault != nil && fault.Kind.Text() != "" {
		// The tool is not run, so that a call that fails changes nothing.
		return from.unchanged(envs.Unavailable, fault.Kind.Text()), nil
	}

	ans, err := e.runTool(ctx, from, known, args)
	if err != nil {
		return ans, err
	}

	if fault != nil && ans.result.Outcome == envs.OK {
		is := ans.result.Observation

		ans.result.Observation, err = e.spoilt(ctx, from, known, args, fault.Kind, ans)
		if err != nil {
			return ans, err
		}

		// A fault may leave an answer as it is, and then nothing is to be noted.
		if is != ans.result.Observation {
			ans.notes = append(ans.notes, silent.Passing)
		}
	}

	// Silent changes come last: an answer that a fault spoiled is still in the tool's own form.
	if len(known.api.Silent) > 0 {
		text, notes := known.api.Silent.Answer(call.Args, ans.result.Observation)
		ans.result.Observation, ans.notes = text, append(ans.notes, notes...)
	}

	return ans, nil
}

// spoilt returns what a tool answers under a fault that does not show, in place of its own answer.
func (e *Environment[S]) spoilt(ctx context.Context, from *state[S], known *entry[S], args envs.Args,
	kind toolapi.FaultKind, ans answer[S]) (string, error) {
	text := ans.result.Observation

	switch {
	case !e.same(from.session, ans.session): // to call it again would do it again
		return text, nil
	case kind == toolapi.HalfAnswer:
		return silent.Half(text), nil
	case !from.passing.changed:
		return text, nil
	}

	old := *from
	old.session = from.passing.before

	stale, err := e.runTool(ctx, &old, known, args)
	if err != nil || stale.result.Outcome != envs.OK {
		return text, err
	}
	return stale.result.Observation, nil
}
