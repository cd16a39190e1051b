package robustness

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"

	"toolevo/finetune/facts"
	"toolevo/finetune/tabulate"
)

//go:embed tables.yaml
var tablesYAML []byte

var tables = tabulate.Embedded(tablesYAML, nil, []string{"overview", "drift", "factors"})

// All is the dataset or difficulty of every question.
const All = tabulate.All

// Kind is what a setting changes.
type Kind string

// The kinds of settings.
const (
	Baseline     Kind = "baseline"
	Versioning   Kind = "versioning"   // the deployed version
	Perturbation Kind = "perturbation" // the words of the questions
)

// Setting is what was changed.
type Setting struct {
	Kind Kind   `json:"kind"`    // "baseline", "versioning" or "perturbation"
	Name string `json:"setting"` // of the version, or family of versions, or of the perturbation; "baseline"
}

// Condition is what episodes were played under.
type Condition struct {
	Policy   string `json:"policy"`   // e.g. "scripted:reader"
	Feedback string `json:"feedback"` // what the agent was told about a rejected call: deprecation, invocation, generic or none
	Setting
}

// Played is an episode and what it was played under. Those of the baseline come first.
type Played struct {
	facts.Fact
	Feedback string `json:"feedback"`
	Setting
}

// Judged is what a model said of an episode of the experiment, once.
type Judged struct {
	facts.Verdict
	Unread   bool   `json:"unread"` // the opposite of Read
	Feedback string `json:"feedback"`
	Setting
}

// Report is the outcome of an experiment.
type Report struct {
	Rows       []Row        `json:"rows"`       // by feedback, policy and setting; of each, by dataset and difficulty
	Statistics []Statistics `json:"statistics"` // by feedback, policy and setting

	raw map[string][]tabulate.Row
}

// Row is the pass rate of a condition on the questions of a dataset and difficulty.
type Row struct {
	Condition
	Dataset    string `json:"dataset"`    // of its questions; "all" is every one
	Difficulty string `json:"difficulty"` // of its questions; "all" is every one
	N          int    `json:"n"`          // questions measured
	Lost       int    `json:"lost"`       // episodes lost to infrastructure failures, in no other figure

	PassRate float64 `json:"pass_rate"` // share of the questions, 0..1
	Low      float64 `json:"low"`       // lower end of its interval, clustered by question template
	High     float64 `json:"high"`      // upper end

	Change *Change `json:"change,omitempty"` // against the baseline of the same policy and feedback; of other settings

	SoPR *SoPR `json:"sopr,omitempty"` // if a model judged
}

// SoPR is the solvable pass rate of the same questions, by a model; see package judge.
type SoPR struct {
	N         int     `json:"n"`               // questions of which at least one judgement was read
	Mean      float64 `json:"mean"`            // over the passes of the judge, 0..1
	Deviation float64 `json:"deviation"`       // population standard deviation of the passes
	Lost      int     `json:"lost_judgements"` // that could not be read, and count in no pass
}

// Change is the pass rate of a setting against that of the baseline, on the same questions.
type Change struct {
	N            int `json:"n"`             // questions that both measured
	OnlyBaseline int `json:"only_baseline"` // that passed in more episodes of the baseline
	OnlySetting  int `json:"only_setting"`  // that passed in more episodes of the setting

	// in relation to the baseline, -0.25 of a quarter less, with its 95 % interval; missing where
	// nothing passed
	Relative *Relative `json:"relative,omitempty"`

	P     float64 `json:"p"`      // of McNemar's exact test, two-sided
	PHolm float64 `json:"p_holm"` // adjusted among the settings of the policy and feedback on these questions
}

// Relative is a change in relation to what was.
type Relative struct {
	Change float64 `json:"change"` // the difference, divided by what was
	Low    float64 `json:"low"`    // lower end of the interval, by the delta method
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
	ValidLow  float64 `json:"valid_low"`  // lower end of its interval, clustered by question template
	ValidHigh float64 `json:"valid_high"` // upper end

	Refused        int     `json:"refused"`         // episodes in which a tool was refused
	Recovered      int     `json:"recovered"`       // of those, the ones in which every such tool recovered
	ToolsRefused   int     `json:"tools_refused"`   // each once an episode
	ToolsRecovered float64 `json:"tools_recovered"` // share of them
	RecoveredLow   float64 `json:"recovered_low"`   // lower end of its interval, clustered by question template
	RecoveredHigh  float64 `json:"recovered_high"`  // upper end

	Outcomes map[string]int `json:"outcomes"` // turns by outcome
}

