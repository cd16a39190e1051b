package finetune_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/trajectories"
)

// sampled is an evaluation drawn by chance: of each question several episodes, some lost, sometimes
// all of them.
func sampled(rng *rand.Rand, repeats int) (jobs []finetune.Job, episodes []trajectories.Episode) {
	for _, policy := range []string{"a", "b", "c"} {
		skill := rng.Float64()

		for _, api := range []string{"p_c", "p_s_in"} {
			cell := finetune.Cell{Policy: policy, API: api, Dataset: "coffee", Difficulty: "easy"}
			j := finetune.Job{Cell: cell, Repeats: repeats, MaxTurns: 8}

			for i := range 12 {
				// One template: its interval is found at once, and nothing here asks for it.
				labels := map[string]string{"dataset": "coffee", "difficulty": "easy", "template": "t"}
				j.Tasks = append(j.Tasks, envs.Task{ID: fmt.Sprint(i), Labels: labels})
				gone := rng.IntN(5) == 0

				for repeat := range repeats {
					e := trajectories.Episode{Status: "terminated", Repeat: repeat}
					e.Policy, e.DeployedAPI, e.QuestionID, e.Labels = policy, api, fmt.Sprint(i), labels
					e.Official = rng.Float64() < skill

					if gone || rng.IntN(6) == 0 {
						e.Lost = "gone"
					}

					episodes = append(episodes, e)
				}
			}

			jobs = append(jobs, j)
		}
	}
	return jobs, episodes
}

// shares tells of each question that a contender measured which share of its episodes was right, in
// parts of the twelve that any number of one to four divides.
func shares(episodes []trajectories.Episode, c finetune.Contender) map[string]int {
	right, measured := map[string]int{}, map[string]int{}

	for _, e := range episodes {
		if e.Policy == c.Policy && e.DeployedAPI == c.API && e.Lost == "" {
			measured[e.QuestionID]++
			if e.Official {
				right[e.QuestionID] += 12
			}
		}
	}

	all := map[string]int{}
	for q, n := range measured {
		all[q] = right[q] / n
	}
	return all
}

// exactly is McNemar's exact test in whole numbers: twice the chance that n fair
// coins fall on the rarer side no more often than these did.
func exactly(first, second int) float64 {
	n, sum := int64(first+second), new(big.Int)
	for k := int64(0); k <= int64(min(first, second)); k++ {
		sum.Add(sum, new(big.Int).Binomial(n, k))
	}

	p, _ := new(big.Rat).SetFrac(sum.Lsh(sum, 1), new(big.Int).Lsh(big.NewInt(1), uint(n))).Float64()
	return min(p, 1)
}

// A comparison is on the questions that both sides measured, each that of the side which has a
// larger share of its episodes right, and Holm's method adjusts it among all of its kind: by a
// naive reading of random evaluations.
func TestComparisonsNaively(t *testing.T) {
	moved := 0

	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 33))
		jobs, episodes := sampled(rng, 1+rng.IntN(4))

		r, err := finetune.Summarise(jobs, all(episodes))
		if err != nil {
			t.Fatal(err)
		}

		families := map[string][]finetune.Comparison{}

		for _, c := range r.Comparisons {
			a, b := shares(episodes, c.First), shares(episodes, c.Second)
			n, both, first, second, difference := 0, 0, 0, 0, 0

			for q, right := range a {
				other, measured := b[q]

				switch {
				case !measured:
					continue
				case right > other:
					first++
				case right < other:
					second++
				case right > 0:
					both++
				}

				n++
				difference += other - right
			}

			got, want := [4]int{c.N, c.Both, c.OnlyFirst, c.OnlySecond}, [4]int{n, both, first, second}
			if got != want {
				t.Fatalf("seed %d: %v and %v: %v, want %v", seed, c.First, c.Second, got, want)
			}

			if math.Abs(c.Difference-float64(difference)/12/float64(max(n, 1))) > 1e-12 {
				t.Errorf("seed %d: %d twelfths of %d: %v", seed, difference, n, c.Difference)
			}

			if math.Abs(c.P-exactly(first, second)) > 1e-9 {
				t.Errorf("seed %d: p of %d and %d is %v", seed, first, second, c.P)
			}

			families[c.Between] = append(families[c.Between], c)
		}

		if len(families[finetune.BetweenPolicies]) != 6 || len(families[finetune.BetweenVersions]) != 3 {
			t.Fatalf("comparisons are %v", families)
		}

		for _, family := range families {
			moved += holm(t, family)
		}
	}

	if moved < 50 {
		t.Errorf("%d p-values were adjusted: the test shows little", moved)
	}
}

