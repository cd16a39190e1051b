package recorded

import (
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// Documents finds the documents of a collection by the names that requests have.
type Documents struct {
	byName map[toolbench.Key]*toolbench.Document
	all    []*toolbench.Document
}

// All returns the documents in the order of the collection. d may be nil.
func (d *Documents) All() []*toolbench.Document {
	if d == nil {
		return nil
	}
	return d.all
}

// NewDocuments indexes a collection. Of two APIs that requests cannot tell apart, the first is
// found.
func NewDocuments(c *toolbench.Collection) *Documents {
	d := &Documents{byName: make(map[toolbench.Key]*toolbench.Document, len(c.Documents))}

	for i := range c.Documents {
		name := virtual.Normalised(c.Documents[i].Key)
		if d.byName[name] == nil {
			d.byName[name] = &c.Documents[i]
			d.all = append(d.all, &c.Documents[i])
		}
	}

	return d
}
