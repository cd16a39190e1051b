package failure_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"toolevo/finetune/failure"
	"toolevo/trajectories"
)

// played returns an episode of a policy, by the letters of its turns.
func played(policy, letters string) *trajectories.Episode {
	e := &trajectories.Episode{}
	e.Policy, e.Turns = policy, turns(letters)
	return e
}

// Every case is drawn about as often as any other, and the drawn ones keep their order.
func TestSample(t *testing.T) {
	const cases, size, rounds = 10, 4, 2000

	drawn := [cases]int{}

	for seed := range uint64(rounds) {
		s := failure.Sample{Size: size, Rand: rand.New(rand.NewPCG(seed, 0))}
		for i := range cases {
			s.Add(played("p", ""), "p_s_in", failure.Verdict{Turn: i})
		}

		all := s.Cases()
		if len(all) != size || !slices.IsSortedFunc(all, func(a, b failure.Case) int { return a.Turn - b.Turn }) {
			t.Fatalf("seed %d: %+v", seed, all)
		}

		for _, c := range all {
			drawn[c.Turn]++
		}
	}

	for i, n := range drawn { // 800 expected, with a standard deviation of 22
		if n < 690 || n > 910 {
			t.Errorf("case %d was drawn %d times of %d, want about %d", i, n, rounds, rounds*size/cases)
		}
	}
}

// As many cases are drawn of a policy that hardly fails as of one that always does, as far as it
// has them.
func TestSampleOfPolicies(t *testing.T) {
	s := failure.Sample{Size: 7, Rand: rand.New(rand.NewPCG(1, 0))}
	for i := range 300 {
		s.Add(played("weak", ""), "p_s_in", failure.Verdict{Turn: i})

		if i%50 == 0 {
			s.Add(played("strong", ""), "p_s_in", failure.Verdict{})
		}

		if i == 10 {
			s.Add(played("best", ""), "p_s_in", failure.Verdict{})
		}
	}

	got := map[string]int{}
	for _, c := range s.Cases() {
		got[c.Episode.Policy]++
	}

	if got["weak"] != 3 || got["strong"] != 3 || got["best"] != 1 {
		t.Errorf("%v, want 3 of weak, 3 of strong and the only one of best", got)
	}
}

func TestSampleOfFew(t *testing.T) {
	s := failure.Sample{Size: 3, Rand: rand.New(rand.NewPCG(1, 0))}
	s.Add(played("p", "x"), "p_s_in", failure.Verdict{Class: failure.ToolMisuse})

	if all := s.Cases(); len(all) != 1 || all[0].Heading != failure.OtherErrors {
		t.Errorf("%+v", all)
	}

	none := failure.Sample{}
	none.Add(played("p", "x"), "p_s_in", failure.Verdict{})

	if all := none.Cases(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}
