package toolbench

import (
	"slices"
	"testing"

	"toolevo/envs/drift"
)

// counts are what DynamicToolBench's drift changes in some documents.
type counts struct{ renamed, apis, typed, flipped, nested int }

func (c *counts) add(change drift.DocumentChange) {
	c.renamed += len(change.Renamed)
	c.typed += len(change.Types)
	c.flipped += len(change.Defaults)

	if len(change.Renamed) > 0 {
		c.apis++
	}

	if len(change.Nested) > 0 {
		c.nested++
	}
}

// DynamicToolBench's drift changes as much as was counted without this program.
func TestExposure(t *testing.T) {
	t.Parallel()

	c := published(t)

	_, changes := drift.Faithful{Rename: true, Types: true, Defaults: true, Nest: 1}.Apply(c.drifting())
	byKey := map[Key]drift.DocumentChange{}

	var all counts
	for i, change := range changes {
		all.add(change)
		byKey[c.Documents[i].Key] = change
	}

	want := counts{renamed: 423, apis: 393, typed: 83, flipped: 34, nested: 18}
	if isWhole(c) {
		want = counts{renamed: 764, apis: 703, typed: 170, flipped: 57, nested: 42}
	}

	if all != want {
		t.Errorf("in the documents the rules change %+v, want %+v", all, want)
	}

	// Of each group: parameters of the entries that each rule changes, and queries with a relevant API that is changed.
	type group struct{ renamed, typed, flipped, exposed int }

	groups, exposed := map[string]group{}, c.Exposed()

	for _, q := range c.Queries {
		g := groups[q.Group]

		for _, k := range q.APIs {
			change := byKey[k]
			g.renamed += len(change.Renamed)
			g.typed += len(change.Types)
			g.flipped += len(change.Defaults)
		}

		if slices.ContainsFunc(q.Relevant, func(k Key) bool { return exposed[k] }) {
			g.exposed++
		}

		groups[q.Group] = g
	}

	counted := map[string]group{
		"G1_instruction": {251, 55, 10, 73},
		"G1_category":    {159, 10, 13, 60},
		"G1_tool":        {257, 56, 18, 63},
		"G2_category":    {207, 52, 44, 75},
		"G2_instruction": {195, 59, 10, 57},
		"G3_instruction": {171, 56, 44, 54},
	}
	for name, got := range groups {
		if got != counted[name] {
			t.Errorf("in %s the rules change %+v, want %+v", name, got, counted[name])
		}
	}
}
