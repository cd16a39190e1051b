package finetune

import (
	"cmp"
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strings"

	"toolevo/finetune/facts"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

//go:embed tables.yaml
var tablesYAML []byte

// tables describes the tables of reports.
var tables = tabulate.Embedded(tablesYAML, []string{"facts"},
	[]string{"terminal", "cells", "comparisons", "templates", "markdown", "latex", "rescored"})

// Report is the outcome of an evaluation. The caller fills in what its figures depend on besides
// their cells.
type Report struct {
	Rows []Row `json:"rows"` // a row for each cell: dataset and difficulty, policy, API version

	// over all questions, of which each weighs the same, for each policy and API version
	Overall []Row `json:"overall,omitempty"`

	// in the order of the rows, those of each cell by template; none where questions have no
	// templates
	Templates []TemplateRow `json:"templates,omitempty"`

	// accuracies over the datasets, by difficulty and over all, for each policy and API version
	Summaries []Summary `json:"summaries,omitempty"`

	// paired comparisons of every two policies under an API version, and of every two versions of a
	// policy
	Comparisons []Comparison `json:"comparisons,omitempty"`

	// the rows of the tables that are only shown, by their names in tables.yaml
	Tables map[string][]tabulate.Row `json:"-"`

	// SHA-256 of the questions and their right answers: results on other questions cannot be
	// compared with these
	TaskSet string `json:"task_set,omitempty"`

	// what the agent was told about a call that the deployed version rejected; "" of several
	// evaluations
	Feedback string `json:"feedback,omitempty"`

	// what ran model-written programs, in words; more than one when they were mixed
	Engines  []string `json:"engines,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // what a reader must know, a sentence each
}

// Row is one cell's figures. Accuracies are proportions in 0..1 of the N questions that were not
// lost. Where each has several sampled episodes they are means over those. Intervals are 95 %
// Korn–Graubard intervals, clustered by question template: see package tabulate.
type Row struct {
	Cell
	N        int `json:"n"`        // questions measured
	Measured int `json:"measured"` // episodes measured
	Lost     int `json:"lost"`     // episodes lost to infrastructure failures, in no other figure

	Official     float64 `json:"official"`      // right by the benchmark's matcher
	OfficialLow  float64 `json:"official_low"`  // lower end of its interval
	OfficialHigh float64 `json:"official_high"` // upper end
	Strict       float64 `json:"strict"`        // right by the strict matcher
	StrictLow    float64 `json:"strict_low"`    // lower end of its interval
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

// Summary is the accuracies of a policy under an API version over several datasets, each of which
// weighs the same, as in the column Average of the paper's Tables 2 to 4.
type Summary struct {
	Contender
	Difficulty string `json:"difficulty"` // of its questions; "all" is every one, each dataset's weighing the same
	Cells      int    `json:"cells"`      // datasets and difficulties that the means are over: those with a measured question
	N          int    `json:"n"`          // questions measured
	Measured   int    `json:"measured"`   // episodes measured
	Lost       int    `json:"lost"`       // episodes lost to infrastructure failures, in no other figure

	Official     float64 `json:"official"`      // right by the benchmark's matcher, mean over the cells
	OfficialLow  float64 `json:"official_low"`  // lower end of its interval
	OfficialHigh float64 `json:"official_high"` // upper end
	Strict       float64 `json:"strict"`        // right by the strict matcher, mean over the cells
	StrictLow    float64 `json:"strict_low"`    // lower end of its interval
	StrictHigh   float64 `json:"strict_high"`   // upper end
	Turns        float64 `json:"turns"`         // mean turns of an episode, mean over the cells

	// mean tokens that the policy wrote in an episode, mean over the cells, if counted
	Tokens float64 `json:"tokens,omitempty"`

	// share of turns that repeat a failure, mean over the cells
	RepeatedShare float64 `json:"repeated_share"`
}

// TemplateRow is the figures of the questions of one template in a cell.
type TemplateRow struct {
	Template string `json:"template"` // e.g. "coffee-easy/open"
	Cell
	N    int `json:"n"`    // questions measured
	Lost int `json:"lost"` // episodes lost to infrastructure failures, in no other figure

	Official     float64 `json:"official"`      // right by the benchmark's matcher
	OfficialLow  float64 `json:"official_low"`  // lower end of its interval, clustered by question
	OfficialHigh float64 `json:"official_high"` // upper end
	Strict       float64 `json:"strict"`        // right by the strict matcher
	Turns        float64 `json:"turns"`         // mean turns of an episode
}

// Summarise returns the report on the episodes of an evaluation: a row for each job that has some,
// and summaries and comparisons, in the order of the episodes. An episode of no job is an error,
// and so is the first of episodes.
func Summarise(jobs []Job, episodes iter.Seq2[trajectories.Episode, error]) (*Report, error) {
	all, err := factsOf(jobs, episodes)
	if err != nil {
		return nil, err
	}
	return ReportOf(all), nil
}

// factsOf returns the facts of the episodes of jobs.
func factsOf(jobs []Job, episodes iter.Seq2[trajectories.Episode, error]) ([]facts.Fact, error) {
	var all []facts.Fact

	places := newPlaces(jobs)

	for e, err := range episodes {
		if err != nil {
			return nil, err
		}

		i, err := places.index(&e)
		if err != nil {
			return nil, err
		}

		all = append(all, facts.Of(&e, jobs[i].Cell.API, nil))
	}
	return all, nil
}

// ReportOf returns the report on episodes, in their order.
func ReportOf(all []facts.Fact) *Report {
	source := tabulate.Of(all)
	report := &Report{Rows: tabulate.As[Row](tables().Tables["evaluation"].Rows(source))}
	addRepeats(report.Rows, all)

	report.Overall = tabulate.As[Row](tables().Tables["overall"].Rows(source))
	report.Overall = slices.DeleteFunc(report.Overall, func(r Row) bool {
		return r.Dataset != tabulate.All
	})
	addRepeats(report.Overall, nil)
	report.Summaries = tabulate.As[Summary](tables().Tables["summaries"].Rows(source))
	report.Summaries = slices.DeleteFunc(report.Summaries, func(s Summary) bool {
		return s.Difficulty == ""
	})
	report.Templates = templateRows(report.Rows, all)
	report.Comparisons = compareAll(all)
	report.Tables = tables().Rows(map[string]*tabulate.Source{"facts": source})
	report.ByCell(all)

	return report
}

// ByCell makes the table by cells of drift from the same episodes, once it is known which versions
// they met. Where there is one cell, the other tables are about it.
func (r *Report) ByCell(all []facts.Fact) {
	r.Tables["cells"] = []tabulate.Row{}
	if slices.ContainsFunc(all, facts.Fact.IsSubtle) {
		r.Tables["cells"] = tables().Tables["cells"].Rows(tabulate.Of(all))
	}
}

// templateRows returns the figures of templates, in the order of the rows.
func templateRows(rows []Row, all []facts.Fact) []TemplateRow {
	all = slices.DeleteFunc(slices.Clone(all), func(f facts.Fact) bool { return f.Template == "" })
	templates := tabulate.As[TemplateRow](tables().Tables["templates"].Rows(tabulate.Of(all)))

	place := map[Cell]int{}
	for i, row := range rows {
		place[row.Cell] = i
	}

	slices.SortStableFunc(templates, func(a, b TemplateRow) int {
		return cmp.Or(place[a.Cell]-place[b.Cell], strings.Compare(a.Template, b.Template))
	})
	return templates
}

// Mean returns the mean over all datasets of a policy and API version, and whether there is one.
func (r *Report) Mean(c Contender) (Summary, bool) {
	for _, s := range slices.Backward(r.Summaries) { // the one of all difficulties is the last
		if s.Contender == c {
			return s, true
		}
	}

	return Summary{}, false
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

// index returns the index of an episode's job. An episode of no job is an error.
func (p places) index(e *trajectories.Episode) (int, error) {
	i, ok := p[CellOf(e.Policy, e.DeployedAPI, e.Labels)]
	if !ok {
		return 0, fmt.Errorf("finetune: the evaluation has no episode of %s under %s about question %s", e.Policy,
			e.DeployedAPI, e.QuestionID)
	}

	return i, nil
}
