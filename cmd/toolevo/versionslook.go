package main

import (
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/silent"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
)

// versionList is the result of `versions list`.
type versionList struct {
	Versions []listedVersion `json:"versions"` // in alphabetical order
}

// listedVersion is a version in brief.
type listedVersion struct {
	Version string `json:"version"`        // its name
	About   string `json:"about"`          // one line for people
	File    string `json:"file,omitempty"` // of the user's own version
}

func (a *app) versionsListCommand() *cobra.Command {
	return versionsOf(a, "list [FILE…]", func(job *toolevo.VersionsJob, args []string) (list versionList, err error) {
		catalog, own, err := job.Load(args)
		if err != nil {
			return list, err
		}

		for _, name := range catalog.Names() {
			spec, err := catalog.Spec(name)
			if err != nil {
				return versionList{}, err
			}

			list.Versions = append(list.Versions, listedVersion{name, spec.About, own[name]})
		}
		return list, nil
	}, func(list versionList) {
		t := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
		for _, v := range list.Versions {
			fmt.Fprintf(t, "%s\t%s\n", display.Line(v.Version, 0), display.Line(v.About, 0))
		}

		t.Flush()
	})
}

// shownVersion is the result of `versions show`.
type shownVersion struct {
	Version string     `json:"version"` // its name
	About   string     `json:"about"`   // one line for people
	APIs    []shownAPI `json:"apis"`    // in the order of the tool list
	// the names of an answer's members, where answers are JSON objects
	Response *wire.AnswerForm `json:"response,omitempty"`
	Faults   []toolapi.Fault  `json:"faults,omitempty"`  // temporary ones
	Removed  []string         `json:"removed,omitempty"` // what notices say of tools that are gone
}

// shownAPI is an API of a version.
type shownAPI struct {
	Tool      string `json:"tool"`              // the tool that it exposes
	Signature string `json:"signature"`         // its name and parameters
	URL       string `json:"url,omitempty"`     // the address that its document gives
	Example   string `json:"example,omitempty"` // the arguments of a call, as a notice shows them

	Notes []string `json:"notes,omitempty"` // on calls and answers that mean something else than in the base
}

func (a *app) versionsShowCommand() *cobra.Command {
	look := func(job *toolevo.VersionsJob, args []string) (shown shownVersion, err error) {
		v, err := job.Version(args[0])
		if err != nil {
			return shown, err
		}

		shown = shownVersion{Version: v.Name, About: v.About, Response: v.Response, Faults: v.Faults}
		for _, r := range v.Removed {
			shown.Removed = append(shown.Removed, r.Notice(r.Tool))
		}

		for _, api := range v.APIs {
			shown.APIs = append(shown.APIs, shownAPI{
				api.Tool, api.Signature(), api.URL, api.Example(), api.Silent.Notes(),
			})
		}

		return shown, nil
	}
	return versionsOf(a, "show NAME|FILE", look, a.printVersion)
}

func (a *app) printVersion(v shownVersion) {
	fmt.Fprintf(a.Out, "%s: %s\n", display.Line(v.Version, 0), display.Line(v.About, 0))

	if v.Response != nil {
		fmt.Fprintf(a.Out, "\nAnswers: %s\n", display.Line(v.Response.Wrap(true, "…"), 0))
	}

	for _, f := range v.Faults {
		fmt.Fprintf(a.Out, "\nFault: %s, in %v %% of tasks and tools, for calls: %d\n", f.Kind, 100*f.Share, f.Calls)
	}

	// First what callers will miss, then what they can call.
	for _, notice := range v.Removed {
		fmt.Fprintf(a.Out, "\nGone: %s\n", display.Line(notice, 0))
	}

	for _, api := range v.APIs {
		fmt.Fprintf(a.Out, "\n%s: %s\n", display.Line(api.Tool, 0), display.Line(api.Signature, 0))

		if api.URL != "" {
			fmt.Fprintf(a.Out, "  at %s\n", display.Line(api.URL, 0))
		}

		if api.Example != "" {
			fmt.Fprintf(a.Out, "  %s\n", display.Line(api.Example, 0))
		}

		for _, note := range api.Notes {
			fmt.Fprintf(a.Out, "  %s%s\n", silent.NoteWord, display.Line(note, 0))
		}
	}
}

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

		// A tool that is gone has no new signature to show beside the old one.
		switch {
		case t.To == "":
			fmt.Fprintf(a.Out, "  - %s\n", display.Line(t.From, 0))
		case t.From != t.To:
			change(t.From, t.To)
		}

		if t.FromURL != t.ToURL {
			change("at "+t.FromURL, "at "+t.ToURL)
		}

		for _, p := range t.Parameters {
			change(p.Name+": "+p.From, p.Name+": "+p.To)
		}

		if t.Documented {
			fmt.Fprintln(a.Out, "  * its document says something else")
		}

		a.printInferred(t.Inferred)

		for _, note := range t.Notes {
			fmt.Fprintf(a.Out, "  + %s%s\n", silent.NoteWord, display.Line(note, 0))
		}
	}

	// Both are nil unless the forms differ, so comparing the pointers is enough.
	if d.FromResponse != d.ToResponse {
		fmt.Fprintln(a.Out, "answers")
		change(answerOf(d.FromResponse), answerOf(d.ToResponse))
	}

	fmt.Fprintf(a.Out, "%d tools are called in another way, %d as before\n", len(d.Tools), d.Same)
}

// printInferred prints changes that were inferred, and how sure each is.
func (a *app) printInferred(changes []toolapi.Inferred) {
	for _, i := range changes {
		ask := ""
		if i.IsUnsure() {
			ask = ": confirm it in the version's file by sure: 1"
		}

		fmt.Fprintf(a.Out, "  ? %s\n    %.0f %% sure, %s%s\n", display.Line(i.Change, 0), 100*i.Sure,
			display.Line(i.Why, 0), ask)
	}
}

// answerOf returns an empty answer in its form.
func answerOf(f *wire.AnswerForm) string {
	if f == nil {
		return "…"
	}
	return f.Wrap(true, "…")
}

// validatedVersions is the result of `versions validate`.
type validatedVersions struct {
	Valid []string `json:"valid"` // the versions' names, in alphabetical order
}

func (a *app) versionsValidateCommand() *cobra.Command {
	look := func(job *toolevo.VersionsJob, args []string) (v validatedVersions, err error) {
		_, own, err := job.Load(args)

		switch {
		case err == nil:
			v.Valid = slices.Sorted(maps.Keys(own))
		case console.KindOf(err) != console.WrongUsage:
			err = console.Bad("%w", err)
		}

		return v, err
	}
	return versionsOf(a, "validate FILE…", look, func(v validatedVersions) {
		fmt.Fprintf(a.Out, "%d versions are valid\n", len(v.Valid))
	})
}
