package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/names"
	"toolevo/envs/openenv"
	"toolevo/envs/sandbox/engines"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
	"toolevo/finetune/adaptation"
	"toolevo/finetune/external"
	"toolevo/finetune/stored"
)

// envKeyVariable holds the key that clients of serve env send.
const envKeyVariable = "TOOLEVO_ENV_KEY"

// serveEnvOptions are the flags of serve env, beside those that are settings.
type serveEnvOptions struct {
	*wire.Door
	data          string
	allowTest     bool
	shapes        []string
	sessions      int
	bytes         int64
	idle          time.Duration
	agent, record string
	pythonServers *int
	logging       *cmdline.LogFlags
	asJSON        *bool
}

func (a *app) serveEnvCommand() *cobra.Command {
	cmd := newCommand("env")
	o := &serveEnvOptions{Door: a.doorFlags(cmd, "127.0.0.1:8083", envKeyVariable)}
	o.Session = engines.WithSession
	// What is learnt from is right by the strict matcher, as in collected data.
	s := a.addSettings(cmd, map[string]string{"api": "[p_c,p_s_in]", "environment.reward": "strict"},
		"suite", "dataset", "difficulty", "template", "split", "questions", "limit", "api", "reward", "feedback",
		"compat", "seed", "engine", "python")
	data := cmdline.DataFlag(&a.Program, cmd)
	o.pythonServers = pythonServersFlag(cmd)
	o.logging = cmdline.AddLogFlags(cmd)
	o.asJSON = cmdline.JSONFlag(cmd)

	flags := cmd.Flags()
	flags.BoolVar(&o.allowTest, "allow-test", false, "serve the test split: nothing that learns from it can be "+
		"measured by it")
	flags.StringSliceVar(&o.shapes, "shape", nil, "`NAME=NUMBER` to add to the reward, separated by commas: "+
		"recovered-deprecation, truthful-update (default: none)")
	flags.IntVar(&o.sessions, "max-sessions", openenv.DefaultMaxSessions, "`N` connections at most, each one episode")
	flags.Int64Var(&o.bytes, "max-bytes", openenv.DefaultMaxBytes, "`N` bytes at most in a message, and in all "+
		"actions of an episode")
	flags.DurationVar(&o.idle, "idle", openenv.DefaultIdle, "end a connection that says nothing for a `TIME`")

	flags.StringVar(&o.record, "record", "", "keep the episodes in the run `RUN`, as those of an "+
		"evaluation; one that is there gets more, under its own configuration")
	flags.StringVar(&o.agent, "agent", "agent", "`NAME` of who plays, in the tables of --record")

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		o.data = *data

		return a.serveEnv(cmd, s, o)
	}

	return cmd
}

