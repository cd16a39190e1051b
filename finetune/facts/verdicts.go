package facts

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"toolevo/trajectories"
)

// AddVerdicts adds what a judge said to the verdicts of an evaluation's folder. An existing verdict
// stays as it is: the same judge's on the same episode, score and try is not added again.
func AddVerdicts(dir string, verdicts []Verdict) error {
	all, err := ReadVerdicts(dir)
	if err != nil {
		return err
	}

	// What was said, and whether it could be read, is no part of a verdict's identity.
	identity := func(v Verdict) Verdict {
		v.Text, v.Value, v.Read = "", 0, false
		return v
	}

	known := map[Verdict]bool{}
	for _, v := range all {
		known[identity(v)] = true
	}

	fresh := slices.DeleteFunc(slices.Clone(verdicts), func(v Verdict) bool { return known[identity(v)] })
	if len(fresh) == 0 {
		return nil
	}
	return trajectories.WriteTable(filepath.Join(dir, VerdictsFile), append(all, fresh...))
}

// ReadVerdicts reads the verdicts of an evaluation's folder; without a file it returns none.
func ReadVerdicts(dir string) ([]Verdict, error) {
	all, err := trajectories.ReadTable[Verdict](filepath.Join(dir, VerdictsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return all, err
}
