package main

import (
	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/toolapi"
)

func (a *app) versionsCommand() *cobra.Command {
	cmd := newCommand("versions")
	cmd.AddCommand(a.versionsMakeCommand(), a.versionsMutateCommand(), a.versionsListCommand(), a.versionsShowCommand(),
		a.versionsDiffCommand(), a.versionsValidateCommand())

	return cmdline.Group(cmd)
}

// toolsFlags are the flags that say whose versions a command is about.
type toolsFlags struct {
	*settings
	cmd  *cobra.Command
	data *string
}

func (a *app) addToolsFlags(cmd *cobra.Command) *toolsFlags {
	return &toolsFlags{a.addSettings(cmd, nil, "suite"), cmd, cmdline.DataFlag(&a.Program, cmd)}
}

// job is about the versions of the flags.
func (f *toolsFlags) job() (toolevo.VersionsJob, error) {
	given, err := f.given(f.cmd.Flags())

	return toolevo.VersionsJob{Host: f.app.host(console.ProgressNone), Settings: given, Data: *f.data}, err
}

// open loads the versions of a benchmark and those in files, folders or patterns. own has the paths of the latter, by
// name.
func (f *toolsFlags) open(patterns []string) (c *toolapi.Catalog, own map[string]string, err error) {
	job, err := f.job()
	if err != nil {
		return nil, nil, err
	}

	return job.Load(patterns)
}
