package finetune

import (
	"fmt"
	"iter"

	"toolevo/envs"
	"toolevo/finetune/statistics"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// Report is the outcome of an evaluation. What its figures depend on beside their cells the caller fills in.
type Report struct {
	Rows []Row `json:"rows"` // a row for each cell: dataset and difficulty, policy, API version

	// in the order of the rows, those of each cell by template; none where questions have no templates
	Templates []TemplateRow `json:"templates,omitempty"`

	// accuracies over the datasets, by difficulty and over all, for each policy and API version
	Summaries []Summary `json:"summaries,omitempty"`

	// paired comparisons of every two policies under an API version, and of every two versions of a policy
	Comparisons []Comparison `json:"comparisons,omitempty"`

	// SHA-256 of the questions and their right answers: results on other questions cannot be compared with these
	TaskSet string `json:"task_set,omitempty"`

	// what calls were told that the deployed version did not take; "" of several evaluations
	Feedback string `json:"feedback,omitempty"`

	// what ran model-written programs, in words; more than one when they were mixed
	Engines  []string `json:"engines,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // what a reader must know, a sentence each
}

// Row is one cell's figures. Accuracies are proportions in 0..1 of the N questions that were not lost. Where each has
// several sampled episodes they are means over those, and the intervals those of N questions: a second episode tells
// nothing about other questions.
type Row struct {
	Cell
	N    int `json:"n"`    // questions measured
	Lost int `json:"lost"` // episodes lost to infrastructure failures, in no other figure

	Official     float64 `json:"official"`      // right by the benchmark's matcher
	OfficialLow  float64 `json:"official_low"`  // lower end of the 95 % Wilson interval
	OfficialHigh float64 `json:"official_high"` // upper end
	Strict       float64 `json:"strict"`        // right by the strict matcher
	StrictLow    float64 `json:"strict_low"`    // lower end of the 95 % Wilson interval
	StrictHigh   float64 `json:"strict_high"`   // upper end

	Unanswered int `json:"unanswered"` // episodes that ended without an answer
	// of those, the ones whose prompt no longer fit the context window
	TooLong int `json:"too_long"`
	Silent  int `json:"silent"` // of those, the ones in which the policy wrote nothing more
	// share of episodes from whose first turn no action could be read
	FirstUnreadable float64        `json:"first_unreadable,omitempty"`
	Turns           float64        `json:"turns"`            // mean turns of an episode
	Tokens          float64        `json:"tokens,omitempty"` // mean tokens that the policy wrote in an episode, if counted
	Outcomes        map[string]int `json:"outcomes"`         // turns by outcome
	// turns that make a call again that failed in the same way before, with no ok turn between
	RepeatedTurns int      `json:"repeated_turns"`
	RepeatedShare float64  `json:"repeated_share"`       // their share of all turns
	FirstLoss     string   `json:"first_loss,omitempty"` // the failure to which the first question was lost
	Repeats       *Repeats `json:"repeats,omitempty"`    // of several sampled episodes of each question
}

// Summarise returns the report on the episodes of an evaluation: a row for each job that has some,
// in their order, and summaries and comparisons. An episode of no job is an error, and so is the
// first of episodes. Memory grows by a byte for each episode.
func Summarise(jobs []Job, episodes iter.Seq2[trajectories.Episode, error]) (*Report, error) {
	report, _, err := summarise(jobs, episodes)

	return report, err
}

// summarise returns the report, and the answers that it is about.
func summarise(jobs []Job, episodes iter.Seq2[trajectories.Episode, error]) (*Report, *answers, error) {
	sums, given, places := make([]*sum, len(jobs)), newAnswers(jobs), newPlaces(jobs)
	for i, j := range jobs {
		sums[i] = newSum(j.Cell, j.Repeats)
	}

	for e, err := range episodes {
		if err != nil {
			return nil, nil, err
		}

		i, err := places.of(&e)
		if err != nil {
			return nil, nil, err
		}

		sums[i].add(&e)
		given.add(sums[i].Cell, &e)

		if template := e.Labels[envs.LabelTemplate]; template != "" {
			sums[i].template(template).add(&e)
		}
	}

	report := &Report{Rows: []Row{}}
	for _, s := range sums {
		if s.episodes+s.Lost == 0 {
			continue
		}

		report.Rows = append(report.Rows, s.row())
		report.Templates = append(report.Templates, s.templateRows()...)
	}

	report.Summaries = summaries(report.Rows, given)
	report.Comparisons = given.compareAll()

	return report, given, nil
}

// places are the jobs that episodes belong to, by policy, met version, dataset and difficulty.
type places map[Cell]int

func newPlaces(jobs []Job) places {
	p := make(places, len(jobs))

	for i, j := range jobs {
		for _, version := range j.versions() {
			p[Cell{j.Cell.Policy, version, j.Cell.Dataset, j.Cell.Difficulty}] = i
		}
	}

	return p
}

// of returns the index of an episode's job. That there is none is an error.
func (p places) of(e *trajectories.Episode) (int, error) {
	i, ok := p[CellOf(e.Policy, e.DeployedAPI, e.Labels)]
	if !ok {
		return 0, fmt.Errorf("finetune: the evaluation has no episode of %s under %s about question %s", e.Policy,
			e.DeployedAPI, e.QuestionID)
	}

	return i, nil
}

// sum is what the episodes of a cell add up to.
type sum struct {
	Row                             // its counts
	episodes                        int
	official, strict, turns, tokens int
	firstUnreadable                 int
	attempts                        *attempts       // nil where each question has one episode
	templates                       map[string]*sum // of its questions, by template
}

func newSum(c Cell, repeats int) *sum {
	s := &sum{Row: Row{Cell: c, Outcomes: map[string]int{}}}
	if repeats > 1 {
		s.attempts = newAttempts(repeats)
	}

	return s
}

func (s *sum) add(e *trajectories.Episode) {
	if e.Lost != "" {
		if s.Lost++; s.FirstLoss == "" {
			s.FirstLoss = e.Lost
		}

		return
	}

	s.episodes++
	s.N = s.episodes

	if s.attempts != nil {
		s.N = s.attempts.add(e)
	}

	for _, count := range []struct {
		holds bool
		n     *int
	}{
		{e.Official, &s.official},
		{e.Strict, &s.strict},
		{e.Status != envs.Terminated.String(), &s.Unanswered},
		{e.Limit == string(mcts.LimitContext), &s.TooLong},
		{e.Limit == string(mcts.LimitSilence), &s.Silent},
		{len(e.Turns) > 0 && e.Turns[0].Unreadable(), &s.firstUnreadable},
	} {
		if count.holds {
			*count.n++
		}
	}

	s.turns += len(e.Turns)
	s.tokens += e.Tokens
	s.RepeatedTurns += trajectories.RepeatedFailures(e.Turns)

	for _, t := range e.Turns {
		s.Outcomes[t.Outcome.String()]++
	}
}

// row completes the row.
func (s *sum) row() Row {
	n := float64(max(s.episodes, 1))
	s.Official, s.Strict = float64(s.official)/n, float64(s.strict)/n
	s.FirstUnreadable = float64(s.firstUnreadable) / n
	s.Turns, s.Tokens = float64(s.turns)/n, float64(s.tokens)/n
	s.RepeatedShare = float64(s.RepeatedTurns) / float64(max(s.turns, 1))
	s.OfficialLow, s.OfficialHigh = statistics.WilsonOf(s.Official, s.N)
	s.StrictLow, s.StrictHigh = statistics.WilsonOf(s.Strict, s.N)

	if s.attempts != nil {
		s.Repeats = s.attempts.figures()
	}

	return s.Row
}
