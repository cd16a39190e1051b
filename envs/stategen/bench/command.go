package bench

import (
	"embed"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/suite"
)

// helpTexts has the help of each command.
//
//go:embed help
var helpTexts embed.FS

// commands returns the commands of the benchmark.
func commands(p *console.Program) []*cobra.Command {
	cmd := console.Command("tasks", helpTexts)
	cmd.AddCommand(newGenerate(p), newShow(p), newVerify(p))

	return []*cobra.Command{console.Group(cmd)}
}

// splitFlag adds --split. The function it returns checks it.
func splitFlag(cmd *cobra.Command) func() (string, error) {
	split := cmd.Flags().String("split", "train", "the split `NAME` of the tasks: train, dev or test")
	console.Complete(cmd, "split", console.Offered(suite.Splits()))

	return func() (string, error) {
		if _, err := names.Parse("split", *split, suite.Splits()); err != nil {
			return "", console.Usage("--split: %w", err)
		}

		return *split, nil
	}
}
