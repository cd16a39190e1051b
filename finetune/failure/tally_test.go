package failure_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/finetune/failure"
	"toolevo/trajectories"
)

// played returns an episode of a policy, by the letters of its turns.
func played(policy, letters string) *trajectories.Episode {
	e := &trajectories.Episode{}
	e.Policy, e.Turns = policy, turns(letters)

	return e
}

func TestTally(t *testing.T) {
	right, lost := played("a", "O"), played("a", "")
	right.Official, lost.Lost = true, "the disk is full"

	stopped := played("a", "OOO")
	stopped.Limit = "depth"

	var tally failure.Tally
	for _, e := range []*trajectories.Episode{right, played("a", "ddx"), lost, played("a", "ddx"), played("a", "Ox"),
		stopped} {
		tally.Add(e, "p_s_in", nil)
	}

	tally.Add(played("b", "Ox"), "p_s_in", nil)

	rows := tally.Rows()
	if len(rows) != 2 || rows[0].N != 5 || rows[0].Lost != 1 || rows[0].Failed != 4 || rows[1].Failed != 1 {
		t.Fatalf("%+v", rows)
	}

	var got []failure.Class
	for _, c := range rows[0].Classes {
		got = append(got, c.Class)

		want := map[failure.Class]int{
			failure.RepeatedDeprecated: 2, failure.IncorrectOutput: 1, failure.Undecided: 1,
		}[c.Class]
		if c.Episodes != want || c.Share != float64(want)/4 {
			t.Errorf("%s: %d episodes, a share of %v, want %d", c.Class, c.Episodes, c.Share, want)
		}
	}

	all := slices.DeleteFunc(failure.Classes(), func(c failure.Class) bool { return c == failure.Infrastructure })
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("classes of a row (-want +got):\n%s", diff)
	}

	var b strings.Builder
	if err := failure.Write(&b, rows); err != nil {
		t.Fatal(err)
	}

	want := `a under p_s_in: 4 of 5 failed, 1 lost
  invocation error in new tools         2   50.0 %
    repeated-deprecated                 2   50.0 %
  planning error                        1   25.0 %
    incorrect-output                    1   25.0 %
  undecided                             1   25.0 %
  refused calls, by what was not taken
    name                                4  100.0 %

b under p_s_in: 1 of 1 failed, 0 lost
  planning error                        1  100.0 %
    incorrect-output                    1  100.0 %
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
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
