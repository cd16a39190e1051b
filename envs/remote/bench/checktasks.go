package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
	"toolevo/envs/suite"
)

// CheckedTasks is what `tasks check --json` prints.
type CheckedTasks struct {
	Tasks    map[string]int `json:"tasks"`    // by split
	Judged   int            `json:"judged"`   // tasks with a rubric, which no model judges here
	Played   int            `json:"played"`   // tasks with a solution, each on two fresh instances
	Problems []string       `json:"problems"` // solutions that are wrong, and answers that differ

	Planned *Planned `json:"planned,omitempty"` // what would be sent, in place of these, with --dry-run
}

func checkTasksCommand() suite.Command {
	var (
		data   string
		dryRun bool
	)
	return suite.Command{
		Use: "tasks check", Help: helpTexts, Progress: true, Document: CheckedTasks{},
		Options: []suite.Option{suite.DataOption(&data), dryRunOption(&dryRun)},
		Run: func(ctx context.Context, c *suite.Call) error {
			checked, err := checkTasks(ctx, data, dryRun, c.Progress)
			if err == nil && len(checked.Problems) > 0 {
				err = console.Bad("%d problems", len(checked.Problems))
			}
			return c.Result(checked, checked.print, err)
		},
	}
}

func (c *CheckedTasks) print(w io.Writer) {
	if c.Planned != nil {
		c.Planned.print(w)
		return
	}

	for _, split := range suite.Splits() {
		if n, ok := c.Tasks[split]; ok {
			fmt.Fprintf(w, "%s: %d tasks\n", split, n)
		}
	}

	for _, p := range c.Problems {
		fmt.Fprintln(w, p)
	}

	if c.Judged > 0 {
		fmt.Fprintf(w, "%d tasks are judged by a language model, which is not asked here\n", c.Judged)
	}

	fmt.Fprintf(w, "%d solutions played, %d problems\n", c.Played, len(c.Problems))
}

// checkTasks reads all tasks of a data folder and plays their solutions, or says what that would
// send.
func checkTasks(ctx context.Context, data string, dryRun bool, p *console.Steps) (
	checked *CheckedTasks, err error,
) {
	checked = &CheckedTasks{Tasks: map[string]int{}, Problems: []string{}}

	if dryRun {
		checked.Planned, err = planTasks(ctx, data)
		return checked, err
	}

	for _, split := range suite.Splits() {
		// Open has an error of its own for a split without a file, so readSplit is asked for the
		// reason.
		s, err := (Remote{}).Open(ctx, suite.Choice{Data: data, Split: split, Prompt: base})
		if _, missing := readSplit(data, split); errors.Is(missing, fs.ErrNotExist) {
			continue
		}

		if err != nil {
			return checked, err
		}

		// A verdict costs money, and says nothing about the calls of the solution.
		o := s.(*opened)
		o.unjudged = true

		err = errors.Join(o.checkSolutions(ctx, checked, p.Step("check "+split)), o.Close())
		checked.Tasks[split] = len(o.tasks)

		if err != nil {
			return checked, err
		}
	}

	if len(checked.Tasks) == 0 {
		return checked, console.Usage("no tasks in %s: `toolevo tasks add FILE` puts them there",
			data)
	}
	return checked, nil
}

// checkSolutions plays every solution twice, each time on a fresh instance.
func (o *opened) checkSolutions(
	ctx context.Context, checked *CheckedTasks, set func(done, total int),
) error {
	// With a memory, the second playing would be answered from the first.
	env, err := o.Environment(base, nil)
	if err != nil {
		return err
	}

	for i, t := range o.tasks {
		set(i, len(o.tasks))

		if t.Labels[envs.LabelJudge] != "" {
			checked.Judged++
		}

		plan, ok := o.plans[t.Question]
		if !ok {
			continue
		}

		checked.Played++

		// Only two instances that are asked the same show what a service cannot repeat.
		first, err := o.play(ctx, env, t, plan)
		if err != nil {
			return err
		}

		second, err := o.play(ctx, env, t, plan)
		if err != nil {
			return err
		}

		for _, problem := range problemsOf(first, second) {
			checked.Problems = append(checked.Problems, t.ID+": "+problem)
		}
	}
	return nil
}

// problemsOf returns what is wrong with a solution that was played twice.
func problemsOf(first, second episode) (problems []string) {
	if first.failed != nil {
		return []string{fmt.Sprintf("the solution: %v", first.failed)}
	}

	// A playing that failed has no turns to compare.
	if second.failed != nil {
		return []string{fmt.Sprintf("the solution, on a fresh instance: %v", second.failed)}
	}

	for i, turn := range first.turns {
		if turn.Outcome.IsError() {
			problems = append(problems, fmt.Sprintf("call %d of the solution is refused: %s", i+1,
				display.Line(turn.Observation, mostSaid)))
		}

		if i < len(second.turns) && second.turns[i].Observation != turn.Observation {
			problems = append(problems, fmt.Sprintf(
				"call %d is answered otherwise on a fresh instance: %s", i+1,
				difference(turn.Observation, second.turns[i].Observation)))
		}
	}

	// If only the second answer is wrong, a call before it was answered differently already.
	if last := first.turns[len(first.turns)-1]; last.Outcome == envs.Incorrect {
		answer, _ := last.Call.Args.Get("answer")
		problems = append(problems, fmt.Sprintf("the solution answers %s, which is wrong",
			display.Line(pytext.Str(answer), mostSaid)))
	}

	return problems
}

// episode is a solution that was played.
type episode struct {
	turns  []envs.Turn
	failed error // what the solution found missing in an answer
}

// play plays a solution on a fresh instance.
func (o *opened) play(
	ctx context.Context, env envs.Environment, t envs.Task, plan envs.Plan,
) (e episode, err error) {
	// A branch that was played before may have left an instance in a state of its own.
	if err := o.service.Retire(); err != nil {
		return e, err
	}

	s, err := env.Reset(ctx, t)

	for err == nil && s.Status() == envs.Running {
		var results []string
		for _, turn := range s.History().Turns() {
			results = append(results, turn.Observation)
		}

		thought, call, failed := plan(results)
		// An answer without what the solution needs is a finding, and not a failure of the check.
		if failed != nil {
			return episode{failed: failed}, nil
		}

		// The environment parses actions itself, so the call is written as a policy would write it.
		var next envs.Transition
		act := envs.Action(action.ReAct{}.Format(thought, call))
		if next, err = env.Step(ctx, s, act); err == nil {
			s = next.State
		}
	}

	if err != nil {
		return e, fmt.Errorf("play the solution of %s: %w", t.ID, err)
	}
	return episode{turns: s.History().Turns()}, nil
}
