package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
	"toolevo/finetune/tabulate"
)

// evaluationErrors is what `eval errors` prints.
type evaluationErrors struct {
	*facts.Errors
	Sample []failure.Case `json:"sample,omitempty"` // failed episodes to read, with --sample
}

// errorsOptions are the flags of `eval errors`.
type errorsOptions struct {
	sample int
	seed   uint64
}

func (a *app) evalErrorsCommand() *cobra.Command {
	var o errorsOptions

	cmd := a.command("errors RUN...")
	o.seed = 1
	addFlags(cmd, "errors", into{
		"sample": &o.sample,
		"seed":   &o.seed,
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.sample < 0 {
			return console.Usage("--sample %d: want 0 episodes or more", o.sample)
		}

		return a.evalErrors(cmd.Context(), args, o)
	}

	return cmd
}

func (a *app) evalErrors(ctx context.Context, dirs []string, o errorsOptions) error {
	host := a.host(console.ProgressNone)

	all, err := host.OpenEvaluations(ctx, dirs)
	if err != nil {
		return err
	}
	defer all.Close()

	board, err := all.Board(ctx)
	if err != nil {
		return err
	}

	result := evaluationErrors{Errors: board.Errors()}
	if result.Sample, err = all.Failed(ctx, o.sample, o.seed); err != nil {
		return err
	}

	if a.JSON {
		return a.PrintJSON(result)
	}

	if err := tabulate.WriteText(a.Out, result.Grids(), a.width()); err != nil {
		return err
	}

	for i, c := range result.Sample {
		a.printCase(fmt.Sprintf("%d of %d", i+1, len(result.Sample)), c)
	}

	return nil
}

// printCase prints a failed episode to read.
func (a *app) printCase(number string, c failure.Case) {
	e := c.Episode

	fmt.Fprintf(a.Out, "\n=== %s: %s (%s), by the rule %s\n", number, c.Class, c.Heading, c.Rule)
	fmt.Fprintf(a.Out, "%s under %s, question %s: %s\n", display.Line(e.Policy, 0), display.Line(e.DeployedAPI, 0),
		display.Line(e.QuestionID, 0), e.Question)

	for i, t := range e.Turns {
		mark := "  "
		if i+1 == c.Turn {
			mark = ">>"
		}

		fmt.Fprintf(a.Out, "\n%s %d. %s\n%s\nObservation: %s\n", mark, i+1, t.Outcome, strings.TrimSpace(t.Action),
			strings.TrimSpace(t.Observation))
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
