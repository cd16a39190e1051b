package instruct

import (
	"cmp"
	"context"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/stategen"
)

// Tasks are tasks that are read one at a time.
type Tasks interface {
	Len() int
	Task(i int) (*stategen.Task, error)
}

// Report counts the outcomes of negotiations.
type Report struct {
	Accepted int       `json:"accepted"` // tasks whose instruction was accepted
	Drafts   int       `json:"drafts"`   // of all tasks
	Verdicts int       `json:"verdicts"` // on them, those that needed no reviewer among them
	Rejected []Refused `json:"rejected"` // the other tasks
}

// Refused is a task whose instruction was not accepted.
type Refused struct {
	ID string `json:"id"` // of the task
	// the last: a diagnosis, "impossible", "not asked: …", or "" without a review
	Verdict string `json:"verdict"`
}

// atOnce is how many tasks are in memory.
const atOnce = 256

// All negotiates the instructions of all tasks, workers of them at a time, and yields those that
// were accepted, in their order. It reports progress to done.
func (n *Negotiator) All(ctx context.Context, tasks Tasks, workers int, done func(done, total int),
	yield func(t *stategen.Task) error) (r Report, err error) {
	r.Rejected = []Refused{}

	for first := 0; first < tasks.Len(); first += atOnce {
		batch := make([]*stategen.Task, min(atOnce, tasks.Len()-first))
		accepted, givenUp := make([]bool, len(batch)), make([]string, len(batch))

		// Tasks of a batch end in any order, and are yielded in their own once all have ended.
		err := kept.Each(ctx, len(batch), workers,
			func(finished, _ int) { done(first+finished, tasks.Len()) },
			func(ctx context.Context, i int) (err error) {
				if batch[i], err = tasks.Task(first + i); err != nil {
					return err
				}

				batch[i].Instruction, accepted[i], err = n.Negotiate(ctx, batch[i])

				// A request that the server fails at alone would hold up all tasks for ever.
				if reason, alone := envs.GivenUp(err); alone {
					givenUp[i], err = "not asked: "+reason, nil
				}
				return err
			})
		if err != nil {
			return r, err
		}

		for i, t := range batch {
			r.add(t, accepted[i], givenUp[i])

			if !accepted[i] {
				continue
			}

			if err := yield(t); err != nil {
				return r, err
			}
		}
	}

	return r, nil
}

// add counts a negotiation; givenUp says why it was broken off, if it was.
func (r *Report) add(t *stategen.Task, accepted bool, givenUp string) {
	r.Drafts += len(t.Instruction.Drafts)
	last := ""

	for _, d := range t.Instruction.Drafts {
		if last = d.Verdict; last != "" {
			r.Verdicts++
		}
	}

	if accepted {
		r.Accepted++
	} else {
		r.Rejected = append(r.Rejected, Refused{t.ID, cmp.Or(givenUp, last)})
	}
}
