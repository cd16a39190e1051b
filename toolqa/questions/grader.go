package questions

import (
	"context"
	"errors"
	"fmt"

	"toolevo/envs"
	"toolevo/envs/score"
	"toolevo/toolqa"
)

// Grader knows the gold answers of a set of tasks. It is immutable and safe for concurrent use.
type Grader struct {
	gold map[string]string
}

// NewGrader returns a grader of the questions' answers. Two questions of one ID are an error unless
// they have the same answer.
func NewGrader(questions []toolqa.Question) (*Grader, error) {
	gold := make(map[string]string, len(questions))
	for _, q := range questions {
		if have, ok := gold[q.ID]; ok && have != q.Answer {
			return nil, fmt.Errorf("questions: question %q has two answers, %q and %q", q.ID, have, q.Answer)
		}

		gold[q.ID] = q.Answer
	}
	return &Grader{gold: gold}, nil
}

// Known reports whether the grader has an answer to the task.
func (g *Grader) Known(t envs.Task) bool {
	_, ok := g.gold[t.ID]
	return ok
}

var errUnknownTask = errors.New("no gold answer is known for this task")

// Grade compares an answer with the task's gold answer by both matchers. A task the grader does not
// know is a failure of the environment, never a wrong answer.
func (g *Grader) Grade(_ context.Context, _ toolqa.Session, done envs.History, answer string) (envs.Grade, error) {
	t := done.Task()

	gold, ok := g.gold[t.ID]
	if !ok {
		return envs.Grade{}, envs.Fail(envs.StageEnvironment, fmt.Sprintf("grade task %q", t.ID), errUnknownTask)
	}
	return envs.Grade{Answer: answer, Official: score.Official(gold, answer), Strict: score.Strict(gold, answer)}, nil
}