// holm checks the adjusted p-values of a family, and counts those that differ: the k-th smallest of
// n, from 0, is n-k times itself, at least what the one before it is, and at most 1.
func holm(t *testing.T, family []finetune.Comparison) (moved int) {
	t.Helper()

	slices.SortStableFunc(family, func(a, b finetune.Comparison) int { return cmp.Compare(a.P, b.P) })
	least := 0.0

	for k, c := range family {
		least = max(least, min(1, c.P*float64(len(family)-k)))
		if math.Abs(c.PHolm-least) > 1e-9 {
			t.Errorf("p-value %d of %d is %v, adjusted %v, want %v", k, len(family), c.P, c.PHolm, least)
		}

		if c.PHolm > c.P {
			moved++
		}
	}
	return moved
}

// drawnAtRandom is an evaluation over two datasets and both difficulties, with templates, of one to
// three episodes a question: ended in every way, some lost.
func drawnAtRandom(rng *rand.Rand) (jobs []finetune.Job, episodes []trajectories.Episode) {
	repeats := 1 + rng.IntN(3)
	outcomes := []envs.Outcome{envs.OK, envs.ToolError, envs.Deprecated, envs.Malformed}

	for _, data := range [][2]string{{"yelp", "hard"}, {"coffee", "easy"}, {"coffee", "hard"}} {
		cell := finetune.Cell{Policy: "p", API: "p_c", Dataset: data[0], Difficulty: data[1]}
		j := finetune.Job{Cell: cell, Repeats: repeats, MaxTurns: 8}

		for i := range 1 + rng.IntN(6) {
			labels := map[string]string{
				"dataset": data[0], "difficulty": data[1], "template": []string{"a", "b", ""}[rng.IntN(3)],
			}
			j.Tasks = append(j.Tasks, envs.Task{ID: fmt.Sprint(i), Labels: labels})

			for repeat := range repeats {
				e := trajectories.Episode{Repeat: repeat, Tokens: rng.IntN(50)}
				e.Policy, e.DeployedAPI, e.QuestionID, e.Labels = "p", "p_c", fmt.Sprint(i), labels
				e.Status = []string{"terminated", "truncated"}[rng.IntN(2)]
				e.Limit = []string{"", "context", "silence"}[rng.IntN(3)]
				e.Official = rng.IntN(2) == 0
				e.Strict = e.Official && rng.IntN(2) == 0

				for range rng.IntN(4) {
					e.Turns = append(e.Turns, trajectories.Turn{
						Key: "k", API: "f", Outcome: outcomes[rng.IntN(len(outcomes))],
					})
				}

				if rng.IntN(4) == 0 {
					e.Lost = fmt.Sprint("gone ", i)
				}

				episodes = append(episodes, e)
			}
		}

		jobs = append(jobs, j)
	}
	return jobs, episodes
}

// naiveRow counts the episodes of a cell, and of a template if one is named, as the comments of Row
// say.
func naiveRow(cell finetune.Cell, template string, episodes []trajectories.Episode) finetune.Row {
	row := finetune.Row{Cell: cell, Outcomes: map[string]int{}}
	for _, o := range envs.Outcomes() {
		row.Outcomes[o.String()] = 0
	}

	questions, measured, turns := map[string]bool{}, 0.0, 0

	for _, e := range episodes {
		if finetune.CellOf(e.Policy, e.DeployedAPI, e.Labels) != cell ||
			template != "" && e.Labels["template"] != template {
			continue
		}

		if e.Lost != "" {
			row.Lost++
			row.FirstLoss = cmp.Or(row.FirstLoss, e.Lost)

			continue
		}

		questions[e.QuestionID] = true
		measured++
		row.Measured++
		turns += len(e.Turns)
		row.Tokens += float64(e.Tokens)

		for holds, n := range map[*bool]*float64{&e.Official: &row.Official, &e.Strict: &row.Strict} {
			if *holds {
				*n++
			}
		}

		for n, holds := range map[*int]bool{
			&row.Unanswered: e.Status == "truncated", &row.TooLong: e.Limit == "context",
			&row.Silent: e.Limit == "silence",
		} {
			if holds {
				*n++
			}
		}

		for _, turn := range e.Turns {
			row.Outcomes[turn.Outcome.String()]++
		}

		row.RepeatedTurns += trajectories.RepeatedFailures(e.Turns)
	}

	row.N, row.Turns = len(questions), float64(turns)/max(measured, 1)
	row.Official, row.Strict = row.Official/max(measured, 1), row.Strict/max(measured, 1)
	row.Tokens /= max(measured, 1)
	row.RepeatedShare = float64(row.RepeatedTurns) / float64(max(turns, 1))
	return row
}

