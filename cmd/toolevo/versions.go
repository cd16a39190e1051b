package main

import (
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
)

func (a *app) versionsCommand() *cobra.Command {
	cmd := newCommand("versions")
	cmd.AddCommand(a.versionsMakeCommand(), a.versionsMutateCommand(), a.versionsListCommand(), a.versionsShowCommand(),
		a.versionsDiffCommand(), a.versionsValidateCommand())

	return console.Group(cmd)
}

// toolsFlags are the flags that say whose versions a command is about.
type toolsFlags struct {
	*settings
	cmd  *cobra.Command
	data *string
}

func (a *app) addToolsFlags(cmd *cobra.Command) *toolsFlags {
	return &toolsFlags{a.addSettings(cmd, nil, "suite"), cmd, a.DataFlag(cmd)}
}

// versions returns the versions of the benchmark over the data folder, and those in files.
func (f *toolsFlags) versions(own ...toolapi.File) (*toolapi.Catalog, error) {
	c, err := f.resolve(f.cmd.Flags())
	if err != nil {
		return nil, err
	}

	b, err := suite.Lookup(c.Suite)
	if err != nil {
		return nil, err
	}

	return b.Versions(*f.data, own...)
}

// open loads the versions of a benchmark and those in files, folders or patterns. own has the paths of the latter, by
// name.
func (f *toolsFlags) open(patterns []string) (c *toolapi.Catalog, own map[string]string, err error) {
	var files []toolapi.File

	own = map[string]string{}

	for _, pattern := range patterns {
		more, specs, err := drift.ReadFiles(strings.TrimPrefix(pattern, drift.FilePrefix))
		if err != nil {
			return nil, nil, err
		}

		files = append(files, more...)
		for i, s := range specs {
			own[s.Version] = more[i].Path
		}
	}

	c, err = f.versions(files...)

	return c, own, err
}
