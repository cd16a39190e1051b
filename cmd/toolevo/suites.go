package main

import (
	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/toolqa/datacmd"
)

// suiteCommands are the commands that the suites bring.
var suiteCommands = []func(*console.Program) []*cobra.Command{datacmd.Commands}
