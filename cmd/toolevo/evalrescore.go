package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
)

func (a *app) evalRescoreCommand() *cobra.Command {
	job := toolevo.RescoreJob{Host: a.host(console.ProgressNone), Matcher: "strict"}
	most := 20
	cmd := a.command("rescore RUN")
	addFlags(cmd, "rescore", into{"matcher": &job.Matcher, "changed": &most})
	return does(a, cmd, func(ctx context.Context, args []string) (r toolevo.Rescored, err error) {
		if most < 0 {
			return r, console.Usage("--changed %d: want 0 answers or more", most)
		}

		job.Run = args[0]
		return toolevo.Rescore(ctx, job)
	}, func(r toolevo.Rescored) { a.printRescored(r, most) })
}

// printRescored prints accuracies by both matchers, and at most most answers on which they differ.
func (a *app) printRescored(r toolevo.Rescored, most int) {
	r.WriteTable(a.Out)

	if r.Revised > 0 {
		fmt.Fprintf(a.Out, "\n%d verdicts by this matcher differ from the evaluation's: "+
			"its rules have changed since\n", r.Revised)
	}

	for _, c := range r.Changed[:min(most, len(r.Changed))] {
		fmt.Fprintf(a.Out, "\n%s %s, %s\n  %s\n  answer %s\n  gold   %s\n", tick(c.Correct),
			display.Line(c.Cell.String(), 0), display.Line(c.QuestionID, 0), display.Line(c.Question, 78),
			display.Line(c.Answer, 71), display.Line(c.Gold, 71))
	}

	if rest := len(r.Changed) - most; rest > 0 {
		fmt.Fprintf(a.Out, "\nand %d more: --changed shows them\n", rest)
	}
}
