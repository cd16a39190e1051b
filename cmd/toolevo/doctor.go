package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/mcts/policy/doctor"
	"toolevo/mcts/policy/serving"
)

// doctorCommand examines model servers. Other things that a run depends on are examined by commands below it.
func (a *app) doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out what a model's server will silently do wrong",
		Long: `Checks each server of a policy within seconds, in the way a run would use it: is
it reachable, does it have the model, does the prompt arrive unchanged, is the
context window as large as stated and a longer prompt refused, are n, seeds,
stop texts and temperature 0 honoured, are there log-probabilities and of which
distribution, do the server's defaults leak in, does the prefix cache work, do
requests run in parallel, how fast is it. For Ollama also: does the model stay
loaded, is the version recent enough.

Each check says what was seen; each finding says how a run copes with it and
what you can do. Nothing is changed on the server. A busy server looks slow.

--quick makes about ten short requests, for a server that writes a few tokens a
second. What they cannot tell is marked --, and said to be not probed.

Marks: ok; ! a run copes, but is slower or loses what is named; !! a run would
be wrong or impossible; ?? the probes were inconclusive. Exit codes: 0 all is
well, 1 there are warnings, 2 there are problems (or wrong usage),
130 interrupted.

Scripted policies need no server.`,
		Example: `  toolevo doctor --policy openai:Qwen/Qwen2-7B --config policies/qwen2-7b
  toolevo doctor --policy ollama:mymodel --server gpu1:11434 --json
  toolevo doctor --policy ollama:mymodel --quick`,
		Args: console.Positional(0, 0),
	}
	s := a.addSettings(cmd, nil, "policy")
	servers := a.serving()
	servers.AddressFlag(cmd.Flags())
	timeout := cmd.Flags().Duration("timeout", doctor.DefaultTimeout, "`TIME` that one probe may take, loading "+
		fmt.Sprintf("the model included (with --quick %v)", doctor.QuickTimeout))
	quick := cmd.Flags().Bool("quick", false, "make about ten short requests, for slow servers")
	side := cmd.Flags().Int("side-by-side", doctor.DefaultParallel, "`N` requests at once, to see whether they "+
		"run side by side")
	asJSON := console.JSONFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *timeout <= 0 {
			return console.Usage("--timeout %v: want how long a probe may take, such as 30s", *timeout)
		}

		if *side < 2 {
			return console.Usage("--side-by-side %d: want at least 2", *side)
		}

		if *quick && cmd.Flags().Changed("side-by-side") {
			return console.Usage("--side-by-side is of no use with --quick, which makes one request at a time")
		}

		if *quick && !cmd.Flags().Changed("timeout") {
			*timeout = doctor.QuickTimeout
		}

		c, err := s.resolve(cmd.Flags(), nil)
		if err != nil {
			return err
		}

		b, err := newBench(c, servers, nil)
		if err != nil {
			return err
		}

		targets, err := b.Targets()
		if err != nil {
			return err
		}

		for i := range targets {
			o := &targets[i].Options
			o.Timeout, o.Parallel, o.Quick = *timeout, *side, *quick
		}

		a.warnExposed(servers)

		return a.examine(cmd.Context(), c, targets, *asJSON)
	}
	cmd.AddCommand(a.sandboxCommand())

	return cmd
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
			if i > 0 {
				fmt.Fprintln(a.Out)
			}

			legend := doctor.Legend
			if p.Options.Quick {
				legend = doctor.QuickLegend
			}

			fmt.Fprintf(a.Out, "%s\n%s\n\n", p.Policy, legend)
			p.Options.Found = func(c doctor.Check) { doctor.WriteCheck(a.Out, c) }
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

	switch verdict {
	case doctor.OK, doctor.Skipped:
		return nil
	case doctor.Problem:
		return console.Usage("doctor: there are problems")
	}

	return console.Bad("doctor: there are findings")
}
