package cmdline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/suite"
)

// Configure gives a command the flags of its settings. What it returns completes a call of the
// command, and returns what is to be done when that has ended.
type Configure func(cmd *cobra.Command,
	c *suite.Configured) func(call *suite.Call) (ended func(error) error)

// Add makes a command of a value, below root and the groups that its words name, which must exist.
func Add(root *cobra.Command, p *console.Program, c suite.Command, configure Configure) {
	words := Words(c.Use)
	parent := root

	for _, group := range words[:len(words)-1] {
		all := parent.Commands()
		i := slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == group })
		parent = all[i] // an unknown group is a bug
	}

	use := strings.TrimPrefix(c.Use, strings.Join(words[:len(words)-1], " "))
	least, most := Arguments(use)
	cmd := documentedBy(&cobra.Command{Use: strings.TrimSpace(use), Args: Positional(least, most)},
		c.Help,
		strings.Join(words, "-"))
	parent.AddCommand(cmd)

	if c.Run == nil {
		Group(cmd)
		return
	}

	for _, o := range c.Options {
		AddOption(cmd, p, o)
	}

	addRun(cmd, p, c, configure)
}

// addRun lets a command run, and has its result printed.
func addRun(cmd *cobra.Command, p *console.Program, c suite.Command, configure Configure) {
	JSONFlag(p, cmd)

	mode := new(string)
	if *mode = console.ProgressNone; c.Progress {
		mode = ProgressFlag(cmd)
	}

	complete := func(*suite.Call) func(error) error { return func(err error) error { return err } }
	if c.Configured != nil {
		complete = configure(cmd, c.Configured)
	}

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, c.Options); err != nil {
			return err
		}

		stop := func() {}
		steps := &console.Steps{}
		steps.Begin = func() { stop = p.Report(*mode, steps.Read) }

		call := &suite.Call{Program: p, Args: args, Progress: steps, Version: cmd.Root().Version}
		ended := complete(call)
		err := c.Run(cmd.Context(), call)

		// The bar has to be gone before anything is printed.
		stop()

		err = ended(err)

		// A bad result is a result: it is printed, and its error returned.
		failed := err != nil && console.KindOf(err) != console.BadResult

		if failed || call.Document == nil {
			return err
		}
		return errors.Join(err, p.Show(call.Document, func() { call.Text(p.Out) }))
	}
}

// Words returns the words of a usage line that call the command: arguments are in capitals or
// brackets.
func Words(use string) []string {
	words := strings.Fields(use)

	for i, w := range words {
		if strings.ToLower(w) != w || strings.HasPrefix(w, "[") {
			return words[:i]
		}
	}

	return words
}

// AddFlag adds a flag. value points to where its value goes, and holds the default.
func AddFlag(cmd *cobra.Command, name string, value any, usage string) {
	flags := cmd.Flags()

	switch v := value.(type) {
	case *string:
		flags.StringVar(v, name, *v, usage)
	case *bool:
		flags.BoolVar(v, name, *v, usage)
	case *int:
		flags.IntVar(v, name, *v, usage)
	case *int64:
		flags.Int64Var(v, name, *v, usage)
	case *uint64:
		flags.Uint64Var(v, name, *v, usage)
	case *float64:
		flags.Float64Var(v, name, *v, usage)
	case *time.Duration:
		flags.DurationVar(v, name, *v, usage)
	case *[]string:
		flags.StringSliceVar(v, name, *v, usage)
	case *[]float64:
		flags.Float64SliceVar(v, name, *v, usage)
	case *suite.Repeated:
		flags.StringArrayVar((*[]string)(v), name, *v, usage)
	default:
		panic(fmt.Sprintf("cmdline: --%s is a %T", name, v)) // a mistake of the program
	}
}

// AddOption adds an option as a flag.
func AddOption(cmd *cobra.Command, p *console.Program, o suite.Option) {
	if dir, ok := o.Value.(*string); ok && o.Name == "data" {
		*dir = dataFolder(p)
	}

	AddFlag(cmd, o.Name, o.Value, o.Usage)

	_, list := o.Value.(*[]string)

	switch {
	case o.Names != nil:
		Complete(cmd, o.Name, func(cmd *cobra.Command, args []string, typed string) ([]string,
			cobra.ShellCompDirective) {
			if list {
				return Listed(o.Names())(cmd, args, typed)
			}
			return Offered(o.Names())(cmd, args, typed)
		})
	case strings.Contains(o.Usage, "`DIR`"):
		Complete(cmd, o.Name, Folders)
	}
}

// check rejects options whose values make no sense.
func check(cmd *cobra.Command, options []suite.Option) error {
	for _, o := range options {
		var err error

		switch v := o.Value.(type) {
		case *string:
			err = checkTexts(o, []string{*v})
			if o.Required && *v == "" {
				_, usage := pflag.UnquoteUsage(cmd.Flags().Lookup(o.Name))
				err = fmt.Errorf("it is missing: %s", usage)
			}
		case *[]string:
			err = checkTexts(o, *v)
		case *int:
			if *v < o.Least {
				err = fmt.Errorf("it is %d, want at least %d", *v, o.Least)
			}
		}

		if err != nil {
			return console.Option(o.Name, "%w", err)
		}
	}
	return nil
}

// checkTexts rejects names that an option does not know.
func checkTexts(o suite.Option, texts []string) error {
	if o.Names == nil {
		return nil
	}

	for _, text := range texts {
		if _, err := names.Parse(o.Name, text, o.Names()); err != nil {
			return err
		}
	}

	return nil
}
