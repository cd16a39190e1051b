package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/sandbox"
	"toolevo/envs/suite"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/metrics"
	"toolevo/mcts/policy/serving"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// Bench is a benchmark as a configuration chooses it, and the models that play it.
type Bench struct {
	*serving.Models
	Suite     suite.Suite             // nil while no data is needed
	Questions []trajectories.Question // chosen, in the order of the rows
	Tasks     []envs.Task             // the same
	Lineage   map[string]string       // hashes and makers of what the questions use, by name
	Engine    sandbox.Engine
	Stamp     sandbox.Stamp     // of the engine
	tokenizer *export.Tokenizer // of the model to train; nil if none is set
	Deployed  *drift.Deployed   // the API versions that questions meet

	asks bool // models may be asked before the run begins
	// questions that keep their text because no paraphrase was accepted
	unparaphrased int

	metrics *metrics.Server // nil if none are served
	Log     *slog.Logger    // of how a run goes
	LogFile io.Closer       // nil without a log file
}

// OpenBench reads what a configuration needs from the data folder, and starts its engine. noted are
// the versions of a run, nil for those of the configuration.
func OpenBench(
	ctx context.Context, dir string, c *configs.Resolved, noted *drift.Deployed, open OpenFunc,
) (*Bench, error) {
	b, err := ReadBench(ctx, dir, c, noted, nil)
	if err != nil {
		return nil, err
	}

	if b.RunsPrograms() {
		err = b.Start(open(ctx, c.Python.Options(0)))
	}

	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Start takes over an opened engine. Without one a Bench can do everything but run programs and say
// which run it is.
func (b *Bench) Start(engine sandbox.Engine, err error) error {
	if err != nil {
		return console.GaveUp(err)
	}

	b.Engine, b.Stamp = engine, engine.Stamp()
	b.Lineage[inputPython] = b.Stamp.String()
	b.Suite.(suite.Sandboxed).UseEngine(engine)
	return nil
}

// RunsPrograms reports whether the benchmark has tools that run model-written programs.
func (b *Bench) RunsPrograms() bool {
	_, ok := b.Suite.(suite.Sandboxed)
	return ok
}

// InputVersions names the API versions that are not shipped in a lineage.
const InputVersions = "versions"

// NewBench returns a Bench that has read only API versions from a data folder, and has checked that
// the versions and policies that are named exist. noted are the versions of a run to continue; nil
// reads those of the configuration.
func NewBench(dir string, c *configs.Resolved, s *serving.Servers, noted *drift.Deployed) (
	*Bench, error) {
	benchmark, err := suite.Lookup(c.Suite)
	if err != nil {
		return nil, err
	}

	// A resumed run keeps the versions it began with, even if their files have changed since.
	d := noted
	if d == nil {
		if d, err = stored.Deploy(c, dir); err != nil {
			return nil, err
		}
	}

	versions, err := benchmark.Versions(dir, d.Files...)
	if err != nil {
		return nil, err
	}

	// A misspelt version or policy is rejected here, before any corpus is read, which takes long.
	for _, version := range slices.Concat([]string{c.Prompt}, d.All().Versions, c.Branch.API) {
		if _, err := versions.Spec(version); err != nil {
			return nil, err
		}
	}

	for _, name := range c.Policy {
		if err := serving.CheckPolicy(c, name); err != nil {
			return nil, err
		}
	}

	b := &Bench{
		Models: serving.New(c, benchmark, versions, s), Lineage: map[string]string{}, Deployed: d,
		Log: slog.New(slog.DiscardHandler),
	}
	b.Data = dir
	// Shipped versions are part of the program: only those in files are inputs.
	if len(d.Files) > 0 {
		b.Lineage[InputVersions] = d.Hash()
	}

	return b, nil
}

// ReadBench is OpenBench without an engine. noted are the versions of a run to continue, nil for a
// new one; s are the servers of its models, nil if no model may be asked.
func ReadBench(
	ctx context.Context, dir string, c *configs.Resolved, noted *drift.Deployed, s *serving.Servers,
) (*Bench, error) {
	b, err := NewBench(dir, c, cmp.Or(s, &serving.Servers{Parallel: "auto"}), noted)
	if err != nil {
		return nil, err
	}

	b.asks = s != nil

	if err := b.readTokenizer(); err != nil {
		return nil, err
	}

	choice, err := b.Choice(dir)
	if err != nil {
		return nil, err
	}

	// The suite asks its questions in the words it is opened with, so paraphrases come first.
	if b.Config.ParaphrasedBy() != "" {
		if choice.Rephrase, err = b.rephrase(ctx, choice); err != nil {
			return nil, err
		}
	}

	if b.Suite, err = b.Benchmark.Open(ctx, choice); err != nil {
		return nil, err
	}

	b.Plans = suite.Plans(b.Suite)

	// From here on the configuration names the datasets: one choice is one run, however written.
	c.Dataset = b.Suite.Datasets()

	if err := b.readTasks(); err != nil {
		return nil, errors.Join(err, b.Close())
	}

	maps.Copy(b.Lineage, b.Suite.Lineage())

	if err := b.readPrompt(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// readTokenizer reads the tokenizer by which training counts, if one is set.
func (b *Bench) readTokenizer() error {
	path := b.Config.Training.Tokenizer
	if path == "" {
		return nil
	}

	var err error
	if b.tokenizer, err = export.LoadTokenizer(path); err != nil {
		return console.Usage("training.tokenizer: %v", err)
	}

	b.Lineage["tokenizer"] = b.tokenizer.SHA256()
	return nil
}

// Close closes everything that was opened.
func (b *Bench) Close() error {
	var err error
	if b.Suite != nil {
		err = b.Suite.Close()
	}

	err = errors.Join(err, b.Models.Close())

	if b.Engine != nil {
		err = errors.Join(err, b.Engine.Close())
	}

	if b.metrics != nil {
		err = errors.Join(err, b.metrics.Close())
	}

	if b.LogFile != nil {
		err = errors.Join(err, b.LogFile.Close())
	}
	return err
}

// Environment returns the environment for episodes. A tree ends a task without self-reflection at
// its first invocation error; here the environment has to.
func (b *Bench) Environment(f drift.Family, m envs.Memory) (envs.Environment, error) {
	env, err := b.deploy(f, m)
	if err == nil && !b.Config.Search.Reflect {
		env = mcts.WithoutReflection(env)
	}
	return env, err
}

// openEnvironments opens the environments of an evaluation; m keeps the results of its tools.
func (b *Bench) openEnvironments(e *stored.Evaluation, m envs.Memory) error {
	return e.Open(func(f drift.Family) (envs.Environment, error) { return b.Environment(f, m) })
}

// deploy returns the environment in which each task meets a version of the family.
func (b *Bench) deploy(f drift.Family, m envs.Memory) (envs.Environment, error) {
	return f.Environment(b.Config.Seed, func(version string) (envs.Environment, error) {
		return b.Suite.Environment(version, m)
	})
}

// versionOf returns which version of a family each question meets.
func (b *Bench) versionOf(f drift.Family) func(question string) string {
	return func(question string) string { return f.Of(b.Config.Seed, question) }
}

// Retry returns the retry policy for infrastructure errors.
func (b *Bench) Retry() mcts.Retry {
	return mcts.Retry{Attempts: b.Config.Attempts, Backoff: time.Second}
}

// isMissing reports whether an error means that a file does not exist.
func isMissing(err error) bool { return errors.Is(err, os.ErrNotExist) }

// watch shows the progress of what the suite prepares.
func (b *Bench) watch(what string) (set func(done, total int), stop func()) {
	if b.Servers.Watch == nil {
		return func(int, int) {}, func() {}
	}

	now := &console.Steps{}
	return now.Step(what), b.Servers.Watch(now.Read)
}

// probe looks at the model servers, and lets the suite prepare for the run.
func (b *Bench) probe(ctx context.Context) error {
	if err := b.Probe(ctx); err != nil {
		return err
	}

	p, ok := b.Suite.(suite.Preparer)
	if !ok {
		return nil
	}
	return console.GaveUp(p.Prepare(ctx))
}

// InputPrompt names the guidelines, tools and demonstrations of the prompt in a lineage.
const InputPrompt = "prompt"

// readPrompt notes a hash of what a model on servers is shown before the question and the turns:
// the answers in a log are answers to these words. A scripted policy reads none of them.
func (b *Bench) readPrompt() error {
	if !b.OnServers() {
		return nil
	}

	p, err := b.Prompt()
	if err != nil {
		return err
	}

	if err := b.checkDemonstrations(p); err != nil {
		return err
	}

	sum, last := sha256.New(), ""

	// A baseline adds to the system message, so each policy's is hashed. Equal messages in a row
	// count once: mostly all datasets share one.
	for _, dataset := range b.Suite.Datasets() {
		for _, policy := range b.Config.Policy {
			told := b.Told(policy, envs.NewHistory(envs.OfDataset(dataset)), b.Config.Prompt)
			if system := p.SystemAfter(told); system != last {
				fmt.Fprintf(sum, "%q\n", system)
				last = system
			}
		}

		fmt.Fprintf(sum, "%q\n", p.Demonstrations[dataset])
	}

	b.Lineage[InputPrompt] = hex.EncodeToString(sum.Sum(nil))
	return nil
}
