package app

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/finetune/improve"
	"toolevo/finetune/report"
	"toolevo/finetune/stored"
	"toolevo/finetune/viewer"
	"toolevo/mcts"
	"toolevo/mcts/account"
)

// addRuns adds what each run is, and what collections and rounds of improvement found. It returns
// which are evaluations.
func (h *Host) addRuns(ctx context.Context, p *report.Page, args []string) (
	evaluations []string, err error) {
	for _, dir := range args {
		// The folder of an improvement is not a run itself, but it has the rounds.
		rounds, err := improve.ReadCSV(dir)
		if err == nil {
			p.Improvement = rounds
			continue
		}

		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}

		v, err := stored.Open(ctx, dir)
		if err != nil {
			return nil, err
		}

		// An unfinished evaluation says so later, when its report is read.
		if v.Manifest.Kind != stored.Evaluated && IsOpen(v) {
			v.SayUnfinished(h.Say)
		}

		err = addRun(ctx, p, v)
		if err = errors.Join(err, v.Close()); err != nil {
			return nil, err
		}

		if v.Manifest.Kind == stored.Evaluated {
			evaluations = append(evaluations, dir)
		}
	}
	return evaluations, nil
}

// usageOf says what a run took, as far as that is noted.
func usageOf(dir string) string {
	passes, err := account.Read(dir)
	if err != nil {
		return "" // not worth a page
	}
	return account.Sum(passes).String()
}

// addRun adds what a run is, and what a collection found.
func addRun(ctx context.Context, p *report.Page, v *stored.Run) error {
	r := viewer.Run{Name: filepath.Base(v.Dir), Dir: v.Dir}

	state, _, err := r.State()
	if err != nil {
		return err
	}

	m := v.Manifest
	p.Prompt = v.Config.Prompt
	p.Runs = append(p.Runs, report.Run{
		Name: r.Name, Kind: m.Kind, ID: m.ID, State: state, Software: m.Software, Inputs: m.Inputs,
		Config: v.Run.Config, Took: usageOf(v.Dir),
	})

	// What evaluations measured is added for all of them at once.
	if m.Kind == stored.Evaluated {
		return nil
	}

	for _, q := range v.Questions {
		c := p.Collection(r.Name, q.Labels[envs.LabelDataset], q.Labels[envs.LabelDifficulty])

		trees, found, err := TreesOf(ctx, v, q.ID)
		if err != nil {
			return err
		}

		c.Questions++
		c.Trees += len(trees)
		c.Trajectories += found.Len()

		// A question without trees was not reached yet, which is not a failure.
		if len(trees) > 0 {
			c.Tried++
		}

		if found.Len() > 0 {
			c.Solved++
		}

		for _, t := range trees {
			c.Calls += t.Calls
		}
	}
	return nil
}

// TreeSummary is one stored tree in few words.
type TreeSummary struct {
	Tree         int   `json:"tree"`           // its index among the question's, from 0
	Simulations  int   `json:"simulations"`    // that grew it
	Calls        int   `json:"calls"`          // of the model
	Nodes        int   `json:"nodes"`          // in it
	Correct      int   `json:"correct"`        // correct trajectories, which the official matcher takes
	Accepted     []int `json:"accepted_nodes"` // where those end that the strict matcher accepts, too
	Deprecations int   `json:"deprecations"`   // turns that met a deprecated API
}

// Summarise puts a tree into few words.
func Summarise(t *mcts.TreeRecord) TreeSummary {
	s := TreeSummary{
		Tree:        t.Tree,
		Simulations: t.Simulations,
		Calls:       t.Calls,
		Nodes:       len(t.Nodes),
		Correct:     t.Correct(),
		Accepted:    []int{},
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Outcome == envs.Deprecated {
			s.Deprecations++
		}

		if n.Accepted() {
			s.Accepted = append(s.Accepted, n.ID)
		}
	}
	return s
}

// TreesOf returns the trees of a question, and the trajectories that they found.
func TreesOf(ctx context.Context, v *stored.Run, question string) (
	[]TreeSummary, *mcts.Found, error) {
	indices, err := v.TreeIndices(ctx, question)
	if err != nil {
		return nil, nil, console.GaveUp(err)
	}

	found := mcts.NewFound(envs.Task{ID: question}, nil)
	var all []TreeSummary

	for _, i := range indices {
		record, ok, err := v.LoadTree(ctx, question, i)
		if err != nil {
			return nil, nil, console.GaveUp(err)
		}

		if ok {
			all = append(all, Summarise(record))
			found.Add(record)
		}
	}

	return all, found, nil
}
