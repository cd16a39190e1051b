package bench

import (
	"slices"

	"toolevo/envs/names"
)

// defects is a set of the defects of ToolQA-D's published code that change what an agent sees. They
// are corrected, and each can be re-enabled by its name in a configuration; "published" means all
// of them, but not every difference: mcts/ALGORITHM.md lists what stays different. "published" also
// brings back the published feedback on outdated parameters: with environment.feedback deprecation
// they get no notice.
//
// Each package that implements a defect has its own option for it. This is the only list of the
// names.
type defects uint16

// The defects, and the package that implements each.
const (
	notices         defects = 1 << iota // envs/dynamic: notices lack example or name, or misspell a parameter
	failedLoads                         // envs/dynamic: an action with a load's name in any API version is a load
	partialFilter                       // toolqa/table: a failed FilterDB call leaves its earlier conditions applied
	splitConditions                     // toolqa/table: FilterDB splits at commas and spaces, also in a value
	regexCategories                     // toolqa/table: the value of categories=VALUE is a regular expression
	castColumns                         // toolqa/table: a column FilterDB compared as numbers is numbers in GetValue
	graphWeights                        // toolqa/graph: NeighbourCheck fails for papers that cite another
	spoiledEdges                        // toolqa/graph: EdgeCheck finds an edge once; then NeighbourCheck fails
	textSQL                             // toolqa/sqltool: all columns are text: MAX, ORDER BY, and > go by characters
	pythonCapture                       // toolqa/pytool: some prints are captured, with labels and rounded
	lastBrace                           // envs/action: an Action Input reaches to the last brace of the text

	published = lastBrace<<1 - 1 // all of them
)

// defectNames returns the valid names: "published", then those of the defects in the order of the
// constants.
func defectNames() []string {
	return []string{
		"published", "notices", "failed-loads", "partial-filter", "split-conditions", "regex-categories",
		"cast-columns", "graph-weights", "spoiled-edges", "text-sql", "python-capture", "last-brace",
	}
}

// parseDefects returns the set of the named defects. The error of an unknown name lists the valid
// ones.
func parseDefects(chosen ...string) (defects, error) {
	var s defects

	valid := defectNames()
	for _, name := range chosen {
		if _, err := names.Parse("compat option", name, valid); err != nil {
			return 0, err
		}

		if i := slices.Index(valid, name); i > 0 {
			s |= notices << (i - 1)
		} else {
			s = published
		}
	}

	return s, nil
}

// has reports whether every defect of d is in s.
func (s defects) has(d defects) bool { return s&d == d }

// loadNames returns the names of actions that count as loads under failedLoads, and nil without it.
// The published code does not count those that only p_s_ood_proprietary has.
func (s defects) loadNames() []string {
	if !s.has(failedLoads) {
		return nil
	}
	return []string{"LoadDB", "LoadGraph", "InitializeDatabase", "InitializeGraphData", "Init_DB", "Import_Graph"}
}
