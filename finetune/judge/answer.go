package judge

import (
	"fmt"

	"toolevo/envs/toolbench/answers"
	"toolevo/finetune"
	"toolevo/finetune/facts"
)

// Answer is what an agent did about a query.
type Answer struct {
	Agent    finetune.Contender // API is "" of published answers
	Group    string             // e.g. "G1_instruction"
	ID       string             // of the query, unique in its group
	Exposure string             // "exposed" to published drift or "unexposed"; "" if unknown

	Folder string    // of the evaluation that has the episode; "" of published answers
	Key    facts.Key // which episode it is

	Given *answers.Answer // nil: the query has no answer
	Lost  bool            // to an infrastructure failure, or unreadable

	// Conduct is what was done in an episode of this program, nil for published answers; Right is
	// the verdict of the rule.
	Conduct *Conduct
	Right   bool
}

// String returns who answered what.
func (a *Answer) String() string { return fmt.Sprintf("%s, %s-%s", a.Agent, a.Group, a.ID) }

// Said returns the final answer; "" if there was no answer, or the agent gave up.
func (a *Answer) Said() string {
	if a.Given == nil {
		return ""
	}

	if o := a.Given.Outcome(); !o.GaveUp {
		return o.Text
	}
	return ""
}

// withoutJudge returns the status of an answer if it is known without a judge.
func (a *Answer) withoutJudge() (s Status, ok bool) {
	if a.Said() == "" || !a.Given.Outcome().Finished {
		return Unsolved, true
	}
	return Lost, false
}
