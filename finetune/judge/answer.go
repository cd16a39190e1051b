package judge

import (
	"fmt"

	"toolevo/envs/toolbench/answers"
	"toolevo/finetune"
	"toolevo/finetune/facts"
)

// Answer is what an agent did about a query, or did not do.
type Answer struct {
	Agent    finetune.Contender // API is "" of published answers
	Group    string             // e.g. "G1_instruction"
	ID       string             // of the query, unique in its group
	Exposure string             // "exposed" to published drift or "unexposed"; "" where nobody knows

	Folder string    // of the evaluation that has the episode; "" of published answers
	Key    facts.Key // which episode it is

	Given *answers.Answer // nil: there is none
	Lost  bool            // to an infrastructure failure, or nobody can read it

	// Conduct is what was done in an episode of ours, nil of published answers; Right is what the
	// rule says of it.
	Conduct *Conduct
	Right   bool
}

// String returns who answered what.
func (a *Answer) String() string { return fmt.Sprintf("%s, %s-%s", a.Agent, a.Group, a.ID) }

// Said returns the final answer; "" where there is none, or the agent gave up.
func (a *Answer) Said() string {
	if a.Given == nil {
		return ""
	}

	if o := a.Given.Outcome(); !o.GaveUp {
		return o.Text
	}
	return ""
}

// plain returns the status of an answer that takes no judge.
func (a *Answer) plain() (s Status, ok bool) {
	if a.Said() == "" || !a.Given.Outcome().Finished {
		return Unsolved, true
	}
	return Lost, false
}
