// Package datacmd implements the commands that fill and check the data folder of ToolQA-D: `data build`, `import`,
// `questions`, `verify`, `gold` and `template check`. They parse flags and print reports; the packages beside this one
// do the work.
package datacmd

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/toolqa"
)

// helpTexts has the help of each command.
//
//go:embed help
var helpTexts embed.FS

// Commands returns the commands of a program.
func Commands(p *console.Program) []*cobra.Command {
	cmd := console.Command("data", helpTexts)
	cmd.AddCommand(newBuild(p), newImport(p), newQuestions(p), newVerify(p), newGold(p), newTemplate(p))

	return []*cobra.Command{console.Group(cmd)}
}

// all is the word for all datasets, and for all difficulties.
const all = "all"

// datasetsFlag adds --dataset. The function it returns also reports whether datasets were named, so that one that is
// not there is an error.
func datasetsFlag(cmd *cobra.Command) func() (chosen []toolqa.Dataset, named bool, err error) {
	value := cmd.Flags().String("dataset", all, "`NAMES` of datasets, separated by commas, or all")
	console.Complete(cmd, "dataset", console.Listed(append(toolqa.Datasets(), all)))

	return func() (chosen []toolqa.Dataset, named bool, err error) {
		if *value == all {
			return toolqa.Datasets(), false, nil
		}

		for _, name := range strings.Split(*value, ",") {
			ds, err := toolqa.ParseDataset(strings.TrimSpace(name))
			if err != nil {
				return nil, true, fmt.Errorf("%w, %s", err, all)
			}

			chosen = append(chosen, ds)
		}

		slices.Sort(chosen)

		return chosen, true, nil
	}
}

// difficultyFlag adds --difficulty.
func difficultyFlag(cmd *cobra.Command) func() ([]toolqa.Difficulty, error) {
	value := cmd.Flags().String("difficulty", all, "`NAME`: easy, hard or all")
	console.Complete(cmd, "difficulty", console.Offered(append(toolqa.Difficulties(), all)))

	return func() ([]toolqa.Difficulty, error) {
		d, err := toolqa.ParseDifficulty(*value)
		switch {
		case *value == all:
			return toolqa.Difficulties(), nil
		case err != nil:
			return nil, fmt.Errorf("%w, %s", err, all)
		}

		return []toolqa.Difficulty{d}, nil
	}
}

// madeBy is the program with its version, as it stands in the files that it writes.
func madeBy(cmd *cobra.Command) string { return cmd.Root().Name() + " " + cmd.Root().Version }
