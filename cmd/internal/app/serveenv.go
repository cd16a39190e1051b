package app

import (
	"context"
	"errors"
	"strings"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/openenv"
	"toolevo/finetune/external"
	"toolevo/finetune/facts"
	"toolevo/finetune/stored"
)

// EnvironmentsDefaults returns the default settings of served environments. Only what the strict
// matcher accepts is rewarded, as in collected data.
func EnvironmentsDefaults() map[string]string {
	return map[string]string{"api": "[p_c,p_s_in]", "environment.reward": "strict"}
}

// EnvironmentsJob serves the environments of a suite to clients of OpenEnv. Out is the run that
// keeps the episodes, "" keeps none; a run that exists gets more, under its own configuration.
type EnvironmentsJob struct {
	RunJob
	Agent     string          // who plays, in the tables of the run; "" is whom a run to resume names, or "agent"
	AllowTest bool            // serve the test split: nothing that learns from it can be measured by it
	Limits    openenv.Options // the key, the shapes and the limits of the server; the job sets the rest

	// Serve serves until it is told to end.
	Serve func(context.Context, ServedEnvironments) error
}

// ServedEnvironments are the environments of a job.
type ServedEnvironments struct {
	Server       *openenv.Server
	Suite, Split string
	Versions     []string // that it deploys
	Tasks        int      // that a reset can choose
}

// ServeEnvironments serves environments, and writes the report of the run that keeps the episodes.
// It returns the directory of that run, if there is one.
func ServeEnvironments(ctx context.Context, job EnvironmentsJob) (dir string, err error) {
	job.setCommand("serve env", stored.Evaluated, EnvironmentsDefaults())
	// Without a run that keeps the episodes nothing is written, as in a dry run.
	job.dryRun = job.Out == ""

	// Clients decide how many episodes there are: a run that ended may get more.
	job.grows, job.oneEngine = true, true

	b, options, err := job.openEnvironments(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, b.Close()) }()

	if err := job.StartPrograms(ctx, b, job.engine); err != nil {
		return "", err
	}

	if err := job.openLog(b); err != nil {
		return "", err
	}

	options.Log = b.Log

	if job.Out == "" {
		return "", job.serve(ctx, b, options, nil)
	}
	return job.Out, job.record(ctx, b, func(run *stored.Run, r *external.Recorder) error {
		options.Recorder = r
		return job.serve(ctx, b, options, run)
	})
}

// serve serves the environments of a bench, whose results memory keeps.
func (j *EnvironmentsJob) serve(ctx context.Context, b *Bench, o openenv.Options, memory envs.Memory) error {
	server, err := b.environmentServer(o, memory)
	if err != nil {
		return err
	}
	return j.Serve(ctx, ServedEnvironments{
		server, b.Config.Suite, b.Config.Split, b.Deployed.All().Versions, len(b.Tasks),
	})
}

// openEnvironments reads the configuration and the data that it chooses. It starts no engine.
func (j *EnvironmentsJob) openEnvironments(ctx context.Context) (
	b *Bench, options openenv.Options, err error) {
	if err := j.nameAgent(); err != nil {
		return nil, options, err
	}

	c, noted, err := j.configure(ctx, func(c *configs.Resolved, resumed []configs.Layer) (err error) {
		if err = j.checkAgent(c, resumed); err == nil {
			options, err = j.options(c)
		}
		return err
	})
	if err != nil {
		return nil, options, err
	}

	b, err = ReadBench(ctx, j.Data, c, noted, nil)
	return b, options, err
}

// options rejects a job that makes no sense, and returns the options of its server.
func (j *EnvironmentsJob) options(c *configs.Resolved) (openenv.Options, error) {
	o := j.Limits
	o.Software, o.Codec, o.MaxTurns = Software(), c.Environment.ActionCodec(), c.Eval.MaxTurns
	o.IsTrue = facts.IsTrue

	switch {
	case c.Split == "test" && c.Questions == "" && !j.AllowTest:
		return o, console.Usage("‹split› test: what learns from test tasks cannot be measured " +
			"by them; add ‹allow-test› for a client that only measures")
	case o.MaxSessions < 1 || o.MaxBytes < 1 || o.Idle <= 0:
		return o, console.Usage("‹max-sessions› %d, ‹max-bytes› %d, ‹idle› %v: want more "+
			"than 0 of each", o.MaxSessions, o.MaxBytes, o.Idle)
	}

	return o, nil
}

// checkAgent refuses to record episodes of one agent in the run of another.
func (j *EnvironmentsJob) checkAgent(c *configs.Resolved, resumed []configs.Layer) error {
	if resumed == nil {
		return nil
	}

	run, err := configs.Load(resumed...)
	if err != nil || !configs.IsExternal(run.Policy[0]) || run.Policy[0] == c.Policy[0] {
		return err
	}
	return console.Usage("‹record› %s: it holds the episodes of %s: leave out ‹agent› %s, or name "+
		"another folder", j.Out, strings.TrimPrefix(run.Policy[0], configs.External+":"), j.Agent)
}

// environmentServer returns a server of the tasks and versions of a bench.
func (b *Bench) environmentServer(o openenv.Options, m envs.Memory) (*openenv.Server, error) {
	c := b.Config

	shown, err := b.Prompt()
	if err != nil {
		return nil, err
	}

	if o.Prompt, err = b.Versions.Version(c.Prompt); err != nil {
		return nil, err
	}

	o.Open = func(version string) (d openenv.Deployed, err error) {
		if d.Version, err = b.Versions.Version(version); err != nil {
			return d, err
		}

		env, err := b.Environment(drift.Family{Name: version, Versions: []string{version}}, m)
		if err == nil {
			d.Env = b.Retry().Environment(env)
		}
		return d, err
	}
	o.Name, o.Split, o.Tasks, o.Deployed, o.Text = c.Suite, c.Split, b.Tasks, b.Deployed, shown
	return openenv.New(o)
}
