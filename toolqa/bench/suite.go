package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"toolevo/envs"
	"toolevo/envs/dynamic"
	"toolevo/envs/sandbox"
	"toolevo/envs/score"
	"toolevo/envs/suite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/graph"
	"toolevo/toolqa/pytool"
	"toolevo/toolqa/questions"
	"toolevo/toolqa/retrieve"
	"toolevo/toolqa/sqltool"
	"toolevo/toolqa/table"
)

// opened is the benchmark over the corpora of a choice. It implements [suite.Suite].
type opened struct {
	choice   suite.Choice
	corpora  []*corpus.Corpus
	tasks    []envs.Task
	gold     map[string]string // by task
	grader   *questions.Grader
	sql      *sqltool.Interpreter
	graphs   *graph.Graphs
	passages map[toolqa.Dataset]retrieve.Searcher // of the datasets that have passages
	engine   sandbox.Engine
	compat   defects
}

// Open implements [suite.Benchmark].
func (ToolQA) Open(ctx context.Context, c suite.Choice) (suite.Suite, error) {
	o := &opened{choice: c, gold: map[string]string{}, passages: map[toolqa.Dataset]retrieve.Searcher{}}

	if err := o.open(ctx); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

func (o *opened) open(ctx context.Context) error {
	var err error
	if o.choice.Versions == nil {
		if o.choice.Versions, err = versions(); err != nil {
			return err
		}
	}

	// Before the corpora, all of which are read: a misspelt name should not wait for that.
	if o.compat, err = parseDefects(o.choice.Environment.Compat...); err != nil {
		return err
	}

	if err := o.openCorpora(ctx); err != nil {
		return err
	}

	// Questions are checked against the corpus that their answers are from.
	if err := o.readQuestions(); err != nil {
		return err
	}

	if o.graphs, err = graph.Open(ctx, o.corpus(toolqa.DBLP)); err != nil {
		return err
	}

	if err = o.openPassages(ctx); err != nil {
		return err
	}

	// Last, because it starts a process: what is wrong with the files is known by now.
	limits := o.choice.Settings[sqlSection].(*sqlSettings)
	o.sql, err = sqltool.New(ctx, sqltool.Options{
		Timeout: time.Duration(limits.Seconds * float64(time.Second)), MaxRows: limits.Rows,
		TextColumns: o.compat.has(textSQL),
	}, o.corpora...)

	return err
}

// openCorpora opens the corpora of the chosen datasets, or of all that the data folder has when
// none were chosen.
func (o *opened) openCorpora(ctx context.Context) error {
	datasets := o.choice.Datasets
	if datasets == nil {
		datasets = texts(toolqa.Datasets())
	}

	for _, ds := range datasets {
		c, err := corpus.Open(ctx, o.choice.Data, toolqa.Dataset(ds))
		missing := errors.Is(err, fs.ErrNotExist)

		switch {
		case missing && o.choice.Datasets == nil:
			continue
		case missing:
			return noCorpus(ds, o.choice.Data)
		case err != nil:
			return err
		}

		o.corpora = append(o.corpora, c)
	}

	if len(o.corpora) == 0 {
		return noCorpus("any dataset", o.choice.Data)
	}
	return nil
}

func noCorpus(dataset, dir string) error {
	return fmt.Errorf("no corpus of %s in %s: run `toolevo data build` or `toolevo data import`", dataset, dir)
}

// corpus returns the opened corpus of a dataset, or nil.
func (o *opened) corpus(ds toolqa.Dataset) *corpus.Corpus {
	for _, c := range o.corpora {
		if c.Dataset() == ds {
			return c
		}
	}

	return nil
}

func (o *opened) readQuestions() error {
	read := o.splitQuestions
	if o.choice.Own != "" {
		read = o.ownQuestions
	}

	all, err := read()
	if err != nil {
		return err
	}

	for _, q := range all {
		t := q.Task()
		t.Question = o.choice.Ask(q.ID, q.Text)

		o.tasks = append(o.tasks, t)
		o.gold[q.ID] = q.Answer
	}

	o.grader, err = questions.NewGrader(all)
	return err
}

// ownQuestions returns the user's own questions about the chosen corpora, grouped by corpus.
func (o *opened) ownQuestions() ([]toolqa.Question, error) {
	own, err := questions.ReadOwn(o.choice.Own)
	if err != nil {
		return nil, err
	}

	var all []toolqa.Question

	for _, q := range own {
		switch c := o.corpus(q.Dataset); {
		case c == nil && o.choice.Datasets == nil:
			return nil, noCorpus(string(q.Dataset), o.choice.Data)
		case c != nil && o.chosen(q.Difficulty):
			all = append(all, q)
		}
	}

	if len(all) == 0 {
		return nil, errors.New("no question is of the chosen datasets and difficulties")
	}

	slices.SortStableFunc(all, func(a, b toolqa.Question) int {
		return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Difficulty, b.Difficulty))
	})
	return all, nil
}

