package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/dynamic"
	"toolevo/envs/sandbox"
	"toolevo/envs/toolapi"
	"toolevo/mcts"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/server"
	"toolevo/toolqa"
	"toolevo/toolqa/compat"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/graph"
	"toolevo/toolqa/pytool"
	"toolevo/toolqa/questions"
	"toolevo/toolqa/retrieve"
	"toolevo/toolqa/score"
	"toolevo/toolqa/sqltool"
	"toolevo/toolqa/table"
	"toolevo/trajectories"
)

// inputPrompt is the name under which a lineage has the guidelines, tools and demonstrations of the prompt.
const inputPrompt = "prompt"

// inputQuestions begins the names under which a lineage has the questions of a file.
const inputQuestions = "questions"

// toolPython is the tool that runs programs of the model's.
const toolPython = "PythonInterpreter"

// bench is the benchmark as a configuration chooses it: corpora, questions, API versions, and the tools over them.
type bench struct {
	config    *configs.Resolved
	versions  *toolapi.Catalog
	corpora   []*corpus.Corpus
	questions []toolqa.Question // of the datasets, difficulties and split chosen, in that order, within the limit
	lineage   map[string]string // hashes and makers of what the questions use, by name
	grader    *score.Grader
	sql       *sqltool.Interpreter
	graphs    *graph.Graphs
	passages  map[toolqa.Dataset]retrieve.Searcher // of the datasets that have passages
	engine    sandbox.Engine
	stamp     sandbox.Stamp   // of the engine
	stamps    []sandbox.Stamp // of all engines of the run, the first one first
	compat    compat.Set
	tokenizer *trajectories.Tokenizer // of the model that is trained; nil when there is none

	serving *serving                  // where models are
	servers map[string]*server.Policy // policies on servers that were opened, by name
}

