package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/serving"
)

// doctorCommand examines model servers. Other things that a run depends on are examined by commands below it.
func (a *app) doctorCommand() *cobra.Command {
	cmd := newCommand("doctor")
	d := &serverDoctor{app: a, settings: a.addSettings(cmd, nil, "policy"), servers: a.serving()}
	d.data = a.DataFlag(cmd)
	d.servers.AddressFlag(cmd.Flags())

	flags := cmd.Flags()
	flags.DurationVar(&d.timeout, "timeout", doctor.DefaultTimeout, "`TIME` that one probe may take, loading "+
		fmt.Sprintf("the model included (with --quick %v)", doctor.QuickTimeout))
	flags.BoolVar(&d.quick, "quick", false, "make about ten short requests, for slow servers")
	flags.IntVar(&d.parallel, "side-by-side", doctor.DefaultParallel, "`N` requests at once, to see whether they "+
		"run side by side")

	asJSON := console.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := d.check(flags); err != nil {
			return err
		}

		c, err := d.resolve(flags, nil)
		if err != nil {
			return err
		}

		targets, err := d.targets(c)
		if err != nil {
			return err
		}

		a.warnExposed(d.servers)

		return a.examine(cmd.Context(), c, targets, *asJSON)
	}
	cmd.AddCommand(a.sandboxCommand())

	return cmd
}

// serverDoctor is the doctor command's flags.
type serverDoctor struct {
	*app
	*settings
	data     *string
	servers  *serving.Servers
	timeout  time.Duration
	quick    bool
	parallel int
}

// check refuses flags that make no sense, and gives a quick examination its own timeout.
func (d *serverDoctor) check(flags *pflag.FlagSet) error {
	switch {
	case d.timeout <= 0:
		return console.Usage("--timeout %v: want how long a probe may take, such as 30s", d.timeout)
	case d.parallel < 2:
		return console.Usage("--side-by-side %d: want at least 2", d.parallel)
	case d.quick && flags.Changed("side-by-side"):
		return console.Usage("--side-by-side is of no use with --quick, which makes one request at a time")
	}

	if d.quick && !flags.Changed("timeout") {
		d.timeout = doctor.QuickTimeout
	}

	return nil
}

// targets are the servers of a configuration's policies.
func (d *serverDoctor) targets(c *configs.Resolved) ([]serving.Target, error) {
	b, err := newBench(*d.data, c, d.servers, nil)
	if err != nil {
		return nil, err
	}

	targets, err := b.Targets()

	for i := range targets {
		o := &targets[i].Options
		o.Timeout, o.Parallel, o.Quick = d.timeout, d.parallel, d.quick
	}

	return targets, err
}

// examined is the report on a server of a policy.
type examined struct {
	Policy string `json:"policy"` // whose server it is
	*doctor.Report
}

// doctorDocument is what doctor --json prints.
type doctorDocument struct {
	Verdict doctor.Verdict `json:"verdict"` // the worst of all servers: ok, not-probed, could-not-tell, warning or problem
	Servers []examined     `json:"servers"` // of the policies, in their order
}

// examine looks at the servers one after the other and reports.
func (a *app) examine(ctx context.Context, c *configs.Resolved, targets []serving.Target, asJSON bool) error {
	verdict, all := doctor.OK, []examined{}

	for i, p := range targets {
		if !asJSON {
			a.printTarget(i, &p)
		}

		r, err := doctor.Examine(ctx, p.Options)
		if err != nil && (ctx.Err() == nil || errors.Is(err, context.DeadlineExceeded)) {
			return err
		}

		all, verdict = append(all, examined{p.Policy, r}), verdict.Worse(r.Verdict)

		if err != nil {
			return console.Interrupted("interrupted: nothing is left behind; run the same command again")
		}

		if !asJSON {
			if err := r.WriteFindings(a.Out); err != nil {
				return err
			}
		}
	}

	if asJSON {
		if err := a.PrintJSON(doctorDocument{verdict, all}); err != nil {
			return err
		}
	}

	if len(targets) == 0 {
		a.Say("%s needs no server: there is nothing to examine. For a model's server:\n  toolevo doctor --policy "+
			"openai:MODEL|ollama:MODEL [--server URL]",
			strings.Join(c.Policy, ", "))
	}

	return judged(verdict)
}

// printTarget prints the head of the i-th examination, and has each check printed as soon as it is done.
func (a *app) printTarget(i int, t *serving.Target) {
	if i > 0 {
		fmt.Fprintln(a.Out)
	}

	legend := doctor.Legend
	if t.Options.Quick {
		legend = doctor.QuickLegend
	}

	fmt.Fprintf(a.Out, "%s\n%s\n\n", t.Policy, legend)
	t.Options.Found = func(c doctor.Check) { doctor.WriteCheck(a.Out, c) }
}

// judged is a verdict as the end of the command.
func judged(v doctor.Verdict) error {
	switch v {
	case doctor.OK, doctor.Skipped:
		return nil
	case doctor.Problem:
		return console.Usage("doctor: there are problems")
	}

	return console.Bad("doctor: there are findings")
}