// splitQuestions returns the questions of the chosen split.
func (o *opened) splitQuestions() ([]toolqa.Question, error) {
	var all []toolqa.Question

	for _, c := range o.corpora {
		for _, d := range toolqa.Difficulties() {
			if !o.chosen(d) {
				continue
			}

			qs, err := questions.Open(o.choice.Data, c.Info(), d, toolqa.Split(o.choice.Split))
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("%w: run `toolevo data questions`", err)
			}

			if err != nil {
				return nil, err
			}

			all = append(all, qs...)
		}
	}
	return all, nil
}

func (o *opened) chosen(d toolqa.Difficulty) bool {
	return o.choice.Difficulties == nil || slices.Contains(o.choice.Difficulties, string(d))
}

// Tasks implements [suite.Suite].
func (o *opened) Tasks() []envs.Task { return slices.Clone(o.tasks) }

// Datasets implements [suite.Suite].
func (o *opened) Datasets() []string {
	names := make([]string, len(o.corpora))
	for i, c := range o.corpora {
		names[i] = string(c.Dataset())
	}
	return names
}

// Answer implements [suite.Answerer].
func (o *opened) Answer(task string) string { return o.gold[task] }

// Plan implements [suite.Planner].
func (o *opened) Plan(question string) (envs.Plan, bool) { return questions.Plan(question) }

// Lineage implements [suite.Suite].
func (o *opened) Lineage() map[string]string {
	lineage := map[string]string{"strict matcher": score.StrictVersion}
	for _, c := range o.corpora {
		lineage["corpus "+string(c.Dataset())] = c.Info().ContentSHA256
	}
	return lineage
}

// UseEngine implements [suite.Sandboxed].
func (o *opened) UseEngine(e sandbox.Engine) { o.engine = e }

// Environment implements [suite.Suite].
func (o *opened) Environment(version string, memory envs.Memory) (envs.Environment, error) {
	all := o.choice.Versions

	prompt, err := all.Version(o.choice.Prompt)
	if err != nil {
		return nil, err
	}

	deployed, err := all.Version(version)
	if err != nil {
		return nil, err
	}
	return dynamic.New(dynamic.Config[toolqa.Session]{
		Prompt:   prompt,
		Deployed: deployed,
		Tools:    o.tools(memory),
		Grader:   o.grader,
		Same:     func(a, b toolqa.Session) bool { return a == b },
		Options: dynamic.Options{
			Settings:          o.choice.Environment,
			LastBrace:         o.compat.has(lastBrace),
			LoadTools:         []string{"LoadDB", "LoadGraph"},
			LoadNames:         o.compat.loadNames(),
			PublishedNotices:  o.compat.has(notices),
			PublishedFeedback: o.compat.has(published),
		},
	})
}

func (o *opened) tools(memory envs.Memory) map[string]dynamic.Tool[toolqa.Session] {
	filter := &table.FilterDB{
		Partial: o.compat.has(partialFilter), Split: o.compat.has(splitConditions),
		Regex: o.compat.has(regexCategories), Cast: o.compat.has(castColumns),
	}
	python := pytool.New(o.engine, pytool.Options{
		Limits: o.choice.Programs, Memory: memory, PublishedCapture: o.compat.has(pythonCapture),
	})

	return map[string]dynamic.Tool[toolqa.Session]{
		"LoadDB":         table.NewLoadDB(o.corpora...),
		"FilterDB":       filter,
		"GetValue":       table.GetValue{},
		"LoadGraph":      graph.LoadGraph{Graphs: o.graphs},
		"NodeCheck":      graph.NodeCheck{Graphs: o.graphs},
		"NeighbourCheck": graph.NeighbourCheck{Graphs: o.graphs, Weights: o.compat.has(graphWeights)},
		"EdgeCheck":      graph.EdgeCheck{Graphs: o.graphs, Spoil: o.compat.has(spoiledEdges)},
		"RetrieveAgenda": o.retriever("RetrieveAgenda", toolqa.Agenda, memory),
		"RetrieveScirex": o.retriever("RetrieveScirex", toolqa.SciREX, memory),
		"SQLInterpreter": o.sql.WithMemory(memory),
		programTool:      python,
	}
}

// Close implements [suite.Suite].
func (o *opened) Close() error {
	var err error
	if o.sql != nil {
		err = o.sql.Close()
	}

	if o.graphs != nil {
		err = errors.Join(err, o.graphs.Close())
	}

	err = errors.Join(err, o.closePassages())
	for _, c := range o.corpora {
		err = errors.Join(err, c.Close())
	}
	return err
}
