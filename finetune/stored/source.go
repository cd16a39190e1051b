package stored

import (
	"context"

	"toolevo/envs"
	"toolevo/finetune/viewer"
	"toolevo/trajectories"
)

// Source is a run as the viewer reads it.
type Source struct {
	*Run
	// Shown returns what a model of the run is shown after the turns of a trajectory.
	Shown func(row *trajectories.Row) (string, error)
}

// attempts are those that the run's database has under a name.
type attempts struct {
	name string
	api  string // the version they met, or the family of versions
	meta trajectories.Meta
}

// of are the attempts at a question: its trees, or of an evaluation its episodes.
func (s *Source) of(q trajectories.Question) (all []attempts) {
	if s.Manifest.Kind != Evaluated {
		meta := s.TreeMeta(q)

		return []attempts{{q.ID, meta.Run.DeployedAPI, meta}}
	}

	e := s.Evaluation([]trajectories.Question{q})
	task := envs.Task{ID: q.ID}
	for _, j := range e.Jobs {
		all = append(all, attempts{j.Episode(task), j.Cell.API, e.meta(j.Cell, task)})
	}

	return all
}

// Count implements [viewer.Source].
func (s *Source) Count(ctx context.Context, q trajectories.Question) (have, open int, err error) {
	for _, a := range s.of(q) {
		ended, err := s.TreeIndices(ctx, a.name)
		if err != nil {
			return 0, 0, err
		}

		begun, err := s.LoggedTrees(ctx, a.name)
		if err != nil {
			return 0, 0, err
		}

		have += len(ended)
		open += max(0, len(begun)-len(ended))
	}

	return have, open, nil
}

// Attempts implements [viewer.Source].
func (s *Source) Attempts(ctx context.Context, q trajectories.Question) (all []viewer.Attempt, err error) {
	for _, a := range s.of(q) {
		for tree, err := range s.trees(ctx, a.name) {
			if err != nil {
				return nil, err
			}

			all = append(all, viewer.Attempt{API: a.api, Meta: a.meta, Tree: tree})
		}
	}

	return all, nil
}

// Prompt implements [viewer.Source].
func (s *Source) Prompt(row *trajectories.Row) (string, error) { return s.Shown(row) }
