package finetune

import (
	"fmt"

	"toolevo/finetune/statistics"
	"toolevo/finetune/table"
	"toolevo/trajectories"
)

// Repeats is what several sampled episodes of each question add, by the official matcher.
type Repeats struct {
	Episodes  int       `json:"episodes"`  // of each question
	Deviation float64   `json:"deviation"` // sample standard deviation of the accuracies of the repeats
	PassAt    []float64 `json:"pass_at"`   // pass@k for k = 1, 2, …: at least one of k episodes is right
	PassAll   []float64 `json:"pass_all"`  // pass^k for k = 1, 2, …: all of k episodes are right
}

// attempts counts the right episodes of each repeat and of each question.
type attempts struct {
	byRepeat   []statistics.Cluster
	byQuestion []statistics.Cluster
	places     map[string]int // of questions
}

func newAttempts(repeats int) *attempts {
	return &attempts{byRepeat: make([]statistics.Cluster, repeats), places: map[string]int{}}
}

// add counts an episode, and returns of how many questions there are some.
func (a *attempts) add(e *trajectories.Episode) int {
	place, ok := a.places[e.QuestionID]
	if !ok {
		place = len(a.byQuestion)
		a.places[e.QuestionID] = place
		a.byQuestion = append(a.byQuestion, statistics.Cluster{})
	}

	for _, c := range []*statistics.Cluster{&a.byRepeat[e.Repeat], &a.byQuestion[place]} {
		c.Trials++
		if e.Official {
			c.Successes++
		}
	}

	return len(a.byQuestion)
}

// figures are means over the questions; of pass@k and pass^k over those with k episodes that were not lost.
func (a *attempts) figures() *Repeats {
	r := &Repeats{Episodes: len(a.byRepeat)}

	var accuracies []float64

	for _, c := range a.byRepeat {
		if c.Trials > 0 {
			accuracies = append(accuracies, float64(c.Successes)/float64(c.Trials))
		}
	}

	_, r.Deviation = statistics.MeanStdDev(accuracies)

	for k := 1; k <= r.Episodes; k++ {
		var at, all []float64

		for _, c := range a.byQuestion {
			if c.Trials >= k {
				at = append(at, statistics.PassAt(k, c.Trials, c.Successes))
				all = append(all, statistics.PassAll(k, c.Trials, c.Successes))
			}
		}

		passAt, _ := statistics.MeanStdDev(at)
		passAll, _ := statistics.MeanStdDev(all)
		r.PassAt, r.PassAll = append(r.PassAt, passAt), append(r.PassAll, passAll)
	}

	return r
}

// repeatTable is a line for each row that has repeats, the accuracy with its standard deviation.
func (r *Report) repeatTable() table.Table {
	t := table.Table{
		Title: "Several sampled episodes of each question: mean official accuracy, its standard deviation among the " +
			"repeats,\nand how many questions at least one of all episodes, and every one, answered correctly, in " +
			"percent.",
		Heads: []string{"policy", "api", "data", "episodes", "mean", "sd", "pass@all", "pass^all"},
		Words: 3,
	}

	for _, row := range r.Rows {
		if f := row.Repeats; f != nil {
			t.Lines = append(t.Lines, []string{
				row.Policy, row.API, row.data(), fmt.Sprint(f.Episodes), row.percent(row.Official),
				row.percent(f.Deviation), row.percent(f.PassAt[f.Episodes-1]), row.percent(f.PassAll[f.Episodes-1]),
			})
		}
	}

	return t
}
