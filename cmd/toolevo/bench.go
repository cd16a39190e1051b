package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/names"
	"toolevo/envs/sandbox"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/server"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// inputPrompt is the name under which a lineage has the guidelines, tools and demonstrations of the prompt.
const inputPrompt = "prompt"

// inputQuestions begins the names under which a lineage has the questions of a dataset and difficulty.
const inputQuestions = "questions"

// bench is a benchmark as a configuration chooses it, and the models that play it.
type bench struct {
	config    *configs.Resolved
	benchmark suite.Benchmark
	suite     suite.Suite             // nil while no data is needed
	questions []trajectories.Question // chosen, in the order of the rows
	tasks     []envs.Task             // the same
	lineage   map[string]string       // hashes and makers of what the questions use, by name
	engine    sandbox.Engine
	stamp     sandbox.Stamp     // of the engine
	stamps    []sandbox.Stamp   // of all engines of the run, the first one first
	tokenizer *export.Tokenizer // of the model that is trained; nil when there is none
	deployed  *deployed         // the API versions that questions meet
	versions  *toolapi.Catalog  // all that there are

	serving *serving                  // where models are
	servers map[string]*server.Policy // policies on servers that were opened, by name
}

// openBench reads what a configuration needs from the data folder, and starts its engine.
func openBench(ctx context.Context, dir string, c *configs.Resolved, open openFunc) (*bench, error) {
	b, err := readBench(ctx, dir, c, nil)
	if err != nil {
		return nil, err
	}

	if b.runsPrograms() {
		err = b.start(open(ctx, engineOptions(c.Python, 0)))
	}

	if err != nil {
		return nil, errors.Join(err, b.close())
	}

	return b, nil
}

// start takes an engine that was opened. A bench does all but run programs, and say which run it is, without one.
func (b *bench) start(engine sandbox.Engine, err error) error {
	if err != nil {
		return console.GaveUp(err)
	}

	b.engine, b.stamp = engine, engine.Stamp()
	b.lineage[inputPython] = b.stamp.String()
	b.suite.(suite.Sandboxed).UseEngine(engine)

	return nil
}

// runsPrograms reports whether the benchmark has tools that run programs of the model's.
func (b *bench) runsPrograms() bool {
	_, ok := b.suite.(suite.Sandboxed)
	return ok
}

// newBench returns a bench that has read nothing but API versions, after it made sure that the names of those and of
// policies exist. noted are the versions that a run has; nil reads those of the configuration.
func newBench(c *configs.Resolved, s *serving, noted *deployed) (*bench, error) {
	benchmark, err := suite.Lookup(c.Suite)
	if err != nil {
		return nil, err
	}

	d := noted
	if d == nil {
		if d, err = readDeployed(c.API); err != nil {
			return nil, err
		}
	}

	versions, err := benchmark.Versions(d.Files...)
	if err != nil {
		return nil, err
	}

	for _, version := range append([]string{c.Prompt}, d.all().Versions...) {
		if _, err := versions.Version(version); err != nil {
			return nil, err
		}
	}

	for _, name := range c.Policy {
		if err := checkPolicy(c, name); err != nil {
			return nil, err
		}
	}

	b := &bench{
		config: c, benchmark: benchmark, lineage: map[string]string{}, serving: s, servers: map[string]*server.Policy{},
		deployed: d, versions: versions,
	}
	if len(d.Files) > 0 {
		b.lineage[inputVersions] = d.hash()
	}

	return b, nil
}

// readBench is openBench without an engine. noted are the versions that a run has, nil for a new one.
func readBench(ctx context.Context, dir string, c *configs.Resolved, noted *deployed) (*bench, error) {
	b, err := newBench(c, &serving{parallel: "auto"}, noted)
	if err != nil {
		return nil, err
	}

	if err := b.readTokenizer(); err != nil {
		return nil, err
	}

	choice, err := b.choice(dir)
	if err != nil {
		return nil, err
	}

	if b.suite, err = b.benchmark.Open(ctx, choice); err != nil {
		return nil, err
	}

	// From here on the configuration names the datasets, so that one choice is one run however it was written.
	c.Dataset = b.suite.Datasets()

	if err := b.readTasks(); err != nil {
		return nil, errors.Join(err, b.close())
	}

	maps.Copy(b.lineage, b.suite.Lineage())

	if err := b.readPrompt(); err != nil {
		return nil, errors.Join(err, b.close())
	}

	return b, nil
}

