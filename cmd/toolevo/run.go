package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/mcts/policy/serving"
)

// runFlags are the flags of commands that make a run directory, most of them fields of its job.
type runFlags struct {
	toolevo.RunJob
	settings   *settings
	command    string // that goes on with the run; "" is the same one
	dryRun     bool
	unreadable bool // collect goes on although no action can be read
	asJSON     *bool
	progress   *string
	logging    *console.Log
}

// addRunFlags adds the flags of a command that makes a run directory or continues one.
func (a *app) addRunFlags(cmd *cobra.Command, defaults map[string]string, names ...string) *runFlags {
	f := a.addNewRunFlags(cmd, defaults, names...)
	cmd.Flags().BoolVar(&f.Resume, "resume", false, "continue the run in --out, or extend it by questions "+
		"and trees; its configuration and data folder are reused")
	cmd.Flags().BoolVar(&f.MixEngines, "mix-engines", false, "with --resume: continue even if PythonInterpreter's "+
		"engine differs from the run's; each trajectory names its own")

	return f
}

// addNewRunFlags is addRunFlags for a command that only makes new runs.
func (a *app) addNewRunFlags(cmd *cobra.Command, defaults map[string]string, names ...string) *runFlags {
	f := &runFlags{settings: a.addSettings(cmd, defaults, names...), command: cmd.Name()}
	cmdline.DataFlag(&a.Program, cmd)

	flags := cmd.Flags()
	flags.StringVar(&f.Out, "out", "", "run directory `DIR` (default runs/KIND-ID)")
	flags.StringVar(&f.ID, "run-id", "", "`ID` of the new run, of letters, digits, dots, dashes "+
		"and underscores (default: one that no other run has)")
	flags.IntVar(&f.Workers, "workers", 0, "`N` trees or episodes at most at the same time (0: four "+
		"per processor, or enough to keep the model's servers busy)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the resolved configuration with the origin of "+
		"each value, for collect an estimate too, and stop")
	f.asJSON, f.progress = cmdline.JSONFlag(cmd), cmdline.ProgressFlag(cmd)
	flags.StringVar(&f.Metrics, "metrics", "", "serve /metrics for Prometheus and /healthz at `ADDR`, PORT or "+
		"HOST:PORT (without a host: to this machine alone; to others only with the key in "+
		toolevo.MetricsKeyVariable+")")
	f.logging, f.Servers = cmdline.AddLogFlags(cmd), a.servingFlags(cmd)
	pythonServersFlag(cmd, &f.PythonServers)

	return f
}

// job is what the flags ask for.
func (f *runFlags) job(cmd *cobra.Command) (j toolevo.RunJob, err error) {
	a := f.settings.app
	a.warnExposed(f.Servers)

	if *f.progress == console.ProgressNone {
		f.Servers.Watch = nil
	}

	if f.dryRun {
		f.Plan = &toolevo.Plan{}
	}

	j = f.RunJob
	j.Host, j.Log = a.host(*f.progress), *f.logging
	j.Settings, err = f.settings.given(cmd.Flags())

	if data := cmd.Flags().Lookup("data"); data.Changed {
		j.Data = data.Value.String()
	}

	if f.command != "" {
		j.Continue = f.resumeCommand
		j.Begun = func(at toolevo.Stop) { a.ending.begin(f.resumeCommand(at)) }
	}

	return j, err
}

// ended prints what a run would be whose job has ended without an error.
func (f *runFlags) ended(err error) error {
	f.settings.app.ending.begin("")

	if err != nil || f.Plan == nil {
		return err
	}

	return f.settings.app.printPlan(*f.asJSON, f.Plan)
}

func pythonServersFlag(cmd *cobra.Command, n *int) {
	cmd.Flags().IntVar(n, "python-servers", 0, "`N` model-written programs run at the same time "+
		"(0: a quarter of the processors, at least 2)")
}

// resumeCommand returns the exact command that goes on with a run that stopped.
func (f *runFlags) resumeCommand(stop toolevo.Stop) string {
	args := []string{os.Args[0], f.command, "--resume", "--out", stop.Dir}
	if f.Workers > 0 {
		args = append(args, "--workers", strconv.Itoa(f.Workers))
	}

	if f.PythonServers > 0 {
		args = append(args, "--python-servers", strconv.Itoa(f.PythonServers))
	}

	if f.MixEngines {
		args = append(args, "--mix-engines")
	}

	if f.unreadable || stop.Unreadable {
		args = append(args, "--ignore-unreadable")
	}

	if f.logging.File != "" {
		args = append(args, "--log-file", f.logging.File, "--log-level", f.logging.Level)
	}

	if f.Metrics != "" {
		args = append(args, "--metrics", f.Metrics)
	}

	for _, kv := range stop.Settings {
		args = append(args, "--set", kv)
	}

	return console.Shell(append(args, f.Servers.Arguments()...)...)
}

// serving is what the environment says about servers.
func (a *app) serving() *serving.Servers { return serving.FromEnvironment(&a.Program, a.backoff) }

// servingFlags adds the flags about servers.
func (a *app) servingFlags(cmd *cobra.Command) *serving.Servers {
	s, flags := a.serving(), cmd.Flags()
	addressFlag(cmd, s)
	flags.StringVar(&s.Parallel, "parallel", s.Parallel, "sequences in flight at each server: auto or `N`")
	flags.DurationVar(&s.Patience, "patience", s.Patience, "how long to wait for a server that is down")
	flags.DurationVar(&s.Timeout, "timeout", s.Timeout, "how long one request to a server may take, including "+
		"its queue")

	return s
}

// addressFlag adds --server.
func addressFlag(cmd *cobra.Command, s *serving.Servers) {
	cmd.Flags().StringVar(&s.Addresses, "server", "", "base `URLS` of the model's servers, separated by commas "+
		"(default "+strings.Join(serving.AddressVariables(), " or ")+")")
}

// warnExposed warns about credentials on the command line.
func (a *app) warnExposed(s *serving.Servers) {
	if s.Exposed() {
		a.Say("Every user of this machine can read the credentials in --server in the list of processes:\n"+
			"give the address in %s, or a key in %s.",
			strings.Join(serving.AddressVariables(), " or "), strings.Join(serving.KeyVariables(), " or "))
	}
}
