package gate

import (
	"cmp"
	"errors"
	"slices"

	"toolevo/envs/console"
)

// Verdict is the decision of a gate.
type Verdict string

// The verdicts.
const (
	Red        Verdict = "red"
	Green      Verdict = "green"
	Undecided  Verdict = "undecided"
	Unmeasured Verdict = "unmeasured"
)

// State is how a task fared.
type State string

// The states, in the order of reports.
const (
	Lost   State = "lost"
	Failed State = "failed" // no verdict under one of the versions
	Won    State = "won"
	Same   State = "same"
	Equal  State = "equal" // by construction
)

// Report is what a gate found.
type Report struct {
	Verdict Verdict `json:"verdict"` // red, green, undecided or unmeasured
	Passed  bool    `json:"passed"`  // the release may go out
	Because string  `json:"because"` // the reason of the verdict, and what to do
	Current string  `json:"current"` // the name of the version
	Next    string  `json:"next"`    // likewise

	Limit  float64 `json:"limit"`            // the loss that is too much
	Loss   float64 `json:"loss"`             // a share of the tasks
	Low    float64 `json:"low"`              // lower end of its 95 % interval
	High   float64 `json:"high"`             // upper end
	N      int     `json:"n"`                // tasks of the loss: all but those that failed
	Needed int     `json:"needed,omitempty"` // tasks like these that would decide, if any

	States  map[State]int `json:"states"`  // how many tasks are in each
	Changes []Cost        `json:"changes"` // the costliest first
	Tasks   []Result      `json:"tasks"`   // by ID
}

// Cost is a change and the tasks that it cost.
type Cost struct {
	Change           // the one without a tool is for tasks that used no changed tool
	Users   int      `json:"users"`             // tasks that used the tool
	Lost    []string `json:"lost,omitempty"`    // of those
	Won     []string `json:"won,omitempty"`     // of those
	New     bool     `json:"new,omitempty"`     // the current version has no such tool
	Unused  bool     `json:"unused,omitempty"`  // no task used the tool, which it has
	Allowed bool     `json:"allowed,omitempty"` // and that is allowed
}

// Result is a task and what became of it.
type Result struct {
	ID      string   `json:"id"`                // of the task
	State   State    `json:"state"`             // lost, failed, won, same or equal
	Current Score    `json:"current"`           // under the current version
	Next    Score    `json:"next"`              // that of Current if equal by construction
	Tools   []string `json:"tools,omitempty"`   // changed ones that it used
	Calls   []string `json:"calls,omitempty"`   // of those, under the current version
	Answers []string `json:"answers,omitempty"` // wrong ones under the next version
	Failure string   `json:"failure,omitempty"` // the first
	Judge   string   `json:"judge,omitempty"`   // the language model that judged it, if one did
}

// Err returns the error that ends the program after a report that does not pass.
func (r *Report) Err() error {
	switch {
	case r.Passed:
		return nil
	case r.Verdict == Unmeasured:
		return console.GaveUp(errors.New(r.Because))
	}

	return console.Bad("%s: %s", r.Verdict, r.Because)
}

// results returns the tasks of an input and how each fared.
func (in *Input) results() []Result {
	all := make([]Result, len(in.Tasks))

	for i := range in.Tasks {
		t := &in.Tasks[i]
		r := Result{ID: t.ID, Tools: in.toolsOf(t), Judge: t.Judge}
		r.Current, r.Next = t.scores()
		r.State = stateOf(t.Equal, r.Current, r.Next)

		for _, tool := range r.Tools {
			r.Calls = append(r.Calls, t.Calls[tool]...)
		}

		for _, try := range slices.Concat(t.Current, t.Next) {
			r.Failure = cmp.Or(r.Failure, try.Failure)
		}

		for _, try := range t.Next {
			if !try.Right && try.Failure == "" {
				r.Answers = append(r.Answers, try.Answer)
			}
		}

		all[i] = r
	}

	slices.SortFunc(all, func(a, b Result) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func stateOf(equal bool, current, next Score) State {
	was, is := current.seen(), next.seen()
	before, after := was.Successes*is.Trials, is.Successes*was.Trials

	switch {
	case was.Trials == 0 || is.Trials == 0:
		return Failed
	case equal:
		return Equal
	case after < before:
		return Lost
	case after > before:
		return Won
	}

	return Same
}

// costs returns the changes of an input and what each of them cost.
func (in *Input) costs(results []Result, allowed []string) []Cost {
	all := []Cost{}

	for _, c := range in.Changes {
		cost := costOf(c, results, func(r Result) bool { return slices.Contains(r.Tools, c.Tool) })
		cost.New = !slices.Contains(in.Current.Tools, c.Tool)
		cost.Unused = cost.Users == 0 && !cost.New
		cost.Allowed = cost.Unused && slices.Contains(allowed, c.Tool)
		all = append(all, cost)
	}

	// The policy may act differently without a changed tool: by chance, or by what it was shown.
	other := costOf(Change{}, results, func(r Result) bool {
		return len(r.Tools) == 0 && r.State != Equal
	})
	if len(other.Lost)+len(other.Won) > 0 {
		all = append(all, other)
	}

	slices.SortFunc(all, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(len(b.Lost), len(a.Lost)), cmp.Compare(a.Tool, b.Tool),
			cmp.Compare(a.By, b.By), cmp.Compare(a.What, b.What))
	})
	return all
}

func costOf(c Change, results []Result, used func(Result) bool) Cost {
	cost := Cost{Change: c}

	for _, r := range results {
		if !used(r) {
			continue
		}

		cost.Users++

		switch r.State {
		case Lost:
			cost.Lost = append(cost.Lost, r.ID)
		case Won:
			cost.Won = append(cost.Won, r.ID)
		}
	}

	return cost
}
