package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// BranchJob grows more trees from a node of a tree.
type BranchJob struct {
	CollectJob
	Run        string // the run directory
	Question   string // its ID
	Tree, Node string // their numbers
}

// Branch grows more trees from a node of a tree, in a run of their own.
func Branch(ctx context.Context, job BranchJob) (c Collected, err error) {
	job.setCommand("branch", stored.Collection, nil)

	if job.branch, err = job.read(ctx); err != nil {
		return c, err
	}
	return job.collect(ctx, OnePolicy("branch"), func(b *Bench) error { return job.branch.check(ctx, b) })
}

// branch is a node at which new trees begin.
type branch struct {
	dir      string        // of its run
	config   configs.Layer // of its run
	question trajectories.Question
	path     []mcts.Record // from the first step to the node
	begin    configs.Branch
	noted    *drift.Deployed
}

// read reads the node, and takes over the data folder of its run.
func (j *BranchJob) read(ctx context.Context) (_ *branch, err error) {
	v, err := OpenCollection(ctx, j.Run, "have branches")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()

	q, err := QuestionOf(v, j.Question)
	if err != nil {
		return nil, err
	}

	record, err := TreeOf(ctx, v, q, j.Tree)
	if err != nil {
		return nil, err
	}

	node, err := NodeOf(record, j.Node)
	if err != nil {
		return nil, err
	}

	// A branch needs a turn to take: a node at which the task has ended offers none.
	if n := record.Nodes[node]; n.Status != envs.Running {
		return nil, console.Usage("the task has ended at node %d (%s): choose one on the way to "+
			"it, which `toolevo %s` shows", node, n.Status,
			console.Shell("inspect", v.Dir, q.ID, j.Tree, j.Node))
	}

	point := &branch{
		dir: v.Dir, question: q, noted: v.Versions, config: stored.Layer(v.Run),
		begin: configs.Branch{
			From:     fmt.Sprintf("%s %s %d %d", v.Manifest.ID, q.ID, record.Tree, node),
			Question: q.ID,
		},
	}

	// The root has no action. Each step notes the version it met: the branch may deploy another.
	for i, id := range record.Path(node)[1:] {
		point.path = append(point.path, record.Nodes[id])
		point.begin.Actions = append(point.begin.Actions, record.Nodes[id].Action)
		point.begin.API = append(point.begin.API, versionMet(v, q.ID, i))
	}

	j.Data = j.DataOf(j.Data, &v.Manifest, v.Dir)
	return point, nil
}

// versionMet returns the API version that a question of a run met at its i-th turn. A branch of a
// branch has met the versions of both.
func versionMet(v *stored.Run, question string, i int) string {
	if earlier := v.Config.Branch.API; i < len(earlier) {
		return earlier[i]
	}
	return v.Versions.All().Of(v.Config.Seed, question)
}

// layers returns the configuration that a branch begins with: that of its run, narrowed to the
// question.
func (p *branch) layers() []configs.Layer {
	if p == nil {
		return nil
	}

	settings := map[string]any{"branch": map[string]any{
		"from":     p.begin.From,
		"question": p.begin.Question,
		"actions":  append([]string{}, p.begin.Actions...),
		"api":      append([]string{}, p.begin.API...),
	}}
	if dataset := p.question.Labels[envs.LabelDataset]; dataset != "" {
		settings["dataset"] = []string{dataset}
	}

	text, err := json.Marshal(settings)
	if err != nil {
		panic(fmt.Sprintf("strings cannot be written: %v", err))
	}
	return []configs.Layer{p.config, configs.WrittenLayer("toolevo branch", text)}
}

// deployed returns what a configuration deploys in a branch. The version files of its run stay,
// too: the steps to the node need them.
func (p *branch) deployed(c *configs.Resolved, data string) (*drift.Deployed, error) {
	if slices.Equal(c.API, p.noted.API) {
		return p.noted, nil
	}

	d, err := stored.Deploy(c, data)
	if err != nil {
		return nil, err
	}

	for _, file := range p.noted.Files {
		same := func(f toolapi.File) bool { return f.Text == file.Text }
		if !slices.ContainsFunc(d.Files, same) {
			d.Files = append(d.Files, file)
		}
	}

	return d, nil
}

// check makes sure that the steps to the node lead there again, that what they show has not changed
// since, and that there is depth left to act.
func (p *branch) check(ctx context.Context, b *Bench) error {
	// A node below the depth limit cannot grow; that is known before any step is replayed.
	deepest := b.Config.MaxDepth(b.Tasks[0]) + b.Config.Search.DepthSlack
	if len(p.path) > deepest {
		return console.Usage("the node is at depth %d, and none may act deeper than %d: ‹set› "+
			"search.max_depth=N", len(p.path), deepest)
	}

	env, err := b.branchEnvironment(nil)
	if err != nil {
		return err
	}

	state, err := env.Reset(ctx, b.Tasks[0])
	for i := range p.path {
		if err != nil {
			break
		}

		var next envs.Transition

		next, err = env.Step(ctx, state, envs.Action(p.path[i].Action))
		// A model that had seen another observation would have acted otherwise: the branch would
		// continue a path that nobody took.
		if err == nil && next.Turn.Observation != p.path[i].Observation {
			return console.Usage("step %d on the way to the node shows something else than in "+
				"%s:\n  %s\nnot\n  %s\nBranch with the data, the version and the Python that the "+
				"run was made with.", i+1, p.dir,
				display.Line(next.Turn.Observation, 0), display.Line(p.path[i].Observation, 0))
		}

		state = next.State
	}

	if err != nil {
		return console.GaveUp(err)
	}
	return nil
}

// prefix returns the actions that lead to where the trees of a configuration begin.
func (b *Bench) prefix() []envs.Action {
	var actions []envs.Action
	for _, a := range b.Config.Branch.Actions {
		actions = append(actions, envs.Action(a))
	}
	return actions
}

// branchEnvironment returns the environment of all deployed versions, in which the steps to the
// node of a branch meet the versions they met before.
func (b *Bench) branchEnvironment(m envs.Memory) (envs.Environment, error) {
	then, err := b.deploy(b.Deployed.All(), m)
	if err != nil {
		return nil, err
	}

	var first []envs.Environment

	for _, version := range b.Config.Branch.API {
		env, err := b.deploy(drift.Family{Versions: []string{version}}, m)
		if err != nil {
			return nil, err
		}

		first = append(first, env)
	}
	return drift.Changing(first, then), nil
}
