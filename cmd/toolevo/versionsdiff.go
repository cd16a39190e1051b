package main

import (
	"fmt"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/display"
	"toolevo/envs/wire"
)

func (a *app) versionsDiffCommand() *cobra.Command {
	return versionsOf(a, "diff NAME|FILE NAME|FILE",
		func(job *toolevo.VersionsJob, args []string) (toolevo.VersionsDifference, error) {
			return job.Diff(args[0], args[1])
		}, a.printDifference)
}

func (a *app) printDifference(d toolevo.VersionsDifference) {
	change := func(from, to string) {
		fmt.Fprintf(a.Out, "  - %s\n  + %s\n", display.Line(from, 0), display.Line(to, 0))
	}

	fmt.Fprintf(a.Out, "- %s\n+ %s\n\n", display.Line(d.From, 0), display.Line(d.To, 0))

	for _, t := range d.Tools {
		fmt.Fprintf(a.Out, "%s\n", display.Line(t.Tool, 0))

		if t.From != t.To {
			change(t.From, t.To)
		}

		if t.FromURL != t.ToURL {
			change("at "+t.FromURL, "at "+t.ToURL)
		}

		for _, p := range t.Parameters {
			change(p.Name+": "+p.From, p.Name+": "+p.To)
		}
	}

	if d.FromResponse != d.ToResponse {
		fmt.Fprintln(a.Out, "answers")
		change(answerOf(d.FromResponse), answerOf(d.ToResponse))
	}

	fmt.Fprintf(a.Out, "%d tools are called in another way, %d as before\n", len(d.Tools), d.Same)
}

// answerOf shows the form of an answer.
func answerOf(f *wire.AnswerForm) string {
	if f == nil {
		return "…"
	}

	return f.Wrap(true, "…")
}
