package judge

import (
	"cmp"
	"slices"
	"strings"

	"toolevo/finetune"
	"toolevo/trajectories"
)

// Report is what judges said, added up.
type Report struct {
	Judge  trajectories.Maker `json:"judge"`          // who judged, and by which prompts
	Passes int                `json:"passes"`         // of SoPR, and rounds of SoWR
	Rows   []Row              `json:"rows"`           // by agent and group: of all queries, and by exposure to drift
	Means  []Row              `json:"means"`          // by agent and exposure: each group weighs the same
	Wins   []WinRow           `json:"wins,omitempty"` // of SoWR: by pair and group, and their mean
}

// The difficulties of rows.
const (
	everything = "all"
	mean       = "mean" // the dataset of a row that stands for all groups
)

// Row has the scores of an agent at the queries of a group. Its dataset is the group, or "mean"; its difficulty is
// "exposed" or "unexposed" to published drift, or "all".
type Row struct {
	finetune.Cell
	N       int `json:"n"`       // queries
	Missing int `json:"missing"` // of those, the ones without an answer, which count 0
	Lost    int `json:"lost"`    // queries lost to infrastructure failures, in no other figure

	SoPR *Rate `json:"sopr,omitempty"` // solvable pass rate
	FAC  *Rate `json:"fac,omitempty"`  // final answer completeness

	// what was done, with no judge; missing for published answers
	Conduct *Conduct `json:"conduct,omitempty"`
}

// WinRow says how often the candidate did better than the reference at the queries of a group.
type WinRow struct {
	Reference  finetune.Contender `json:"reference"`       // whom the other is compared with
	Candidate  finetune.Contender `json:"candidate"`       // the other
	Dataset    string             `json:"dataset"`         // the group, or "mean" of all groups, each weighing the same
	N          int                `json:"n"`               // queries that were compared
	Win        int                `json:"win"`             // of those, the ones that the candidate won
	Lose       int                `json:"lose"`            // those that the reference won
	Tie        int                `json:"tie"`             // those that nobody won
	Rate       float64            `json:"win_rate"`        // share of n that the candidate won
	Low        float64            `json:"win_low"`         // lower end of its 95 % interval
	High       float64            `json:"win_high"`        // upper end
	LostRounds int                `json:"lost_judgements"` // rounds that could not be read
}

// Report adds up what was said.
func (d *Judged) Report(judge trajectories.Maker, passes int) *Report {
	r := &Report{Judge: judge, Passes: passes, Rows: []Row{}, Means: []Row{}}

	rows, means := &cells{}, &cells{}

	for _, j := range d.Judgements {
		for _, exposure := range []string{everything, j.Exposure} {
			if exposure == "" {
				continue
			}

			cell := finetune.Cell{
				Policy: j.Agent.Policy, API: j.Agent.API, Dataset: j.Group, Difficulty: exposure,
			}
			rows.of(cell).add(j)

			cell.Dataset = mean
			means.of(cell).add(j)
		}
	}

	for _, c := range rows.inOrder() {
		r.Rows = append(r.Rows, rowOf(c.Cell, c.groups))
	}

	for _, c := range means.inOrder() {
		r.Means = append(r.Means, rowOf(c.Cell, c.groups))
	}

	r.Wins = d.wins()

	return r
}

// cell is what a row stands for, and its judgements by group.
type cell struct {
	finetune.Cell
	groups [][]*Judgement
}

// add takes a judgement to those of its group.
func (c *cell) add(j *Judgement) {
	sameGroup := func(group []*Judgement) bool { return group[0].Group == j.Group }

	i := slices.IndexFunc(c.groups, sameGroup)
	if i < 0 {
		i = len(c.groups)
		c.groups = append(c.groups, nil)
	}

	c.groups[i] = append(c.groups[i], j)
}

// cells are what a report has rows for.
type cells struct {
	all    []*cell
	places map[finetune.Cell]*cell
}

