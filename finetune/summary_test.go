package finetune_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/finetune"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

// answered is a cell, and of each of its questions whether it was answered correctly: "1" was, "0"
// was not, "-" was lost. The template of a question is its letter.
type answered struct {
	cell      finetune.Cell
	verdicts  string
	templates string // "" is each of its own
}

// jobs and episodes of cells, as if they had been played.
func played(cells []answered) ([]finetune.Job, iter.Seq2[trajectories.Episode, error]) {
	var (
		jobs     []finetune.Job
		episodes []trajectories.Episode
	)

	for _, c := range cells {
		j := finetune.Job{Cell: c.cell, MaxTurns: 8}

		for i, v := range c.verdicts {
			labels := map[string]string{"dataset": c.cell.Dataset, "difficulty": c.cell.Difficulty}
			if c.templates != "" {
				labels["template"] = c.templates[i : i+1]
			}

			task := envs.Task{ID: fmt.Sprint(i), Labels: labels, Question: fmt.Sprintf("Question %d?", i)}
			j.Tasks = append(j.Tasks, task)

			e := trajectories.Episode{Status: "terminated"}
			e.Policy, e.DeployedAPI, e.QuestionID, e.Labels = c.cell.Policy, c.cell.API, task.ID, labels
			e.Official, e.Strict = v == '1', v == '1'

			if v == '-' {
				e.Lost = "gone"
			}

			episodes = append(episodes, e)
		}

		jobs = append(jobs, j)
	}
	return jobs, func(yield func(trajectories.Episode, error) bool) {
		for _, e := range episodes {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func reported(t *testing.T, cells ...answered) *finetune.Report {
	t.Helper()

	r, err := finetune.Summarise(played(cells))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// correct is verdicts of which so many of 100 are correct.
func correct(n int) string {
	verdicts := make([]byte, 100)
	for i := range verdicts {
		verdicts[i] = '0'
		if i < n {
			verdicts[i] = '1'
		}
	}

	return string(verdicts)
}

// Llama3's easy accuracies in Table 2 have the mean 468/7 = 66.86, not the 66.7 that is printed;
// its hard ones 30.36.
func TestSummaryOfTable2(t *testing.T) {
	var cells []answered

	for difficulty, accuracies := range map[string][]int{
		"easy": {70, 96, 88, 49, 69, 1, 95},
		"hard": {57, 30, 2, 34, 36, 3, 51},
	} {
		for i, dataset := range []string{"agenda", "airbnb", "coffee", "dblp", "flights", "scirex", "yelp"} {
			cell := finetune.Cell{Policy: "toolevo", API: "p_c", Dataset: dataset, Difficulty: difficulty}
			cells = append(cells, answered{cell: cell, verdicts: correct(accuracies[i])})
		}
	}

	means := map[string]float64{"easy": 468. / 700, "hard": 213. / 700, "all": 681. / 1400}

	for _, s := range reported(t, cells...).Summaries {
		if math.Abs(s.Official-means[s.Difficulty]) > 1e-12 || s.OfficialLow > s.Official ||
			s.OfficialHigh < s.Official || s.OfficialHigh-s.OfficialLow > 0.1 {
			t.Errorf("%s: %v [%v, %v], want %v", s.Difficulty, s.Official, s.OfficialLow, s.OfficialHigh,
				means[s.Difficulty])
		}

		delete(means, s.Difficulty)
	}

	if len(means) > 0 {
		t.Errorf("no summary of %v", means)
	}
}

// A dataset weighs the same however many questions it has, one without a measured question does not
// count, and questions of one template are drawn together.
func TestSummaryWeighsDatasets(t *testing.T) {
	cell := func(dataset string) finetune.Cell {
		return finetune.Cell{Policy: "p", API: "p_c", Dataset: dataset, Difficulty: "easy"}
	}

	r := reported(t,
		answered{cell("large"), "11110000", "aaaabbbb"},
		answered{cell("small"), "1-", "aa"},
		answered{cell("lost"), "--", "aa"},
	)

	s := r.Summaries[0]
	if len(r.Summaries) != 1 || s.Difficulty != "easy" || s.Cells != 2 || s.N != 9 || s.Lost != 3 ||
		s.Official != 0.75 {
		t.Errorf("%+v", r.Summaries)
	}

	// What eight questions of two templates tell is worth less than three independent ones.
	if s.OfficialLow > 0.2 || s.OfficialHigh < 0.95 {
		t.Errorf("interval %v to %v of three templates", s.OfficialLow, s.OfficialHigh)
	}
}

// McNemar's exact test of 6 against 1 is 2·(1+7)/128; Holm adjusts among policies apart from among
// versions.
func TestComparisons(t *testing.T) {
	cell := func(policy, api string) finetune.Cell {
		return finetune.Cell{Policy: policy, API: api, Dataset: "coffee", Difficulty: "easy"}
	}

	r := reported(t,
		answered{cell: cell("a", "p_c"), verdicts: "11111011-1"},
		answered{cell: cell("b", "p_c"), verdicts: "0000011110"},
		answered{cell: cell("a", "p_s_in"), verdicts: "0000000000"},
	)

	a, b, moved := finetune.Contender{Policy: "a", API: "p_c"}, finetune.Contender{Policy: "b", API: "p_c"},
		finetune.Contender{Policy: "a", API: "p_s_in"}

	want := []finetune.Comparison{
		{
			Between: finetune.BetweenPolicies, First: a, Second: b, Paired: tabulate.Paired{
				N: 9, Both: 2, OnlyFirst: 6, OnlySecond: 1, Difference: -5. / 9, P: 0.125, PHolm: 0.125, Chi2: 16. / 7,
			},
		},
		{
			Between: finetune.BetweenVersions, First: a, Second: moved, Paired: tabulate.Paired{
				N: 9, OnlyFirst: 8, Difference: -8. / 9, P: 0.0078125, PHolm: 0.0078125, Chi2: 49. / 8,
			},
		},
	}
	for i := range r.Comparisons {
		r.Comparisons[i].PCorrected = 0 // held by the tests of the statistics
	}

	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, r.Comparisons, near); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Two policies that are equally good are told apart by chance at most as often as the level says:
// among three versions, in 100 evaluations, in at most 5 and what a binomial count strays.
func TestEqualPoliciesAreNotToldApart(t *testing.T) {
	found := 0
	templates := strings.Repeat("a", 100)

	for seed := range uint64(100) {
		source := rand.New(rand.NewPCG(seed, 16))

		var cells []answered

		for _, api := range []string{"p_c", "p_s_in", "p_s_ood"} {
			for _, policy := range []string{"first", "second"} {
				verdicts := make([]byte, 100)
				for i := range verdicts {
					verdicts[i] = "01"[source.IntN(2)]
				}

				cell := finetune.Cell{Policy: policy, API: api, Dataset: "coffee", Difficulty: "easy"}
				// Intervals, which nothing here asks for, are found a hundred times as fast with
				// one template.
				cells = append(cells, answered{cell: cell, verdicts: string(verdicts), templates: templates})
			}
		}

		for _, c := range reported(t, cells...).Comparisons {
			if c.Between == finetune.BetweenPolicies && c.PHolm <= 0.05 {
				found++
				break
			}
		}
	}

	if found > 9 {
		t.Errorf("a difference in %d of 100 evaluations of equal policies", found)
	}
}

// The hash is of what is asked and answered, in whatever order.
func TestTaskSet(t *testing.T) {
	a := trajectories.Question{ID: "1", Text: "When?", Gold: "now"}
	b := trajectories.Question{ID: "2", Text: "Where?", Gold: "here"}
	other := b
	other.Gold = "there"

	all := finetune.TaskSet([]trajectories.Question{a, b})
	if again := finetune.TaskSet([]trajectories.Question{b, a}); all != again || len(all) != 64 {
		t.Errorf("%s, and in another order %s", all, again)
	}

	for _, others := range [][]trajectories.Question{{a}, {a, other}, {a, b, b}, nil} {
		if finetune.TaskSet(others) == all {
			t.Errorf("%v have the same hash", others)
		}
	}
}

// interval is that of n questions of a template each, of which some are right.
func interval(right, n int) (low, high float64) {
	clusters := make([]tabulate.Cluster, n)
	for i := range clusters {
		clusters[i].Trials = 1
		if i < right {
			clusters[i].Successes = 1
		}
	}

	r := tabulate.RateOf(clusters)
	return r.Low, r.High
}
