package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// job returns a job about the versions that the flags choose.
func (f *toolsFlags) job() (toolevo.VersionsJob, error) {
	given, err := f.given(f.cmd.Flags())
	return toolevo.VersionsJob{Host: f.app.host(console.ProgressNone), Settings: given, Data: *f.data}, err
}

// again returns the arguments that give another command the same settings and data.
func (f *toolsFlags) again() (args []string) {
	f.cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "suite":
			args = append(args, "--set", "suite="+flag.Value.String())
		case "config", "data":
			args = append(args, "--"+flag.Name, flag.Value.String())
		}
	})

	for _, kv := range f.set {
		args = append(args, "--set", kv)
	}
	return args
}

// versionsOf returns a command that looks up something about versions and prints it as text.
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
