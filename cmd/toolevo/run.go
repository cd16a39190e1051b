package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolevo/cmd/internal/cmdline"
	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/sandbox"
	"toolevo/envs/sandbox/engines"
	"toolevo/finetune/stored"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
)

// runFlags are the flags of commands that make a run directory.
type runFlags struct {
	settings       *settings
	command, kind  string // the command of the flags, and the kind of its runs
	data, out, id  *string
	workers        *int
	resume, dryRun *bool
	asJSON         *bool
	progress       *string
	metrics        *string
	logging        *cmdline.LogFlags
	serving        *serving.Servers
	mixEngines     *bool
	engine         engines.Options
	overrides      []string // settings about the engine that --mix-engines lets differ from the run's, KEY=VALUE
	pythonServers  *int
	estimate       *estimateFlags    // of collect
	announced      bool              // what the run is made of is said
	unreadable     bool              // collect goes on although no action can be read
	starting       *console.Starting // says what is done until the run begins
	branch         *branch           // where the trees of a new run begin; nil is at the beginning of their tasks
	grows          bool              // a run that goes on gets more than it was finished with
}

// addRunFlags adds the flags of a command that makes a run directory or continues one.
func (a *app) addRunFlags(cmd *cobra.Command, defaults map[string]string, names ...string) *runFlags {
	f := a.addNewRunFlags(cmd, defaults, names...)
	f.resume = cmd.Flags().Bool("resume", false, "continue the run in --out, or extend it by questions "+
		"and trees; its configuration and data folder are reused")
	f.mixEngines = cmd.Flags().Bool("mix-engines", false, "with --resume: continue even if PythonInterpreter's "+
		"engine differs from the run's; each trajectory names its own")

	return f
}

// addNewRunFlags is addRunFlags for a command that only makes new runs.
func (a *app) addNewRunFlags(cmd *cobra.Command, defaults map[string]string, names ...string) *runFlags {
	return &runFlags{
		resume: new(bool), mixEngines: new(bool),
		settings: a.addSettings(cmd, defaults, names...),
		command:  cmd.Name(),
		kind:     cmd.Name(),
		data:     cmdline.DataFlag(&a.Program, cmd),
		out:      cmd.Flags().String("out", "", "run directory `DIR` (default runs/KIND-ID)"),
		id: cmd.Flags().String("run-id", "", "`ID` of the new run, of letters, digits, dots, dashes "+
			"and underscores (default: one that no other run has)"),
		workers: cmd.Flags().Int("workers", 0, "`N` trees or episodes at most at the same time (0: four "+
			"per processor, or enough to keep the model's servers busy)"),
		dryRun: cmd.Flags().Bool("dry-run", false, "print the resolved configuration with the origin of "+
			"each value, for collect an estimate too, and stop"),
		asJSON:   cmdline.JSONFlag(cmd),
		progress: cmdline.ProgressFlag(cmd),
		metrics: cmd.Flags().String("metrics", "", "serve /metrics for Prometheus and /healthz at `ADDR`, PORT or "+
			"HOST:PORT (without a host: to this machine alone; to others only with the key in "+
			metricsKeyVariable+")"),
		logging:       cmdline.AddLogFlags(cmd),
		serving:       a.servingFlags(cmd),
		pythonServers: pythonServersFlag(cmd),
	}
}

// maxOpenTrees bounds the trees or episodes in progress with a model on a server. No server takes as many at once.
const maxOpenTrees = 512

// workerCount is how many trees or episodes are in progress at the same time, at most. With a model on a
// server the limit on sequences in flight decides how many requests are sent; trees start only when there is
// room for them (serving.Models.Room), episodes, which are short, wait.
func (f *runFlags) workerCount(b *bench) int {
	switch {
	case *f.workers > 0:
		return *f.workers
	case b.OnServers():
		return maxOpenTrees
	}

	return 4 * runtime.NumCPU()
}

// prepare makes sure that a run can begin: no other process works on it, the servers answer, and the engine holds.
func (f *runFlags) prepare(ctx context.Context, b *bench) error {
	err := f.prepareUntil(ctx, b)
	if ctx.Err() != nil {
		return errNotBegun
	}

	return err
}

// errNotBegun is the end of a run that was interrupted before there was one.
var errNotBegun = console.Interrupted("interrupted before the run began: nothing is left behind; run the " +
	"same command again")

