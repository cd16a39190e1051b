package robustness

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"toolevo/finetune/statistics"
	"toolevo/finetune/table"
)

// All is the dataset or difficulty of every question.
const All = "all"

// Report is the outcome of an experiment.
type Report struct {
	Rows       []Row        `json:"rows"`       // by feedback, policy and setting; of each, by dataset and difficulty
	Statistics []Statistics `json:"statistics"` // by feedback, policy and setting
}

// Row is the pass rate of a condition on the questions of a dataset and difficulty.
type Row struct {
	Condition
	Dataset    string `json:"dataset"`    // of its questions; "all" is every one
	Difficulty string `json:"difficulty"` // of its questions; "all" is every one
	N          int    `json:"n"`          // questions measured
	Lost       int    `json:"lost"`       // questions lost to infrastructure failures, in no other figure

	PassRate float64 `json:"pass_rate"` // share of the questions, 0..1
	Low      float64 `json:"low"`       // lower end of the 95 % Wilson interval
	High     float64 `json:"high"`      // upper end

	Change *Change `json:"change,omitempty"` // against the baseline of the same policy and feedback; of other settings
}

// Change is the pass rate of a setting against that of the baseline, on the same questions.
type Change struct {
	N            int `json:"n"`             // questions that both measured
	OnlyBaseline int `json:"only_baseline"` // that passed in most episodes of the baseline only
	OnlySetting  int `json:"only_setting"`  // that passed in most episodes of the setting only

	// in relation to the baseline, -0.25 of a quarter less, with its 95 % bootstrap interval; nil where nothing passed
	Relative *Relative `json:"relative,omitempty"`

	P     float64 `json:"p"`      // of McNemar's exact test, two-sided
	PHolm float64 `json:"p_holm"` // adjusted among the settings of the policy and feedback on these questions
}

// Relative is a change in relation to what was.
type Relative struct {
	Change float64 `json:"change"` // the difference, divided by what was
	Low    float64 `json:"low"`    // lower end of the interval
	High   float64 `json:"high"`   // upper end
}

// Statistics are how the episodes of a condition went.
type Statistics struct {
	Condition
	Episodes int `json:"episodes"` // that were not lost
	Lost     int `json:"lost"`     // to infrastructure failures, in no other figure
	Answered int `json:"answered"` // episodes that ended with an answer

	Turns  float64 `json:"turns"`            // mean of an episode
	Tokens float64 `json:"tokens,omitempty"` // mean tokens that the policy wrote in an episode, if counted
	Calls  float64 `json:"calls"`            // mean calls of tools in an episode

	Valid     float64 `json:"valid"`      // share of the calls that the deployed version took
	ValidLow  float64 `json:"valid_low"`  // lower end of the 95 % bootstrap interval
	ValidHigh float64 `json:"valid_high"` // upper end

	Refused        int     `json:"refused"`         // episodes in which a tool was refused
	Recovered      int     `json:"recovered"`       // of those, the ones in which every such tool recovered
	ToolsRefused   int     `json:"tools_refused"`   // each once an episode
	ToolsRecovered float64 `json:"tools_recovered"` // share of them
	RecoveredLow   float64 `json:"recovered_low"`   // lower end of the 95 % bootstrap interval
	RecoveredHigh  float64 `json:"recovered_high"`  // upper end

	Outcomes map[string]int `json:"outcomes"` // turns by outcome

	turns, tokens int
}

// resamples is how often a bootstrap draws.
const resamples = 1000

// draws is the source of every bootstrap: the same episodes have the same interval in whatever company they are.
func draws() *rand.Rand { return rand.New(rand.NewPCG(2025, 2)) }

// Report returns what the episodes so far come to.
func (r *Results) Report() *Report {
	report := &Report{}
	datasets := r.withAll(func(q questionKey) string { return q.dataset })
	difficulties := r.withAll(func(q questionKey) string { return q.difficulty })

	for _, c := range r.sortedConditions() {
		for _, dataset := range datasets {
			for _, difficulty := range difficulties {
				report.Rows = append(report.Rows, r.row(c, dataset, difficulty))
			}
		}

		report.Statistics = append(report.Statistics, r.sums[c].complete())
	}

	adjust(report.Rows)

	return report
}

// withAll are the values of a label in alphabetical order, and "all": of one value that alone.
func (r *Results) withAll(label func(questionKey) string) []string {
	values := table.Distinct(r.questions, label)
	slices.Sort(values)

	if len(values) == 1 {
		return []string{All}
	}

	return append(values, All)
}

