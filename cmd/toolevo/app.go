package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/durable"
	"toolevo/envs/sandbox/walls"
	"toolevo/envs/suite"
)

// helpTexts has the help of each command.
//
//go:embed help
var helpTexts embed.FS

// app is one invocation of the program, with everything it may touch.
type app struct {
	console.Program               // what others wrote is made visible on the way to Out
	raw             io.Writer     // Out as it was, for protocols
	columns         int           // of the terminal that results go to, 0 where they go to none
	ending          ending        // what is said at Ctrl-C
	quietPeriod     time.Duration // how long a command may prepare in silence; 0: the default, negative: not at all
	backoff         time.Duration // before a server is asked again, at first; 0 is the default

	// open opens the engine of a command; nil is engines.Open.
	open toolevo.OpenFunc
	// attack tries to get out of an engine of this stamp before a run uses it; nil is attack.Check.
	attack walls.Attack
}

// run runs the program and returns its exit code. What has no code of its own is a matter of usage or configuration:
// commands give codes to everything that can happen once they work.
func (a *app) run(ctx context.Context, args []string) int {
	out := display.NewWriter(a.Out)
	a.raw, a.Out, a.columns = a.Out, out, console.Width(a.Out)
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)

	err = a.interrupted(ctx, errors.Join(err, out.Flush()))
	if err == nil {
		return console.ExitDone
	}

	fmt.Fprintf(a.Err, "toolevo: %s\n", strings.TrimSpace(inFlags(err.Error())))

	if text := advice(err); text != "" {
		a.Say("%s", text)
	}

	return exitCode(err)
}

// exitCode returns the exit code of an error that ends the program.
func exitCode(err error) int {
	if errors.Is(err, durable.ErrDamaged) {
		return console.ExitBad
	}

	if code := console.ExitCode(err); code != console.ExitDone {
		return code
	}

	var path *fs.PathError
	if errors.As(err, &path) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return console.ExitGaveUp // a full disk, a folder that may not be written
	}

	return console.ExitUsage
}

func (a *app) root() *cobra.Command {
	root := console.Documented(&cobra.Command{
		Use:           "toolevo",
		Version:       toolevo.Software(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}, helpTexts)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetUsageTemplate(console.UsageTemplate(root))
	root.SetFlagErrorFunc(console.WrongFlag)
	root.AddCommand(a.playCommand(), a.collectCommand(), a.inspectCommand(), a.viewCommand(),
		a.reportCommand(), a.checkCommand(), a.exportCommand(), a.finetuneCommand(), a.evalCommand(),
		a.improveCommand(), a.versionsCommand(), a.demoCommand(), a.doctorCommand(), a.benchCommand(),
		a.versionCommand(), a.replayCommand(), a.branchCommand(), a.ablateCommand(), a.runsCommand(),
		a.analyzeCommand(), a.serveCommand(), a.mirrorCommand())

	for _, b := range suite.All() {
		if c, ok := b.(suite.Commander); ok {
			root.AddCommand(c.Commands(&a.Program)...)
		}
	}

	a.addTasksCommands(root)

	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()

	for _, c := range root.Commands() {
		switch c.Name() { // cobra's own take any word for the lack of one
		case "completion":
			console.Group(c)
		case "help":
			c.RunE, c.Run = helpAbout, nil
		}
	}

	addCompletions(root, flagValues())

	return console.Group(root)
}

// helpAbout shows the help of the command that is named.
func helpAbout(help *cobra.Command, args []string) error {
	cmd, rest, err := help.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = console.UnknownCommand(cmd, rest[0])
	}

	if err != nil {
		return err
	}

	return cmd.Help()
}

// starting shows what a command prepares. mode is a value of --progress.
func (a *app) starting(mode string) *console.Starting { return a.Start(mode, a.quietPeriod) }