// openBench reads what a configuration needs from the data folder, and starts its engine.
func openBench(ctx context.Context, dir string, c *configs.Resolved, open openFunc) (*bench, error) {
	b, err := readBench(ctx, dir, c)
	if err != nil {
		return nil, err
	}

	if err := b.start(open(ctx, engineOptions(c.Python, 0))); err != nil {
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

	return nil
}

// readBench is openBench without an engine.
func readBench(ctx context.Context, dir string, c *configs.Resolved) (*bench, error) {
	b := &bench{
		config:   c,
		lineage:  map[string]string{},
		passages: map[toolqa.Dataset]retrieve.Searcher{},
		serving:  &serving{parallel: "auto"},
		servers:  map[string]*server.Policy{},
	}

	var err error
	if b.compat, err = compat.Parse(c.Environment.Compat...); err != nil {
		return nil, err
	}

	if b.versions, err = shippedVersions(); err != nil {
		return nil, err
	}

	if err := b.checkNames(); err != nil {
		return nil, err
	}

	if err := b.readTokenizer(); err != nil {
		return nil, err
	}

	if err := b.openCorpora(ctx, dir); err != nil {
		return nil, err
	}

	if err := b.readQuestions(dir); err != nil {
		return nil, err
	}

	if err := b.readPrompt(); err != nil {
		return nil, err
	}

	if b.grader, err = score.NewGrader(b.questions); err != nil {
		return nil, err
	}

	if b.graphs, err = graph.Open(ctx, b.corpus(toolqa.DBLP)); err != nil {
		return nil, err
	}

	if err = b.openPassages(ctx); err != nil {
		return nil, err
	}

	b.sql, err = sqltool.New(ctx, sqltool.Options{
		Timeout: seconds(c.SQL.Seconds), MaxRows: c.SQL.Rows, TextColumns: b.compat.Has(compat.TextSQL),
	}, b.corpora...)

	return b, err
}

// readTokenizer reads the tokenizer by which training counts, if there is one.
func (b *bench) readTokenizer() error {
	path := b.config.Training.Tokenizer
	if path == "" {
		return nil
	}

	var err error
	if b.tokenizer, err = trajectories.LoadTokenizer(path); err != nil {
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

	sum := sha256.New()
	fmt.Fprintf(sum, "%q\n", p.System())

	for _, c := range b.corpora {
		fmt.Fprintf(sum, "%q\n", p.Demonstrations[string(c.Dataset())])
	}

	b.lineage[inputPrompt] = hex.EncodeToString(sum.Sum(nil))

	return nil
}

// corpus returns the opened corpus of a dataset, nil when there is none.
func (b *bench) corpus(ds toolqa.Dataset) *corpus.Corpus {
	for _, c := range b.corpora {
		if c.Dataset() == ds {
			return c
		}
	}

	return nil
}

// openCorpora opens the corpora of the datasets chosen, and no others: what else the folder holds is
// no part of the run, and must not change what its tools answer. From here on the configuration
// names the datasets in the order of the rows, so that one choice is one run however it was written.
func (b *bench) openCorpora(ctx context.Context, dir string) error {
	datasets, err := b.config.Datasets()
	if err != nil {
		return err
	}

	var names []string

	for _, ds := range datasets {
		c, err := corpus.Open(ctx, dir, ds)
		if errors.Is(err, fs.ErrNotExist) && b.config.AllDatasets() {
			continue
		}

		if errors.Is(err, fs.ErrNotExist) {
			return noCorpus(string(ds), dir)
		}

		if err != nil {
			return err
		}

		b.corpora = append(b.corpora, c)
		b.lineage["corpus "+string(ds)] = c.Info().ContentSHA256
		names = append(names, string(ds))
	}

	if len(names) == 0 {
		return noCorpus("any dataset", dir)
	}

	b.config.Dataset = names

	return nil
}

func noCorpus(dataset, dir string) error {
	return fmt.Errorf("no corpus of %s in %s: run `toolevo data build` or `toolevo data import`", dataset, dir)
}

func (b *bench) close() error {
	err := errors.Join(b.sql.Close(), b.graphs.Close(), b.closePassages())
	for _, c := range b.corpora {
		err = errors.Join(err, c.Close())
	}

	for _, p := range b.servers {
		err = errors.Join(err, p.Close())
	}

	if b.engine != nil {
		err = errors.Join(err, b.engine.Close())
	}

	return err
}

// checkNames refuses names of API versions and policies that do not exist, before anything is read.
func (b *bench) checkNames() error {
	for _, name := range append([]string{b.config.Prompt}, b.config.API...) {
		if _, err := b.versions.Version(name); err != nil {
			return err
		}
	}

	for _, name := range b.config.Policy {
		if err := checkPolicy(b.config, name); err != nil {
			return err
		}
	}

	return nil
}

func (b *bench) readQuestions(dir string) error {
	difficulties, err := b.config.Difficulties()
	if err != nil {
		return err
	}

	for _, c := range b.corpora {
		for _, d := range difficulties {
			if err := b.readFile(dir, c.Info(), d); err != nil {
				return err
			}
		}
	}

	return nil
}

func (b *bench) readFile(dir string, info corpus.Info, d toolqa.Difficulty) error {
	split := toolqa.Split(b.config.Split)

	qs, err := questions.Open(dir, info, d, split)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: run `toolevo data questions`", err)
	}

	if err != nil {
		return err
	}

	if n := b.config.Limit; n > 0 {
		qs = qs[:min(n, len(qs))]
	}

	sum := sha256.New()
	for _, q := range qs {
		fmt.Fprintf(sum, "%q %q %q %q\n", q.ID, q.Template, q.Text, q.Answer)
	}

	b.lineage[fmt.Sprintf("%s %s-%s %s", inputQuestions, info.Dataset, d, split)] = hex.EncodeToString(sum.Sum(nil))
	b.questions = append(b.questions, qs...)

	return nil
}

// environment returns the environment that deploys an API version. memory, which may be nil, keeps what tools
// gave that another time might give otherwise.
func (b *bench) environment(api string, memory envs.Memory) (envs.Environment, error) {
	prompt, err := b.versions.Version(b.config.Prompt)
	if err != nil {
		return nil, err
	}

	deployed, err := b.versions.Version(api)
	if err != nil {
		return nil, err
	}

	tools := map[string]dynamic.Tool[toolqa.Session]{
		"LoadDB":         table.NewLoadDB(b.corpora...),
		"FilterDB":       b.filter(),
		"GetValue":       table.GetValue{},
		"LoadGraph":      graph.LoadGraph{Graphs: b.graphs},
		"NodeCheck":      graph.NodeCheck{Graphs: b.graphs},
		"NeighbourCheck": graph.NeighbourCheck{Graphs: b.graphs, Weights: b.compat.Has(compat.GraphWeights)},
		"EdgeCheck":      graph.EdgeCheck{Graphs: b.graphs, Spoil: b.compat.Has(compat.SpoiledEdges)},
		"RetrieveAgenda": b.retriever("RetrieveAgenda", toolqa.Agenda, memory),
		"RetrieveScirex": b.retriever("RetrieveScirex", toolqa.SciREX, memory),
		"SQLInterpreter": b.sql.WithMemory(memory),
		toolPython:       b.python(memory),
	}
	c := b.config.Environment

	return dynamic.New(dynamic.Config[toolqa.Session]{
		Prompt:   prompt,
		Deployed: deployed,
		Tools:    tools,
		Grader:   b.grader,
		Options: dynamic.Options{
			MaxLoads:         c.MaxLoads,
			LoadTools:        []string{"LoadDB", "LoadGraph"},
			LoadNames:        b.compat.LoadNames(),
			NoUpdateTool:     !c.UpdateTool,
			ObservationWords: c.ObservationWords,
			StrictReward:     c.Reward == configs.RewardStrict,
			PublishedNotices: b.compat.Has(compat.Notices),
		},
	})
}

func (b *bench) filter() *table.FilterDB {
	return &table.FilterDB{
		Partial: b.compat.Has(compat.PartialFilter), Split: b.compat.Has(compat.SplitConditions),
		Regex: b.compat.Has(compat.RegexCategories), Cast: b.compat.Has(compat.CastColumns),
	}
}

// python returns the PythonInterpreter; memory, which may be nil, keeps what programs printed.
func (b *bench) python(memory envs.Memory) *pytool.Interpreter {
	c := b.config.Python

	return pytool.New(b.engine, pytool.Options{
		Limits: sandbox.Limits{
			Wall: seconds(c.WallSeconds), CPU: time.Duration(c.CPUSeconds) * time.Second,
			Memory: int64(c.MemoryMiB) << 20, Output: c.OutputKiB << 10,
		},
		Memory: memory, PublishedCapture: b.compat.Has(compat.PythonCapture),
	})
}

// prompt returns what a model is shown of the prompt version.
func (b *bench) prompt() (prompt.Prompt, error) {
	return newPrompt(b.versions, b.config.Prompt, b.config.Environment.UpdateTool,
		pytool.Describe(b.config.Python.Modules))
}

// newPrompt returns what a model is shown of an API version: its APIs, and of the one that runs Python which
// modules can be imported there, a sentence that is no matter of the version. "" says nothing.
func newPrompt(versions *toolapi.Catalog, name string, updateTool bool, imports string) (prompt.Prompt, error) {
	version, err := versions.Version(name)
	if err != nil {
		return prompt.Prompt{}, err
	}

	tools := make([]string, len(version.APIs))
	for i, api := range version.APIs {
		tools[i] = api.Signature() + ", " + api.Description
		if api.Tool == toolPython && imports != "" {
			tools[i] += " " + imports
		}
	}

	p := prompt.New(tools)
	p.NoUpdateTool = !updateTool
	p.Demonstrations, err = shippedDemonstrations()

	return p, err
}

// retry returns the retry policy for infrastructure errors.
func (b *bench) retry() mcts.Retry {
	return mcts.Retry{Attempts: b.config.Attempts, Backoff: time.Second}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// isMissing reports whether an error means that a file is not there.
func isMissing(err error) bool { return errors.Is(err, os.ErrNotExist) }