// prepareUntil is prepare until ctx ends.
func (f *runFlags) prepareUntil(ctx context.Context, b *bench) error {
	for _, n := range f.needs(b) {
		if _, err := f.meets(ctx, n); err != nil {
			return err
		}
	}

	return nil
}

// samples is for how many completions one request of the run asks, at most.
func (f *runFlags) samples(b *bench) int {
	if f.kind == stored.Evaluated {
		return 1
	}

	return b.Config.Search.Samples
}

// resolve reads the configuration and the data it chooses. The engine is yet to be started.
func (f *runFlags) resolve(ctx context.Context, cmd *cobra.Command) (*bench, error) {
	c, noted, err := f.configure(ctx, cmd)
	if err != nil {
		return nil, err
	}

	return f.read(ctx, c, noted)
}

// configure reads the configuration, and the versions that a run to continue has noted.
func (f *runFlags) configure(ctx context.Context, cmd *cobra.Command) (*configs.Resolved, *drift.Deployed, error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}

	resumed, err := f.resumed(cmd)
	if err != nil {
		return nil, nil, err
	}

	c, err := f.settings.resolve(cmd.Flags(), resumed)
	if err != nil {
		return nil, nil, err
	}

	if slices.ContainsFunc(c.Policy, configs.IsExternal) {
		return nil, nil, console.Usage("the policy %s plays by itself, against `toolevo serve env --record RUN`",
			strings.Join(c.Policy, ","))
	}

	f.settings.app.warnExposed(f.serving)

	if f.engine, err = f.chooseEngine(c, resumed); err != nil {
		return nil, nil, err
	}

	noted, err := f.notedVersions(ctx, c)

	return c, noted, err
}

// read reads the data that a configuration chooses. noted are the versions that the run has, nil for a new one.
func (f *runFlags) read(ctx context.Context, c *configs.Resolved, noted *drift.Deployed) (*bench, error) {
	if *f.progress == console.ProgressNone {
		f.serving.Watch = nil
	}

	asked := f.serving
	if *f.dryRun {
		asked = nil
	}

	if c.ParaphrasedBy() != "" && !*f.dryRun {
		f.announce(c) // a model is asked before the run begins
	}

	f.starting = f.settings.app.starting(*f.progress)
	done := f.starting.Step("Reading corpora and questions")
	b, err := readBench(ctx, *f.data, c, noted, asked)

	done()

	if err != nil {
		return nil, err
	}

	b.Servers, b.NoPriors = f.serving, f.kind == stored.Evaluated
	if b.unparaphrased > 0 {
		f.settings.app.Say("%d of %d questions keep their text: no paraphrase of %s will do.",
			b.unparaphrased, len(b.questions), c.Paraphraser)
	}

	return b, nil
}

// check refuses flags that make no sense.
func (f *runFlags) check() error {
	switch {
	case *f.workers < 0:
		return console.Usage("--workers %d: want at least 1, or 0 for four for each processor", *f.workers)
	case *f.mixEngines && !*f.resume:
		return console.Usage("--mix-engines needs --resume: a new run has only one engine")
	case *f.id != "" && !runID.MatchString(*f.id):
		return console.Usage("--run-id %q: want up to 64 letters, digits, dots, dashes and underscores, a "+
			"letter or digit first", *f.id)
	}

	return errors.Join(checkPythonServers(*f.pythonServers), f.serving.Check(), f.logging.Check())
}

func pythonServersFlag(cmd *cobra.Command) *int {
	return cmd.Flags().Int("python-servers", 0, "`N` model-written programs run at the same time "+
		"(0: a quarter of the processors, at least 2)")
}

func checkPythonServers(n int) error {
	if n < 0 {
		return console.Usage("--python-servers %d: want at least 1, or 0 for a quarter of the "+
			"processors", n)
	}

	return nil
}

