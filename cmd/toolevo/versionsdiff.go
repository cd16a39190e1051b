package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
)

// versionsDifference is the result of `versions diff`.
type versionsDifference struct {
	From  string             `json:"from"`  // the name of one version
	To    string             `json:"to"`    // that of the other
	Tools []drift.Difference `json:"tools"` // those that are called in another way, in the order of the tool list
	Same  int                `json:"same"`  // how many tools are called as before
	// the names of an answer's members, where the form of answers differs; none is the text alone
	FromResponse *wire.AnswerForm `json:"from_response,omitempty"`
	// the same of the other version
	ToResponse *wire.AnswerForm `json:"to_response,omitempty"`
}

func (a *app) versionsDiffCommand() *cobra.Command {
	cmd := newCommand("diff NAME|FILE NAME|FILE")
	asJSON, tools := cmdline.JSONFlag(cmd), a.addToolsFlags(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		from, err := tools.openOne(args[0])
		if err != nil {
			return err
		}

		to, err := tools.openOne(args[1])
		if err != nil {
			return err
		}

		d := versionsDifference{From: from.Name, To: to.Name, Tools: drift.Diff(from, to)}
		d.Same = len(from.APIs) - len(d.Tools)

		if was, now := formatOf(from), formatOf(to); was != now {
			d.FromResponse, d.ToResponse = from.Response, to.Response
		}

		return a.Show(*asJSON, d, func() { a.printDifference(d) })
	}

	return cmd
}

// formatOf is the form of a version's answers; the zero one is the text alone.
func formatOf(v *toolapi.Version) wire.AnswerForm {
	if v.Response == nil {
		return wire.AnswerForm{}
	}

	return *v.Response
}

func (a *app) printDifference(d versionsDifference) {
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

// openOne opens a version by its name, or that of a file.
func (f *toolsFlags) openOne(name string) (*toolapi.Version, error) {
	var files []string
	if _, err := os.Stat(name); err == nil || strings.HasSuffix(name, ".yaml") {
		files = []string{name}
	}

	catalog, own, err := f.open(files)
	if err != nil {
		return nil, err
	}

	if len(own) > 1 {
		return nil, console.Usage("%s has %d versions: name one file", name, len(own))
	}

	for version := range own {
		name = version
	}

	return catalog.Version(name)
}
