package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/console"
	"toolevo/envs/suite"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/policy/prompt"
)

const (
	// mostDemonstrated is how many demonstrations of a dataset are made: twice what a prompt shows,
	// so that enough are left if the task is one of them, or a reader removes some.
	mostDemonstrated = 2 * prompt.DefaultShots

	// mostShown is how many bytes a demonstration may have. A prompt holds several, and the columns
	// of flights alone take a thousand.
	mostShown = 2600
)

// Demonstrate writes what prompts show of a suite into a data folder: tasks of the split of
// examples, solved in the base version as scripted:reader solves them. Missing examples are made
// first, if the suite can.
func (h *Host) Demonstrate(ctx context.Context, suiteName, data string) (err error) {
	benchmark, err := suite.Lookup(suiteName)
	if err != nil {
		return err
	}

	if m, ok := benchmark.(suite.ExampleMaker); ok {
		if err := m.MakeExamples(ctx, data); err != nil {
			return err
		}
	}

	// A folder without examples is no error: a run that needs demonstrations says so at its start.
	examples, err := benchmark.(suite.Lister).List(data, suite.Examples)
	if err != nil || len(examples) == 0 {
		return err
	}

	defer h.Step("Solving examples")()

	b, err := h.openExamples(ctx, suiteName, data, examples)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()

	solved, err := b.solveExamples(ctx)
	if err != nil {
		return err
	}

	for dataset, all := range solved {
		dir := suite.DemonstrationsDir(data, suiteName)
		if err := prompt.WriteDemonstrations(dir, dataset, chooseDemonstrations(all)); err != nil {
			return err
		}
	}

	return nil
}

// openExamples opens the datasets that have examples.
func (h *Host) openExamples(ctx context.Context, suiteName, data string, examples []envs.Task) (
	*Bench, error) {
	datasets := map[string]bool{}
	for _, t := range examples {
		datasets[t.Labels[envs.LabelDataset]] = true
	}

	layers := []configs.Layer{configs.SettingLayer("", "suite", suiteName)}
	for key, value := range map[string]string{
		"split": suite.Examples, "policy": "scripted:reader",
		"python.accept": "landlock,seccomp", // the programs are ours, and no model's
		"dataset":       strings.Join(slices.Sorted(maps.Keys(datasets)), ","),
	} {
		layers = append(layers, configs.SettingLayer("", key, value))
	}

	c, err := configs.Load(layers...)
	if err != nil {
		return nil, err
	}

	c.API = []string{c.Prompt}
	return OpenBench(ctx, data, c, nil, h.OpenEngine)
}

// solveExamples returns the tasks that were solved, by dataset, in their order.
func (b *Bench) solveExamples(ctx context.Context) (map[string][]example, error) {
	env, err := b.Environment(b.Deployed.All(), nil)
	if err != nil {
		return nil, err
	}

	reader, err := b.PolicyIn(b.Config.Policy[0], env, b.versionOf(b.Deployed.All()))
	if err != nil {
		return nil, err
	}

	solved := map[string][]example{}
	careful, _ := b.Suite.(suite.Harmless)

	for _, t := range b.Tasks {
		// Nobody wants a service changed for good just to have something to show.
		if careful != nil && !careful.IsHarmless(t.ID) {
			continue
		}

		e, err := finetune.Play(ctx, env, reader, t, mcts.NodeID{Question: t.ID},
			finetune.Limits{MaxTurns: b.Config.Eval.MaxTurns})
		if err != nil {
			return nil, console.GaveUp(err)
		}

		d := prompt.DemonstrationOf(e.History)
		if e.Status == envs.Terminated && e.Grade.Strict && d.Validate() == nil {
			dataset := t.Labels[envs.LabelDataset]
			solved[dataset] = append(solved[dataset], example{t, d})
		}
	}

	return solved, nil
}

// example is a task that was solved.
type example struct {
	task   envs.Task
	solved prompt.Demonstration
}

// chooseDemonstrations chooses which to show: each calls as many tools as possible that those
// before do not; among equals it is of the difficulty, then of the template, that was shown least.
func chooseDemonstrations(all []example) (chosen []prompt.Demonstration) {
	// A prompt holds several, so those that are too long are left out first.
	all = shortExamples(all)
	shown := map[string]int{} // tools, difficulties and templates

	for len(chosen) < mostDemonstrated && len(all) > 0 {
		// Each choice changes what has been shown, so the rest is ranked anew.
		rank := func(e example) (unseen, difficulty, template int) {
			for _, tool := range e.tools() {
				if shown[tool] == 0 {
					unseen++
				}
			}

			return -unseen, shown[e.task.Labels[envs.LabelDifficulty]], shown[e.task.Labels[envs.LabelTemplate]]
		}
		best := slices.MinFunc(all, func(a, b example) int {
			tools, difficulty, template := rank(a)
			otherTools, otherDifficulty, otherTemplate := rank(b)
			return cmp.Or(tools-otherTools, difficulty-otherDifficulty, template-otherTemplate)
		})

		for _, seen := range append(best.tools(), best.task.Labels[envs.LabelDifficulty],
			best.task.Labels[envs.LabelTemplate]) {
			shown[seen]++
		}

		chosen = append(chosen, best.solved)
		all = slices.DeleteFunc(all, func(e example) bool { return e.task.ID == best.task.ID })
	}
	return chosen
}

// shortExamples returns the examples that a prompt has room for, or the briefest if those are too
// few.
func shortExamples(all []example) []example {
	byLength := slices.SortedStableFunc(slices.Values(all), func(a, b example) int {
		return cmp.Compare(a.solved.Size(), b.solved.Size())
	})
	least := byLength[:min(prompt.DefaultShots, len(all))]
	return slices.DeleteFunc(slices.Clone(all), func(e example) bool {
		return e.solved.Size() > mostShown &&
			!slices.ContainsFunc(least, func(kept example) bool { return kept.task.ID == e.task.ID })
	})
}

// tools returns the tools that the solution calls, each once.
func (e example) tools() (tools []string) {
	for _, t := range e.solved.Turns {
		if call, err := (action.ReAct{}).Parse(t.Action); err == nil && !slices.Contains(tools, call.Name) {
			tools = append(tools, call.Name)
		}
	}

	return tools
}

// checkDemonstrations rejects a run whose prompts show demonstrations if a dataset has none.
func (b *Bench) checkDemonstrations(p prompt.Prompt) error {
	c := b.Config.Server
	if c.Form != configs.FormFewShot || c.Shots == 0 || b.Config.Environment.ActionCodec() == (action.Python{}) {
		return nil
	}

	for _, dataset := range b.Suite.Datasets() {
		if len(p.Demonstrations[dataset]) == 0 {
			return console.Usage("prompts should show %d demonstrations (server.shots), but there "+
				"are none of %s in %s.\n%sOr ‹set› server.demonstrations=FILE, or ‹set› "+
				"server.shots=0", c.Shots, dataset,
				cmp.Or(b.Config.Server.Demonstrations, b.Data), b.demonstrationAdvice())
		}
	}

	return nil
}

// demonstrationAdvice says which commands of the suite make demonstrations, "" if none does.
func (b *Bench) demonstrationAdvice() string {
	var made []string

	if c, ok := b.Benchmark.(suite.Commander); ok {
		for _, command := range c.Commands() {
			if command.Demonstrates {
				made = append(made, "`toolevo "+command.Use+"`")
			}
		}
	}

	if made == nil {
		return ""
	}
	return fmt.Sprintf("They are made by %s. ", strings.Join(made, ", "))
}
