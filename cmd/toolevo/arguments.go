package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/envs/names"
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
			if what = fmt.Sprintf("unexpected argument %q", args[most]); cmd.HasSubCommands() {
				return unknownCommand(cmd, args[most])
			}
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

		return unknownCommand(cmd, args[0])
	}

	return cmd
}

// unknownCommand is the error of a word that names no command below cmd.
func unknownCommand(cmd *cobra.Command, word string) error {
	meant, ok := names.Closest(word, commandsBelow(cmd))
	if ok {
		return usage("unknown command %q of %s, did you mean %s? `%[2]s --help` lists them", word, cmd.CommandPath(),
			meant)
	}

	return usage("unknown command %q of %s: `%[2]s --help` lists them", word, cmd.CommandPath())
}

// commandsBelow lists the commands below one by the words that call them, those of groups, too.
func commandsBelow(cmd *cobra.Command) []string {
	var all []string

	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() {
			continue
		}

		all = append(all, c.Name())
		for _, below := range commandsBelow(c) {
			all = append(all, c.Name()+" "+below)
		}
	}

	return all
}

// wrongFlag is the error of a flag that could not be read.
func wrongFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError

	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		var flags []string

		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })

		if meant, ok := names.Closest(unknown.GetSpecifiedName(), flags); ok {
			err = fmt.Errorf("%w, did you mean --%s?", err, meant)
		}
	case errors.As(err, &value):
		f := value.GetFlag()
		err = fmt.Errorf("--%s %s: want %s", f.Name, value.GetValue(), wantedValue(f))
	case errors.As(err, &missing):
		_, explanation := pflag.UnquoteUsage(missing.GetFlag())
		err = fmt.Errorf("--%s needs a value: %s", missing.GetFlag().Name, explanation)
	}

	return usage("%w\n`%s --help` lists the flags", err, cmd.CommandPath())
}

// wantedValue says what a flag takes.
func wantedValue(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "duration":
		return "a time with its unit, e.g. 30s, 10m or 2h"
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number from 0 on"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	}

	return f.Value.Type()
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
