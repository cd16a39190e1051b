package dynamic

import (
	"strings"

	"toolevo/envs/names"
)

// Compat is a set of defects of the published code to reproduce. The package documentation has the table.
type Compat uint16

// The defects.
const (
	Notices Compat = 1 << iota
	FailedLoads
	PartialFilter
	SplitConditions
	RegexCategories
	CastColumns
	GraphWeights
	SpoiledEdges
	TextSQL
	PythonCapture

	Published = PythonCapture<<1 - 1 // all of them
)

// PublishedName is the name of all defects together.
const PublishedName = "published"

// CompatOption is one line of the table of defects.
type CompatOption struct {
	Name    string // as in configurations, e.g. "failed-loads"
	Package string // which package implements it
	Meaning string // one line: what happens under the option
	Compat  Compat
}

// CompatOptions returns the table of defects.
func CompatOptions() []CompatOption {
	return []CompatOption{
		{"notices", "envs/dynamic", "three deprecation notices lack their example, lack the new name, or misspell " +
			"a parameter", Notices},
		{"failed-loads", "envs/dynamic", "every action with a load's name in any API version counts towards the " +
			"limit, failing ones too", FailedLoads},
		{"partial-filter", "toolqa/table", "a FilterDB call that fails leaves its earlier conditions applied",
			PartialFilter},
		{"split-conditions", "toolqa/table", "FilterDB splits conditions at every comma and space, also inside a value",
			SplitConditions},
		{"regex-categories", "toolqa/table", "the value of categories=VALUE is a regular expression", RegexCategories},
		{"cast-columns", "toolqa/table", "a column that FilterDB compared as numbers is numbers in GetValue, too",
			CastColumns},
		{"graph-weights", "toolqa/graph", "NeighbourCheck fails for papers that cite another, whose edges have " +
			"no weight", GraphWeights},
		{"spoiled-edges", "toolqa/graph", "EdgeCheck finds an edge once; then NeighbourCheck fails for both of " +
			"its authors", SpoiledEdges},
		{"text-sql", "toolqa/sqltool", "all columns are text, so that MAX and ORDER BY go by characters, as > " +
			"does between texts", TextSQL},
		{"python-capture", "toolqa/pytool", "only some prints are captured, with labels, and numbers are rounded",
			PythonCapture},
	}
}

// ParseCompat returns the set of the named defects; "published" names all of them. The error of an unknown name lists
// the valid ones.
func ParseCompat(chosen ...string) (Compat, error) {
	valid := map[string]Compat{PublishedName: Published}
	listed := []string{PublishedName}

	for _, o := range CompatOptions() {
		valid[o.Name] = o.Compat
		listed = append(listed, o.Name)
	}
	var c Compat

	for _, name := range chosen {
		defect, ok := valid[name]
		if !ok {
			return 0, names.Unknown("compat option", name, listed)
		}

		c |= defect
	}

	return c, nil
}

// Has reports whether every defect of d is in c.
func (c Compat) Has(d Compat) bool { return c&d == d }

// Names returns the names of the defects in c, in the order of the table.
func (c Compat) Names() []string {
	var names []string

	for _, o := range CompatOptions() {
		if c.Has(o.Compat) {
			names = append(names, o.Name)
		}
	}

	return names
}

// String returns "published", the names separated by commas, or "none".
func (c Compat) String() string {
	switch c {
	case 0:
		return "none"
	case Published:
		return PublishedName
	}

	return strings.Join(c.Names(), ",")
}
