package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

func (a *app) branchCommand() *cobra.Command {
	cmd := newCommand("branch RUN QUESTION TREE NODE")
	f := a.addNewRunFlags(cmd, nil, "api", "policy", "preset", "trees", "seed", "no-update-tool", "no-reflection",
		"engine", "python")
	f.command = stored.Collection // goes on with what a branch has begun
	ofRun(cmd)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		point, err := readBranch(cmd.Context(), args)
		if err != nil {
			return err
		}

		f.branch = point
		*f.data = dataOf(cmd, *f.data, &point.manifest, point.dir)

		return a.makeRun(cmd, stored.Collection, f, onePolicy(cmd.Name()), func(b *bench) error {
			if err := point.reached(cmd.Context(), b); err != nil {
				return err
			}

			return a.collect(cmd.Context(), f, b)
		})
	}

	return cmd
}

// branch is a node at which new trees begin.
type branch struct {
	dir      string // of its run
	manifest store.Manifest
	config   configs.Layer // of its run
	question trajectories.Question
	path     []mcts.Record // from the first step to the node
	begin    configs.Branch
	noted    *drift.Deployed
}

// readBranch reads the node that RUN QUESTION TREE NODE names.
func readBranch(ctx context.Context, args []string) (_ *branch, err error) {
	v, err := openCollection(ctx, args[0], "have branches")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()

	q, err := questionOf(v, args[1])
	if err != nil {
		return nil, err
	}

	record, err := treeOf(ctx, v, q, args[2])
	if err != nil {
		return nil, err
	}

	node, err := nodeOf(record, args[3])
	if err != nil {
		return nil, err
	}

	if n := record.Nodes[node]; n.Status != envs.Running {
		return nil, console.Usage("the task has ended at node %d (%s): choose one on the way to it, which "+
			"`toolevo %s` shows", node, n.Status, console.Shell("inspect", v.Dir, q.ID, args[2], args[3]))
	}

	point := &branch{
		dir: v.Dir, manifest: v.Manifest, question: q, noted: v.Versions,
		config: stored.Layer(v.Run),
		begin: configs.Branch{
			From:     fmt.Sprintf("%s %s %d %d", v.Manifest.ID, q.ID, record.Tree, node),
			Question: q.ID,
		},
	}

	// The root is the question itself: it has no action.
	for i, id := range record.Path(node)[1:] {
		point.path = append(point.path, record.Nodes[id])
		point.begin.Actions = append(point.begin.Actions, record.Nodes[id].Action)
		point.begin.API = append(point.begin.API, versionMet(v, q.ID, i))
	}

	return point, nil
}

// versionMet is the API version that a question of a run met at its i-th turn. A branch of a branch has met the
// versions of both.
func versionMet(v *stored.Run, question string, i int) string {
	if earlier := v.Config.Branch.API; i < len(earlier) {
		return earlier[i]
	}

	return v.Versions.All().Of(v.Config.Seed, question)
}

// layers are the configuration that a branch begins with: that of the run, narrowed to the question.
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

	return []configs.Layer{p.config, {Origin: "toolevo branch", YAML: text}}
}

// deployed returns what a configuration deploys in a branch, which keeps the versions of its run beside it.
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

// reached makes sure that the steps down to the node lead there again, that what they show has not changed since, and
// that there is depth left to act at.
func (p *branch) reached(ctx context.Context, b *bench) error {
	deepest := b.Config.MaxDepth(b.tasks[0]) + b.Config.Search.DepthSlack
	if len(p.path) > deepest {
		return console.Usage("the node is at depth %d, and none may act deeper than %d: --set search.max_depth=N",
			len(p.path), deepest)
	}

	env, err := b.branchEnvironment(nil)
	if err != nil {
		return err
	}

	state, err := env.Reset(ctx, b.tasks[0])
	for i := range p.path {
		if err != nil {
			break
		}

		var next envs.Transition

		next, err = env.Step(ctx, state, envs.Action(p.path[i].Action))
		// A model that saw another observation would have acted otherwise: the branch would be of no path.
		if err == nil && next.Turn.Observation != p.path[i].Observation {
			return console.Usage("step %d on the way to the node shows something else than in %s:\n  %s\nnot\n  %s\n"+
				"Branch with the data, the version and the Python that the run was made with.", i+1, p.dir,
				display.Line(next.Turn.Observation, 0), display.Line(p.path[i].Observation, 0))
		}

		state = next.State
	}

	if err != nil {
		return console.GaveUp(err)
	}

	return nil
}

// prefix is where the trees of a configuration begin.
func (b *bench) prefix() []envs.Action {
	var actions []envs.Action
	for _, a := range b.Config.Branch.Actions {
		actions = append(actions, envs.Action(a))
	}

	return actions
}

// branchEnvironment returns the environment of all deployed versions, in which the steps down to the node of a branch
// meet the versions that they met before.
func (b *bench) branchEnvironment(m envs.Memory) (envs.Environment, error) {
	then, err := b.deploy(b.deployed.All(), m)
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
