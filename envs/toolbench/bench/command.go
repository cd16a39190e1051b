package bench

import (
	"fmt"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench"
)

// commands returns the commands of the benchmark.
func commands(p *console.Program) []*cobra.Command {
	cmd := &cobra.Command{
		Use:   "toolbench",
		Short: "Import ToolBench's queries, convert answers for its judges",
		Long: `ToolBench (StableToolBench) asks for what web APIs can do. Its queries become
tasks of the suite toolbench; a simulator stands in for the APIs:

  toolevo toolbench import DIR
  toolevo eval --set suite=toolbench --limit 10 --out runs/toolbench`,
	}
	cmd.AddCommand(newImport(p), newConvert(p))

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
	cmd := &cobra.Command{
		Use:   "import DIR",
		Short: "Import published query files",
		Long: `Reads the query files of StableToolBench, e.g. DIR/G1_instruction.json. In the
published layout (solvable_queries, with test_instruction and test_query_ids)
the ID files say which queries are asked. --tools adds tool documents,
CATEGORY/TOOL.json.

All files are read before anything is written. The queries take the place of
those that the split has; a query that another split has is an error.`,
		Example: `  toolevo toolbench import stabletoolbench/solvable_queries
  toolevo toolbench import queries --split train --data mine`,
		Args: console.Positional(1, 1),
	}
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
