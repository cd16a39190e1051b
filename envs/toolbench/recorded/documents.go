package recorded

import (
	"cmp"
	"slices"

	"toolevo/envs"
	"toolevo/envs/toolbench"
)

// Documents finds the documents of a collection by the names that requests have.
type Documents struct {
	byName map[toolbench.Key]*toolbench.Document
}

// NewDocuments indexes a collection. Of two APIs that requests cannot tell apart the first is found.
func NewDocuments(c *toolbench.Collection) *Documents {
	d := &Documents{make(map[toolbench.Key]*toolbench.Document, len(c.Documents))}

	for i := range c.Documents {
		name := normal(c.Documents[i].Key)
		if d.byName[name] == nil {
			d.byName[name] = &c.Documents[i]
		}
	}

	return d
}

// normal returns the names that requests have, which records of either kind have in common.
func normal(k toolbench.Key) toolbench.Key {
	return toolbench.Key{
		Category: toolbench.CategoryName(k.Category), Tool: toolbench.Name(k.Tool), API: toolbench.Name(k.API),
	}
}

// sorted returns arguments in the order of their names, in objects within them, too.
func sorted(args envs.Args) envs.Args {
	all := slices.Clone(args)
	for i := range all {
		all[i].Value = sortedValue(all[i].Value)
	}

	slices.SortStableFunc(all, func(a, b envs.Arg) int { return cmp.Compare(a.Name, b.Name) })

	return all
}

func sortedValue(v any) any {
	switch v := v.(type) {
	case envs.Args:
		return sorted(v)
	case []any:
		items := slices.Clone(v)
		for i := range items {
			items[i] = sortedValue(items[i])
		}

		return items
	}

	return v
}
