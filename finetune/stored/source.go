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
	// Shown returns the prompt of a model of the run after the turns of a trajectory.
	Shown func(row *trajectories.Row) (string, error)
}

// attempts names the attempts that the run's database has under one name.
type attempts struct {
	name string
	api  string // the version they met, or the family of versions
	meta trajectories.Meta
}

// attemptsAt returns the attempts at a question: its trees, or the episodes of an evaluation.
func (s *Source) attemptsAt(q trajectories.Question) (all []attempts) {
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

// Counts implements [viewer.Source].
func (s *Source) Counts(ctx context.Context) (map[string]viewer.Count, error) {
	// Asked once for all names, not for each of perhaps thousands of questions.
	named, err := s.Store.Counts(ctx)
	if err != nil {
		return nil, err
	}

	counts := map[string]viewer.Count{}
	add := func(question, name string) {
		n, have := counts[question], named[name]
		counts[question] = viewer.Count{
			Stored: n.Stored + have.Stored, Open: n.Open + max(0, have.Begun-have.Stored),
		}
	}

	if s.Manifest.Kind != Evaluated {
		for _, q := range s.Questions {
			add(q.ID, q.ID)
		}
		return counts, nil
	}

	// An evaluation plays a question under several names, one for each policy and version.
	for _, j := range s.Evaluation(s.Questions).Jobs {
		for _, task := range j.Tasks {
			add(task.ID, j.Episode(task))
		}
	}

	return counts, nil
}

// Attempts implements [viewer.Source].
func (s *Source) Attempts(ctx context.Context, q trajectories.Question) (all []viewer.Attempt, err error) {
	for _, a := range s.attemptsAt(q) {
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
