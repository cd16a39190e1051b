package drift

import (
	"context"
	"strings"

	"toolevo/envs"
)

// Changing returns the environment in which the API version changes in the middle of a task: its first turns meet those
// of first, one each, and all later ones meet then. All are environments of the same tools under several versions, each
// of which takes the states of the others.
func Changing(first []envs.Environment, then envs.Environment) envs.Environment {
	if len(first) == 0 {
		return then
	}

	return &changing{first, then}
}

// changing implements [envs.Environment], [envs.Canonicalizer] and [envs.Lifter].
type changing struct {
	first []envs.Environment
	then  envs.Environment
}

// Reset implements [envs.Environment].
func (c *changing) Reset(ctx context.Context, t envs.Task) (envs.State, error) {
	return c.first[0].Reset(ctx, t)
}

// Step implements [envs.Environment].
func (c *changing) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	return c.next(s.History()).Step(ctx, s, a)
}

// next is the environment that the turn after a history meets.
func (c *changing) next(so envs.History) envs.Environment {
	if turn := so.Len(); turn < len(c.first) {
		return c.first[turn]
	}

	return c.then
}

// Lift implements [envs.Lifter].
func (c *changing) Lift(so envs.History, call envs.Call) (envs.Call, error) {
	return envs.Lift(c.next(so), so, call)
}

// Canonical implements [envs.Canonicalizer].
func (c *changing) Canonical(a envs.Action) string { return canonical(c.then, a) }

// canonical is the key of an action in an environment. Actions are written in the same way under all versions.
func canonical(env envs.Environment, a envs.Action) string {
	if c, ok := env.(envs.Canonicalizer); ok {
		return c.Canonical(a)
	}

	return strings.TrimSpace(string(a))
}
