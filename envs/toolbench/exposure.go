package toolbench

import (
	"encoding/json"

	"toolevo/envs/drift"
)

// Exposed returns the documents that DynamicToolBench's drift changes wherever it can: it renames one of their
// parameters, makes it a text, or flips its default. What drift costs shows at the queries that need one of them.
func (c *Collection) Exposed() map[Key]bool {
	_, changes := drift.Faithful{Rename: true, Types: true, Defaults: true}.Apply(c.drifting())

	exposed := map[Key]bool{}

	for i, change := range changes {
		if len(change.Renamed)+len(change.Types)+len(change.Defaults) > 0 {
			exposed[c.Documents[i].Key] = true
		}
	}

	return exposed
}

// drifting returns the documents in the form that the published scripts change.
func (c *Collection) drifting() []drift.Document {
	all := make([]drift.Document, len(c.Documents))

	for i := range c.Documents {
		d := &c.Documents[i]
		all[i] = drift.Document{
			Name: d.API, Description: d.Description,
			Required: driftingParameters(d.Required), Optional: driftingParameters(d.Optional),
		}
	}

	return all
}

func driftingParameters(of []Parameter) []drift.DocumentParameter {
	all := make([]drift.DocumentParameter, len(of))

	for i, p := range of {
		all[i] = drift.DocumentParameter{Name: p.Name, Type: p.Type, Description: p.Description}
		_ = json.Unmarshal(p.Default, &all[i].Default) // it was parsed before; none stays nil
	}

	return all
}
