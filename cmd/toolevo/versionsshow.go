package main

import (
	"fmt"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/display"
	"toolevo/envs/wire"
)

// shownVersion is the result of `versions show`.
type shownVersion struct {
	Version string     `json:"version"` // its name
	About   string     `json:"about"`   // one line for people
	APIs    []shownAPI `json:"apis"`    // in the order of the tool list
	// the names of an answer's members, where answers are JSON objects
	Response *wire.AnswerForm `json:"response,omitempty"`
}

// shownAPI is an API of a version.
type shownAPI struct {
	Tool      string `json:"tool"`              // the tool that it exposes
	Signature string `json:"signature"`         // its name and parameters
	URL       string `json:"url,omitempty"`     // where its document says that it is served
	Example   string `json:"example,omitempty"` // the arguments of a call, as a notice shows them
}

func (a *app) versionsShowCommand() *cobra.Command {
	return versionsOf(a, "show NAME|FILE", func(job *toolevo.VersionsJob, args []string) (shown shownVersion, err error) {
		v, err := job.Version(args[0])
		if err != nil {
			return shown, err
		}

		shown = shownVersion{Version: v.Name, About: v.About, Response: v.Response}
		for _, api := range v.APIs {
			shown.APIs = append(shown.APIs, shownAPI{api.Tool, api.Signature(), api.URL, api.Example()})
		}

		return shown, nil
	}, a.printVersion)
}

func (a *app) printVersion(v shownVersion) {
	fmt.Fprintf(a.Out, "%s: %s\n", display.Line(v.Version, 0), display.Line(v.About, 0))

	if v.Response != nil {
		fmt.Fprintf(a.Out, "\nAnswers: %s\n", display.Line(v.Response.Wrap(true, "…"), 0))
	}

	for _, api := range v.APIs {
		fmt.Fprintf(a.Out, "\n%s: %s\n", display.Line(api.Tool, 0), display.Line(api.Signature, 0))

		if api.URL != "" {
			fmt.Fprintf(a.Out, "  at %s\n", display.Line(api.URL, 0))
		}

		if api.Example != "" {
			fmt.Fprintf(a.Out, "  %s\n", display.Line(api.Example, 0))
		}
	}
}
