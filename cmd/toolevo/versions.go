package main

import (
	"context"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
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

func (a *app) addToolsFlags(cmd *cobra.Command, settings ...string) *toolsFlags {
	return &toolsFlags{a.addSettings(cmd, nil, append(settings, "suite")...), cmd, cmdline.DataFlag(&a.Program, cmd)}
}

// job is about the versions of the flags.
func (f *toolsFlags) job() (toolevo.VersionsJob, error) {
	given, err := f.given(f.cmd.Flags())

	return toolevo.VersionsJob{Host: f.app.host(console.ProgressNone), Settings: given, Data: *f.data}, err
}

// versionsOf is a command about versions, which look looks at.
func versionsOf[T any](a *app, use string, look func(*toolevo.VersionsJob, []string) (T, error),
	text func(T)) *cobra.Command {
	cmd := a.command(use)
	tools := a.addToolsFlags(cmd)

	return does(a, cmd, func(_ context.Context, args []string) (result T, err error) {
		job, err := tools.job()
		if err != nil {
			return result, err
		}

		return look(&job, args)
	}, text)
}
