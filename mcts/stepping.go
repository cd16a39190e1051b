package mcts

import (
	"context"

	"toolevo/envs"
)

// Step is how an environment takes an action; see [envs.Environment].
type Step func(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error)

// WithStep returns an environment that takes actions by step, and is env in all else.
func WithStep(env envs.Environment, step Step) envs.Environment { return &stepping{env, step} }

type stepping struct {
	envs.Environment
	step Step
}

// Step implements [envs.Environment].
func (e *stepping) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	return e.step(ctx, s, a)
}

// Canonical implements [envs.Canonicalizer].
func (e *stepping) Canonical(a envs.Action) string { return Canonical(e.Environment, a) }

// Alike implements [envs.Comparer] where the environment does.
func (e *stepping) Alike(a, b envs.State) bool { return envs.Alike(e.Environment, a, b) }

// Lift implements [envs.Lifter] where the environment does.
func (e *stepping) Lift(so envs.History, c envs.Call) (envs.Call, error) {
	return envs.Lift(e.Environment, so, c)
}

// Notes implements [envs.Documenter] where the environment does.
func (e *stepping) Notes(so envs.History, c envs.Call) (notes []string, shown bool) {
	return envs.Notes(e.Environment, so, c)
}
