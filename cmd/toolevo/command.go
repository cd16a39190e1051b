package main

import (
	"cmp"
	"context"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
)

// newCommand returns the command of a usage line. A shell completes the runs that it takes.
func newCommand(use string) *cobra.Command {
	cmd := cmdline.Command(use, helpTexts)
	if _, most := cmdline.Arguments(use); strings.Contains(use, "RUN") {
		cmd.ValidArgsFunction = runs(min(most, 1)) // of several arguments the first
	}

	return cmd
}

// command is newCommand for one that prints its result as a document with --json.
func (a *app) command(use string) *cobra.Command {
	cmd := newCommand(use)
	cmdline.JSONFlag(&a.Program, cmd)

	return cmd
}

// does has a command do a job with its arguments and print the result: as a document with --json,
// else by text, which writes to a.Out. That keeps the first error of all that is written to it. The
// result beside an error, which is bad or lacks something, is printed, too, where there is one.
func does[T any](a *app, cmd *cobra.Command,
	job func(ctx context.Context, args []string) (T, error), text func(T)) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		result, err := job(cmd.Context(), args)
		if v := reflect.ValueOf(result); !v.IsValid() || err != nil && v.IsZero() {
			return err
		}

		a.result = result

		return cmp.Or(a.Show(result, func() { text(result) }), err)
	}

	return cmd
}
