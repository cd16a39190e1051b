package cmdline

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/suite"
)

// UsageTemplate is cobra's with the flags' explanations wrapped.
func UsageTemplate(root *cobra.Command) string {
	return strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ",
		fmt.Sprintf(".FlagUsagesWrapped %d ", console.HelpWidth))
}

// WrongFlag returns the error of a flag that could not be read.
func WrongFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError

	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		err = fmt.Errorf("%w%s", err, insteadOf(cmd, unknown.GetSpecifiedName()))
	case errors.As(err, &value):
		f := value.GetFlag()
		err = fmt.Errorf("--%s %s: want %s", f.Name, value.GetValue(), wantedValue(f))
	case errors.As(err, &missing):
		_, explanation := pflag.UnquoteUsage(missing.GetFlag())
		err = fmt.Errorf("--%s needs a value: %s", missing.GetFlag().Name, explanation)
	}

	return console.Usage("%w\n`%s --help` lists the flags", err, cmd.CommandPath())
}

// wantedValue says what a flag takes.
func wantedValue(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "duration":
		return "a time with its unit, e.g. 30s, 10m or 2h"
	case "int", "int64":
		return "a whole number"
	case "uint64":
		return "a whole number of at least 0"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	}

	return f.Value.Type()
}

// JSONFlag adds --json.
func JSONFlag(p *console.Program, cmd *cobra.Command) {
	AddFlag(cmd, "json", &p.JSON, "print the result as one JSON document")
}

// DataFlag adds --data.
func DataFlag(p *console.Program, cmd *cobra.Command) *string {
	dir := new(string)
	AddOption(cmd, p, suite.DataOption(dir))
	return dir
}

// dataFolder returns the data folder of a command that names none.
func dataFolder(p *console.Program) string { return cmp.Or(p.Lookup("TOOLEVO_DATA"), "data") }

// ProgressFlag adds --progress, and has its value checked before the command runs.
func ProgressFlag(cmd *cobra.Command) *string {
	mode := cmd.Flags().String("progress", console.ProgressAuto,
		"`HOW`: auto, bar, plain or none; auto draws a bar "+
			"on a terminal and else prints lines")
	Complete(cmd, "progress", Offered(console.ProgressModes()))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if _, err := names.Parse("way", *mode, console.ProgressModes()); err != nil {
			return console.Usage("--progress: %w", err)
		}
		return nil
	}
	return mode
}