// choice says what the configuration wants of the benchmark.
func (b *bench) choice(dir string) (suite.Choice, error) {
	c := b.config

	datasets, err := c.Datasets()
	if err != nil {
		return suite.Choice{}, err
	}

	difficulties, err := c.Difficulties()

	return suite.Choice{
		Data: dir, Datasets: datasets, Difficulties: difficulties, Split: c.Split, Prompt: c.Prompt,
		Versions: b.versions,
		Environment: suite.Environment{
			Codec:            c.Codec(),
			UpdateTool:       c.Environment.UpdateTool,
			StrictReward:     c.Environment.Reward == configs.RewardStrict,
			MaxLoads:         c.Environment.MaxLoads,
			ObservationWords: c.Environment.ObservationWords,
			Compat:           c.Environment.Compat,
		},
		Programs: sandbox.Limits{
			Wall: time.Duration(c.Python.WallSeconds * float64(time.Second)),
			CPU:  time.Duration(c.Python.CPUSeconds) * time.Second, Memory: int64(c.Python.MemoryMiB) << 20,
			Output: c.Python.OutputKiB << 10,
		},
		Settings: maps.Collect(c.Sections()),
		Embedder: b.embedder,
		Watch:    b.watch,
	}, err
}

// readTasks takes the tasks of the templates within the limit, and notes of each dataset and difficulty what they hold.
func (b *bench) readTasks() error {
	chosen, err := b.templates()
	if err != nil {
		return err
	}

	index, taken := map[string]int{}, map[string]int{} // of the next one of a dataset and difficulty; of those taken
	sum, name := sha256.New(), ""
	note := func() {
		if name != "" {
			b.lineage[name] = hex.EncodeToString(sum.Sum(nil))
			sum.Reset()
		}
	}
	answers, _ := b.suite.(suite.Answerer)

	for _, t := range b.suite.Tasks() {
		q := trajectories.Question{ID: t.ID, Labels: t.Labels, Split: b.config.Split, Text: t.Question}
		if answers != nil {
			q.Gold = answers.Answer(t.ID)
		}

		cell := fmt.Sprintf("%s %s-%s %s", inputQuestions, t.Labels[envs.LabelDataset], t.Labels[envs.LabelDifficulty],
			q.Split)
		if cell != name {
			note()
			name = cell
		}

		q.Index = index[cell]
		index[cell]++

		if chosen != nil && !slices.Contains(chosen, t.Labels[envs.LabelTemplate]) {
			continue
		}

		if taken[cell]++; b.config.Limit > 0 && taken[cell] > b.config.Limit {
			continue
		}

		fmt.Fprintf(sum, "%q %q %q %q\n", q.ID, t.Labels[envs.LabelTemplate], q.Text, q.Gold)

		b.tasks, b.questions = append(b.tasks, t), append(b.questions, q)
	}

	note()

	return nil
}

// templates returns the question templates chosen, nil for all.
func (b *bench) templates() ([]string, error) {
	var there []string

	for _, t := range b.suite.Tasks() {
		if name := t.Labels[envs.LabelTemplate]; name != "" && !slices.Contains(there, name) {
			there = append(there, name)
		}
	}

	chosen := b.config.Templates()
	for _, name := range chosen {
		if slices.Contains(there, name) {
			continue
		}

		if meant, ok := names.Closest(name, there); ok {
			return nil, console.Usage("--template: none of the questions has the template %q, did you mean %s?", name,
				meant)
		}

		if len(there) == 0 {
			return nil, console.Usage("--template %s: the questions have no templates", name)
		}

		return nil, console.Usage("--template: none of the questions has the template %q: there are %d, such as %s",
			name, len(there), there[0])
	}

	return chosen, nil
}

// readTokenizer reads the tokenizer by which training counts, if there is one.
func (b *bench) readTokenizer() error {
	path := b.config.Training.Tokenizer
	if path == "" {
		return nil
	}

	var err error
	if b.tokenizer, err = export.LoadTokenizer(path); err != nil {
		return console.Usage("training.tokenizer: %v", err)
	}

	b.lineage["tokenizer"] = b.tokenizer.SHA256()

	return nil
}

