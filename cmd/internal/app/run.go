package app

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
)

// RunsFolder is where runs go whose folder nobody names.
const RunsFolder = "runs"

// RunJob is what all jobs that make or resume a run have in common.
type RunJob struct {
	Host
	Settings Settings

	Data          string           // the data folder; "" is that of a run to resume, or else TOOLEVO_DATA or data
	Out           string           // the run directory; "" is one in [RunsFolder], named by its ID
	ID            string           // of a new run; "" is one that no other run has
	Workers       int              // trees or episodes at a time, at most; 0 is as many as pay
	PythonServers int              // model-written programs that run at a time; 0 is a quarter of the processors
	Resume        bool             // resume the run in Out, or extend it by questions and trees
	MixEngines    bool             // with Resume: continue even if the engine differs from the run's
	Servers       *serving.Servers // of its models; nil is what the environment says
	Baselines     []string         // with which each policy is measured, too: see [serving.Baselines]
	Metrics       string           // the address that serves metrics for Prometheus; "" serves none
	Log           console.Log      // where the run logs; no file is nowhere
	Part          bool             // part of another command, which sets the limits
	Coordinate    *Coordination    // has workers on other machines do the run; nil does it here

	// Begun is called once the run exists, with how to resume it; nil is not called.
	Begun func(Stop)

	Plan *Plan // takes what the run would be, and nothing is made; nil makes it

	command, kind string // what is announced, and the kind of the runs
	defaults      map[string]string
	dryRun        bool
	announced     bool // what the run is made of is said
	engine        engines.Options
	overrides     []string // settings about the engine that MixEngines lets differ from the run's, KEY=VALUE
	works         bool     // does what another process coordinates
	branch        *branch  // where the trees of a new run begin; nil is at the beginning of their tasks
	grows         bool     // a resumed run gets more than it was finished with
	oneEngine     bool     // there is no MixEngines for users of the job

	earlier []ServedPass // of the run that is resumed
}

// setCommand makes the job one of a command that makes runs of a kind, under defaults of its own.
func (j *RunJob) setCommand(command, kind string, defaults map[string]string) {
	j.command, j.kind, j.defaults = command, kind, defaults
	j.dryRun = j.Plan != nil
	j.Log.Level = cmp.Or(j.Log.Level, "info")

	if j.Servers == nil {
		j.Servers = j.DefaultServers()
	}
}

