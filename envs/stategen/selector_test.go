package stategen

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSelectors draws often from four candidates: one with two new pairs, one with one, one with
// none that is rare in part, and one with none that is frequent.
func TestSelectors(t *testing.T) {
	old, rare := Pair{"a", "b"}, Pair{"a", "c"}

	book := &Book{}
	book.add([]Pair{old}, 9)
	book.add([]Pair{rare}, 1)

	two := Candidate{Transition: "two", Pairs: []Pair{{"x", "1"}, {"x", "2"}, old}}
	one := Candidate{Transition: "one", Pairs: []Pair{{"x", "3"}}}
	mixed := Candidate{Transition: "mixed", Pairs: []Pair{old, rare}}
	often := Candidate{Transition: "often", Pairs: []Pair{old}}

	for _, tt := range []struct {
		selector Selector
		from     []Candidate
		want     map[string]float64
	}{
		{Argmax, []Candidate{two, one, mixed, often}, map[string]float64{"two": 1}},
		{K2, []Candidate{two, one, mixed, often}, map[string]float64{"two": 0.8, "one": 0.2}},        // 4 : 1
		{Argmax, []Candidate{mixed, often}, map[string]float64{"mixed": 9. / 19, "often": 10. / 19}}, // 1/10 : 1/9
		{K2, []Candidate{mixed, often}, map[string]float64{"mixed": 0.9, "often": 0.1}},              // 1/1 : 1/9
		{Uniform, []Candidate{two, one, mixed, often}, map[string]float64{
			"two": 0.25, "one": 0.25, "mixed": 0.25, "often": 0.25,
		}},
	} {
		const draws = 20000

		rng, got := rand.New(rand.NewPCG(1, 2)), map[string]float64{}
		for range draws {
			got[tt.selector.choose(rng, tt.from, book).Transition] += 1. / draws
		}

		for _, c := range tt.from {
			if math.Abs(got[c.Transition]-tt.want[c.Transition]) > 0.015 {
				t.Errorf("%s draws %s in %.3f of all cases, want %.3f", tt.selector, c.Transition,
					got[c.Transition], tt.want[c.Transition])
			}
		}
	}
}
