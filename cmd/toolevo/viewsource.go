package main

import (
	"context"
	"fmt"
	"strings"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/finetune/viewer"
	"toolevo/mcts/policy/chat"
	"toolevo/trajectories"
)

// viewed reads a run for the viewer.
type viewed struct {
	*view
	config *configs.Resolved
	bench  *bench // that has read no data

	evaluation *evaluation // nil of a collection
	treeMeta   func(trajectories.Question) trajectories.Meta
}

// openViewed opens a run for the viewer.
func openViewed(ctx context.Context, dir string) (*viewed, error) {
	v, err := openView(ctx, dir)
	if err != nil {
		return nil, err
	}

	r := &viewed{view: v}
	if err := r.read(ctx); err != nil {
		v.run.Close()
		return nil, err
	}

	return r, nil
}

func (v *viewed) read(ctx context.Context) error {
	c, err := runConfig(v.run)
	if err != nil {
		return err
	}

	d, err := notedVersions(ctx, v.run, c)
	if err != nil {
		return err
	}

	v.config = c
	if v.bench, err = newBench(c, &serving{}, d); err != nil {
		return err
	}

	if v.run.Manifest.Kind == kindEval {
		v.evaluation, err = newEvaluation(ctx, v.run, c, v.questions)
	} else {
		v.treeMeta, err = treeMeta(ctx, v.run, c)
	}

	return err
}

// stored is a name under which the run's database has attempts at a question.
type stored struct {
	name string
	api  string // the version they met, or the family of versions
	meta trajectories.Meta
}

// names are those of a question: its ID, or of an evaluation its episodes'.
func (v *viewed) names(q trajectories.Question) (names []stored) {
	if v.evaluation == nil {
		meta := v.treeMeta(q)
		return []stored{{q.ID, meta.Run.DeployedAPI, meta}}
	}

	task := envs.Task{ID: q.ID}

	for _, j := range v.evaluation.jobs {
		if j.Cell == finetune.CellOf(j.Cell.Policy, j.Cell.API, q.Labels) {
			names = append(names, stored{j.Episode(task), j.Cell.API, v.evaluation.meta(j.Cell, task)})
		}
	}

	return names
}

// Count implements viewer.Source.
func (v *viewed) Count(ctx context.Context, q trajectories.Question) (have, open int, err error) {
	for _, s := range v.names(q) {
		ended, err := v.run.TreeIndices(ctx, s.name)
		if err != nil {
			return 0, 0, err
		}

		begun, err := v.run.LoggedTrees(ctx, s.name)
		if err != nil {
			return 0, 0, err
		}

		have += len(ended)
		open += max(0, len(begun)-len(ended))
	}

	return have, open, nil
}

// Attempts implements viewer.Source.
func (v *viewed) Attempts(ctx context.Context, q trajectories.Question) (attempts []viewer.Attempt, err error) {
	for _, s := range v.names(q) {
		indices, err := v.run.TreeIndices(ctx, s.name)
		if err != nil {
			return nil, err
		}

		for _, index := range indices {
			tree, ok, err := v.run.LoadTree(ctx, s.name, index)
			if err != nil {
				return nil, err
			}

			if ok {
				attempts = append(attempts, viewer.Attempt{API: s.api, Meta: s.meta, Tree: tree})
			}
		}
	}

	return attempts, nil
}

// Prompt implements viewer.Source.
func (v *viewed) Prompt(row *trajectories.Row) (string, error) {
	kind, _, _ := strings.Cut(row.Policy, ":")

	sent, err := v.bench.sent(kind)
	if err != nil {
		return "", err
	}

	h := envs.NewHistory(envs.Task{ID: row.QuestionID, Question: row.Question, Labels: row.Labels})
	for _, t := range row.Turns {
		call := envs.Call{Tool: t.Tool, Name: t.API}
		h = h.Append(envs.Turn{
			Action: envs.Action(t.Action), Call: call, Observation: t.Observation, Outcome: t.Outcome,
		})

		if text, ok := t.Description(); ok && t.IsUpdate() {
			h = h.Learn(text)
		}
	}

	var b strings.Builder
	if kind == kindScripted {
		b.WriteString("(A scripted policy reads no prompt: this is what a model would be sent.)\n\n")
	}

	if sent.messages == nil {
		b.WriteString(sent.render(h))
		return b.String(), nil
	}

	for _, m := range sent.messages(h) {
		writeMessage(&b, m)
	}

	return b.String(), nil
}

func writeMessage(b *strings.Builder, m chat.Message) {
	fmt.Fprintf(b, "[%s]\n%s\n\n", m.Role, m.Content)
}