// ReportOf returns the report on episodes and what models said of them in SoPR. Conditions are in
// order of appearance.
func ReportOf(all []Played, said []Judged) *Report {
	condition := func(p Played) Condition { return Condition{p.Policy, p.Feedback, p.Setting} }
	conditions := tabulate.Distinct(all, condition)

	// Within a condition order must not matter, but sums of fractions depend on it.
	all = slices.SortedStableFunc(slices.Values(all), func(a, b Played) int {
		return cmp.Or(slices.Index(conditions, condition(a))-slices.Index(conditions, condition(b)),
			cmp.Compare(a.Question, b.Question))
	})

	source := tabulate.Of(all)
	r := &Report{raw: map[string][]tabulate.Row{
		"rates":      tables().Tables["rates"].Rows(source),
		"statistics": tables().Tables["statistics"].Rows(source),
	}}

	// With one cell the other tables are about it already.
	isSubtle := func(p Played) bool { return p.IsSubtle() }
	if r.raw["cells"] = []tabulate.Row{}; slices.ContainsFunc(all, isSubtle) {
		r.raw["cells"] = tables().Tables["cells"].Rows(source)
	}

	r.Statistics = tabulate.As[Statistics](r.raw["statistics"])

	// A table of one kind of settings is shown if any was played, with the baseline beside it: the
	// baseline belongs to both kinds.
	kinds := map[string]bool{}
	for _, row := range r.raw["rates"] {
		kinds[row.Text("feedback")+row.Text("kind")] = true
	}

	// Before the rows are made of them: what judges said is a part of the same rates.
	r.addJudged(said)
	r.Rows = tabulate.As[Row](r.raw["rates"])

	for i, row := range r.raw["rates"] {
		r.Rows[i].Change = changeOf(row)

		for _, kind := range []Kind{Versioning, Perturbation} {
			if kinds[row.Text("feedback")+string(kind)] {
				row[string(kind)] = "yes"
			}
		}

		if row.Text("dataset") == All || row.Text("difficulty") == All {
			row["shown"] = "yes"
		}
	}
	return r
}

// addJudged adds to the rates what a model said about the same questions.
func (r *Report) addJudged(said []Judged) {
	said = slices.DeleteFunc(said, func(j Judged) bool { return j.Score != "sopr" })

	for _, j := range tables().Tables["judged"].Rows(tabulate.Of(said)) {
		place := map[string]string{}
		for _, key := range tables().Tables["judged"].By {
			place[key] = j.Text(key)
		}

		for _, row := range tabulate.Where(r.raw["rates"], place) {
			maps.Copy(row, j)
			row["said"] = "yes"

			if j.Has("sopr.mean") {
				row["judged"] = fmt.Sprintf("%.1f ± %.1f", 100*j.Number("sopr.mean"),
					100*j.Number("sopr.deviation"))
			}
		}
	}
}

// changeOf returns the change of a row against the baseline.
func changeOf(row tabulate.Row) *Change {
	if !row.Has("paired_n") {
		return nil
	}

	c := &Change{
		N: int(row.Number("paired_n")), OnlyBaseline: int(row.Number("only_first")),
		OnlySetting: int(row.Number("only_second")), P: row.Number("p"),
		PHolm: row.Number("p_holm"),
	}
	if row.Has("relative") {
		c.Relative = &Relative{row.Number("relative"), row.Number("relative_low"), row.Number("relative_high")}
	}

	return c
}

// Tables returns the tables of the report: pass rates under versioning and under perturbations
// (DynamicToolBench's Tables I and II), their changes in relation to the baseline, and run
// statistics, of each feedback.
func (r *Report) Tables() []tabulate.Grid {
	return tables().Grids("drift", r.raw)
}

// Overview returns the one table that says most: the pass rates over all questions.
func (r *Report) Overview() []tabulate.Grid { return tables().Grids("overview", r.raw) }

// WriteCSV writes the rows with a heading, in full precision: shares are 0 to 1, and a field
// without a value is empty.
func (r *Report) WriteCSV(w io.Writer) error {
	return tables().Tables["rates"].WriteCSV(w, r.raw["rates"])
}

// WriteStatisticsCSV writes the statistics like WriteCSV, with a column for the turns of each
// outcome.
func (r *Report) WriteStatisticsCSV(w io.Writer) error {
	return tables().Tables["statistics"].WriteCSV(w, r.raw["statistics"])
}