// open reads what the job chooses and makes sure that its run can begin. check, which may be nil,
// rejects a configuration that the job cannot use.
func (j *RunJob) open(ctx context.Context, check func(*Bench) error) (*Bench, error) {
	b, err := j.resolve(ctx)
	if err != nil {
		return nil, err
	}

	if check != nil {
		err = check(b)
	}

	if err == nil && !j.dryRun {
		j.announce(b.Config)

		err = j.prepare(ctx, b)
	}

	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// MaxOpenTrees bounds the trees or episodes in progress with a model on a server. No server takes
// as many at once.
const MaxOpenTrees = 512

// workerCount returns how many trees or episodes are in progress at the same time, at most. With a
// model on a server the limit on sequences in flight decides how many requests are sent; trees
// start only when there is room for them (serving.Models.Room), episodes, which are short, wait.
func (j *RunJob) workerCount(b *Bench) int {
	switch {
	case j.Workers > 0:
		return j.Workers
	case b.OnServers():
		return MaxOpenTrees
	}

	return 4 * runtime.NumCPU()
}

// prepare makes sure that a run can begin: no other process works on it, the servers answer, and
// the engine holds.
func (j *RunJob) prepare(ctx context.Context, b *Bench) error {
	for _, n := range j.Needs(b) {
		_, err := j.Meets(ctx, n)

		if ctx.Err() != nil {
			return j.notBegun()
		}

		if err != nil {
			return err
		}
	}
	return nil
}

// notBegun returns the error of a run that was interrupted before it began, by a limit or by its
// user.
func (j *RunJob) notBegun() error {
	switch l := j.Servers.Account.Reached(); {
	case l == nil:
		return ErrNotBegun
	case l.Unkept:
		return console.Usage("%w", l)
	default:
		return console.Interrupted("%w; nothing was begun", l)
	}
}

// ErrNotBegun is the end of a run that was interrupted before it began.
var ErrNotBegun = console.Interrupted("interrupted before the run began: nothing is left " +
	"behind; run the same command again")

// samples returns for how many completions one request of the run asks, at most.
func (j *RunJob) samples(b *Bench) int {
	if j.kind == stored.Evaluated {
		return 1
	}
	return b.Config.Search.Samples
}

// resolve reads the configuration and the data it chooses. It starts no engine.
func (j *RunJob) resolve(ctx context.Context) (*Bench, error) {
	c, noted, err := j.Configure(ctx)
	if err != nil {
		return nil, err
	}
	return j.Read(ctx, c, noted)
}

// Configure reads the configuration, and the versions that a run to continue has noted.
func (j *RunJob) Configure(ctx context.Context) (*configs.Resolved, *drift.Deployed, error) {
	return j.configure(ctx, func(c *configs.Resolved, _ []configs.Layer) error {
		if slices.ContainsFunc(c.Policy, configs.IsExternal) {
			return console.Usage("the policy %s plays by itself, against `toolevo serve env --record RUN`",
				strings.Join(c.Policy, ","))
		}
		return j.checkPolicyNamed(c)
	})
}

// configure is Configure with a check of the configuration, which also gets that of the run to
// continue.
func (j *RunJob) configure(
	ctx context.Context, check func(c *configs.Resolved, resumed []configs.Layer) error,
) (*configs.Resolved, *drift.Deployed, error) {
	if err := j.check(); err != nil {
		return nil, nil, err
	}

	resumed, err := j.resumedLayers(ctx)
	if err != nil {
		return nil, nil, err
	}

	c, err := j.Host.Resolve(j.Settings, j.defaults, resumed)
	if err == nil {
		err = check(c, resumed)
	}

	// The check is about the policies that were named, so baselines join them afterwards.
	if err == nil {
		c.Policy, err = serving.Beside(c.Policy, j.Baselines)
	}

	// Only resolved settings have the prices, at which earlier passes are charged, too.
	if err == nil {
		err = j.openAccount(c)
	}

	if err != nil {
		return nil, nil, err
	}

	noted, err := j.notedVersions(ctx, c)
	return c, noted, cmp.Or(j.chooseEngine(c, resumed), err)
}

// Read reads the data that a configuration chooses. noted are the versions of a run to continue,
// nil for a new one.
func (j *RunJob) Read(ctx context.Context, c *configs.Resolved, noted *drift.Deployed) (
	*Bench, error) {
	asked := j.Servers
	if j.dryRun {
		asked = nil
	}

	if c.ParaphrasedBy() != "" && !j.dryRun {
		j.announce(c) // a model is asked before the run begins
	}

	done := j.Step("Reading corpora and questions")
	b, err := ReadBench(ctx, j.Data, c, noted, asked)

	done()

	if err != nil {
		return nil, err
	}

	b.Servers, b.NoPriors = j.Servers, j.kind == stored.Evaluated
	if b.unparaphrased > 0 {
		j.Say("%d of %d questions keep their text: no paraphrase of %s will do.", b.unparaphrased,
			len(b.Questions), c.Paraphraser)
	}

	return b, nil
}

// check rejects a job that makes no sense.
func (j *RunJob) check() error {
	switch {
	case j.Workers < 0:
		return console.Usage("‹workers› %d: want at least 1, or 0 for four for each processor",
			j.Workers)
	case j.PythonServers < 0:
		return console.Usage("‹python-servers› %d: want at least 1, or 0 for a quarter of "+
			"the processors", j.PythonServers)
	case j.MixEngines && !j.Resume:
		return console.Usage("‹mix-engines› needs ‹resume›: a new run has only one engine")
	case j.ID != "" && !runID.MatchString(j.ID):
		return console.Usage("‹run-id› %q: want up to 64 letters, digits, dots, dashes and "+
			"underscores, a letter or digit first", j.ID)
	}

	if j.Coordinate != nil {
		if err := j.Coordinate.check(); err != nil {
			return err
		}
	}
	return errors.Join(j.Servers.Check(), j.Log.Check())
}

// runID is what an ID may be: it names folders, and is in every row.
var runID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// resumedLayers returns the configuration of the run to continue, or of the one that a new run
// branches from; nil for any other new run. The data folder of a run to continue is taken over.
func (j *RunJob) resumedLayers(ctx context.Context) ([]configs.Layer, error) {
	if !j.Resume {
		// A branch takes over the configuration of its run; any other new run has none.
		j.Data = cmp.Or(j.Data, j.DefaultData())
		return j.branch.layers(), j.checkVacant(ctx)
	}

	if j.Out == "" {
		return nil, console.Usage("‹resume› needs ‹out› DIR, the run to continue")
	}

	m, err := store.ReadManifest(j.Out)
	if errors.Is(err, store.ErrNoRun) {
		return nil, console.Usage("%w\nTo start a run there, leave out ‹resume›; to continue "+
			"another one, check the path", err)
	}

	if err != nil {
		return nil, err
	}

	config, err := store.ReadConfig(j.Out)
	if err != nil {
		return nil, err
	}

	// A log of one kind read as another would look like one with nothing done yet.
	if m.Kind != j.kind {
		return nil, console.Usage("%s holds a run of another command, `toolevo %s`. Choose another ‹out›, or "+
			"continue it with\n  toolevo %s",
			j.Out, m.Kind, stored.Continuation(&store.Run{Dir: j.Out, Manifest: m, Config: config}))
	}

	j.Data = j.DataOf(j.Data, &m, j.Out)
	return []configs.Layer{stored.Layer(&store.Run{Dir: j.Out, Config: config})}, nil
}

// checkVacant rejects a folder in which no run can begin, before anything that takes long.
func (j *RunJob) checkVacant(ctx context.Context) error {
	if j.Out == "" || j.dryRun {
		return nil
	}
	return j.explainTaken(store.Vacant(ctx, j.Out))
}

// explainTaken says what to do about a folder that already holds a run.
func (j *RunJob) explainTaken(err error) error {
	if !errors.Is(err, store.ErrExists) {
		return err
	}

	if m, readErr := store.ReadManifest(j.Out); readErr == nil && (m.Kind != j.kind || j.branch != nil) {
		return console.Usage("%w of `toolevo %s`: choose another ‹out›", err, m.Kind)
	}
	return console.Usage("%w: add ‹resume› to continue it, or choose another ‹out›", err)
}

// startRun begins or resumes a run and notes in it what it is made from, so that it can be read
// without the data.
func (j *RunJob) startRun(ctx context.Context, b *Bench) (*stored.Run, error) {
	var (
		engine *sandbox.Stamp
		noted  *stored.Run
		run    *store.Run
	)

	if b.Engine != nil {
		engine = &b.Stamp
	}

	// A run notes what it is made from before anything else happens in it, even when it is resumed.
	note := func(run *store.Run) (err error) {
		noted, err = stored.Note(ctx, run, b.Config, b.Questions, b.Deployed, engine)
		return console.GaveUp(err)
	}

	var err error

	// A new run exists only with its note; one that exists gets it as soon as it is open.
	if j.Resume {
		if run, err = j.resumeRun(ctx, b); err == nil {
			if err = note(run); err != nil {
				err = errors.Join(err, run.Close())
			}
		}
	} else {
		run, err = j.beginRun(ctx, b, note)
	}

	if err != nil {
		return nil, err
	}

	b.Log.Info("the run begins", "run", run.Manifest.ID, "kind", j.kind, "dir", run.Dir,
		"questions", len(b.Questions),
		"resumed", j.Resume, "software", Software())

	if run.Manifest.Software != Software() {
		j.Say("This run was started by toolevo %s; this is %s.", run.Manifest.Software, Software())
	}
	return noted, nil
}

// openLog opens the log of the run to come, until the bench is closed.
func (j *RunJob) openLog(b *Bench) (err error) {
	b.Log, j.Servers.Log, b.LogFile, err = j.Log.Open(j.program().Err)
	return err
}

// logEnd logs how a run ended.
func (b *Bench) logEnd(err error) {
	switch {
	case err == nil:
		b.Log.Info("the run is done")
	case errors.Is(err, cluster.ErrOver), errors.Is(err, cluster.ErrPaused): // a worker's good ends
		b.Log.Info("the work is done", "because", err)
	default:
		b.Log.Error("the run stopped", "because", err)
	}
}