// of returns the cell of that name.
func (c *cells) of(name finetune.Cell) *cell {
	if c.places == nil {
		c.places = map[finetune.Cell]*cell{}
	}

	if c.places[name] == nil {
		c.places[name] = &cell{Cell: name}
		c.all = append(c.all, c.places[name])
	}

	return c.places[name]
}

// inOrder returns the cells by agent, then by group, both in the order in which they came first, then by exposure.
func (c *cells) inOrder() []*cell {
	agents, groups := map[finetune.Contender]int{}, map[string]int{}

	for i, one := range c.all {
		agent := finetune.Contender{Policy: one.Policy, API: one.API}
		if _, ok := agents[agent]; !ok {
			agents[agent] = i
		}

		if _, ok := groups[one.Dataset]; !ok {
			groups[one.Dataset] = i
		}
	}

	slices.SortFunc(c.all, func(a, b *cell) int {
		return cmp.Or(
			agents[finetune.Contender{Policy: a.Policy, API: a.API}]-
				agents[finetune.Contender{Policy: b.Policy, API: b.API}],
			groups[a.Dataset]-groups[b.Dataset], strings.Compare(a.Difficulty, b.Difficulty))
	})

	return c.all
}

// rowOf returns the row of some groups of judgements.
func rowOf(cell finetune.Cell, groups [][]*Judgement) Row {
	row := Row{Cell: cell}
	passes, complete := make([][]verdicts, len(groups)), make([][]verdicts, len(groups))
	judged, completed := false, false

	var conduct Conduct

	for i, group := range groups {
		for _, j := range group {
			if j.Lost {
				row.Lost++
				continue
			}

			row.N++

			if j.Given == nil {
				row.Missing++
			}

			if j.Passes != nil {
				judged = true
				passes[i] = append(passes[i], j.Passes)
			}

			if j.Complete != nil {
				completed = true
				complete[i] = append(complete[i], verdicts{*j.Complete})
			}

			if j.Conduct != nil {
				row.Conduct = &conduct
				conduct.add(j.Conduct)
			}
		}
	}

	if judged {
		row.SoPR = rateOf(passes)
	}

	if completed {
		row.FAC = rateOf(complete)
	}

	conduct.share()

	return row
}

// wins returns the win rates of all pairs.
func (d *Judged) wins() (rows []WinRow) {
	type pair struct{ reference, candidate finetune.Contender }

	var pairs []pair

	of := map[pair][][]*Match{}

	for _, m := range d.Matches {
		p := pair{m.Reference.Agent, m.Candidate.Agent}
		if of[p] == nil {
			pairs = append(pairs, p)
		}

		sameGroup := func(group []*Match) bool { return group[0].Candidate.Group == m.Candidate.Group }
		i := slices.IndexFunc(of[p], sameGroup)

		if i < 0 {
			i = len(of[p])
			of[p] = append(of[p], nil)
		}

		of[p][i] = append(of[p][i], m)
	}

	for _, p := range pairs {
		for _, group := range of[p] {
			rows = append(rows, winRow(WinRow{
				Reference: p.reference, Candidate: p.candidate, Dataset: group[0].Candidate.Group,
			}, group))
		}

		rows = append(rows, winRow(WinRow{Reference: p.reference, Candidate: p.candidate, Dataset: mean}, of[p]...))
	}

	return rows
}

// winRow counts the matches of some groups.
func winRow(row WinRow, groups ...[]*Match) WinRow {
	won := make([][]verdicts, len(groups))

	for i, group := range groups {
		for _, m := range group {
			_, _, lost := m.Votes()
			row.LostRounds += lost

			verdict := Unsolved

			switch m.Winner() {
			case NoPreference:
				continue
			case First:
				row.Lose++
			case Second:
				row.Win++
				verdict = Solved
			case Neither:
				row.Tie++
			}

			won[i] = append(won[i], verdicts{verdict})
		}
	}

	rate := rateOf(won)
	row.N, row.Rate, row.Low, row.High = rate.N, rate.Mean, rate.Low, rate.High

	return row
}
