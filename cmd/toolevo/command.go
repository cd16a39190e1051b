package main

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
)

// newCommand returns the command of a usage line. Shells complete the runs that it takes.
func newCommand(use string) *cobra.Command {
	cmd := cmdline.Command(use, helpTexts)
	if _, most := cmdline.Arguments(use); strings.Contains(use, "RUN") {
		cmd.ValidArgsFunction = runs(min(most, 1)) // the first of several arguments
	}
	return cmd
}

// takeNames lets all commands below cmd take a name that `toolevo runs` prints wherever their usage
// says RUN.
func takeNames(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		takeNames(c)
	}

	words, run := strings.Fields(cmd.Use)[1:], cmd.RunE
	isRun := func(i int) bool {
		repeated := slices.IndexFunc(words, func(w string) bool {
			return strings.Contains(w, "…") || strings.Contains(w, "...")
		})
		// A repeated argument is the last of the usage: it stands for all that follow.
		if repeated >= 0 {
			i = min(i, repeated)
		}

		return strings.HasPrefix(strings.TrimLeft(words[i], "["), "RUN")
	}

	// Groups run nothing, and no argument of the other commands is the name of a run.
	if run == nil || !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "RUN") }) {
		return
	}

	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		args = slices.Clone(args)
		for i := range args {
			if !isRun(i) {
				continue
			}

			if args[i], err = toolevo.RunNamed(args[i]); err != nil {
				return err
			}
		}
		return run(cmd, args)
	}
}

// command is newCommand for a command that prints its result as one document with --json.
func (a *app) command(use string) *cobra.Command {
	cmd := newCommand(use)
	cmdline.JSONFlag(&a.Program, cmd)
	return cmd
}

// does lets a command do a job with its arguments and print the result: as a document with --json,
// else by text, which writes to a.Out; that keeps its first write error. A result that comes with
// an error, because it is bad or incomplete, is printed, too.
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
