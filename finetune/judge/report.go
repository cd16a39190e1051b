package judge

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"toolevo/finetune"
	"toolevo/finetune/facts"
	"toolevo/finetune/failure"
	"toolevo/finetune/tabulate"
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
	mean       = "mean" // the dataset of a row over all groups
)

// Rate is a mean of statuses, in 0..1: Solved counts 1, Unsure 1/2. Each group weighs the same. The
// interval is Korn and Graubard's, clustered by query: see package tabulate.
type Rate struct {
	N         int       `json:"n"`               // queries of which at least one judgement was read
	Mean      float64   `json:"mean"`            // over the passes
	Deviation float64   `json:"deviation"`       // population standard deviation of the passes
	Low       float64   `json:"low"`             // lower end of the interval
	High      float64   `json:"high"`            // upper end
	Passes    []float64 `json:"passes"`          // of each pass of the judge
	Lost      int       `json:"lost_judgements"` // that could not be read, and count in no pass
}

// Row has the scores of an agent at the queries of a group. Its dataset is the group, or "mean";
// its difficulty is "exposed" or "unexposed" to published drift, or "all".
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
	Reference  finetune.Contender `json:"reference"`       // the agent that the other is compared with
	Candidate  finetune.Contender `json:"candidate"`       // the other
	Dataset    string             `json:"dataset"`         // the group, or "mean" of all groups, each weighing the same
	N          int                `json:"n"`               // queries that were compared
	Win        int                `json:"win"`             // of those, the ones that the candidate won
	Lose       int                `json:"lose"`            // those that the reference won
	Tie        int                `json:"tie"`             // those that neither won
	Rate       float64            `json:"win_rate"`        // share of n that the candidate won
	Low        float64            `json:"win_low"`         // lower end of its 95 % interval
	High       float64            `json:"win_high"`        // upper end
	LostRounds int                `json:"lost_judgements"` // rounds that could not be read
}

// Report adds up the judgements.
func (d *Judged) Report(judge trajectories.Maker, passes int) *Report {
	r := &Report{Judge: judge, Passes: passes, Rows: []Row{}, Means: []Row{}}
	rows := d.rows(judge)

	for _, row := range rows["queries"] {
		// Published answers do not say which queries are exposed: they have rows over all alone.
		if row.Text("difficulty") == "" {
			continue
		}

		entry := tabulate.As[Row]([]tabulate.Row{row})[0]
		entry.SoPR, entry.FAC = rateOf(rows, row, SoPR), rateOf(rows, row, FAC)

		// Zeros would read as an agent that made no valid call; what was not played has no conduct.
		if row.Number("played") == 0 {
			entry.Conduct = nil
		} else {
			refused := tabulate.Where(rows["refused"], place(row))
			entry.Conduct.Refusals = tabulate.As[facts.RefusalCount](refused)
		}

		if entry.Dataset == tabulate.All {
			entry.Dataset = mean
			r.Means = append(r.Means, entry)
		} else {
			r.Rows = append(r.Rows, entry)
		}
	}

	// The tables come grouped, means last. Readers get agents and groups in the order of the
	// inputs.
	agents := tabulate.Distinct(r.Rows, func(row Row) finetune.Contender { return row.agent() })
	groups := tabulate.Distinct(r.Rows, func(row Row) string { return row.Dataset })

	for _, all := range [][]Row{r.Rows, r.Means} {
		slices.SortFunc(all, func(a, b Row) int {
			return cmp.Or(slices.Index(agents, a.agent())-slices.Index(agents, b.agent()),
				slices.Index(groups, a.Dataset)-slices.Index(groups, b.Dataset),
				strings.Compare(a.Difficulty, b.Difficulty))
		})
	}

	r.Wins = tabulate.As[WinRow](rows["wins"])
	for i := range r.Wins {
		if r.Wins[i].Dataset == tabulate.All {
			r.Wins[i].Dataset = mean
		}
	}

	return r
}

