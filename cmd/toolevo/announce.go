package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/configs"
	"toolevo/mcts"
)

// announce says what a run is about to be made of.
func (f *runFlags) announce(c *configs.Resolved) {
	if f.announced {
		return
	}

	f.announced = true
	command := f.command

	if f.branch != nil {
		command = "branch" // it goes on as a collection
	}

	of := choiceOf(c, *f.data)
	if by := c.ParaphrasedBy(); by != "" {
		of = append(of, "questions paraphrased by "+by)
	}

	f.settings.app.Announce(command, of...)
}

// choiceOf is what a configuration chooses: policies, versions, preset and data.
func choiceOf(c *configs.Resolved, data string) []string {
	return []string{
		"policy " + policiesOf(c.Policy), "API " + strings.Join(c.API, ", "), "prompt " + c.Prompt,
		"preset " + c.Preset, "data " + data,
	}
}

// dataFlagOf is the data folder that a command line names.
func dataFlagOf(cmd *cobra.Command) string { return cmd.Flags().Lookup("data").Value.String() }

// policiesOf names policies, and says which of them are scripts.
func policiesOf(policies []string) string {
	named := slices.Clone(policies)

	for i, name := range named {
		if mcts.IsScripted(name) {
			named[i] = fmt.Sprintf("%s (a script)", name)
		}
	}

	return strings.Join(named, ", ")
}
