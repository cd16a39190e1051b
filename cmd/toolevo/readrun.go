package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// notedQuestion is a question as run.db has it.
type notedQuestion struct {
	trajectories.Question
	Dataset, Difficulty, Template string // of earlier runs, whose questions have no labels
}

// loadQuestionInfo reads the questions of a run.
func loadQuestionInfo(ctx context.Context, run *store.Run) ([]trajectories.Question, error) {
	text, err := run.Meta(ctx, "questions")
	if err != nil {
		return nil, console.GaveUp(err)
	}

	if text == "" {
		return nil, fmt.Errorf("%s is %w: its questions are missing: `toolevo %s --resume --out %s` notes them again",
			run.Dir, store.ErrDamaged, run.Manifest.Kind, run.Dir)
	}

	var noted []notedQuestion
	if err := json.Unmarshal([]byte(text), &noted); err != nil {
		return nil, fmt.Errorf("%s: its questions cannot be read: %w", run.Dir, err)
	}

	infos := make([]trajectories.Question, len(noted))
	for i, q := range noted {
		infos[i] = q.Question
		if q.Labels == nil && q.Dataset != "" {
			infos[i].Labels = map[string]string{
				envs.LabelDataset:    q.Dataset,
				envs.LabelDifficulty: q.Difficulty,
				envs.LabelTemplate:   q.Template,
			}
		}
	}

	return infos, nil
}

// lineage is what all rows of a question share, which met an API version.
func lineage(run *store.Run, c *configs.Resolved, version string) trajectories.Run {
	return trajectories.Run{
		ID:          run.Manifest.ID,
		Hash:        run.Manifest.Identity(),
		Preset:      c.Preset,
		Policy:      c.Policy[0],
		PromptAPI:   c.Prompt,
		DeployedAPI: version,
		Codec:       c.Codec(),
		Seed:        c.Seed,
		ConfigHash:  run.Manifest.ConfigHash,
		Software:    run.Manifest.Software,
	}
}

// treeMeta returns what the trees of a collection do not know about themselves.
func treeMeta(ctx context.Context, run *store.Run, c *configs.Resolved) (func(trajectories.Question) trajectories.Meta,
	error) {
	made, err := makers(ctx, run, c.Python)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	d, err := notedVersions(ctx, run, c)
	if err != nil {
		return nil, err
	}

	return func(q trajectories.Question) trajectories.Meta {
		version := d.all().Of(c.Seed, q.ID)
		return trajectories.Meta{Run: lineage(run, c, version), Question: q, Makers: made}
	}, nil
}

// rows are the correct trajectories of the stored trees, in canonical order.
func rows(ctx context.Context, run *store.Run, c *configs.Resolved,
	questions []trajectories.Question) iter.Seq2[trajectories.Row, error] {
	return treeRows(ctx, run, c, questions, trajectories.FromTree)
}

// treeRows are some trajectories of each of the stored trees, in canonical order.
func treeRows(ctx context.Context, run *store.Run, c *configs.Resolved, questions []trajectories.Question,
	of func(trajectories.Meta, *mcts.TreeRecord) []trajectories.Row) iter.Seq2[trajectories.Row, error] {
	return func(yield func(trajectories.Row, error) bool) {
		meta, err := treeMeta(ctx, run, c)
		if err != nil {
			yield(trajectories.Row{}, err)
			return
		}

		for _, q := range questions {
			indices, err := run.TreeIndices(ctx, q.ID)
			for _, i := range indices {
				tree, _, loadErr := run.LoadTree(ctx, q.ID, i)
				if err = loadErr; err != nil {
					break
				}

				for _, row := range of(meta(q), tree) {
					if !yield(row, nil) {
						return
					}
				}
			}

			if err != nil {
				yield(trajectories.Row{}, err)
				return
			}
		}
	}
}

// runConfig is the configuration of a run, which another version may have begun, with what some layers change in it.
func runConfig(run *store.Run, changes ...configs.Layer) (*configs.Resolved, error) {
	own := configs.Layer{
		Origin: filepath.Join(run.Dir, store.ConfigFile), YAML: []byte(run.Config), Earlier: true,
	}

	return configs.Load(append([]configs.Layer{own}, changes...)...)
}
