package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
	"toolevo/finetune/tabulate"
)

func (a *app) evalErrorsCommand() *cobra.Command {
	job := toolevo.ErrorsJob{Host: a.host(console.ProgressNone), Seed: 1}
	cmd := a.command("errors RUN...")
	addFlags(cmd, "errors", into{
		"sample": &job.Sample,
		"seed":   &job.Seed,
	})

	return does(a, cmd, func(ctx context.Context, runs []string) (e toolevo.EvaluationErrors, err error) {
		if job.Sample < 0 {
			return e, console.Usage("--sample %d: want 0 episodes or more", job.Sample)
		}

		job.Runs = runs
		return toolevo.Errors(ctx, job)
	}, func(e toolevo.EvaluationErrors) {
		tabulate.WriteText(a.Out, e.Grids(), a.width())

		for i, c := range e.Sample {
			a.printCase(fmt.Sprintf("%d of %d", i+1, len(e.Sample)), c)
		}
	})
}

// printCase prints a failed episode to read.
func (a *app) printCase(number string, c failure.Case) {
	e := c.Episode

	fmt.Fprintf(a.Out, "\n=== %s: %s (%s), by the rule %s\n", number, c.Class, c.Heading, c.Rule)
	fmt.Fprintf(a.Out, "%s under %s, question %s: %s\n", display.Line(e.Policy, 0),
		display.Line(e.DeployedAPI, 0), display.Line(e.QuestionID, 0), e.Question)

	for i, t := range e.Turns {
		mark := "  "
		if i+1 == c.Turn {
			mark = ">>"
		}

		fmt.Fprintf(a.Out, "\n%s %d. %s\n%s\nObservation: %s\n", mark, i+1, t.Outcome,
			strings.TrimSpace(t.Action), strings.TrimSpace(t.Observation))
	}

	switch {
	case e.Lost != "":
		fmt.Fprintf(a.Out, "\nlost: %s\n", e.Lost)
	case e.Limit != "":
		fmt.Fprintf(a.Out, "\nstopped: %s; the gold answer is %s\n", e.Limit, e.Gold)
	default:
		fmt.Fprintf(a.Out, "\nanswered %s; the gold answer is %s\n", e.Answer, e.Gold)
	}
}

func (a *app) evalAdaptationCommand() *cobra.Command {
	host := a.host(console.ProgressNone)
	return does(a, a.command("adaptation RUN..."),
		func(ctx context.Context, runs []string) (*facts.Adaptation, error) {
			board, err := host.Board(ctx, runs)
			if err != nil {
				return nil, err
			}
			return board.Adaptation(), nil
		}, func(r *facts.Adaptation) { tabulate.WriteText(a.Out, r.Grids(), a.width()) })
}

// width returns how wide tables may be.
func (a *app) width() int { return max(a.columns, 80) }
