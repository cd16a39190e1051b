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

	place int // among all that were added
}

// Sample draws cases without keeping more than it returns: every set of Size cases is equally likely, as in the paper's
// analysis of 50 episodes each. The zero value draws none.
type Sample struct {
	Size int
	Rand *rand.Rand // of a sample that draws any

	cases []Case
	seen  int
}

// Add offers a case.
func (s *Sample) Add(e *trajectories.Episode, api string, v Verdict) {
	if s.Size == 0 {
		return
	}

	c := Case{Verdict: v, Heading: v.Class.Heading(), API: api, Episode: e, place: s.seen}
	s.seen++

	if len(s.cases) < s.Size {
		s.cases = append(s.cases, c)
		return
	}

	if i := s.Rand.IntN(s.seen); i < s.Size {
		s.cases[i] = c
	}
}

// Cases returns what was drawn, in the order in which it was added.
func (s *Sample) Cases() []Case {
	drawn := slices.Clone(s.cases)
	slices.SortFunc(drawn, func(a, b Case) int { return cmp.Compare(a.place, b.place) })

	return drawn
}
