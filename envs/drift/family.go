package drift

import "toolevo/envs"

// Family is a set of API versions, of which each question meets one, by chance.
type Family struct {
	Name     string   `json:"name"`     // in reports; that of its version if there is only one
	Versions []string `json:"versions"` // at least one
}

// Of returns the version that a question meets in runs of a seed. It depends on nothing else.
func (f Family) Of(seed uint64, question string) string {
	return f.Versions[hash(seed, question)%uint64(len(f.Versions))]
}

// Environment returns the environment in which every task meets its version; open opens that of one
// version.
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
	return &varied{func(so envs.History) envs.Environment { return all[f.Of(seed, so.Task().ID)] }}, nil
}
