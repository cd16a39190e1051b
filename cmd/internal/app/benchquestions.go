package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/kept"
	"toolevo/envs/names"
	"toolevo/envs/suite"
	"toolevo/trajectories"
)

// inputQuestions begins the names of the questions of a dataset and difficulty in a lineage.
const inputQuestions = "questions"

// Choice returns what the configuration wants of the benchmark.
func (b *Bench) Choice(dir string) (suite.Choice, error) {
	c := b.Config

	own, err := b.ownTasks(dir)
	if err != nil {
		return suite.Choice{}, err
	}

	prompts, err := ReadPrompts(c)
	if err != nil {
		return suite.Choice{}, err
	}

	// The folder may change before the run is resumed, so the lineage has a hash of its texts.
	if replaced := prompts.Replaced(); replaced != "" {
		b.Lineage["prompts"] = replaced
	}
	return suite.Choice{
		Own: own, Rephrase: c.Rephrase(), Prompts: prompts,
		Data: dir, Datasets: c.Datasets(), Difficulties: c.Difficulties(), Split: c.Split,
		Prompt: c.Prompt, Versions: b.Versions,
		Deployed:    b.Deployed.All().Versions,
		Environment: c.Environment,
		Programs:    c.Python.Limits(),
		Settings:    maps.Collect(c.Sections()),
		Embedder:    b.Embedder,
		Writer: func(name string, o suite.WriterOptions) (suite.Writer, error) {
			return b.Writer(name, o)
		},
		Watch: b.watch,
		Warn:  func(format string, args ...any) { b.Log.Warn(fmt.Sprintf(format, args...)) },
	}, nil
}

// ReadPrompts reads the texts that a user puts in place of the built-in prompts.
func ReadPrompts(c *configs.Resolved) (kept.Prompts, error) {
	p, err := kept.ReadPrompts(c.Prompts)
	if err != nil {
		err = console.Usage("‹prompts›: %w", err)
	}
	return p, err
}

// ownTasks returns the file of the user's own tasks, "" if the run is about a split.
func (b *Bench) ownTasks(dir string) (string, error) {
	path := b.Config.Questions
	if path == "" {
		return "", nil
	}

	named := b.Config.Origin("questions")

	asker, ok := b.Benchmark.(suite.Asker)
	if !ok {
		return "", console.Usage("%s: the suite %s reads no file of tasks", named, b.Config.Suite)
	}

	// The path is made absolute: the run may be resumed or checked from another folder.
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}

	b.Config.Questions = path

	// The tasks are counted first, so that an error names the setting and not a step of the suite.
	n, err := asker.CountTasks(dir, path)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s has no questions", path)
	}

	if err != nil {
		return "", console.Usage("%s: %w", named, err)
	}
	return path, nil
}

// readTasks takes the chosen tasks within the limit, and hashes those of each dataset and
// difficulty into the lineage.
func (b *Bench) readTasks() error {
	isChosen, err := b.chosen()
	if err != nil {
		return err
	}

	// The index of a question is its place in the split, so tasks that are not chosen count, too;
	// only those taken count towards the limit and are hashed.
	index, taken := map[string]int{}, map[string]int{}
	sum, name := sha256.New(), ""
	note := func() {
		if name != "" {
			b.Lineage[name] = hex.EncodeToString(sum.Sum(nil))
			sum.Reset()
		}
	}

	for _, t := range b.Suite.Tasks() {
		q := b.question(t)

		// The tasks of a cell follow each other: another name ends the hash of the cell before.
		cell := fmt.Sprintf("%s %s-%s %s", inputQuestions, t.Labels[envs.LabelDataset],
			t.Labels[envs.LabelDifficulty], q.Split)
		if cell != name {
			note()
			name = cell
		}

		q.Index = index[cell]
		index[cell]++

		if !isChosen(t) {
			continue
		}

		if taken[cell]++; b.Config.Limit > 0 && taken[cell] > b.Config.Limit {
			continue
		}

		fmt.Fprintf(sum, "%q %q %q %q\n", q.ID, t.Labels[envs.LabelTemplate], q.Text+q.Tools,
			q.Gold)

		b.Tasks, b.Questions = append(b.Tasks, t), append(b.Questions, q)
	}

	note()
	return nil
}

// question returns a task as rows have it, with the right answer if the suite knows one.
func (b *Bench) question(t envs.Task) trajectories.Question {
	q := trajectories.Question{ID: t.ID, Labels: t.Labels, Split: b.split(), Text: t.Question,
		Tools: t.Tools}
	if a, ok := b.Suite.(suite.Answerer); ok {
		q.Gold = a.Answer(t.ID)
	}
	return q
}

// split returns the split that rows name.
func (b *Bench) split() string {
	if b.Config.Questions != "" {
		return suite.OwnSplit
	}
	return b.Config.Split
}

// chosen returns a predicate for the tasks that the configuration chooses, by template and name.
func (b *Bench) chosen() (func(envs.Task) bool, error) {
	templates, err := b.templates()
	if err != nil {
		return nil, err
	}

	// A branch has its run's configuration, whose list may name other questions, or not this one.
	only := b.Config.Only
	if q := b.Config.Branch.Question; q != "" {
		only = []string{q}
	}

	wanted := make(map[string]bool, len(only))
	for _, id := range only {
		wanted[id] = true
	}

	// An ID that is still there afterwards is not a question, most likely a misspelt one.
	for _, t := range b.Suite.Tasks() {
		delete(wanted, t.ID)
	}

	// The first unknown ID in the user's order is reported; the known ones go back into the set.
	for _, id := range only {
		if wanted[id] {
			return nil, console.Usage("‹only›: none of the questions has the ID %q", id)
		}

		wanted[id] = true
	}
	return func(t envs.Task) bool {
		return (templates == nil || slices.Contains(templates, t.Labels[envs.LabelTemplate])) &&
			(len(only) == 0 || wanted[t.ID])
	}, nil
}

// templates returns the chosen question templates, nil for all.
func (b *Bench) templates() ([]string, error) {
	var there []string

	for _, t := range b.Suite.Tasks() {
		if name := t.Labels[envs.LabelTemplate]; name != "" && !slices.Contains(there, name) {
			there = append(there, name)
		}
	}

	chosen := b.Config.Templates()
	for _, name := range chosen {
		if slices.Contains(there, name) {
			continue
		}

		if meant, ok := names.Closest(name, there); ok {
			return nil, console.Usage("‹template›: none of the questions has the template %q, "+
				"did you mean %s?", name, meant)
		}

		if len(there) == 0 {
			return nil, console.Usage("‹template› %s: the questions have no templates", name)
		}
		return nil, console.Usage("‹template›: none of the questions has the template %q: there "+
			"are %d, such as %s", name, len(there), there[0])
	}
	return chosen, nil
}
