package facts

import (
	"cmp"
	"slices"
	"strconv"

	"toolevo/finetune/tabulate"
)

// Adaptation is how agents coped with APIs that have moved on, besides whether they answered right.
type Adaptation struct {
	Rows []AdaptationRow `json:"rows"` // a row for each policy and API version

	shown map[string][]tabulate.Row
}

// AdaptationRow has the measures of a policy under an API version. Shares are 0..1; where nothing
// was counted they are 0.
type AdaptationRow struct {
	Contender
	N        int `json:"n"`        // questions measured
	Measured int `json:"measured"` // episodes measured
	Lost     int `json:"lost"`     // episodes lost to infrastructure failures, in no other figure

	Met      int     `json:"met"`       // episodes that met a deprecation
	MetShare float64 `json:"met_share"` // of the episodes measured
	Adapted  int     `json:"adapted"`   // of those that met one, the ones in which every tool recovered

	ToolsMet       int        `json:"tools_met"`       // tools that were met as deprecated, each once an episode
	ToolsRecovered int        `json:"tools_recovered"` // of those, the ones called with success after their first notice
	RecoveryTurns  float64    `json:"recovery_turns"`  // mean turns from the first notice to that success, 1 for the next
	Recovery       []Recovery `json:"recovery"`        // how many tools recovered after how many turns

	// turns that make a call again that failed in the same way before, with no ok turn between
	RepeatedTurns int     `json:"repeated_turns"`
	RepeatedShare float64 `json:"repeated_share"` // their share of all turns
	Hallucinated  int     `json:"hallucinated"`   // calls of names that are neither deployed nor deprecated

	Misled   int `json:"misled"`   // episodes in which the policy [Naive], which the evaluation has, is wrong
	Detected int `json:"detected"` // of those, the ones that this policy has right

	NewTools []NewTool `json:"new_tools"` // those that were called, by name
	Updates  Updates   `json:"updates"`   // calls of UpdateTool

	Turns  float64 `json:"turns"`            // mean turns of an episode
	Tokens float64 `json:"tokens,omitempty"` // mean tokens that the policy wrote in an episode, if the server counted them
	Cost   *Cost   `json:"cost,omitempty"`   // of drift, if the prompt's own version was measured, too
}

// Recovery counts tools that recovered.
type Recovery struct {
	Turns int `json:"turns"` // this many turns
	Tools int `json:"tools"` // tools that recovered after them
}

// NewTool says how a new tool was called.
type NewTool struct {
	API    string `json:"api"`    // its deployed name
	Tool   string `json:"tool"`   // what the prompt calls it
	Calls  int    `json:"calls"`  // with readable arguments
	Errors int    `json:"errors"` // of those, the ones whose arguments did not fit
}

// Updates counts the descriptions that UpdateTool was given.
type Updates struct {
	Calls            int `json:"calls"`             // that succeeded
	True             int `json:"true"`              // the described tool and its parameters are deployed
	UnknownTool      int `json:"unknown_tool"`      // the described tool is not deployed
	UnknownParameter int `json:"unknown_parameter"` // it is, and a described parameter is not
}

// Cost is what drift costs, in the mean of the questions that were measured under both versions.
type Cost struct {
	N      int     `json:"n"`                // questions measured under both
	Turns  float64 `json:"turns"`            // further turns of an episode
	Tokens float64 `json:"tokens,omitempty"` // further tokens that the policy wrote in an episode, if the server counted them
}

// Adaptation returns how agents coped with APIs that have moved on.
func (b *Board) Adaptation() *Adaptation {
	a := &Adaptation{shown: b.rows(tables())}
	tools := a.shown["new_tools"]

	// In JSON new tools are by name, for readers that look one up. The values are texts, so turns
	// are sorted as numbers: 10 comes after 9.
	slices.SortStableFunc(tools, func(a, b tabulate.Row) int {
		return cmp.Compare(a.Text("name"), b.Text("name"))
	})
	slices.SortStableFunc(a.shown["recovery"], func(a, b tabulate.Row) int {
		return cmp.Compare(turnsOf(a), turnsOf(b))
	})

	for _, row := range a.shown["adaptation"] {
		// The cost is a column of the row that both JSON and the printed tables show, so it comes
		// first.
		b.addCost(row)
		entry := tabulate.As[AdaptationRow]([]tabulate.Row{row})[0]
		entry.Recovery, entry.NewTools = []Recovery{}, []NewTool{}

		for _, r := range sameContender(row, a.shown["recovery"]) {
			entry.Recovery = append(entry.Recovery, Recovery{turnsOf(r), int(r.Number("tools"))})
		}

		for _, r := range sameContender(row, tools) {
			entry.NewTools = append(entry.NewTools, NewTool{
				r.Text("name"), r.Text("tool"), int(r.Number("calls")), int(r.Number("errors")),
			})
		}

		a.Rows = append(a.Rows, entry)
	}

	// The printed table shows only some tools: those with the most errors.
	slices.SortStableFunc(tools, func(a, b tabulate.Row) int {
		return cmp.Compare(b.Number("errors"), a.Number("errors"))
	})
	return a
}

// turnsOf returns after how many turns the tools of a row recovered.
func turnsOf(r tabulate.Row) int {
	n, _ := strconv.Atoi(r.Text("after"))
	return n
}

// Grids returns its tables.
func (a *Adaptation) Grids() []tabulate.Grid {
	return tables().Grids("adaptation", a.shown)
}

// spent is what the episodes of a question took.
type spent struct{ episodes, turns, tokens float64 }

// addCost adds to a row what its questions take beyond what the same ones take under the prompt's
// own version.
func (b *Board) addCost(row tabulate.Row) {
	plain, drifted := map[string]spent{}, map[string]spent{}

	for _, f := range b.Facts {
		if !f.Measured || f.Policy != row.Text("policy") {
			continue
		}

		// What counts is the version an episode met, not what the report calls it: a family may
		// include the prompt's own version.
		side := plain
		if f.Deployed != f.Prompt {
			if side = drifted; f.API != row.Text("api") {
				continue
			}
		}

		s := side[f.Question]
		side[f.Question] = spent{s.episodes + 1, s.turns + float64(f.Turns), s.tokens + float64(f.Tokens)}
	}

	var n, turns, tokens float64

	counted := true // every episode's tokens

	for _, question := range tabulate.Distinct(b.Facts, func(f Fact) string { return f.Question }) {
		// Pairs only: the questions of one side alone may simply be harder.
		is, was := drifted[question], plain[question]
		if is.episodes == 0 || was.episodes == 0 {
			continue
		}

		// Each question weighs the same, however many episodes it has on either side.
		n++
		turns += is.turns/is.episodes - was.turns/was.episodes
		tokens += is.tokens/is.episodes - was.tokens/was.episodes
		counted = counted && is.tokens > 0 && was.tokens > 0
	}

	if n == 0 {
		return
	}

	row["cost.n"], row["cost.turns"] = n, turns/n

	// One question whose tokens were not counted would make drift look cheap.
	if counted {
		row["cost.tokens"] = tokens / n
	}
}
