package bench

import (
	"embed"
	"fmt"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
)

// helpTexts has the help of each command.
//
//go:embed help
var helpTexts embed.FS

// commands returns the commands of the benchmark.
func commands(p *console.Program) []*cobra.Command {
	cmd := console.Command("toolbench", helpTexts)
	cmd.AddCommand(newImport(p), newConvert(p), newCache(p))

	return []*cobra.Command{console.Group(cmd)}
}

// Imported is what `toolbench import --json` prints.
type Imported struct {
	Path    string               `json:"path"`              // the file in the data folder
	Split   string               `json:"split"`             // train, dev or test
	Groups  []string             `json:"groups"`            // e.g. G1_instruction
	Counts  toolbench.Statistics `json:"counts"`            // of what was imported
	Missing []string             `json:"missing,omitempty"` // queries that an ID file lists and no query file has
}

func newImport(p *console.Program) *cobra.Command {
	cmd := console.Command("import DIR", helpTexts)
	dir, asJSON := p.DataFlag(cmd), console.JSONFlag(cmd)
	tools := cmd.Flags().String("tools", "", "folder `DIR` with tool documents, CATEGORY/TOOL.json")
	split := cmd.Flags().String("split", "test", "the split `NAME` of the queries: train, dev or test")
	console.Complete(cmd, "tools", console.Folders)
	console.Complete(cmd, "split", console.Offered(suite.Splits()))

	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if _, err := names.Parse("split", *split, suite.Splits()); err != nil {
			return console.Usage("--split: %v", err)
		}

		published, err := toolbench.Import(args[0], *tools)
		if err != nil {
			return err
		}

		path, err := published.Save(*dir, *split, suite.Splits())
		if err != nil {
			return err
		}

		c := published.Collection

		return p.Show(*asJSON, Imported{path, *split, c.Groups(), c.Statistics(), c.Missing}, func() {
			s := c.Statistics()
			fmt.Fprintf(p.Out, "%d queries of %d groups, %d APIs of %d tools in %d categories: %s\n", s.Queries,
				len(c.Groups()), s.APIs, s.Tools, s.Categories, path)

			if s.Missing > 0 {
				fmt.Fprintf(p.Out, "%d queries that an ID file lists are not there, e.g. %s\n", s.Missing, c.Missing[0])
			}

			p.Say("Next: toolevo %s", console.Shell("play", "--data", *dir, "--set", "suite=toolbench", "--split",
				*split))
		})
	}

	return cmd
}
