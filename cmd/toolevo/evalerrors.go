package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
	"toolevo/finetune/stored"
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
	asJSON *bool
}

func (a *app) evalErrorsCommand() *cobra.Command {
	var o errorsOptions

	cmd := newCommand("errors RUN...")
	cmd.Flags().IntVar(&o.sample, "sample", 0, "also print `N` failed episodes, drawn at random")
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "`N` is the seed of the sample")
	o.asJSON = cmdline.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.sample < 0 {
			return console.Usage("--sample %d: want 0 episodes or more", o.sample)
		}

		return a.evalErrors(cmd.Context(), args, o)
	}

	return cmd
}

func (a *app) evalErrors(ctx context.Context, dirs []string, o errorsOptions) error {
	all, err := a.openEvaluations(ctx, dirs)
	defer all.close()

	if err != nil {
		return err
	}

	board, err := all.board(ctx)
	if err != nil {
		return err
	}

	result := evaluationErrors{Errors: board.Errors()}
	if result.Sample, err = all.failed(ctx, o.sample, o.seed); err != nil {
		return err
	}

	if *o.asJSON {
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

// failed draws some failed episodes to read.
func (all evaluations) failed(ctx context.Context, n int, seed uint64) ([]failure.Case, error) {
	if n == 0 {
		return nil, nil
	}

	sample := failure.Sample{Size: n, Rand: rand.New(rand.NewPCG(seed, 0))}

	err := all.played(ctx, func(p stored.Played) {
		if v, failed := failure.Classify(p.Episode, facts.Names(p.Version)); failed {
			sample.Add(p.Episode, p.API, v)
		}
	})

	return sample.Cases(), err
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
