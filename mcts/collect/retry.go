package collect

import (
	"context"
	"fmt"
	"time"

	"toolevo/mcts"
)

// retrying makes a failing call again, a bounded number of times, with a doubling wait.
type retrying struct {
	next     mcts.Policy
	attempts int
	backoff  time.Duration
}

func (r retrying) Propose(ctx context.Context, req mcts.Request) ([]mcts.Proposal, error) {
	wait := r.backoff
	for attempt := 1; ; attempt++ {
		proposals, err := r.next.Propose(ctx, req)
		if err == nil || ctx.Err() != nil {
			return proposals, err
		}
		if attempt >= r.attempts {
			return nil, fmt.Errorf("after %d attempts: %w", attempt, err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		wait *= 2
	}
}
