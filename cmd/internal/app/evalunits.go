package app

import (
	"context"
	"encoding/json"
	"fmt"

	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/store"
)

// episodeWork is the work of a unit that plays an episode.
type episodeWork struct {
	Job    int    `json:"job"` // index
	Task   string `json:"task"`
	Repeat int    `json:"repeat"`
}

// episodeOutcome is what such a unit ends with.
type episodeOutcome struct {
	Lost     *cluster.Failure `json:"lost,omitempty"`
	Replayed bool             `json:"replayed,omitempty"`
	Seconds  float64          `json:"seconds"`
}

// engage has workers play the episodes of an evaluation; see coordinated.
func (j *EvaluateJob) engage(ctx context.Context, b *Bench, run *stored.Run, jobs []finetune.Job, o *finetune.Options) (
	workers *cluster.Coordinator, load func() string, release func(done bool) error, err error) {
	workers, load, release, err = j.coordinated(ctx, b, run)
	if workers != nil {
		o.Elsewhere, o.Workers = playElsewhere(workers, run.Store, jobs), mostOpenUnits
	}
	return workers, load, release, err
}

// playElsewhere has episodes played by workers, which use playUnit.
func playElsewhere(workers *cluster.Coordinator, s *store.Store, jobs []finetune.Job) finetune.Elsewhere {
	// Looked up by the name of an episode: an evaluation may have tens of thousands.
	works := map[string]episodeWork{}

	for i, job := range jobs {
		for _, task := range job.Tasks {
			works[job.Episode(task)] = episodeWork{Job: i, Task: task.ID}
		}
	}
	return func(ctx context.Context, a finetune.Attempt) (p finetune.Played, err error) {
		work := works[a.Episode]
		work.Repeat = a.Repeat

		text, err := json.Marshal(work)
		if err != nil {
			return p, err
		}

		text, err = workers.Do(ctx, cluster.Unit{
			ID:   cluster.UnitID(a.Episode, a.Repeat),
			Work: text,
			Earlier: func(ctx context.Context) ([]store.Row, error) {
				return s.RowsOf(ctx, a.Episode, a.Repeat, 1)
			},
		})
		if err != nil {
			return p, err
		}

		var o episodeOutcome
		if err := json.Unmarshal(text, &o); err != nil {
			return p, fmt.Errorf("the outcome of %s cannot be read: %w", a.Episode, err)
		}

		p = finetune.Played{Replayed: o.Replayed, Seconds: o.Seconds}
		if o.Lost != nil {
			p.Lost = o.Lost.Err()
		}
		return p, nil
	}
}

// playUnit plays the episode of a unit.
func playUnit(ctx context.Context, a *unit, jobs []finetune.Job, o finetune.Options) ([]byte, error) {
	var work episodeWork
	if err := json.Unmarshal(a.Work, &work); err != nil {
		return nil, fmt.Errorf("the work of the coordinator cannot be read: %w", err)
	}

	if a.Fruitless != nil {
		lost := cluster.FailureOf(a.Fruitless)
		return json.Marshal(episodeOutcome{Lost: &lost})
	}

	// What a worker before this one asked is in the store, and so answered from there.
	job, task, err := work.find(jobs)
	if err == nil {
		_, err = o.Store.Take(ctx, a.Earlier, false)
	}

	if err != nil {
		return nil, err
	}

	o.Store.Watch(a.Add)
	job.Policy = arriving{job.Policy, a.Arrived}

	played, err := o.Play(ctx, job, task, work.Repeat)
	if err != nil {
		return nil, err
	}

	out := episodeOutcome{Replayed: played.Replayed, Seconds: played.Seconds}
	if played.Lost != nil {
		lost := cluster.FailureOf(played.Lost)
		out.Lost = &lost
	}

	text, err := json.Marshal(out)
	if err == nil && played.Lost != nil {
		err = cluster.Unable(played.Lost)
	}
	return text, err
}

// find returns the job and the task of an episode.
func (w *episodeWork) find(jobs []finetune.Job) (job finetune.Job, task envs.Task, err error) {
	if w.Job >= 0 && w.Job < len(jobs) {
		for _, task := range jobs[w.Job].Tasks {
			if task.ID == w.Task {
				return jobs[w.Job], task, nil
			}
		}
	}
	return job, task, fmt.Errorf("this worker does not have the task %s: has the evaluation been extended?", w.Task)
}
