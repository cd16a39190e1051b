// Package compat names the defects of ToolQA-D's published code that change what an agent sees. They are corrected, and
// each can be re-enabled by its name in a configuration; "published" stands for all of them, not for every difference:
// mcts/ALGORITHM.md lists what stays different. "published" also stands for the published feedback on outdated
// parameters: with environment.feedback deprecation they get no notice.
//
// The packages that implement a defect have an option of their own for it. This is the one list of the names.
package compat

import (
	"slices"

	"toolevo/envs/names"
)

// Set is a set of defects.
type Set uint16

// The defects, and the package that implements each.
const (
	Notices         Set = 1 << iota // envs/dynamic: notices lack an example or a name, or misspell a parameter
	FailedLoads                     // envs/dynamic: every action with a load's name in any API version counts as a load
	PartialFilter                   // toolqa/table: a FilterDB call that fails leaves its earlier conditions applied
	SplitConditions                 // toolqa/table: FilterDB splits at every comma and space, also in a value
	RegexCategories                 // toolqa/table: the value of categories=VALUE is a regular expression
	CastColumns                     // toolqa/table: a column FilterDB compared as numbers is numbers in GetValue
	GraphWeights                    // toolqa/graph: NeighbourCheck fails for papers that cite another
	SpoiledEdges                    // toolqa/graph: EdgeCheck finds an edge once; then NeighbourCheck fails
	TextSQL                         // toolqa/sqltool: all columns are text: MAX, ORDER BY, and > go by characters
	PythonCapture                   // toolqa/pytool: some prints are captured, with labels and rounded
	LastBrace                       // envs/action: an Action Input reaches to the last brace of the text

	Published = LastBrace<<1 - 1 // all of them
)

// Names returns the valid names: "published", then those of the defects in the order of the constants.
func Names() []string {
	return []string{
		"published", "notices", "failed-loads", "partial-filter", "split-conditions", "regex-categories",
		"cast-columns", "graph-weights", "spoiled-edges", "text-sql", "python-capture", "last-brace",
	}
}

// Parse returns the set of the named defects. The error of an unknown name lists the valid ones.
func Parse(chosen ...string) (Set, error) {
	var s Set

	valid := Names()
	for _, name := range chosen {
		if _, err := names.Parse("compat option", name, valid); err != nil {
			return 0, err
		}

		if i := slices.Index(valid, name); i > 0 {
			s |= Notices << (i - 1)
		} else {
			s = Published
		}
	}

	return s, nil
}

// Has reports whether every defect of d is in s.
func (s Set) Has(d Set) bool { return s&d == d }

// LoadNames returns the names of actions that count as loads under FailedLoads, and nil without it. The published code
// does not count those that only p_s_ood_proprietary has.
func (s Set) LoadNames() []string {
	if !s.Has(FailedLoads) {
		return nil
	}

	return []string{"LoadDB", "LoadGraph", "InitializeDatabase", "InitializeGraphData", "Init_DB", "Import_Graph"}
}
