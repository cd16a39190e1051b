package collect

import (
	"context"
	"sync"
	"time"

	"toolevo/mcts"
)

// lookEvery is how often a waiting lane checks whether there is room for it. It costs at most that
// much of one slot of the model, once for each lane.
const lookEvery = 10 * time.Millisecond

// Gate holds lanes back while those that run keep the model busy. The zero Gate is ready for use.
// Too many trees at once wait for each other, so each takes longer and holds its memory longer; and
// trees that turn out long start late and leave the model idle at the end.
type Gate struct {
	mu      sync.Mutex
	running int // lanes
	opening int // of those, the ones that have not called the model yet
}

// Start lets a lane in. The lane calls arrived, as often as it likes, when it calls the model and
// when it ends; then it calls End.
func (g *Gate) Start() (arrived func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running++
	g.opening++
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.opening--
	})
}

// End lets a lane out.
func (g *Gate) End() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
}

// open reports whether a lane may start, given room for that many lanes: one always runs, and the
// others need room beside those that are about to make their first call.
func (g *Gate) open(room int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running == 0 || g.opening < room
}

// Wait waits until another lane may start, or ctx ends. room says how many more lanes the model
// could serve right now; nil is unlimited room.
func (g *Gate) Wait(ctx context.Context, room func() int) {
	for room != nil && !g.open(room()) && mcts.Wait(ctx, lookEvery) == nil {
	}
}

// lanePolicy is the policy of a lane. It reports the lane's calls to the gate, and counts those
// that reach the model.
type lanePolicy struct {
	next     mcts.Policy
	arrived  func()
	progress *Progress
}

// Propose implements mcts.Policy.
func (p lanePolicy) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	p.arrived()

	proposals, err := p.next.Propose(ctx, r)
	if err == nil {
		p.progress.count(func(s *Snapshot) {
			s.Asked++
			s.Samples += int64(len(proposals))
		})
	}

	return proposals, err
}
