package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"toolevo/envs/display"
	"toolevo/mcts/store"
	"toolevo/toolqa/corpus"
	"toolevo/trajectories"
)

// app is one invocation of the program, with everything it may touch.
type app struct {
	in      io.Reader
	out     io.Writer // results; what others wrote is made visible on the way
	columns int       // of the terminal that results go to, 0 where they go to none
	err     *console  // words for people
	environ []string
	ending  ending        // what is said at Ctrl-C
	moment  time.Duration // a command may prepare in silence for so long; 0 is the default, less is not at all
	backoff time.Duration // before a server is asked again, at first; 0 is the default

	// open opens the engine of a command; nil is engines.Open.
	open openFunc
	// attack tries to get out of an engine of this stamp before a run uses it; nil is attack.Check.
	attack attackFunc
}

// The exit codes.
const (
	exitDone        = 0
	exitBad         = 1   // the result is bad: a check failed, an accuracy is too low
	exitUsage       = 2   // wrong usage or configuration
	exitGaveUp      = 3   // infrastructure gave up
	exitInterrupted = 130 // interrupted, resumable
)

// exitError gives an error its exit code.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func bad(format string, args ...any) error { return &exitError{exitBad, fmt.Errorf(format, args...)} }
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}
func gaveUp(err error) error { return &exitError{exitGaveUp, err} }

// run runs the program and returns its exit code. What has no code of its own is a matter of usage or configuration:
// commands give codes to everything that can happen once they work.
func (a *app) run(ctx context.Context, args []string) int {
	out := display.NewWriter(a.out)
	a.out, a.columns = out, terminalWidth(a.out)
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)

	err = a.interrupted(ctx, errors.Join(err, out.Flush()))
	if err == nil {
		return exitDone
	}

	fmt.Fprintf(a.err, "toolevo: %s\n", strings.TrimSpace(err.Error()))

	if text := advice(err); text != "" {
		a.say("%s", text)
	}

	if errors.Is(err, store.ErrDamaged) || errors.Is(err, corpus.ErrDamaged) ||
		errors.Is(err, trajectories.ErrDamaged) {
		return exitBad
	}

	var coded *exitError
	if errors.As(err, &coded) {
		return coded.code
	}

	var path *fs.PathError
	if errors.As(err, &path) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return exitGaveUp // a full disk, a folder that may not be written
	}

	return exitUsage
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "toolevo",
		Short: "Tool-use trajectories and evaluation for APIs that change",
		Long: `toolevo makes language models robust to APIs that change (ToolEvo, ICLR 2025).

It grows trial-and-error trajectories by Monte Carlo tree search against an
environment whose deployed APIs have moved on from the ones in the prompt,
exports the successful ones for fine-tuning, and evaluates policies on several
API versions.

Start with:  toolevo demo`,
		Version:       software(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetUsageTemplate(usageTemplate(root))
	root.SetFlagErrorFunc(wrongFlag)
	root.AddCommand(a.dataCommand(), a.playCommand(), a.collectCommand(), a.inspectCommand(), a.checkCommand(),
		a.exportCommand(), a.evalCommand(), a.demoCommand(), a.doctorCommand(), a.benchCommand(), a.versionCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()

	for _, c := range root.Commands() {
		switch c.Name() { // cobra's own take any word for the lack of one
		case "completion":
			group(c)
		case "help":
			c.RunE, c.Run = helpAbout, nil
		}
	}

	if err := addCompletions(root, flagValues()); err != nil {
		panic(fmt.Sprintf("completion of flags: %v", err)) // one has two
	}

	return group(root)
}

// helpAbout shows the help of the command that is named.
func helpAbout(help *cobra.Command, args []string) error {
	cmd, rest, err := help.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = unknownCommand(cmd, rest[0])
	}

	if err != nil {
		return err
	}

	return cmd.Help()
}

// say writes a line for people.
func (a *app) say(format string, args ...any) { fmt.Fprintf(a.err, format+"\n", args...) }
