package failure

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"toolevo/trajectories"
)

// Case is a failed episode and its verdict.
type Case struct {
	Verdict
	Heading Heading               `json:"heading"` // what Table 7 has the class under
	API     string                `json:"api"`     // the deployed API version, or a family of versions
	Episode *trajectories.Episode `json:"episode"` // as inspect prints it

	place int     // among all that were added
	draw  float64 // a policy's lowest are kept
}

// Sample draws cases without keeping many more than it returns: equally many of each policy, as far
// as it has them, and of one policy every set equally likely, as in the paper's analysis of 50
// episodes each. The zero value draws none.
type Sample struct {
	Size int
	Rand *rand.Rand // of a sample that draws any

	policies []string // in the order in which they came
	cases    map[string][]Case
	seen     int
}

// Add offers a case.
func (s *Sample) Add(e *trajectories.Episode, api string, v Verdict) {
	if s.Size == 0 {
		return
	}

	c := Case{
		Verdict: v, Heading: v.Class.Heading(), API: api, Episode: e,
		place: s.seen, draw: s.Rand.Float64(),
	}
	s.seen++

	if s.cases == nil {
		s.cases = map[string][]Case{}
	}

	if _, known := s.cases[e.Policy]; !known {
		s.policies = append(s.policies, e.Policy)
	}

	cases := append(s.cases[e.Policy], c)
	if len(cases) > 2*s.Size {
		cases = lowestDraws(cases, s.Size)
	}

	s.cases[e.Policy] = cases
}

// lowestDraws returns the n cases with the lowest draws.
func lowestDraws(cases []Case, n int) []Case {
	slices.SortFunc(cases, func(a, b Case) int { return cmp.Compare(a.draw, b.draw) })
	return slices.Clone(cases[:min(n, len(cases))])
}

// Cases returns what was drawn, in the order in which it was added.
func (s *Sample) Cases() []Case {
	var drawn []Case

	for round := 0; round < s.Size; round++ {
		for _, policy := range s.policies {
			if round == 0 {
				s.cases[policy] = lowestDraws(s.cases[policy], s.Size)
			}

			if cases := s.cases[policy]; round < len(cases) && len(drawn) < s.Size {
				drawn = append(drawn, cases[round])
			}
		}
	}

	slices.SortFunc(drawn, func(a, b Case) int { return cmp.Compare(a.place, b.place) })
	return drawn
}