// serveEnv serves environments until the process is told to end.
func (a *app) serveEnv(cmd *cobra.Command, s *settings, o *serveEnvOptions) (err error) {
	f, err := a.recordFlags(cmd, s, o)
	if err != nil {
		return err
	}

	b, options, err := a.readEnv(cmd, f, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()

	ctx := cmd.Context()

	if err := a.startPrograms(ctx, b, f.engine); err != nil {
		return err
	}

	if b.log, options.Log, b.logFile, err = o.logging.Open(a.Err); err != nil {
		return err
	}

	if o.record == "" {
		return a.listenEnv(ctx, b, options, nil, o)
	}

	return a.recorded(ctx, f, b, func(run *stored.Run, r *external.Recorder) error {
		options.Recorder = r

		return a.listenEnv(ctx, b, options, run, o)
	})
}

// listenEnv serves the environments of a bench, which remember what memory does, and reports how they were used.
func (a *app) listenEnv(ctx context.Context, b *bench, options openenv.Options, memory envs.Memory,
	o *serveEnvOptions) error {
	server, err := b.environmentServer(options, memory)
	if err != nil {
		return err
	}

	address, err := o.Serve(ctx, &a.Program, server, func(address string) {
		a.introduceEnv(address, b, o)
	})
	if err != nil {
		return err
	}

	served := servedEnv{address, b.deployed.All().Versions, len(b.tasks), server.Counts()}

	return a.Show(*o.asJSON, served, func() { fmt.Fprint(a.Out, served.text()) })
}

// readEnv reads the configuration and the data that it chooses. The engine is yet to be started.
func (a *app) readEnv(cmd *cobra.Command, f *runFlags, o *serveEnvOptions) (*bench, openenv.Options, error) {
	var options openenv.Options

	resumed, err := f.resumed(cmd)
	if err != nil {
		return nil, options, err
	}

	c, err := f.settings.resolve(cmd.Flags(), resumed)
	if err != nil {
		return nil, options, err
	}

	if err := o.checkAgent(c, resumed); err != nil {
		return nil, options, err
	}

	if options, err = o.check(c); err != nil {
		return nil, options, err
	}

	if options.Key, err = o.Key(&a.Program); err != nil {
		return nil, options, err
	}

	if f.engine, err = f.chooseEngine(c, resumed); err != nil {
		return nil, options, err
	}

	noted, err := f.notedVersions(cmd.Context(), c)
	if err != nil {
		return nil, options, err
	}

	b, err := readBench(cmd.Context(), *f.data, c, noted, nil)

	return b, options, err
}

// startPrograms starts the engine of a bench that runs programs, and tries to get out of it. What
// the prompt says can be imported has to be there: those who play are models.
func (a *app) startPrograms(ctx context.Context, b *bench, o engines.Options) error {
	if !b.runsPrograms() {
		return nil
	}

	if err := b.start(a.openEngine(ctx, o)); err != nil {
		return err
	}

	if err := b.checkModules(); err != nil {
		return err
	}

	return a.guard(ctx, b.stamp, o)
}

// check refuses flags that make no sense, and returns what they come to.
func (o *serveEnvOptions) check(c *configs.Resolved) (openenv.Options, error) {
	options := openenv.Options{
		Software: software(), Codec: c.Environment.ActionCodec(), MaxTurns: c.Eval.MaxTurns,
		MaxSessions: o.sessions, MaxBytes: o.bytes, Idle: o.idle, Shapes: map[openenv.Shape]float64{},
		IsTrue: func(description string, v *toolapi.Version) bool {
			return adaptation.Judge(description, v) == adaptation.True
		},
	}

	switch {
	case c.Split == "test" && c.Questions == "" && !o.allowTest:
		return options, console.Usage("--split test: what learns from test tasks cannot be measured by them; add " +
			"--allow-test for a client that only measures")
	case o.sessions < 1 || o.bytes < 1 || o.idle <= 0:
		return options, console.Usage("--max-sessions %d, --max-bytes %d, --idle %v: want more than 0 of each",
			o.sessions, o.bytes, o.idle)
	}

	for _, entry := range o.shapes {
		name, number, _ := strings.Cut(entry, "=")

		shape, err := names.Parse("shape", name, openenv.Shapes())
		if err != nil {
			return options, console.Usage("--shape %s: %w", entry, err)
		}

		if options.Shapes[shape], err = strconv.ParseFloat(number, 64); err != nil {
			return options, console.Usage("--shape %s: want NAME=NUMBER, e.g. %s=0.1", entry, name)
		}
	}

	return options, errors.Join(checkPythonServers(*o.pythonServers), o.logging.Check())
}

// checkAgent refuses to record the episodes of one agent in the run of another.
func (o *serveEnvOptions) checkAgent(c *configs.Resolved, resumed []configs.Layer) error {
	if resumed == nil {
		return nil
	}

	run, err := configs.Load(resumed...)
	if err != nil || !configs.IsExternal(run.Policy[0]) || run.Policy[0] == c.Policy[0] {
		return err
	}

	return console.Usage("--record %s: it holds the episodes of %s: leave out --agent %s, or name "+
		"another folder", o.record, strings.TrimPrefix(run.Policy[0], configs.External+":"), o.agent)
}

// environmentServer serves the tasks and versions of a bench.
func (b *bench) environmentServer(o openenv.Options, m envs.Memory) (*openenv.Server, error) {
	c := b.Config

	shown, err := b.Prompt()
	if err != nil {
		return nil, err
	}

	if o.Prompt, err = b.Versions.Version(c.Prompt); err != nil {
		return nil, err
	}

	o.Tools = map[string][]*toolapi.API{}
	for _, dataset := range append(b.suite.Datasets(), "") {
		if o.Tools[dataset], err = b.Tools(dataset); err != nil {
			return nil, err
		}
	}

	o.Open = func(version string) (d openenv.Deployed, err error) {
		if d.Version, err = b.Versions.Version(version); err != nil {
			return d, err
		}

		env, err := b.environment(drift.Family{Name: version, Versions: []string{version}}, m)
		if err == nil {
			d.Env = b.retry().Environment(env)
		}

		return d, err
	}
	o.Name, o.Split, o.Tasks, o.Deployed, o.Text = c.Suite, c.Split, b.tasks, b.deployed, shown

	return openenv.New(o)
}

// introduceEnv says where the server is and what to try with it.
func (a *app) introduceEnv(address string, b *bench, o *serveEnvOptions) {
	a.Say("%d tasks of %s (%s) under %s at %s, for clients of OpenEnv", len(b.tasks), b.Config.Suite, b.Config.Split,
		strings.Join(b.deployed.All().Versions, ", "), address)

	o.SayKey(&a.Program)
	a.Say("Try: curl %s/tasks", address)
	a.Say("Ctrl-C ends it and tells how it was used.")
}

// servedEnv is how a server of environments was used.
type servedEnv struct {
	Address  string   `json:"address"`  // of the server
	Versions []string `json:"versions"` // that it deployed
	Tasks    int      `json:"tasks"`    // that a reset could choose
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
