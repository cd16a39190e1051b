package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/finetune/child"
	"toolevo/finetune/improve"
	"toolevo/finetune/rundir"
	"toolevo/mcts/account"
)

func (a *app) improveCommand() *cobra.Command {
	cmd := a.command("improve FILE")
	cmd.Long = strings.Replace(cmd.Long, "EXAMPLE", improveExample(), 1)

	var o improve.Options

	flags := cmd.Flags()
	out := flags.String("out", "", "work in the folder `DIR` (required)")
	addFlags(cmd, "improve", into{
		"skip":  &o.Skip,
		"again": &o.Again,
		"redo":  &o.Redo,
	})

	progress := cmdline.ProgressFlag(cmd)

	var prices []string

	a.limitFlags(cmd).trajectoriesFlag(cmd)
	addFlags(cmd, "improve", into{"prices": &prices})
	return does(a, cmd, func(ctx context.Context, args []string) (*improve.Result, error) {
		if *out == "" {
			return nil, console.Usage("improve needs --out DIR, the folder of all rounds")
		}

		// A cost limit without prices is refused now, before the rounds take hours.
		if err := a.charge(prices); err != nil {
			return nil, err
		}

		config, err := improve.Read(args[0])
		if err != nil {
			return nil, err
		}

		program, err := a.asProgram(*progress)
		if err != nil {
			return nil, err
		}

		a.Announce("improve", fmt.Sprintf("%d rounds", config.Rounds), "model "+config.Model,
			"first collected by "+toolevo.PoliciesOf([]string{config.FirstPolicy()}))
		return a.improve(ctx, config, *out, program, o)
	}, func(r *improve.Result) {
		r.WriteTable(a.Out)
		a.Say("All figures: %s", filepath.Join(*out, improve.CSVFile))
	})
}

// improve does the rounds, and keeps an account of what they take.
func (a *app) improve(ctx context.Context, c *improve.Config, out string, p improve.Program, o improve.Options) (
	result *improve.Result, err error) {
	finish := a.accountIn(out, &p)
	defer func() { err = errors.Join(err, finish(err == nil)) }()

	if result, err = improve.Run(ctx, c, out, p, o); err != nil {
		return nil, explainStage(ctx, err)
	}
	return result, nil
}

// charge sets the prices of stages that have none of their own.
func (a *app) charge(prices []string) error {
	charged, err := account.ParsePrices(prices)
	if err != nil {
		return console.Option("prices", "%w", err)
	}

	a.account.Price(charged)
	return console.AsUsage(a.account.Ready())
}

// accountIn lists the folder of all rounds as an experiment, with the account of the program, from
// the first stage until finish is called. Before that stage the folder may be missing, or be in use
// by another process.
func (a *app) accountIn(out string, p *improve.Program) (finish func(all bool) error) {
	run := p.Run
	stop := func(bool) error { return nil }

	begin := sync.OnceValue(func() (err error) {
		end, err := rundir.Begin(out, "improve", 0, a.account)
		if err == nil {
			stop = end
		}
		return err
	})
	p.Run = func(ctx context.Context, args ...string) (any, error) {
		if err := begin(); err != nil {
			return nil, err
		}
		return run(ctx, args...)
	}
	return func(all bool) error { return stop(all) }
}

// improveExample returns a file with every key, indented for the help.
func improveExample() string {
	text, err := fs.ReadFile(configs.Improvements(), "example.yaml")
	if err != nil {
		panic(err) // embedded
	}
	return "  " + strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n  ")
}

// asProgram returns this program as the stages use it.
func (a *app) asProgram(progress string) (p improve.Program, err error) {
	host := a.host(progress)
	p = improve.Program{
		Running: host.RunningServer,
		Say:     a.Say,
		Run: func(ctx context.Context, args ...string) (any, error) {
			if args[0] != "export" {
				args = append(args, "--progress", progress)
			}

			result, err := a.perform(ctx, args...)
			if evaluated, ok := result.(toolevo.Evaluated); ok {
				return evaluated.Report, err
			}
			return result, err
		},
		Watch: func(log string) (stop func()) {
			return a.Report(progress, func() console.Status {
				return trainerStatus(child.LastLine(log))
			})
		},
	}
	p.Path, err = os.Executable()

	return p, err
}

// percent matches the share done at the beginning of a progress bar.
var percent = regexp.MustCompile(`^ *([0-9]{1,3})%[| ] *`)

// trainerStatus reads the progress of a trainer from its last line, which also tells the time left.
func trainerStatus(line string) console.Status {
	s := console.Status{Text: display.Line(percent.ReplaceAllString(line, ""), 0)}
	if found := percent.FindStringSubmatch(line); found != nil {
		s.Total = 100
		s.Done, _ = strconv.ParseInt(found[1], 10, 64) // digits
	}

	return s
}

// explainStage adds to the error of a failed stage what to do about it.
func explainStage(ctx context.Context, err error) error {
	var changed *improve.ChangedError

	switch {
	case errors.As(err, &changed):
		return console.Usage("%w: choose another --out, or add --redo to rerun it and all that depends on it", err)
	case ctx.Err() != nil || console.KindOf(err) != 0:
		return err
	}

	return console.GaveUp(err)
}
