package drift

import (
	"context"

	"toolevo/envs"
)

// Family is API versions of which each question meets one, by chance.
type Family struct {
	Name     string   `json:"name"`     // in reports; that of its version where there is one
	Versions []string `json:"versions"` // at least one
}

// Of returns the version that a question meets in runs of a seed. It depends on nothing else.
func (f Family) Of(seed uint64, question string) string {
	return f.Versions[hash(seed, question)%uint64(len(f.Versions))]
}

// Environment returns the environment in which every task meets its version; open opens that of one version.
func (f Family) Environment(seed uint64, open func(version string) (envs.Environment, error)) (envs.Environment,
	error) {
	all := make(map[string]envs.Environment, len(f.Versions))

	for _, version := range f.Versions {
		env, err := open(version)
		if err != nil {
			return nil, err
		}

		all[version] = env
	}

	if len(f.Versions) == 1 {
		return all[f.Versions[0]], nil
	}

	return &drawn{f, seed, all}, nil
}

// drawn is the environment of a family. It implements [envs.Environment], [envs.Canonicalizer] and [envs.Lifter].
type drawn struct {
	family Family
	seed   uint64
	all    map[string]envs.Environment // by version
}

func (d *drawn) of(t envs.Task) envs.Environment { return d.all[d.family.Of(d.seed, t.ID)] }

// Reset implements [envs.Environment].
func (d *drawn) Reset(ctx context.Context, t envs.Task) (envs.State, error) {
	return d.of(t).Reset(ctx, t)
}

// Step implements [envs.Environment].
func (d *drawn) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	return d.of(s.History().Task()).Step(ctx, s, a)
}

// Lift implements [envs.Lifter].
func (d *drawn) Lift(so envs.History, c envs.Call) (envs.Call, error) {
	return envs.Lift(d.of(so.Task()), so, c)
}

// Canonical implements [envs.Canonicalizer].
func (d *drawn) Canonical(a envs.Action) string { return canonical(d.all[d.family.Versions[0]], a) }
