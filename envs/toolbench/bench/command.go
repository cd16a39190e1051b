package bench

import (
	"context"
	"embed"
	"fmt"
	"io"

	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
)

// helpTexts has the help of each command.
//
//go:embed help
var helpTexts embed.FS

// Commands implements [suite.Commander].
func (ToolBench) Commands() []suite.Command {
	return []suite.Command{{Use: "toolbench", Help: helpTexts}, importCommand(), convertCommand(), cacheCommand()}
}

// Imported is what `toolbench import --json` prints.
type Imported struct {
	Path    string               `json:"path"`              // the file in the data folder
	Split   string               `json:"split"`             // train, dev, test or examples
	Groups  []string             `json:"groups"`            // e.g. G1_instruction
	Counts  toolbench.Statistics `json:"counts"`            // of what was imported
	Missing []string             `json:"missing,omitempty"` // queries that an ID file lists and no query file has
}

func importCommand() suite.Command {
	var data, tools string

	// Published queries are for measuring, so nobody trains on them unless asked to.
	split := "test"
	return suite.Command{
		Use: "toolbench import DIR", Help: helpTexts, Demonstrates: true, Document: Imported{},
		Options: []suite.Option{
			suite.DataOption(&data), suite.SplitOption(&split),
			{Name: "tools", Value: &tools,
				Usage: "folder `DIR` with tool documents, CATEGORY/TOOL.json"},
		},
		Run: func(_ context.Context, c *suite.Call) error {
			published, err := toolbench.Import(c.Args[0], tools)
			if err != nil {
				return err
			}

			// Nothing is written before all files were read.
			path, err := published.Save(data, split, suite.Splits())
			if err != nil {
				return err
			}

			all := published.Collection
			done := Imported{path, split, all.Groups(), all.Statistics(), all.Missing}
			return c.Result(done, func(w io.Writer) {
				s := done.Counts
				fmt.Fprintf(w, "%d queries of %d groups, %d APIs of %d tools in %d categories: "+
					"%s\n", s.Queries, len(done.Groups), s.APIs, s.Tools, s.Categories, path)

				if s.Missing > 0 {
					fmt.Fprintf(w, "%d queries that an ID file lists are missing, e.g. %s\n",
						s.Missing, done.Missing[0])
				}

				c.Say("Next: toolevo %s",
					console.Shell("play", "--data", data, "--set", "suite=toolbench", "--split",
						split))
			}, nil)
		},
	}
}
