package collect

import (
	"context"
	"fmt"
	"log/slog"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// Options say what to collect, with what, and where to.
type Options struct {
	Questions []Question // in the order of the output; IDs are distinct
	Env       envs.Environment
	Policy    mcts.Policy
	Search    mcts.Config
	Accept    mcts.Accept // which trajectories training takes; nil is all whose answer is right
	Seed      uint64
	Store     *store.Store

	// Unreadable continues although no action can be read from any first turn; otherwise that is a
	// CannotActError.
	Unreadable bool

	Workers int        // trees that grow at the same time, at most
	Retry   mcts.Retry // for model calls and steps that fail, before their tree is given up

	// Room says how many more lanes the model could serve right now, if each call draws that
	// number of samples; a lane starts only when there is room for it, so that as many trees grow
	// as the model can serve, and no more. nil is unlimited room.
	Room func(samples int) int

	// Elsewhere has lanes grown by other processes; nil grows them here.
	Elsewhere Elsewhere

	// Log gets a record of each tree, at the level debug, and of those given up, as warnings. nil
	// logs nothing.
	Log *slog.Logger

	// Accepted is called with how many trajectories training takes, whenever that grows; it may be
	// nil.
	Accepted func(n int64)

	// Progress is kept up to date while Run works; it may be nil.
	Progress *Progress
}

// Elsewhere has trees of a question grown by another process: those of the indices from first to
// first+count-1 that the store lacks. When it returns, the store has all of them that could be
// grown. An error ends the run. asked is told of calls to the model when they are made, and of the
// completions that they brought, whoever made them.
type Elsewhere func(
	ctx context.Context, question string, first, count int, asked func(calls, samples int),
) (Grown, error)

// Grown is what came of trees that grew elsewhere.
type Grown struct {
	Missing  map[int]error // why trees are missing, by their indices
	Replayed int           // as in Snapshot
}

// Question is a task, the depth limit that goes with its dataset, and where its trees begin.
type Question struct {
	Task     envs.Task
	MaxDepth int           // T for this question; 0 means the configuration's
	Prefix   []envs.Action // see mcts.Search

	// Only some trees of it: Count of them, from First on. Count 0 is all.
	First, Count int
}

// UnresolvedError means that trees were given up because a server, a tool or the program failed.
type UnresolvedError struct {
	Trees   int
	First   error           // the first failure, in the order of the questions
	GivenUp []store.GivenUp // the trees of which a request failed alone (envs.GivenUp), in that order

	// Missing is why trees are missing, by their indices; of a run of several questions it is nil.
	Missing map[int]error
}

// Named reports whether the run has done all that it can: every missing tree was given up because
// the server fails at one particular request of it.
func (e *UnresolvedError) Named() bool { return len(e.GivenUp) == e.Trees }

// Error says how many trees were given up, and the first reason.
func (e *UnresolvedError) Error() string {
	return fmt.Sprintf("collect: %d trees unresolved, the first because of: %v", e.Trees, e.First)
}

// Unwrap returns the first failure.
func (e *UnresolvedError) Unwrap() error { return e.First }

func (o *Options) validate() error {
	if err := o.Search.Validate(); err != nil {
		return err
	}

	if o.Workers < 1 {
		return fmt.Errorf("collect: workers is %d, want at least 1", o.Workers)
	}

	if o.Retry.Attempts < 1 {
		return fmt.Errorf("collect: attempts is %d, want at least 1", o.Retry.Attempts)
	}

	seen := make(map[string]bool, len(o.Questions))
	for _, q := range o.Questions {
		if q.Task.ID == "" || seen[q.Task.ID] {
			return fmt.Errorf("collect: question ID %q is empty or occurs twice", q.Task.ID)
		}

		seen[q.Task.ID] = true
	}
	return nil
}

// search returns the search of one question.
func (o *Options) search(q Question, policy mcts.Policy) *mcts.Search {
	config := o.Search
	if q.MaxDepth > 0 {
		config.MaxDepth = q.MaxDepth
	}
	return &mcts.Search{Env: o.Env, Policy: policy, Config: config, Seed: o.Seed, Prefix: q.Prefix}
}

// known is what a tree knows of the trees before it, or nil if trees do not depend on each other.
func (o *Options) known(found *mcts.Found) *mcts.Found {
	if !o.Search.InTurn() {
		return nil
	}
	return found
}

// eachQuestion returns what do returns for each question.
func eachQuestion[T any](ctx context.Context, o *Options, do func(context.Context, Question) (T, error)) ([]T, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	return kept.All(ctx, len(o.Questions), o.Workers, nil, func(ctx context.Context, i int) (T, error) {
		return do(ctx, o.Questions[i])
	})
}
