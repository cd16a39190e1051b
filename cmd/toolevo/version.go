package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
)

func (a *app) versionCommand() *cobra.Command {
	cmd := newCommand("version")
	cmd.Run = func(*cobra.Command, []string) {
		fmt.Fprintf(a.Out, "toolevo %s, %s, %s/%s\n", toolevo.Software(), runtime.Version(), runtime.GOOS,
			runtime.GOARCH)
	}

	return cmd
}
