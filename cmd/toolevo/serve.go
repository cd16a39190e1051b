package main

import (
	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/suite"
	"toolevo/envs/wire"
)

func (a *app) serveCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "serve", Short: "Serve environments, and what suites offer, to other programs"}
	cmd.AddCommand(a.serveEnvCommand())
	return cmdline.Group(cmd)
}

// doorFlags adds the flags that say where a server listens and which key it wants.
func (a *app) doorFlags(cmd *cobra.Command, listen, variable string) *wire.Door {
	d := &wire.Door{Listen: listen, Variable: variable}
	for _, o := range suite.DoorOptions(d) {
		cmdline.AddOption(cmd, &a.Program, o)
	}
	return d
}
