package mcts

import (
	"context"

	"toolevo/envs"
)

// WithoutReflection returns an environment that ends a task at its first invocation error, as
// Config.Reflect does in a tree: for episodes, which no search limits.
func WithoutReflection(env envs.Environment) envs.Environment {
	return WithStep(env, func(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
		next, err := env.Step(ctx, s, a)
		if err == nil && next.Turn.Outcome.IsInvocationError() {
			next.State, next.Reward = stopped{next.State}, -1
		}
		return next, err
	})
}

// stopped is a state at which a task was ended.
type stopped struct{ envs.State }

// Status is Truncated.
func (stopped) Status() envs.Status { return envs.Truncated }
