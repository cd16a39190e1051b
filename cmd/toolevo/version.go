package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the release. It stands in every run, corpus and export.
const version = "0.1.0"

// software is the version with the revision it was built from, where Go knows it.
func software() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}

	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return version + "+" + s.Value[:12]
		}
	}

	return version
}

func (a *app) versionCommand() *cobra.Command {
	cmd := newCommand("version")
	cmd.Run = func(*cobra.Command, []string) {
		fmt.Fprintf(a.Out, "toolevo %s, %s, %s/%s\n", software(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	}

	return cmd
}
