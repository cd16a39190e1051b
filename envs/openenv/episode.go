package openenv

import (
	"context"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/names"
)

// episode is an episode of a session. It is a value: a turn makes another one.
type episode struct {
	id      string
	seed    uint64
	version string
	env     envs.Environment
	start   envs.State
	state   envs.State
	status  envs.Status
	turns   []envs.Transition
	bytes   int64 // of all actions
	silent  bool  // the agent had no more to say, or was not listened to any more
	shaped  shaped
}

// begin begins the episode that a reset chooses.
func (s *Server) begin(ctx context.Context, c choice) (*episode, error) {
	e := &episode{id: c.episode}

	// Episodes with names of their own are counted, too, so no two get one number.
	number := s.episodes.Add(1)
	if e.id == "" {
		e.id = "episode-" + itoa(number)
	}

	switch {
	case c.seed != nil:
		e.seed = *c.seed
	case c.episode != "":
		e.seed = envs.Hash(c.episode) >> 1 // of 63 bits, like those of clients
	default:
		// Only these resets count, so their seeds go through all tasks.
		e.seed = s.unseeded.Add(1) - 1
	}

	// The task comes first: of a family of versions, each task meets its own.
	task, err := s.task(c, e.seed)
	if err != nil {
		return nil, err
	}

	if e.version, err = s.version(c.version, e.seed, task.ID); err != nil {
		return nil, err
	}

	e.env = s.deployed[e.version].Env

	if e.start, err = e.env.Reset(ctx, task); err != nil {
		return nil, s.failure(err)
	}

	e.state = e.start
	return e, nil
}

// task returns the task for a reset.
func (s *Server) task(c choice, seed uint64) (envs.Task, error) {
	if c.task != "" {
		task, ok := s.byID[c.task]

		switch {
		case !ok:
			return task, failed("task %.200q is not among the %d of the split %s that are served: "+
				"GET /tasks lists them", c.task, len(s.o.Tasks), s.o.Split)
		case c.dataset != "" && task.Labels[envs.LabelDataset] != c.dataset:
			return task, failed("task %.200q is not in the dataset %.100q", c.task, c.dataset)
		}

		return task, nil
	}

	tasks := s.byDataset[c.dataset]
	if len(tasks) == 0 {
		return envs.Task{}, failed("%v", names.Unknown("dataset", c.dataset, s.datasets))
	}
	return tasks[seed%uint64(len(tasks))], nil
}

// version returns the version for a reset to a task.
func (s *Server) version(name string, seed uint64, task string) (string, error) {
	family, ok := s.families[name]
	if !ok {
		return "", failed("%v", names.Unknown("API version", name, s.versionNames()))
	}
	return family.Of(seed, task), nil
}

// step returns the episode after one more action, and its reward, nil if there is none.
func (s *Server) step(ctx context.Context, e *episode, text envs.Action) (
	*episode, *float64, error) {
	// e stays as it is: after a failure the client may try the same step again.
	next := *e
	next.bytes += int64(len(text))

	// Saying nothing, or too much, is no turn, so the environment is not asked.
	if strings.TrimSpace(string(text)) == "" || next.bytes > s.o.MaxBytes {
		next.silent, next.status = true, envs.Truncated
		return &next, addReward(nil, wrongReward), nil
	}

	t, err := e.env.Step(ctx, e.state, text)
	if err != nil {
		return nil, nil, s.failure(err)
	}

	s.figures.turns.WithLabelValues(t.Turn.Outcome.String()).Inc()

	next.state, next.status = t.State, t.State.Status()
	next.turns = append(slices.Clip(e.turns), t)

	if next.status == envs.Running && len(next.turns) >= s.o.MaxTurns {
		next.status = envs.Truncated
	}

	// A turn may earn shaped rewards even if it ends the episode.
	reward := s.shape(&next, t)

	if next.status != envs.Running {
		reward = addReward(reward, finalReward(t))
	}
	return &next, reward, nil
}

// The rewards at the end of an episode. To a client that adds up rewards, a wrong answer is worth
// as much as no end: were it less, as in equation 1 of ToolEvo, it would pay to say nothing.
const (
	rightReward = 1.0
	wrongReward = 0.0
)

// finalReward returns the reward of an episode that ends with a turn.
func finalReward(t envs.Transition) float64 {
	if t.Turn.Outcome == envs.Correct {
		return rightReward
	}
	return wrongReward
}

// addReward adds to a reward that may be nil.
func addReward(reward *float64, more float64) *float64 {
	if reward != nil {
		more += *reward
	}
	return &more
}

// record keeps an episode that is over.
func (s *Server) record(ctx context.Context, e *episode) error {
	if s.o.Recorder == nil || len(e.turns) == 0 {
		return nil
	}

	// What was done counts even if the client has just gone.
	return s.failure(s.o.Recorder.Record(context.WithoutCancel(ctx), Episode{
		Start: e.start, Version: e.version, Env: e.env, Turns: e.turns, Silent: e.silent,
	}))
}
