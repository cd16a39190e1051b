package cmdline

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/envs/console"
	"toolevo/envs/names"
)

// Arguments returns how many arguments a usage line names: those in brackets may be missing, one
// with dots may be repeated, which makes most negative, and options end the line.
func Arguments(use string) (least, most int) {
	for _, word := range strings.Fields(use)[1:] {
		if strings.HasPrefix(strings.TrimLeft(word, "["), "--") {
			break
		}

		if !strings.HasPrefix(word, "[") {
			least++
		}

		if most++; strings.Contains(word, "...") || strings.Contains(word, "…") {
			return least, -1
		}
	}
	return least, most
}

// Positional accepts a number of arguments, any number from least on if most is negative.
func Positional(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}

		what := "missing arguments"
		if len(args) >= least {
			if what = fmt.Sprintf("unexpected argument %q", args[most]); cmd.HasSubCommands() {
				return UnknownCommand(cmd, args[most])
			}
		}

		return console.Usage("%s: the usage is %s", what, cmd.UseLine())
	}
}

// Group makes a command that only holds others: alone it prints its help, with a word that names
// none of them it fails.
func Group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return UnknownCommand(cmd, args[0])
	}
	return cmd
}

// UnknownCommand returns the error of a word that names no command below cmd.
func UnknownCommand(cmd *cobra.Command, word string) error {
	meant, ok := names.Closest(word, commandsBelow(cmd))
	if ok {
		return console.Usage("unknown command %q of %s, did you mean %s? `%[2]s --help` lists them",
			word, cmd.CommandPath(),
			meant)
	}

	return console.Usage("unknown command %q of %s: `%[2]s --help` lists them", word,
		cmd.CommandPath())
}

// commandsBelow lists all commands below cmd, also those in groups, by the words that call them.
func commandsBelow(cmd *cobra.Command) []string {
	var all []string

	for _, c := range commandsOf(cmd) {
		if words, below := strings.CutPrefix(c.CommandPath(), cmd.CommandPath()+" "); below && c.IsAvailableCommand() {
			all = append(all, words)
		}
	}

	return all
}