// readPrompt notes what a model on servers is shown before the question and the turns: the answers in
// a log are answers to these words. A scripted policy reads none of them.
func (b *bench) readPrompt() error {
	if !b.onServers() {
		return nil
	}

	p, err := b.prompt()
	if err != nil {
		return err
	}

	sum, last := sha256.New(), ""

	for _, dataset := range b.suite.Datasets() {
		if system := p.System(dataset); system != last { // else every dataset has the same
			fmt.Fprintf(sum, "%q\n", system)
			last = system
		}

		fmt.Fprintf(sum, "%q\n", p.Demonstrations[dataset])
	}

	b.lineage[inputPrompt] = hex.EncodeToString(sum.Sum(nil))

	return nil
}

func (b *bench) close() error {
	var err error
	if b.suite != nil {
		err = b.suite.Close()
	}

	for _, p := range b.servers {
		err = errors.Join(err, p.Close())
	}

	if b.engine != nil {
		err = errors.Join(err, b.engine.Close())
	}

	return err
}

// demonstrationsOf has the solved tasks of each benchmark, parsed once in a process, and only where they are wanted.
var demonstrationsOf sync.Map

func loadDemonstrations(b suite.Benchmark) (map[string][]prompt.Demonstration, error) {
	d, ok := b.(suite.Demonstrator)
	if !ok {
		return nil, nil
	}

	load := sync.OnceValues(func() (map[string][]prompt.Demonstration, error) {
		return prompt.LoadDemonstrations(d.Demonstrations())
	})
	loaded, _ := demonstrationsOf.LoadOrStore(b.Name(), load)

	return loaded.(func() (map[string][]prompt.Demonstration, error))()
}

// plan returns the solutions of a benchmark's questions, none when it has none.
func plan(b suite.Benchmark) func(question string) (envs.Plan, bool) {
	if p, ok := b.(suite.Planner); ok {
		return p.Plan
	}

	return func(string) (envs.Plan, bool) { return nil, false }
}

// prompt returns what a model is shown of the prompt version.
func (b *bench) prompt() (prompt.Prompt, error) {
	modules := append([]string{}, b.config.Python.Modules...) // none is not nil

	return newPrompt(b.benchmark, b.config, b.config.Prompt, modules)
}

// newPrompt returns what a model is shown of an API version, as a configuration wants it; modules are those that
// programs may import, nil says nothing about them.
func newPrompt(
	benchmark suite.Benchmark, c *configs.Resolved, version string, modules []string,
) (prompt.Prompt, error) {
	apis, err := benchmark.Tools(version, modules)
	if err != nil {
		return prompt.Prompt{}, err
	}

	p := prompt.New(toolLines(apis))
	p.NoUpdateTool, p.Codec = !c.Environment.UpdateTool, c.Codec()

	if c.Server.Prompt.Tools == configs.ToolsOfDataset {
		p.ByDataset = map[string][]string{}

		for dataset, names := range benchmark.(suite.Narrower).DatasetTools() { // validated
			p.ByDataset[dataset] = toolLines(slices.DeleteFunc(slices.Clone(apis), func(api *toolapi.API) bool {
				return !slices.Contains(names, api.Tool)
			}))
		}
	}

	p.Demonstrations, err = loadDemonstrations(benchmark)

	return p, err
}

// toolLines are APIs as a prompt lists them.
func toolLines(apis []*toolapi.API) []string {
	lines := make([]string, len(apis))
	for i, api := range apis {
		lines[i] = api.Signature() + ", " + api.Description
	}

	return lines
}

// environment returns the environment in which each task meets a version of the family.
func (b *bench) environment(f drift.Family, m envs.Memory) (envs.Environment, error) {
	return f.Environment(b.config.Seed, func(version string) (envs.Environment, error) {
		return b.suite.Environment(version, m)
	})
}

// retry returns the retry policy for infrastructure errors.
func (b *bench) retry() mcts.Retry {
	return mcts.Retry{Attempts: b.config.Attempts, Backoff: time.Second}
}

// isMissing reports whether an error means that a file is not there.
func isMissing(err error) bool { return errors.Is(err, os.ErrNotExist) }
