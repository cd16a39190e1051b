package mcts

import (
	"context"
	"fmt"
	"time"

	"toolevo/envs"
)

// Retry says how often a call or step that fails is tried, and how long to wait in between.
type Retry struct {
	Attempts int           // at least 1
	Backoff  time.Duration // before the second attempt; it doubles with each further one, up to a minute
}

// Policy returns p with failing calls made again.
func (r Retry) Policy(p Policy) Policy { return retryingPolicy{p, r} }

// Environment returns e with failing steps taken again.
func (r Retry) Environment(e envs.Environment) envs.Environment {
	return WithStep(e, func(ctx context.Context, s envs.State, a envs.Action) (next envs.Transition, err error) {
		err = r.do(ctx, func() error {
			next, err = e.Step(ctx, s, a)
			return err
		})
		return next, err
	})
}

type retryingPolicy struct {
	next  Policy
	retry Retry
}

func (p retryingPolicy) Propose(ctx context.Context, r Request) (proposals []Proposal, err error) {
	err = p.retry.do(ctx, func() error {
		proposals, err = p.next.Propose(ctx, r)
		return err
	})
	return proposals, err
}

// do runs try until it succeeds, the attempts are used up, or ctx ends; after that it begins
// nothing.
func (r Retry) do(ctx context.Context, try func() error) error {
	wait := r.Backoff

	for attempt := 1; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}

		err := try()
		if _, givenUp := envs.GivenUp(err); err == nil || givenUp || envs.IsFinal(err) || ctx.Err() != nil {
			return err
		}

		if attempt >= r.Attempts {
			if attempt > 1 {
				err = fmt.Errorf("after %d attempts: %w", attempt, err)
			}
			return err
		}

		if err := Wait(ctx, wait); err != nil {
			return err
		}

		wait = min(2*wait, max(time.Minute, r.Backoff))
	}
}

// Wait waits, or returns the context's error.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
