package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// QuestionOf returns the question with an ID.
func QuestionOf(v *stored.Run, id string) (trajectories.Question, error) {
	ids := make([]string, len(v.Questions))
	for i, q := range v.Questions {
		if ids[i] = q.ID; q.ID == id {
			return q, nil
		}
	}

	return trajectories.Question{}, fmt.Errorf("%w\n`toolevo %s` lists them",
		unknownQuestion("the run", id, ids), console.Shell("inspect", v.Dir))
}

// TreeOf returns the tree of a question that an argument names.
func TreeOf(ctx context.Context, v *stored.Run, q trajectories.Question, arg string) (
	*mcts.TreeRecord, error) {
	tree, err := Number("TREE", arg)
	if err != nil {
		return nil, err
	}

	record, ok, err := v.LoadTree(ctx, q.ID, tree)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	if ok {
		return record, nil
	}

	givenUp, err := GivenUpOf(ctx, v, q.ID)
	if err != nil {
		return nil, err
	}

	// A tree that was given up is no typing error: it can be asked for again.
	for _, g := range givenUp {
		if g.Tree == tree {
			return nil, console.Usage("tree %d of question %s was given up, because the server "+
				"fails at a request of it alone: %s\nAsk for it again with: %s", tree, q.ID,
				display.Line(g.Reason, 0), Continuation(v))
		}
	}

	return nil, console.Usage("question %s has no finished tree %d: `toolevo %s` lists those it has",
		q.ID, tree, console.Shell("inspect", v.Dir, q.ID))
}

// GivenUpOf returns the trees of a question that were given up.
func GivenUpOf(ctx context.Context, v *stored.Run, question string) ([]store.GivenUp, error) {
	all, err := v.GivenUp(ctx)
	return slices.DeleteFunc(all, func(g store.GivenUp) bool { return g.Question != question }), err
}

// NodeOf returns the node of a tree that an argument names.
func NodeOf(record *mcts.TreeRecord, arg string) (int, error) {
	node, err := Number("NODE", arg)
	if err == nil && node >= len(record.Nodes) {
		err = console.Usage("NODE is %d: the tree has nodes 0 to %d", node, len(record.Nodes)-1)
	}
	return node, err
}

// Number reads the number that an argument names.
func Number(name, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, console.Usage("%s is %q, want a number of at least 0", name, text)
	}
	return n, nil
}

// unknownQuestion returns the error of an ID that is not among those of some questions.
func unknownQuestion(where, id string, ids []string) error {
	if meant, ok := names.Closest(id, ids); ok {
		return console.Usage("%s has no question %q, did you mean %s?", where, id,
			display.Line(meant, 0))
	}

	if len(ids) == 0 {
		return console.Usage("%s has no questions: run `toolevo data questions` with a greater ‹scale›", where)
	}
	return console.Usage("%s has no question %q: its IDs look like %s", where, id,
		display.Line(ids[0], 0))
}

// OpenCollection opens a run of collect; needed is what only its trees can do, for the error about
// other runs.
func OpenCollection(ctx context.Context, dir, needed string) (*stored.Run, error) {
	v, err := stored.Open(ctx, dir)
	if err != nil {
		return nil, err
	}

	if kind := v.Manifest.Kind; kind != stored.Collection {
		return nil, errors.Join(v.Close(),
			console.Usage("%s is a run of `toolevo %s`: only the trees of `toolevo collect` %s", dir, kind, needed))
	}
	return v, nil
}

// IsOpen reports whether trees or episodes of a run may be missing.
func IsOpen(v *stored.Run) bool {
	ended := v.Manifest.Finished
	return ended == nil || ended.Extended
}

// Continuation returns the command that resumes a run.
func Continuation(v *stored.Run) string { return "toolevo " + stored.Continuation(v.Run) }

// OpenSource opens a run for the viewer.
func OpenSource(ctx context.Context, dir string) (*stored.Source, error) {
	run, err := stored.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &stored.Source{Run: run, Shown: (&prompts{run: run}).shown}, nil
}

// prompts are what the models of a run were sent. API versions are read when one is looked at, and
// only those that it needs: all of a run's may take a gigabyte.
type prompts struct {
	run *stored.Run

	mu      sync.Mutex
	version string // that bench has
	bench   *Bench
}

// shown returns what a model is sent after the turns of a trajectory.
func (p *prompts) shown(row *trajectories.Row) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()

	// Only the last version's bench is kept: the versions of all would fill the memory.
	if c := p.run.Config; p.bench == nil || p.version != row.DeployedAPI {
		needed := append([]string{row.DeployedAPI, c.Prompt}, c.Branch.API...)

		b, err := NewBench(p.run.Data(), c, &serving.Servers{}, p.run.Versions.Only(needed...))

		// A file may name its version in a way that Only misses: then all are read.
		if err != nil {
			b, err = NewBench(p.run.Data(), c, &serving.Servers{}, p.run.Versions)
		}

		if err != nil {
			return "", err
		}

		p.version, p.bench = row.DeployedAPI, b
	}

	b := p.bench
	kind, _, _ := strings.Cut(row.Policy, ":")

	sent, err := b.Sent()
	if err != nil {
		return "", err
	}

	var text strings.Builder
	if kind == serving.Scripted {
		text.WriteString("(A scripted policy reads no prompt: this is what a model would " +
			"be sent.)\n\n")
	}

	text.WriteString(sent.Shown(b.Told(row.Policy, row.Histories()[len(row.Turns)], row.DeployedAPI)))
	return text.String(), nil
}

// ContinuationOf returns the command that resumes the run in a folder.
func ContinuationOf(dir string) string {
	m, _ := store.ReadManifest(dir)
	config, _ := store.ReadConfig(dir)
	return "toolevo " + stored.Continuation(&store.Run{Dir: dir, Manifest: m, Config: config})
}
