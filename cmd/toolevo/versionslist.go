package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/display"
)

// versionList is the result of `versions list`.
type versionList struct {
	Versions []listedVersion `json:"versions"` // in alphabetical order
}

// listedVersion is a version in few words.
type listedVersion struct {
	Version string `json:"version"`        // its name
	About   string `json:"about"`          // one line for people
	File    string `json:"file,omitempty"` // of a version of the user's own
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
