package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/envs/openenv"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/wire"
)

// envKeyVariable holds the key that clients of serve env send.
const envKeyVariable = "TOOLEVO_ENV_KEY"

// serveEnvFlags are the flags of serve env.
type serveEnvFlags struct {
	runFlags
	*wire.Door
	agent     string
	allowTest bool
	shapes    []string
	limits    openenv.Options
}

func (a *app) serveEnvCommand() *cobra.Command {
	cmd := a.command("env")
	f := &serveEnvFlags{Door: a.doorFlags(cmd, "127.0.0.1:8083", envKeyVariable)}
	// Every client is a session of its own: endless programs of one must not hold up the others.
	f.Session = engines.WithSession
	f.cmd, f.command, f.Servers = cmd, "serve env", a.serving()
	f.settings = a.addSettings(cmd, toolevo.EnvironmentsDefaults(), "suite", "dataset", "difficulty", "template",
		"split", "questions", "limit", "api", "reward", "feedback", "hint", "compat", "seed", "engine", "python")
	cmdline.DataFlag(&a.Program, cmd)
	addFlags(cmd, "run", into{"python-servers": &f.PythonServers})
	f.addLogFlags(cmd)
	// Clients decide how much is done and when, so there is no progress to show.
	f.progress = new(string)
	*f.progress = console.ProgressNone

	f.limits.MaxSessions = openenv.DefaultMaxSessions
	f.limits.MaxBytes = openenv.DefaultMaxBytes
	f.limits.Idle = openenv.DefaultIdle
	f.agent = "agent"
	addFlags(cmd, "env", into{
		"allow-test":   &f.allowTest,
		"shape":        &f.shapes,
		"max-sessions": &f.limits.MaxSessions,
		"max-bytes":    &f.limits.MaxBytes,
		"idle":         &f.limits.Idle,
		"record":       &f.Out,
		"agent":        &f.agent,
	})

	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.serveEnv(cmd, f) }
	return cmd
}

// serveEnv serves environments until the process is told to end.
func (a *app) serveEnv(cmd *cobra.Command, f *serveEnvFlags) error {
	job, err := f.environmentsJob(cmd)
	if err != nil {
		return err
	}

	job.Serve = func(ctx context.Context, s toolevo.ServedEnvironments) error {
		address, err := f.Door.Serve(ctx, &a.Program, s.Server, func(address string) { a.introduceEnv(address, s, f) })
		if err != nil {
			return err
		}

		served := servedEnv{address, s.Versions, s.Tasks, s.Server.Counts()}
		return a.Show(served, func() { fmt.Fprint(a.Out, served.text()) })
	}

	dir, err := toolevo.ServeEnvironments(cmd.Context(), job)
	if err == nil && dir != "" {
		a.Say("What was recorded: toolevo %s (or report, view, check)", console.Shell("inspect", dir))
	}
	return err
}

// environmentsJob returns the job that the flags ask for.
func (f *serveEnvFlags) environmentsJob(cmd *cobra.Command) (j toolevo.EnvironmentsJob, err error) {
	if j.RunJob, err = f.job(); err != nil {
		return j, err
	}

	j.Begun = nil // ending the server ends the run: nothing is left to resume
	j.AllowTest, j.Limits = f.allowTest, f.limits

	if cmd.Flags().Changed("agent") {
		if j.Agent = f.agent; f.agent == "" {
			return j, console.Usage("--agent is empty: want a name")
		}
	}

	if j.Limits.Shapes, err = parseShapes(f.shapes); err != nil {
		return j, err
	}

	j.Limits.Key, err = f.Key(&f.settings.app.Program)
	return j, err
}

// parseShapes reads which behaviour is rewarded besides the answer, and by how much.
func parseShapes(entries []string) (map[openenv.Shape]float64, error) {
	shapes := map[openenv.Shape]float64{}

	for _, entry := range entries {
		name, number, _ := strings.Cut(entry, "=")

		shape, err := names.Parse("shape", name, openenv.Shapes())
		if err != nil {
			return nil, console.Usage("--shape %s: %w", entry, err)
		}

		if shapes[shape], err = strconv.ParseFloat(number, 64); err != nil {
			return nil, console.Usage("--shape %s: want NAME=NUMBER, e.g. %s=0.1", entry, name)
		}
	}
	return shapes, nil
}

// introduceEnv says where the server listens and what to try with it.
func (a *app) introduceEnv(address string, s toolevo.ServedEnvironments, f *serveEnvFlags) {
	a.Say("%d tasks of %s (%s) under %s at %s, for clients of OpenEnv", s.Tasks, s.Suite, s.Split,
		strings.Join(s.Versions, ", "), address)

	f.SayKey(&a.Program)
	a.Say("Try: curl %s/tasks", address)
	a.Say("Ctrl-C ends it and tells how it was used.")
}

// servedEnv says how a server of environments was used.
type servedEnv struct {
	Address  string   `json:"address"`  // of the server
	Versions []string `json:"versions"` // that it deployed
	Tasks    int      `json:"tasks"`    // that a reset could choose from
	openenv.Counts
}

// text is the report for people.
func (s *servedEnv) text() string {
	var b strings.Builder

	for _, part := range []struct {
		title  string
		counts map[string]int64
	}{{"episodes", s.Episodes}, {"turns", s.Turns}, {"errors", s.Errors}} {
		for _, name := range slices.Sorted(maps.Keys(part.counts)) {
			fmt.Fprintf(&b, "%-9s %-17s %d\n", part.title, name, part.counts[name])
		}
	}

	return b.String()
}
