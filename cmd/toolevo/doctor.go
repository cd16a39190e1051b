package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/estimate"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/serving"
)

// doctorCommand examines what a run needs before it begins: what collect refuses to begin without,
// and the servers of its models. Other things that a run depends on are examined by commands below
// it.
func (a *app) doctorCommand() *cobra.Command {
	cmd := a.command("doctor")
	d := &serverDoctor{app: a, collectFlags: a.addCollectFlags(cmd)}

	flags := cmd.Flags()
	for _, name := range []string{"dry-run", "probe", "tokens-per-second", "prices", "ignore-unreadable", "workers"} {
		flags.Lookup(name).Hidden = true // they are taken, so that the arguments of collect are, and change nothing
	}

	timeout := flags.Lookup("timeout")
	timeout.DefValue = doctor.DefaultTimeout.String()
	timeout.Usage = fmt.Sprintf("`TIME` that one probe may take, loading the model included (with --quick %v)",
		doctor.QuickTimeout)

	d.parallel = doctor.DefaultParallel
	addFlags(cmd, "doctor", into{
		"write":        &d.write,
		"quick":        &d.quick,
		"side-by-side": &d.parallel,
	})

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := d.setTimeout(flags); err != nil {
			return err
		}

		return d.run(cmd)
	}
	cmd.AddCommand(a.sandboxCommand())

	return cmd
}

// serverDoctor is the doctor command's flags, and what it has found.
type serverDoctor struct {
	app *app
	*collectFlags
	quick    bool
	parallel int
	timeout  time.Duration // of a probe; 0 is doctor's own
	write    string

	found doctorDocument
}

// setTimeout refuses flags that make no sense, and gives an examination its own timeout.
func (d *serverDoctor) setTimeout(flags *pflag.FlagSet) error {
	switch {
	case d.parallel < 2:
		return console.Usage("--side-by-side %d: want at least 2", d.parallel)
	case d.quick && flags.Changed("side-by-side"):
		return console.Usage("--side-by-side is of no use with --quick, which makes one request at a time")
	}

	// Probes have timeouts of their own; this one is for the first turns of tasks.
	if d.timeout = d.Servers.Timeout; !flags.Changed("timeout") {
		d.timeout, d.Servers.Timeout = 0, doctor.QuickTimeout
	}

	return nil
}

// examined is the report on a server of a policy.
type examined struct {
	Policy string `json:"policy"` // whose server it is
	*doctor.Report
}

// doctorDocument is what doctor --json prints.
type doctorDocument struct {
	Verdict doctor.Verdict `json:"verdict"` // the worst of all: ok, not-probed, could-not-tell, warning or problem
	Machine []doctor.Check `json:"machine"` // what a run needs beside what single servers do
	Servers []examined     `json:"servers"` // of the policies, in their order
}

// note adds a check of what a run needs, and prints it.
func (d *serverDoctor) note(c doctor.Check) {
	d.found.Machine = append(d.found.Machine, c)
	d.found.Verdict = d.found.Verdict.Worse(c.Verdict)

	if !d.app.JSON {
		_ = doctor.WriteCheck(d.app.Out, c) // which fails again at the end
	}
}

// met is the check of something that a run needs, which is not so if there is an error.
func met(name doctor.Name, seen string, err error) doctor.Check {
	if err == nil {
		return doctor.Check{Name: name, Verdict: doctor.OK, Seen: seen}
	}

	what, do, _ := strings.Cut(strings.TrimSpace(cmdline.Flags(err.Error())), "\n")

	return doctor.Check{
		Name: name, Verdict: doctor.Problem, Seen: what,
		Run: fmt.Sprintf("does not begin: exit code %d", cmdline.ExitCode(err)),
		Do:  cmp.Or(do, advice(err), "set right what it names"),
	}
}

// run examines and reports.
func (d *serverDoctor) run(cmd *cobra.Command) error {
	ctx := mcts.AtOnce(cmd.Context())

	err := d.examine(ctx, cmd)
	for range mostTries {
		if err != nil || d.write == "" || !d.adopt() {
			break
		}

		err = d.examine(ctx, cmd)
	}

	if err == nil && d.write != "" {
		err = d.writeSettings(ctx, cmd)
	}

	if err == nil && d.app.JSON {
		err = d.app.PrintJSON(d.found)
	}

	if err != nil {
		return err
	}

	return judged(d.found.Verdict)
}

