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

// changing implements [envs.Environment] and [envs.Canonicalizer].
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
	if turn := s.History().Len(); turn < len(c.first) {
		return c.first[turn].Step(ctx, s, a)
	}

	return c.then.Step(ctx, s, a)
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