// runID is what --run-id takes: it names folders, and stands in every row.
var runID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// resumed returns the configuration of the run to continue, or of the one that a new run branches from; nil for any
// other new run. The data folder of a run to continue is taken over.
func (f *runFlags) resumed(cmd *cobra.Command) ([]configs.Layer, error) {
	if !*f.resume {
		return f.branch.layers(), f.vacant(cmd)
	}

	if *f.out == "" {
		return nil, console.Usage("--resume needs --out DIR, the run to continue")
	}

	m, err := store.ReadManifest(*f.out)
	if errors.Is(err, store.ErrNoRun) {
		return nil, console.Usage("%w\nTo start a run there, leave out --resume; to continue another one, check "+
			"the path", err)
	}

	if err != nil {
		return nil, err
	}

	config, err := store.ReadConfig(*f.out)
	if err != nil {
		return nil, err
	}

	if m.Kind != f.kind {
		return nil, console.Usage("%s holds a run of another command, `toolevo %s`. Choose another --out, or "+
			"continue it with\n  toolevo %s",
			*f.out, m.Kind, stored.Continuation(&store.Run{Dir: *f.out, Manifest: m, Config: config}))
	}

	*f.data = dataOf(cmd, *f.data, &m, *f.out)

	return []configs.Layer{{Origin: filepath.Join(*f.out, store.ConfigFile), YAML: []byte(config)}}, nil
}

// vacant refuses to begin a run where it cannot be, before anything that takes long.
func (f *runFlags) vacant(cmd *cobra.Command) error {
	if *f.out == "" || *f.dryRun {
		return nil
	}

	return f.taken(f.kind, store.Vacant(cmd.Context(), *f.out))
}

// taken says what to do about a folder that already holds a run.
func (f *runFlags) taken(kind string, err error) error {
	if !errors.Is(err, store.ErrExists) {
		return err
	}

	if m, readErr := store.ReadManifest(*f.out); readErr == nil && m.Kind != kind {
		return console.Usage("%w of `toolevo %s`: choose another --out", err, m.Kind)
	}

	return console.Usage("%w: add --resume to continue it, or choose another --out", err)
}

// dataOf returns the data folder of a run: --data where it is given, else the one that the run names.
func dataOf(cmd *cobra.Command, flag string, m *store.Manifest, dir string) string {
	if own := m.DataFolder(dir); own != "" && !cmd.Flags().Changed("data") {
		return own
	}

	return flag
}

// startRun begins or resumes a run and notes in it what it is made from, so that it can be read without the data.
func (a *app) startRun(ctx context.Context, kind string, f *runFlags, b *bench) (*stored.Run, error) {
	var engine *sandbox.Stamp
	if b.engine != nil {
		engine = &b.stamp
	}

	var noted *stored.Run

	note := func(run *store.Run) (err error) {
		noted, err = stored.Note(ctx, run, b.Config, b.questions, b.deployed, engine)
		return console.GaveUp(err)
	}

	var run *store.Run
	var err error

	if *f.resume {
		if run, err = f.resumeRun(ctx, b); err == nil {
			if err = note(run); err != nil {
				err = errors.Join(err, run.Close())
			}
		}
	} else {
		run, err = f.beginRun(ctx, kind, b, note)
	}

	if err != nil {
		return nil, err
	}

	b.log.Info("the run begins", "run", run.Manifest.ID, "kind", kind, "dir", run.Dir, "questions", len(b.questions),
		"resumed", *f.resume, "software", software())

	if run.Manifest.Software != software() {
		a.Say("This run was started by toolevo %s; this is %s.", run.Manifest.Software, software())
	}

	return noted, nil
}

// resumeCommand returns the exact command that continues a run.
func resumeCommand(f *runFlags) string {
	args := []string{os.Args[0], f.command, "--resume", "--out", *f.out}
	if *f.workers > 0 {
		args = append(args, "--workers", strconv.Itoa(*f.workers))
	}

	if *f.pythonServers > 0 {
		args = append(args, "--python-servers", strconv.Itoa(*f.pythonServers))
	}

	if *f.mixEngines {
		args = append(args, "--mix-engines")
	}

	if f.unreadable {
		args = append(args, "--ignore-unreadable")
	}

	if f.logging.File != "" {
		args = append(args, "--log-file", f.logging.File, "--log-level", f.logging.Level)
	}

	if *f.metrics != "" {
		args = append(args, "--metrics", *f.metrics)
	}

	for _, kv := range f.overrides {
		args = append(args, "--set", kv)
	}

	return console.Shell(append(args, f.serving.Arguments()...)...)
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

// openLog opens the log of the run to come, until the bench is closed.
func (f *runFlags) openLog(b *bench) (err error) {
	b.log, f.serving.Log, b.logFile, err = f.logging.Open(f.settings.app.Err)
	return err
}

// logEnd logs how a run ended.
func (b *bench) logEnd(err error) {
	if err != nil {
		b.log.Error("the run stopped", "because", err)
		return
	}

	b.log.Info("the run is done")
}
