package console

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/envs/names"
)

// HelpWidth is how many columns help may take.
const HelpWidth = 80

// UsageTemplate is cobra's with the flags' explanations wrapped.
func UsageTemplate(root *cobra.Command) string {
	return strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", fmt.Sprintf(".FlagUsagesWrapped %d ", HelpWidth))
}

// WrongFlag is the error of a flag that could not be read.
func WrongFlag(cmd *cobra.Command, err error) error {
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

	return Usage("%w\n`%s --help` lists the flags", err, cmd.CommandPath())
}

// wantedValue says what a flag takes.
func wantedValue(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "duration":
		return "a time with its unit, e.g. 30s, 10m or 2h"
	case "int":
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
