package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/finetune/robustness"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
)

// runFlags are the flags of commands that make a run directory, most of them fields of its job.
type runFlags struct {
	toolevo.RunJob
	settings   *settings
	cmd        *cobra.Command
	command    string // resumes the run; "" where the same command does
	dryRun     bool
	unreadable bool // collect goes on though no action can be read
	progress   *string
	limits     *limits
	coordinate toolevo.Coordination
	begun      toolevo.Stop    // how the run that has begun is resumed
	own        func() []string // flags of this command alone that resuming it takes, or nil
}

// addRunFlags adds the flags of a command that makes a run directory or continues one.
func (a *app) addRunFlags(cmd *cobra.Command, defaults map[string]string, names ...string) *runFlags {
	f := a.addNewRunFlags(cmd, defaults, names...)
	addFlags(cmd, "run", into{
		"resume":      &f.Resume,
		"mix-engines": &f.MixEngines,
	})

	return f
}

// addNewRunFlags is addRunFlags for a command that only makes new runs.
func (a *app) addNewRunFlags(cmd *cobra.Command, defaults map[string]string, names ...string) *runFlags {
	f := &runFlags{settings: a.addSettings(cmd, defaults, names...), cmd: cmd, command: cmd.Name()}
	cmdline.DataFlag(&a.Program, cmd)

	addFlags(cmd, "run", into{
		"out":            &f.Out,
		"run-id":         &f.ID,
		"workers":        &f.Workers,
		"dry-run":        &f.dryRun,
		"metrics":        &f.Metrics,
		"python-servers": &f.PythonServers,
	})
	f.progress = cmdline.ProgressFlag(cmd)
	f.Servers = a.servingFlags(cmd)
	f.addLogFlags(cmd)

	return f
}

// addLogFlags adds the flags that say where to log, and how much.
func (f *runFlags) addLogFlags(cmd *cobra.Command) {
	f.Log.Level = "info"
	addFlags(cmd, "run", into{"log-file": &f.Log.File, "log-level": &f.Log.Level})
}

// addCoordination adds the flags that have workers do the run.
func (f *runFlags) addCoordination(cmd *cobra.Command) {
	f.coordinate.Patience = toolevo.DefaultWorkerPatience
	addFlags(cmd, "run", into{
		"listen":          &f.coordinate.Listen,
		"nats":            &f.coordinate.NATS,
		"insecure":        &f.coordinate.Insecure,
		"worker-patience": &f.coordinate.Patience,
	})
}

// job returns the job that the flags ask for.
func (f *runFlags) job() (j toolevo.RunJob, err error) {
	a := f.settings.app
	a.warnExposed(f.Servers)

	// Watch shows what servers are asked before the run starts, which is progress, too.
	if *f.progress == console.ProgressNone {
		f.Servers.Watch = nil
	}

	if f.dryRun {
		f.Plan = &toolevo.Plan{}
	}

	if c := f.coordinate; c.Listen != "" || c.NATS != "" || c.Insecure {
		f.Coordinate = &f.coordinate
	}

	j = f.RunJob
	j.Host = a.host(*f.progress)
	j.Settings, err = f.settings.given(f.cmd.Flags())

	// A new run may have any name; one to resume may be named as `toolevo runs` prints it.
	if j.Resume && err == nil {
		j.Out, err = toolevo.RunNamed(j.Out)
	}

	// A run to resume has its own data folder, which the default of --data must not replace.
	if data := f.cmd.Flags().Lookup("data"); data.Changed {
		j.Data = data.Value.String()
	}

	if f.command != "" {
		j.Continue = f.resumeCommand
		j.Begun = func(at toolevo.Stop) {
			f.begun = at
			a.ending.begin(f.resumeCommand(at))
		}
	}
	return j, err
}

// ended returns the result of a job that has ended, or the plan of a dry run.
func (f *runFlags) ended(result any, err error) (any, error) {
	f.settings.app.ending.begin("")

	if err == nil && f.Plan != nil {
		return f.Plan, nil
	}
	return result, err
}

// printEnded prints the result of the job of a run.
func (a *app) printEnded(result any) {
	switch r := result.(type) {
	case *toolevo.Plan:
		a.printPlan(r)
	case toolevo.Collected:
		a.printCollected(r)
	case toolevo.Evaluated:
		a.printEvaluation(r)
	case *toolevo.Analysis:
		robustness.WriteFactors(a.Out, r.Rows)

		for _, file := range r.Files {
			a.Say("Written: %s", file)
		}
	}
}

// sayGivenUp says what the run gave up, unless it is a part of another command.
func (f *runFlags) sayGivenUp(things string, all []store.GivenUp) {
	if f.command != "" {
		f.settings.app.sayGivenUp(things, all, f.resumeCommand(f.begun))
	}
}

// resumeCommand returns the exact command that resumes a run that stopped.
func (f *runFlags) resumeCommand(stop toolevo.Stop) string {
	// The run keeps its settings: only what belongs to this process has to be given again.
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

	if f.Coordinate != nil {
		args = append(args, f.Coordinate.Arguments()...)
	}

	if f.own != nil {
		args = append(args, f.own()...)
	}

	if f.Log.File != "" {
		args = append(args, "--log-file", f.Log.File, "--log-level", f.Log.Level)
	}

	if f.Metrics != "" {
		args = append(args, "--metrics", f.Metrics)
	}

	// The limit that was reached would end the resumed run at once.
	if f.limits != nil {
		args = append(args, f.limits.arguments(stop.Reached)...)
	}

	// With --mix-engines the engine may differ from the one in the run's settings.
	for _, kv := range stop.Settings {
		args = append(args, "--set", kv)
	}
	return console.Shell(append(args, f.Servers.Arguments()...)...)
}

// serving returns what the environment says about servers.
func (a *app) serving() *serving.Servers {
	s := serving.FromEnvironment(&a.Program, a.backoff)
	s.Account, s.ProbeTime = a.account, a.probe
	return s
}

// servingFlags adds the flags about servers.
func (a *app) servingFlags(cmd *cobra.Command) *serving.Servers {
	s := a.serving()
	addressFlag(cmd, s)
	addFlags(cmd, "run", into{
		"parallel": &s.Parallel,
		"patience": &s.Patience,
		"timeout":  &s.Timeout,
	})

	return s
}

// addressFlag adds --server.
func addressFlag(cmd *cobra.Command, s *serving.Servers) {
	addFlags(cmd, "run", into{"server": &s.Addresses})
}

// warnExposed warns about credentials on the command line.
func (a *app) warnExposed(s *serving.Servers) {
	if s.Exposed() {
		a.Say("Every user of this machine can read the credentials in --server in the list of processes:\n"+
			"give the address in %s, or a key in %s.",
			strings.Join(server.AddressVariables(), " or "), strings.Join(server.KeyVariables(), " or "))
	}
}
