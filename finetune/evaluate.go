package finetune

import (
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// Cell is what one line of the report stands for.
type Cell struct {
	Policy     string `json:"policy"`     // e.g. "scripted:reader"
	API        string `json:"api"`        // the deployed API version
	Dataset    string `json:"dataset"`    // e.g. "coffee"
	Difficulty string `json:"difficulty"` // "easy" or "hard"
}

// String returns "policy/api/dataset/difficulty", which also prefixes the cell's questions in the log.
func (c Cell) String() string {
	return c.Policy + "/" + c.API + "/" + c.Dataset + "/" + c.Difficulty
}

// Job is a cell and what is needed to measure it.
type Job struct {
	Cell     Cell
	Env      envs.Environment // deploys Cell.API
	Policy   mcts.Policy
	Tasks    []envs.Task // their IDs are distinct
	MaxTurns int         // of an episode, at least 1
}

// episode is the name of a task's episode in the log.
func (j Job) episode(t envs.Task) string { return j.Cell.String() + "/" + t.ID }

// Options say how to measure.
type Options struct {
	Store   *store.Store
	Workers int        // episodes at the same time, at least 1
	Retry   mcts.Retry // for model calls and steps that fail, before their question is lost

	// Done, if set, is called after each episode, from several goroutines, with how many are over, and
	// how many of them the log answered.
	Done func(done, replayed, total int)
}

// Evaluate measures the jobs and returns a row for each, in their order. The error wraps the context's when it was
// stopped, and is any other when it could not go on; what was asked is logged in every case. Once ctx has ended no call to
// the model is begun, as with collect.Run.
func Evaluate(ctx context.Context, jobs []Job, o Options) (*Report, error) {
	if err := o.validate(jobs); err != nil {
		return nil, err
	}
	results := make([][]result, len(jobs))
	total := 0
	for i, j := range jobs {
		results[i] = make([]result, len(j.Tasks))
		total += len(j.Tasks)
	}
	var done, replayed atomic.Int64
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(o.Workers)
	for i, job := range jobs {
		for k, task := range job.Tasks {
			group.Go(func() (err error) {
				if err := groupCtx.Err(); err != nil { // asked here, for Go waits until a worker is free
					return err
				}
				if results[i][k], err = o.episode(groupCtx, job, task); err != nil {
					return err
				}
				if results[i][k].replayed {
					replayed.Add(1)
				}
				if n := done.Add(1); o.Done != nil {
					o.Done(int(n), int(replayed.Load()), total)
				}
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return newReport(jobs, results), nil
}

func (o *Options) validate(jobs []Job) error {
	if o.Workers < 1 || o.Retry.Attempts < 1 {
		return fmt.Errorf("finetune: %d workers and %d attempts, want at least 1 of each", o.Workers, o.Retry.Attempts)
	}
	seen := map[string]bool{}
	for _, j := range jobs {
		if j.MaxTurns < 1 {
			return fmt.Errorf("finetune: %s: %d turns, want at least 1", j.Cell, j.MaxTurns)
		}
		for _, task := range j.Tasks {
			id := j.episode(task)
			if seen[id] {
				return fmt.Errorf("finetune: the episode %q occurs twice", id)
			}
			seen[id] = true
		}
	}
	return nil
}

// result is an episode, or why there is none.
type result struct {
	episode  Episode
	lost     error
	replayed bool // the log answered every call
}

// episode plays one task. What ends the whole evaluation is an error: the user's wish, or a log that cannot be written.
func (o *Options) episode(ctx context.Context, job Job, task envs.Task) (result, error) {
	id := mcts.NodeID{Question: job.episode(task)}
	policy, err := o.Store.Policy(ctx, id.Question, id.Tree, o.Retry.Policy(job.Policy))
	if err != nil {
		return result{}, err
	}
	e, err := Play(ctx, o.Retry.Environment(job.Env), policy, task, id, job.MaxTurns)
	if err == nil {
		asked, _ := policy.Counts()
		return result{episode: e, replayed: asked == 0}, nil
	}
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}
	if _, ok := envs.FailedStage(err); !ok || envs.IsFinal(err) {
		return result{}, err
	}
	return result{lost: err}, nil
}