// A lost question is in no accuracy and is counted, each dataset weighs the same in a mean and each
// question in an overall row: by a naive reading of random evaluations.
func TestRowsNaively(t *testing.T) {
	near := gocmp.Options{
		cmpopts.EquateApprox(0, 1e-12), cmpopts.IgnoreFields(finetune.Row{}, "Repeats", "OfficialLow",
			"OfficialHigh", "StrictLow", "StrictHigh"),
	}

	for seed := range uint64(60) {
		jobs, episodes := drawnAtRandom(rand.New(rand.NewPCG(seed, 33)))

		r, err := finetune.Summarise(jobs, all(episodes))
		if err != nil {
			t.Fatal(err)
		}

		var templates int

		for i, j := range jobs {
			if diff := gocmp.Diff(naiveRow(j.Cell, "", episodes), r.Rows[i], near); diff != "" {
				t.Fatalf("seed %d, %v: %s", seed, j.Cell, diff)
			}

			if (r.Rows[i].Repeats != nil) != (j.Repeats > 1) {
				t.Errorf("seed %d: %d episodes a question, %+v", seed, j.Repeats, r.Rows[i].Repeats)
			}

			for _, name := range []string{"a", "b"} {
				want := naiveRow(j.Cell, name, episodes)
				if want.N+want.Lost == 0 {
					continue
				}

				got := r.Templates[templates]
				templates++

				want = finetune.Row{Cell: j.Cell, N: want.N, Lost: want.Lost, Official: want.Official,
					Strict: want.Strict, Turns: want.Turns}
				have := finetune.Row{Cell: got.Cell, N: got.N, Lost: got.Lost, Official: got.Official,
					Strict: got.Strict, Turns: got.Turns}

				if diff := gocmp.Diff(want, have, near); diff != "" || got.Template != name {
					t.Fatalf("seed %d, template %s of %v: %s", seed, name, j.Cell, diff)
				}
			}
		}

		if templates != len(r.Templates) {
			t.Errorf("seed %d: %d templates have rows, want %d", seed, len(r.Templates), templates)
		}

		means(t, r)
		overall(t, r, episodes)
	}
}

// means makes sure that each dataset and difficulty with a measured question weighs the same in
// summaries: of each difficulty, and of both.
func means(t *testing.T, r *finetune.Report) {
	t.Helper()

	if len(r.Summaries) != 3 {
		t.Errorf("%d summaries, want those of hard, easy and all", len(r.Summaries))
	}

	for _, s := range r.Summaries {
		want := finetune.Summary{Contender: s.Contender, Difficulty: s.Difficulty}
		turned := 0.0 // cells with a turn, which alone can repeat a failure

		for _, row := range r.Rows {
			if s.Difficulty != "all" && s.Difficulty != row.Difficulty {
				continue
			}

			want.N, want.Measured, want.Lost = want.N+row.N, want.Measured+row.Measured, want.Lost+row.Lost

			if row.N > 0 {
				want.Cells++
				want.Official, want.Strict = want.Official+row.Official, want.Strict+row.Strict
				want.Turns, want.Tokens = want.Turns+row.Turns, want.Tokens+row.Tokens
				want.RepeatedShare += row.RepeatedShare
				turned += min(row.Turns, 1e-9) * 1e9
			}
		}

		for _, mean := range []*float64{
			&want.Official, &want.Strict, &want.Turns, &want.Tokens,
		} {
			*mean /= float64(max(want.Cells, 1))
		}

		want.RepeatedShare /= max(turned, 1)

		rest := cmpopts.IgnoreFields(finetune.Summary{}, "OfficialLow", "OfficialHigh", "StrictLow",
			"StrictHigh")
		if diff := gocmp.Diff(want, s, cmpopts.EquateApprox(0, 1e-12), rest); diff != "" {
			t.Errorf("mean of %s questions: %s", s.Difficulty, diff)
		}

		if s.OfficialLow > s.Official || s.OfficialHigh < s.Official || s.StrictLow > s.Strict ||
			s.StrictHigh < s.Strict {
			t.Errorf("intervals of %+v do not hold the means", s)
		}
	}
}

// overall makes sure that each episode weighs the same in the row of all.
func overall(t *testing.T, r *finetune.Report, episodes []trajectories.Episode) {
	t.Helper()

	n, lost, right, turns, measured := 0, 0, 0.0, 0, 0.0
	for _, row := range r.Rows {
		n, lost = n+row.N, lost+row.Lost
	}

	for _, e := range episodes {
		if e.Lost == "" {
			measured++
			turns += len(e.Turns)

			if e.Official {
				right++
			}
		}
	}

	row, of := r.Overall[0], max(measured, 1)
	if len(r.Overall) != 1 || row.N != n || row.Lost != lost || math.Abs(row.Official-right/of) > 1e-12 ||
		math.Abs(row.Turns-float64(turns)/of) > 1e-12 {
		t.Errorf("overall %+v, want %v right and %v turns of %d, %d lost", row, right/of, float64(turns)/of, n, lost)
	}
}
