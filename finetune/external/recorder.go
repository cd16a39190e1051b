package external

import (
	"context"
	"fmt"
	"sync"

	"toolevo/envs"
	"toolevo/envs/openenv"
	"toolevo/finetune"
	"toolevo/mcts"
	"toolevo/mcts/store"
)

// Recorder records episodes in a run. It implements [openenv.Recorder].
type Recorder struct {
	store    *store.Store
	policy   string
	maxTurns int

	mu   sync.Mutex
	next map[string]int // repeat, by the name of an episode
	done int64
}

// NewRecorder returns the recorder of a run. policy is the name under which the run has the agent,
// and episodes end after maxTurns.
func NewRecorder(ctx context.Context, s *store.Store, policy string, maxTurns int) (*Recorder, error) {
	next, err := s.TreeCounts(ctx)
	r := &Recorder{store: s, policy: policy, maxTurns: maxTurns, next: next}

	for _, n := range next {
		r.done += int64(n)
	}
	return r, err
}

// Done returns how many episodes the run has.
func (r *Recorder) Done() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

// Record implements [openenv.Recorder].
func (r *Recorder) Record(ctx context.Context, e openenv.Episode) error {
	task := e.Start.History().Task()
	job := finetune.Job{Cell: finetune.CellOf(r.policy, e.Version, task.Labels), MaxTurns: r.maxTurns}
	question := job.Episode(task)

	// A repeat counts once it is kept: a later recorder goes on behind as many as the run has.
	r.mu.Lock()
	defer r.mu.Unlock()

	id := mcts.NodeID{Question: question, Tree: r.next[question]}

	// The episode is replayed from what was recorded, so that its record is made as any other.
	s := &replay{episode: e}

	played, err := finetune.Play(ctx, s, s, task, id, finetune.Limits{MaxTurns: r.maxTurns})
	if err == nil {
		err = r.store.SaveEpisode(ctx, s.calls, played.Branch)
	}

	if err != nil {
		return fmt.Errorf("record an episode of %s: %w", task.ID, err)
	}

	r.next[question]++
	r.done++
	return nil
}

// replay is a finished episode as the policy and the environment that play it again: nothing is run
// a second time. It implements [mcts.Policy], [envs.Environment] and [envs.Canonicalizer].
type replay struct {
	episode openenv.Episode
	turn    int
	calls   []store.Call
}

// Propose returns the next action, nothing after the last.
func (s *replay) Propose(_ context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	var said []mcts.Proposal
	if s.turn < len(s.episode.Turns) {
		said = []mcts.Proposal{{Text: string(s.episode.Turns[s.turn].Turn.Action)}}
	}

	s.calls = append(s.calls, store.Call{Request: r, Proposals: said})
	return said, nil
}

// Reset returns the state that the episode began with.
func (s *replay) Reset(context.Context, envs.Task) (envs.State, error) {
	return s.episode.Start, nil
}

// Step returns what the next action led to.
func (s *replay) Step(context.Context, envs.State, envs.Action) (envs.Transition, error) {
	s.turn++
	return s.episode.Turns[s.turn-1], nil
}

// Canonical returns the key of an action.
func (s *replay) Canonical(a envs.Action) string { return mcts.Canonical(s.episode.Env, a) }
