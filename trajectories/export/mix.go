package export

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs/names"
	"toolevo/trajectories"
)

// MixKind says by what trajectories are weighed.
type MixKind string

// The kinds.
const (
	ByRun   MixKind = "run"   // the ID of their run
	BySuite MixKind = "suite" // the benchmark of their run
	ByAPI   MixKind = "api"   // the deployed API version
)

// MixKinds lists every kind.
func MixKinds() []MixKind { return []MixKind{ByRun, BySuite, ByAPI} }

// ParseMixKind returns the kind of a name; the error of an unknown one names the valid ones.
func ParseMixKind(name string) (MixKind, error) {
	return names.Parse("kind of weights", name, MixKinds())
}

// Mix says in what proportions the chosen trajectories of several runs, suites or API versions are
// exported: all of the scarcest, and of the others as many as the weights allow. What has no weight
// is left out. The zero value takes all.
type Mix struct {
	By      MixKind            `json:"by"`      // "run", "suite" or "api"
	Weights map[string]float64 `json:"weights"` // by name, each above 0
}

func (m Mix) validate() error {
	if len(m.Weights) == 0 {
		return nil
	}

	for name, w := range m.Weights {
		if !(w > 0) || math.IsInf(w, 0) {
			return fmt.Errorf("export: weight %v of %q: want a number above 0", w, name)
		}
	}

	_, err := ParseMixKind(string(m.By))
	return err
}

// quota is how many trajectories are still to be taken, of how many that are left.
type quota struct{ take, left int }

// quotas returns how many of each name are taken, given how many there are.
func (m Mix) quotas(counts map[string]int) (map[string]*quota, error) {
	scale := math.Inf(1)

	for name, w := range m.Weights {
		if counts[name] == 0 {
			return nil, fmt.Errorf("no trajectory of the %s %q is chosen, and it has a weight: weigh what there is, %s",
				m.By, name, strings.Join(slices.Sorted(maps.Keys(counts)), ", "))
		}

		scale = min(scale, float64(counts[name])/w)
	}

	all := map[string]*quota{}
	for name, n := range counts {
		all[name] = &quota{take: min(n, int(math.Round(scale*m.Weights[name]))), left: n}
	}
	return all, nil
}

// next decides whether to take the next trajectory. All are equally likely to be taken (Knuth,
// algorithm S). One that was not counted is not taken: a run may have grown since.
func (q *quota) next(rng *rand.Rand) bool {
	if q == nil || q.left == 0 {
		return false
	}

	taken := rng.IntN(q.left) < q.take
	q.left--

	if taken {
		q.take--
	}
	return taken
}

// key returns the name by which a trajectory is weighed.
func (m Mix) key(row *trajectories.Row, suite string) string {
	switch m.By {
	case ByRun:
		return row.RunID
	case BySuite:
		return suite
	}

	return row.DeployedAPI
}