// chosen are the places of the questions of a dataset and difficulty.
func (r *Results) chosen(dataset, difficulty string) []int {
	var places []int

	for place, q := range r.questions {
		if (dataset == All || q.dataset == dataset) && (difficulty == All || q.difficulty == difficulty) {
			places = append(places, place)
		}
	}

	// Episodes may come in any order; what is drawn from them does not depend on it.
	slices.SortFunc(places, func(a, b int) int {
		p, q := r.questions[a], r.questions[b]
		return cmp.Or(cmp.Compare(p.dataset, q.dataset), cmp.Compare(p.difficulty, q.difficulty),
			cmp.Compare(p.id, q.id))
	})

	return places
}

func (r *Results) row(c Condition, dataset, difficulty string) Row {
	s, row := r.sums[c], Row{Condition: c, Dataset: dataset, Difficulty: difficulty}
	passed := 0.0

	places := r.chosen(dataset, difficulty)
	for _, place := range places {
		if v := s.verdicts[place]; v.measured > 0 {
			row.N++
			passed += v.share()
		} else if s.lost[place] > 0 {
			row.Lost++
		}
	}

	row.PassRate = passed / float64(max(row.N, 1))
	row.Low, row.High = statistics.WilsonOf(row.PassRate, row.N)

	base := r.sums[Condition{c.Policy, c.Feedback, Setting{Baseline, string(Baseline)}}]
	if c.Kind != Baseline && base != nil {
		row.Change = change(base, s, places)
	}

	return row
}

// change compares a setting with the baseline.
func change(base, setting *sum, places []int) *Change {
	var (
		c             Change
		before, after []float64
	)

	for _, place := range places {
		was, is := base.verdicts[place], setting.verdicts[place]
		if was.measured == 0 || is.measured == 0 {
			continue
		}

		before, after = append(before, was.share()), append(after, is.share())

		switch passed, passes := was.share() > 0.5, is.share() > 0.5; {
		case passed && !passes:
			c.OnlyBaseline++
		case passes && !passed:
			c.OnlySetting++
		}
	}

	c.N = len(before)
	c.P = statistics.McNemarExact(c.OnlyBaseline, c.OnlySetting)

	if relative, low, high, ok := statistics.RelativeChange(before, after, resamples, draws()); ok {
		c.Relative = &Relative{relative, low, high}
	}

	return &c
}

// adjust corrects the p-values of the settings of each policy and feedback, on the same questions.
func adjust(rows []Row) {
	type family struct{ policy, feedback, dataset, difficulty string }

	families := map[family][]*Change{}

	for i := range rows {
		if row := &rows[i]; row.Change != nil {
			f := family{row.Policy, row.Feedback, row.Dataset, row.Difficulty}
			families[f] = append(families[f], row.Change)
		}
	}

	for _, changes := range families {
		p := make([]float64, len(changes))
		for i, c := range changes {
			p[i] = c.P
		}

		for i, adjusted := range statistics.Holm(p) {
			changes[i].PHolm = adjusted
		}
	}
}

// complete returns the statistics with what their counts come to.
func (s *sum) complete() Statistics {
	st := s.statistics
	for _, n := range s.lost {
		st.Lost += n
	}

	mean := func(sum int) float64 { return float64(sum) / float64(max(st.Episodes, 1)) }
	calls, tools := total(s.calls), total(s.refused)

	st.Turns, st.Tokens, st.Calls = mean(st.turns), mean(st.tokens), mean(calls.all)
	st.Valid, st.ValidLow, st.ValidHigh = share(s.calls)
	st.ToolsRefused = tools.all
	st.ToolsRecovered, st.RecoveredLow, st.RecoveredHigh = share(s.refused)

	return st
}

func total(all []tally) (sum tally) {
	for _, t := range all {
		sum.good, sum.all = sum.good+t.good, sum.all+t.all
	}

	return sum
}

// share returns the share of what is good, and its interval: episodes are drawn, for what is in one belongs together.
func share(all []tally) (share, low, high float64) {
	clusters := make([]statistics.Cluster, len(all))
	for i, t := range all {
		clusters[i] = statistics.Cluster{Successes: t.good, Trials: t.all}
	}

	// Episodes may come in any order.
	slices.SortFunc(clusters, func(a, b statistics.Cluster) int {
		return cmp.Or(cmp.Compare(a.Trials, b.Trials), cmp.Compare(a.Successes, b.Successes))
	})

	share, _ = statistics.MacroMean([][]statistics.Cluster{clusters})
	low, high = statistics.Bootstrap([][]statistics.Cluster{clusters}, resamples, draws())

	return share, low, high
}