// examine looks at everything that a run needs, then at the servers one after the other.
func (d *serverDoctor) examine(ctx context.Context, cmd *cobra.Command) error {
	a := d.app

	job, err := d.collectJob()
	if err != nil {
		return err
	}

	job = job.Prepared()

	c, noted, err := job.Configure(ctx)
	if err != nil {
		return err
	}

	b, err := toolevo.NewBench(job.Data, c, d.Servers, noted) // refuses what no data could make right
	if err != nil {
		return err
	}

	d.found = doctorDocument{doctor.OK, []doctor.Check{}, []examined{}}
	if !d.app.JSON {
		d.printHead("a run of collect with these arguments")
	}

	whole, err := job.Read(ctx, c, noted)
	if err == nil {
		b = whole
	}

	defer func() { _ = b.Close() }() // nothing was written

	d.note(met(doctor.Data, "questions and corpora are in "+job.Data, err))

	if err == nil {
		d.examineMachine(ctx, &job, toolevo.OnePolicy(stored.Collection)(b), b)
	}

	if !d.app.JSON {
		if err := doctor.WriteFindings(a.Out, d.found.Machine); err != nil {
			return err
		}
	}

	return d.examineServers(ctx, b)
}

// examineMachine looks at what a run needs, as it does before it begins. unfit says why collect
// refuses the settings.
func (d *serverDoctor) examineMachine(ctx context.Context, job *toolevo.CollectJob, unfit error, b *toolevo.Bench) {
	if unfit != nil {
		c := met(doctor.Settings, "", unfit)
		c.Verdict, c.Run = doctor.Warning, "of collect does not begin; eval may take them"
		d.note(c)
	}

	absent := false // a server

	for _, n := range job.Needs(b) {
		if absent && n.Name == doctor.Greeting {
			continue
		}

		seen, err := job.Meets(ctx, n)
		if ctx.Err() != nil {
			return
		}

		if seen != "" || err != nil {
			d.note(met(n.Name, seen, err))
		}

		absent = absent || n.Name == doctor.Servers && err != nil
	}
}

// examineServers looks at the servers of the models, one after the other.
func (d *serverDoctor) examineServers(ctx context.Context, b *toolevo.Bench) error {
	targets, err := b.Targets()
	if err != nil {
		return err
	}

	for _, t := range targets {
		if err := d.examineServer(ctx, b, t); err != nil {
			return err
		}
	}

	if ctx.Err() != nil {
		return errExamined
	}

	if len(targets) == 0 {
		d.app.Say("%s needs no server, so nothing is examined. For a model's server:\n  toolevo doctor --policy "+
			"%s [--server URL]",
			strings.Join(b.Config.Policy, ", "), strings.ReplaceAll(serving.Offers(), " or ", "|"))
	}

	return nil
}

// errExamined is the end of an examination that was interrupted.
var errExamined = console.Interrupted("interrupted: nothing is left behind; run the same command again")

// examineServer looks at one server.
func (d *serverDoctor) examineServer(ctx context.Context, b *toolevo.Bench, t serving.Target) error {
	o := t.Options
	o.Timeout, o.Parallel, o.Quick = d.timeout, d.parallel, d.quick
	o.Dialect = b.Dialect(t)

	if len(b.Tasks) > 0 {
		o.Actor = actor{b, t}
	}

	if !d.app.JSON {
		fmt.Fprintln(d.app.Out)
		d.printHead(t.Policy)
		o.Found = func(c doctor.Check) { doctor.WriteCheck(d.app.Out, c) }
	}

	r, err := doctor.Examine(ctx, o)
	switch {
	case ctx.Err() != nil:
		return errExamined
	case err != nil:
		return err
	}

	// The verdict so far is kept apart: the findings of this server are worded by what the others have.
	others := d.found.Verdict
	d.found.Servers, d.found.Verdict = append(d.found.Servers, examined{t.Policy, r}), others.Worse(r.Verdict)

	if d.app.JSON {
		return nil
	}

	return r.WriteFindings(d.app.Out, others)
}

// actor has the model of a target write first turns of a bench's tasks.
type actor struct {
	b      *toolevo.Bench
	target serving.Target
}

// Act implements doctor.Actor.
func (a actor) Act(ctx context.Context, n int) ([]doctor.Turn, server.Dialect, error) {
	return a.b.FirstTurns(ctx, a.target, estimate.Spread(a.b.Tasks, n))
}

// Better implements doctor.Actor.
func (a actor) Better(ctx context.Context, n int) (map[string]string, int, error) {
	other, readable, err := a.b.BetterForm(ctx, a.target, estimate.Spread(a.b.Tasks, n))
	return other.Settings(), readable, err
}

// printHead prints the head of a list of checks.
func (d *serverDoctor) printHead(what string) {
	legend := doctor.Legend
	if d.quick {
		legend = doctor.QuickLegend
	}

	fmt.Fprintf(d.app.Out, "%s\n%s\n\n", what, legend)
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
