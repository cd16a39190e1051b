package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is how many columns help may take.
const helpWidth = 80

// usageTemplate is cobra's with the flags' explanations wrapped.
func usageTemplate(root *cobra.Command) string {
	return strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", helpWidth))
}

// positional takes a number of arguments, any number from least on where most is negative.
func positional(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		what := "missing arguments"
		if len(args) >= least {
			what = fmt.Sprintf("unexpected argument %q", args[most])
		}
		return usage("%s: the usage is %s", what, cmd.UseLine())
	}
}

// group makes a command that only holds others: alone it prints its help, with a word that names none of them it fails.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		var valid []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				valid = append(valid, c.Name())
			}
		}
		slices.Sort(valid)
		return usage("unknown command %q of %s: valid are %s", args[0], cmd.CommandPath(), strings.Join(valid, ", "))
	}
	return cmd
}

// shell joins words to a line that a shell takes apart into the same words.
func shell(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.Trim(w, harmless) != "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// harmless are the characters that mean nothing to a shell, wherever they stand in a word.
const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:,=@%"
