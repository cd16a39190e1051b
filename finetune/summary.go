package finetune

import (
	"math/rand/v2"
	"slices"

	"toolevo/finetune/statistics"
	"toolevo/finetune/table"
)

// resamples is how often the bootstrap of a summary draws: its ends then vary by about a tenth of its width.
const resamples = 2000

// Summary is the accuracies of a policy under an API version over several datasets, each of which weighs the same,
// as in the column Average of the paper's Tables 2 to 4. The intervals are 95 % percentile bootstrap intervals:
// within each dataset and difficulty, templates are drawn with replacement. Where those of a dataset are all alike, or
// there is only one, they have no width, for there is nothing to choose from: that is not certainty.
type Summary struct {
	Contender
	Difficulty string `json:"difficulty"` // of its questions; "all" is every one, each dataset's weighing the same
	Cells      int    `json:"cells"`      // datasets and difficulties that the means are over: those with a measured question
	N          int    `json:"n"`          // questions measured
	Lost       int    `json:"lost"`       // questions lost to infrastructure failures, in no other figure

	Official     float64 `json:"official"`      // right by the benchmark's matcher, mean over the cells
	OfficialLow  float64 `json:"official_low"`  // lower end of the 95 % bootstrap interval
	OfficialHigh float64 `json:"official_high"` // upper end
	Strict       float64 `json:"strict"`        // right by the strict matcher, mean over the cells
	StrictLow    float64 `json:"strict_low"`    // lower end of the 95 % bootstrap interval
	StrictHigh   float64 `json:"strict_high"`   // upper end
	Turns        float64 `json:"turns"`         // mean turns of an episode, mean over the cells

	// mean tokens that the policy wrote in an episode, mean over the cells, if counted
	Tokens float64 `json:"tokens,omitempty"`

	// share of turns that repeat a failure, mean over the cells
	RepeatedShare float64 `json:"repeated_share"`
}

// summaries returns those of rows and the answers that they count: of each difficulty, and of all where there are
// several or none is named. Contenders are in their order.
func summaries(rows []Row, a *answers) []Summary {
	difficulties := table.Distinct(rows, func(r Row) string { return r.Difficulty })
	if len(difficulties) != 1 || difficulties[0] == "" {
		difficulties = append(slices.DeleteFunc(difficulties, func(d string) bool { return d == "" }), all)
	}

	var means []Summary

	for _, difficulty := range difficulties {
		for _, c := range a.contenders {
			means = append(means, summaryOf(rows, a, c, difficulty))
		}
	}

	return means
}

func summaryOf(rows []Row, a *answers, c Contender, difficulty string) Summary {
	s := Summary{Contender: c, Difficulty: difficulty}

	for _, r := range rows {
		if (Contender{r.Policy, r.API}) != c || difficulty != all && r.Difficulty != difficulty {
			continue
		}

		s.N += r.N
		s.Lost += r.Lost
		s.Turns += r.Turns
		s.Tokens += r.Tokens
		s.RepeatedShare += r.RepeatedShare
	}

	official, strict := a.strata(c, byOfficial, difficulty), a.strata(c, byStrict, difficulty)
	s.Official, s.Cells = statistics.MacroMean(official)
	s.Strict, _ = statistics.MacroMean(strict)
	s.OfficialLow, s.OfficialHigh = statistics.Bootstrap(official, resamples, draws())
	s.StrictLow, s.StrictHigh = statistics.Bootstrap(strict, resamples, draws())
	s.Turns /= float64(max(s.Cells, 1))
	s.Tokens /= float64(max(s.Cells, 1))
	s.RepeatedShare /= float64(max(s.Cells, 1))

	return s
}

// draws is the source of every bootstrap: the same answers have the same interval in whatever company they are.
func draws() *rand.Rand { return rand.New(rand.NewPCG(2025, 1)) }

// figures are the summary's as a row has them.
func (s Summary) figures() Row {
	return Row{
		Cell: Cell{Policy: s.Policy, API: s.API, Dataset: "mean", Difficulty: s.Difficulty},
		N:    s.N, Lost: s.Lost, Turns: s.Turns, Tokens: s.Tokens, RepeatedShare: s.RepeatedShare,
		Official: s.Official, OfficialLow: s.OfficialLow, OfficialHigh: s.OfficialHigh,
		Strict: s.Strict, StrictLow: s.StrictLow, StrictHigh: s.StrictHigh,
	}
}
