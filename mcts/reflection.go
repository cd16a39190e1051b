package mcts

import (
	"context"

	"toolevo/envs"
)

// WithoutReflection returns an environment that ends a task at its first invocation error, as Config.Reflect does in a
// tree: for episodes, which no search limits.
func WithoutReflection(env envs.Environment) envs.Environment { return unreflecting{env} }

type unreflecting struct{ envs.Environment }

// Step implements [envs.Environment].
func (e unreflecting) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	next, err := e.Environment.Step(ctx, s, a)
	if err == nil && next.Turn.Outcome.IsInvocationError() {
		next.State, next.Reward = stopped{next.State}, -1
	}

	return next, err
}

// Canonical implements [envs.Canonicalizer].
func (e unreflecting) Canonical(a envs.Action) string { return Canonical(e.Environment, a) }

// Alike implements [envs.Comparer] where the environment does.
func (e unreflecting) Alike(a, b envs.State) bool { return envs.Alike(e.Environment, a, b) }

// Lift implements [envs.Lifter] where the environment does.
func (e unreflecting) Lift(so envs.History, c envs.Call) (envs.Call, error) {
	return envs.Lift(e.Environment, so, c)
}

// stopped is a state at which a task was ended.
type stopped struct{ envs.State }

// Status is Truncated.
func (stopped) Status() envs.Status { return envs.Truncated }
