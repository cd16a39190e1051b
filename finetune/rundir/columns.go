package rundir

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/mcts/account"
)

// Column is what a list of runs shows of each run.
type Column struct {
	Name string
	Text func(*Run) string // "" if it is unknown
	Rank int               // where room is short, columns of a greater rank are dropped first
	// what runs are sorted by, the greatest first; nil sorts them by their texts
	value func(*Run) float64
}

// started is the name of the column that runs are sorted by unless another is named.
const started = "started"

// columns are the columns of a list, in their order.
var columns = []Column{
	{"run", func(r *Run) string { return cmp.Or(r.Name, r.Dir) }, 0, nil},
	{"state", (*Run).state, 1, nil},
	{"kind", func(r *Run) string { return r.Kind }, 9, nil},
	{started, (*Run).started, 6, func(r *Run) float64 { return float64(r.Started.Unix()) }},
	{"took", (*Run).took, 5, func(r *Run) float64 { return r.spent().Seconds }},
	{"tokens", (*Run).tokens, 4, func(r *Run) float64 { return float64(r.spent().Tokens()) }},
	{"cost", (*Run).cost, 3, func(r *Run) float64 { return r.spent().Cost }},
	{"expected", (*Run).expected, 15, nil},
	{"policy", func(r *Run) string { return r.Policy }, 7, nil},
	{"api", func(r *Run) string { return r.API }, 10, nil},
	{"preset", func(r *Run) string { return r.Preset }, 12, nil},
	{"questions", (*Run).questions, 11, func(r *Run) float64 { return float64(r.Progress.Questions) }},
	{"solved", (*Run).solved, 8, func(r *Run) float64 { return known(r.Progress.Solved) }},
	{"lost", func(r *Run) string { return number(r.Progress.Unresolved) }, 13,
		func(r *Run) float64 { return known(r.Progress.Unresolved) }},
	{"size", func(r *Run) string { return display.Bytes(r.Bytes) }, 14,
		func(r *Run) float64 { return float64(r.Bytes) }},
	{"result", (*Run).result, 2, (*Run).sortValue},
}

// Columns returns the columns of a list, in their order: the first is the name of the run, the last
// is as long as it has to be.
func Columns() []Column { return slices.Clone(columns) }

// Number reports whether the column has figures, of which the greatest matter most.
func (c *Column) Number() bool { return c.value != nil && c.Name != started && c.Name != "result" }

// columnOf returns the column of a name.
func columnOf(name string) (*Column, error) {
	valid := make([]string, len(columns))
	for i, c := range columns {
		valid[i] = c.Name
	}

	if _, err := names.Parse("column", name, valid); err != nil {
		return nil, err
	}
	return &columns[slices.Index(valid, name)], nil
}

// compare says which of two runs is shown first.
func (c *Column) compare(a, b *Run) int {
	if c.value == nil {
		return strings.Compare(c.Text(a), c.Text(b))
	}
	return cmp.Compare(c.value(b), c.value(a))
}

// state returns what the run is doing, and how much of it is done if something is left to do.
func (r *Run) state() string {
	p := r.Progress

	switch {
	case r.State == Finished || r.Problem != "":
		return string(r.State)
	case r.IsExperiment() && p.Total > 0:
		return fmt.Sprintf("%s %d/%d", r.State, p.Done, p.Total)
	case r.IsExperiment():
		return string(r.State)
	case p.Total > 0 && r.State == Running && p.Workers != nil:
		return fmt.Sprintf("%s %d%%, %d workers", r.State, 100*p.Done/p.Total, len(p.Workers.There))
	case p.Total > 0:
		return fmt.Sprintf("%s %d%%", r.State, 100*p.Done/p.Total)
	}

	return fmt.Sprintf("%s %d", r.State, p.Done)
}

// IsExperiment reports whether it is the folder of several runs.
func (r *Run) IsExperiment() bool { return r.ID == "" && r.Problem == "" }