// The rows that the tables count: of queries, judgements, refused calls and matches.
type (
	query struct {
		facts.Key
		Conduct
		Missing bool `json:"missing"`
		Lost    bool `json:"lost"`
		Played  bool `json:"played"` // in an episode of this program
	}
	judgement struct {
		facts.Verdict
		Unread bool `json:"unread"`
	}
	refusedCalls struct {
		facts.Key
		Refusal failure.Refusal `json:"refusal"`
		Calls   int             `json:"calls"`
	}
	contest struct {
		facts.Key
		ReferencePolicy string `json:"reference.policy"`
		ReferenceAPI    string `json:"reference.api"`
		CandidatePolicy string `json:"candidate.policy"`
		CandidateAPI    string `json:"candidate.api"`
		Decided         bool   `json:"decided"`
		Won             bool   `json:"won"`
		Lost            bool   `json:"lost"`
		Tied            bool   `json:"tied"`
		LostRounds      int    `json:"lost_rounds"`
	}
)

// rows returns the rows of the tables of what is counted.
func (d *Judged) rows(judge trajectories.Maker) map[string][]tabulate.Row {
	var (
		queries    []query
		judgements []judgement
		refused    []refusedCalls
		contests   []contest
	)

	// A query without an answer counts 0 and is missing; one that was lost counts nowhere. They
	// must not be confused, so a lost one is not missing, too.
	for _, j := range d.Judgements {
		q := query{Key: j.place(), Missing: j.Given == nil && !j.Lost, Lost: j.Lost}

		if q.Played = j.Conduct != nil && !j.Lost; q.Played {
			q.Conduct = *j.Conduct

			for _, c := range j.Conduct.Refusals {
				refused = append(refused, refusedCalls{q.Key, c.Refusal, c.Calls})
			}
		}

		queries = append(queries, q)
	}

	for a, v := range d.eachVerdict(judge) {
		// The verdict's own key is that of the episode, which published answers do not have.
		v.Key = a.place()
		judgements = append(judgements, judgement{v, !v.Read})
	}

	for _, m := range d.Matches {
		_, _, lost := m.Votes()
		winner := m.Winner()
		contests = append(contests, contest{
			m.Candidate.place(), m.Reference.Agent.Policy, m.Reference.Agent.API,
			m.Candidate.Agent.Policy, m.Candidate.Agent.API,
			winner != NoPreference, winner == Second, winner == First, winner == Neither, lost,
		})
	}

	said := tabulate.Of(judgements)
	return map[string][]tabulate.Row{
		"queries": tables().Tables["queries"].Rows(tabulate.Of(queries)),
		"rates":   tables().Tables["rates"].Rows(said),
		"passes":  tables().Tables["passes"].Rows(said),
		"refused": tables().Tables["refused"].Rows(tabulate.Of(refused)),
		"wins":    tables().Tables["wins"].Rows(tabulate.Of(contests)),
	}
}

// place returns the keys under which the tables count an answer.
func (a *Answer) place() facts.Key {
	return facts.Key{
		Policy: a.Agent.Policy, API: a.Agent.API, Dataset: a.Group, Difficulty: a.Exposure,
		Question: a.Group + "/" + a.ID, Measured: !a.Lost,
	}
}

// place returns the keys of a row.
func place(row tabulate.Row) map[string]string {
	keys := map[string]string{}
	for _, key := range tables().Tables["queries"].By {
		keys[key] = row.Text(key)
	}
	return keys
}

// rateOf returns the rate of a score for the queries of a row, nil if it was not asked for.
func rateOf(rows map[string][]tabulate.Row, row tabulate.Row, score Score) *Rate {
	keys := place(row)
	keys["score"] = string(score)

	found := tabulate.As[Rate](tabulate.Where(rows["rates"], keys))
	if len(found) == 0 {
		return nil
	}

	rate := &found[0]
	rate.Passes = []float64{}

	for _, pass := range tabulate.Where(rows["passes"], keys) {
		if pass.Has("mean") {
			rate.Passes = append(rate.Passes, pass.Number("mean"))
		}
	}

	if rate.Mean = 0; len(rate.Passes) > 0 {
		rate.Mean, rate.Deviation = stat.PopMeanStdDev(rate.Passes, nil)
	}
	return rate
}
