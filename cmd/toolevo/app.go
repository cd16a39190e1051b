package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/suite"
	"toolevo/mcts/account"
)

// helpTexts holds the help of each command.
//
//go:embed help
var helpTexts embed.FS

// groupFile lists the groups of commands in the order of the help, one per line: the title, then
// the commands. The group with * takes all that no other group names, such as those of suites.
//
//go:embed groups.txt
var groupFile string

// app is one invocation of the program, with everything it may touch.
type app struct {
	console.Program
	columns     int           // width of the terminal that results go to; 0 where it is no terminal
	ending      ending        // what is said at Ctrl-C
	quietPeriod time.Duration // how long a command may prepare in silence; 0: the default, negative: not at all
	backoff     time.Duration // the first wait before a server is asked again; 0 is the default
	probe       time.Duration // of model servers before a run, at most; 0 is the default

	account *account.Account           // of what the command's models took
	limited map[*cobra.Command]*limits // the commands that limits may end early
	result  any                        // of the command; nil before it has one

	// open opens the engine of a command; nil is engines.Open.
	open toolevo.OpenFunc
	// attack tries to break out of an engine before a run uses it; nil is attack.Check.
	attack engines.Attack
}

// run runs the program and returns its exit code.
func (a *app) run(ctx context.Context, args []string) int {
	a.account = account.New(toolevo.Software())
	out := display.NewWriter(a.Out)
	a.Raw, a.Out, a.columns = a.Out, out, console.Width(a.Out)
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)

	// Most commands print without a look at the error; those that return it have said it already.
	if lost := out.Flush(); !errors.Is(err, lost) {
		err = errors.Join(err, lost)
	}

	err = a.interrupted(ctx, err)
	if err == nil {
		return cmdline.ExitDone
	}

	fmt.Fprintf(a.Err, "toolevo: %s\n", cmdline.Message(err))

	if text := advice(err); text != "" {
		a.Say("%s", text)
	}
	return cmdline.ExitCode(err)
}

func (a *app) root() *cobra.Command {
	root := cmdline.Documented(&cobra.Command{
		Use:           "toolevo",
		Version:       toolevo.Software(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}, helpTexts)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetUsageTemplate(cmdline.UsageTemplate(root))
	root.SetFlagErrorFunc(cmdline.WrongFlag)
	root.AddCommand(a.playCommand(), a.collectCommand(), a.inspectCommand(), a.viewCommand(),
		a.reportCommand(), a.checkCommand(), a.exportCommand(), a.finetuneCommand(),
		a.evalCommand(), a.gateCommand(), a.improveCommand(), a.versionsCommand(),
		a.demoCommand(), a.doctorCommand(), a.benchCommand(), a.versionCommand(),
		a.workCommand(), a.replayCommand(), a.branchCommand(), a.ablateCommand(), a.runsCommand(),
		a.analyzeCommand(), a.serveCommand())

	a.addSuiteCommands(root)

	// Both wrap what commands run, so all commands have to be there.
	a.limit()
	takeNames(root)

	// Cobra would add its own commands when it executes: too late for their groups and completions.
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()

	// Cobra's own commands answer an unknown word with help; here that is wrong usage.
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			cmdline.Group(c)
		case "help":
			c.RunE, c.Run = helpAbout, nil
		}
	}

	addCompletions(root, flagValues())
	addGroups(root)
	return cmdline.Group(root)
}

// addSuiteCommands adds the commands that suites bring along.
func (a *app) addSuiteCommands(root *cobra.Command) {
	for _, b := range suite.All() {
		if c, ok := b.(suite.Commander); ok {
			for _, command := range c.Commands() {
				cmdline.Add(root, &a.Program, a.demonstrating(b.Name(), command), a.configureSuite)
			}
		}
	}
}

// addGroups puts commands into the groups of the help.
func addGroups(root *cobra.Command) {
	groups := map[string]string{}

	for line := range strings.Lines(groupFile) {
		title, names, _ := strings.Cut(line, ":")
		root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})

		for _, name := range strings.Fields(names) {
			groups[name] = title
		}
	}

	for _, c := range root.Commands() {
		c.GroupID = cmp.Or(groups[c.Name()], groups["*"])
	}
}

// helpAbout shows the help of the command that args name.
func helpAbout(help *cobra.Command, args []string) error {
	cmd, rest, err := help.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = cmdline.UnknownCommand(cmd, rest[0])
	}

	if err != nil {
		return err
	}
	return cmd.Help()
}

// starting shows the steps that a command takes before it begins. mode is a value of --progress.
func (a *app) starting(mode string) *console.Starting { return a.Start(mode, a.quietPeriod) }