func (r *Run) started() string {
	at := r.Started.Local()

	switch {
	case r.Started.IsZero():
		return ""
	case at.Year() != time.Now().Year():
		return at.Format(time.DateOnly)
	}

	return at.Format("01-02 15:04")
}

// spent returns what was spent, zero if that was not noted.
func (r *Run) spent() account.Total {
	if r.Spent == nil {
		return account.Total{}
	}
	return *r.Spent
}

func (r *Run) took() string {
	if r.Spent == nil {
		return ""
	}
	return display.Duration(time.Duration(r.Spent.Seconds * float64(time.Second)))
}

func (r *Run) tokens() string {
	if r.spent().Tokens() == 0 {
		return ""
	}
	return display.Count(float64(r.spent().Tokens()))
}

// cost returns what was spent, as far as prices are known; if only some calls have one, as a lower
// bound.
func (r *Run) cost() string {
	s := r.spent()

	switch {
	case s.Calls == s.Unpriced:
		return ""
	case s.Unpriced > 0:
		return ">" + account.Money(s.Cost)
	}

	return account.Money(s.Cost)
}

// expected returns the estimate of tokens and cost.
func (r *Run) expected() string {
	e := r.Estimate
	if e == nil {
		return ""
	}

	text := display.Count(e.PromptTokens.Value+e.CompletionTokens.Value) + " tokens"
	if e.Cost != nil {
		text += ", " + account.Money(e.Cost.Value)
	}
	return text
}

// questions returns how many are done, of how many.
func (r *Run) questions() string {
	switch p := r.Progress; {
	case p.Questions == 0:
		return ""
	case r.Kind == "collect":
		return fmt.Sprintf("%d/%d", p.Finished, p.Questions)
	default:
		return strconv.FormatInt(p.Questions, 10)
	}
}

// solved returns how many questions have an accepted trajectory, of how many.
func (r *Run) solved() string {
	if r.Progress.Solved == nil {
		return ""
	}
	return fmt.Sprintf("%d/%d", *r.Progress.Solved, r.Progress.Questions)
}

// number returns a number as text, "" if it is unknown.
func number(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// known returns a number, 0 if it is unknown.
func known(n *int64) float64 {
	if n == nil {
		return 0
	}
	return float64(*n)
}

// result returns what the run found: trajectories, or the official accuracy under each version,
// from that of the least accurate policy to that of the most accurate one.
func (r *Run) result() string {
	p := r.Progress

	switch {
	case p.Accepted != nil:
		return number(p.Accepted) + " accepted"
	// An evaluation counts correct episodes, too, but its accuracies say more.
	case r.Kind == "collect" && p.Correct != nil:
		return number(p.Correct) + " correct"
	case len(r.Accuracies) == 0:
		return ""
	}

	var parts, versions []string

	for _, a := range r.Accuracies {
		if slices.Contains(versions, a.API) {
			continue
		}

		versions = append(versions, a.API)
		low, high := math.Inf(1), math.Inf(-1)

		// Policies share a column of limited width, so they are a range; a version under which all
		// was lost has none.
		for _, b := range r.Accuracies {
			if b.API == a.API && b.N > 0 {
				low, high = min(low, b.Official), max(high, b.Official)
			}
		}

		parts = append(parts, a.API+" "+percents(low, high))
	}
	return strings.Join(parts, ", ")
}

// percents returns two proportions in percent: as one if they are equal, a dash if there are none.
func percents(low, high float64) string {
	text := func(share float64) string { return strconv.FormatFloat(math.Round(1000*share)/10, 'f', -1, 64) }

	switch {
	case low > high:
		return "–"
	case text(low) == text(high):
		return text(low) + "%"
	}

	return text(low) + "–" + text(high) + "%"
}

// sortValue returns what results are sorted by: the most trajectories, then the highest accuracy.
func (r *Run) sortValue() (value float64) {
	for _, a := range r.Accuracies {
		value = max(value, a.Official)
	}
	return value + known(r.Progress.Accepted)
}
