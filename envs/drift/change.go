package drift

import (
	"context"
	"strings"

	"toolevo/envs"
)

// Changing returns the environment in which the API version changes in the middle of a task: its
// first turns meet those of first, one each, and all later ones meet then. All are environments of
// the same tools under several versions, each of which takes the states of the others.
func Changing(first []envs.Environment, then envs.Environment) envs.Environment {
	if len(first) == 0 {
		return then
	}
	return &varied{func(so envs.History) envs.Environment {
		if turn := so.Len(); turn < len(first) {
			return first[turn]
		}
		return then
	}}
}

// varied is an environment whose turns are those of others: next is the one that the turn after a
// history meets. It implements [envs.Environment], [envs.Canonicalizer], [envs.Comparer],
// [envs.Lifter] and [envs.Documenter].
type varied struct {
	next func(so envs.History) envs.Environment
}

// Reset implements [envs.Environment].
func (v *varied) Reset(ctx context.Context, t envs.Task) (envs.State, error) {
	return v.next(envs.NewHistory(t)).Reset(ctx, t)
}

// Step implements [envs.Environment].
func (v *varied) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	return v.next(s.History()).Step(ctx, s, a)
}

// Lift implements [envs.Lifter].
func (v *varied) Lift(so envs.History, c envs.Call) (envs.Call, error) {
	return envs.Lift(v.next(so), so, c)
}

// Notes implements [envs.Documenter].
func (v *varied) Notes(so envs.History, c envs.Call) (notes []string, shown bool) {
	return envs.Notes(v.next(so), so, c)
}

// Alike implements [envs.Comparer]: turns that meet different environments are answered
// differently.
func (v *varied) Alike(a, b envs.State) bool {
	env := v.next(a.History())
	return env == v.next(b.History()) && envs.Alike(env, a, b)
}

// Canonical implements [envs.Canonicalizer]. Actions are written in the same way under all
// versions.
func (v *varied) Canonical(a envs.Action) string {
	if c, ok := v.next(envs.History{}).(envs.Canonicalizer); ok {
		return c.Canonical(a)
	}
	return strings.TrimSpace(string(a))
}
