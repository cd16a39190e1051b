package drift

import (
	"reflect"
	"slices"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// Difference is what a caller of a tool has to do differently under another version.
type Difference struct {
	Tool       string             `json:"tool"`                 // that both expose
	From       string             `json:"from"`                 // the signature
	To         string             `json:"to"`                   // that of each API that exposes it, "" if the tool is gone
	FromURL    string             `json:"from_url,omitempty"`   // of its document, where URLs differ
	ToURL      string             `json:"to_url,omitempty"`     // of its document, where URLs differ
	Parameters []ParameterChanged `json:"parameters,omitempty"` // of those that both have
	Notes      []string           `json:"notes,omitempty"`      // on what the rest does not show
	Inferred   []toolapi.Inferred `json:"inferred,omitempty"`   // what of this is less than sure
	Documented bool               `json:"documented,omitempty"` // its document says something else
}

// ParameterChanged is a parameter that has the same name under two versions, and does not take the
// same values.
type ParameterChanged struct {
	Name string `json:"name"` // under both
	From string `json:"from"` // e.g. `required {"type": "integer"}`
	To   string `json:"to"`   // the same of the other version
}

// Diff returns the differences between two versions of the same tools, in the order of the first
// one's tool list.
func Diff(from, to *toolapi.Version) []Difference {
	var all []Difference

	for _, was := range from.APIs {
		now, ok := to.ForTool(was.Tool)
		if !ok {
			// Only a tool that was removed is a difference: a version may be about other tools.
			if to.Lacks(was.Tool) {
				all = append(all, Difference{Tool: was.Tool, From: was.Signature()})
			}

			continue
		}

		d := Difference{Tool: was.Tool, From: was.Signature(),
			Documented: was.Description != now.Description}

		// After split-tool several APIs expose one tool, and a caller may need any of them.
		for _, a := range to.Exposing(was.Tool) {
			d.Inferred = append(d.Inferred, a.Inferred...)
			d.To = strings.TrimPrefix(d.To+" or "+a.Signature(), " or ")
		}

		if was.URL != now.URL {
			d.FromURL, d.ToURL = was.URL, now.URL
		}

		// Parameters that came, went or were renamed show in the signatures.
		for _, p := range was.Parameters {
			i := slices.IndexFunc(now.Parameters,
				func(q toolapi.Parameter) bool { return q.Name == p.Name })
			if i < 0 {
				continue
			}

			if was, is := accepted(p), accepted(now.Parameters[i]); was != is {
				d.Parameters = append(d.Parameters, ParameterChanged{p.Name, was, is})
			}

			d.Documented = d.Documented || p.Description() != now.Parameters[i].Description()
		}

		// A document has the notes of its silent changes, so they set Documented, too.
		if !reflect.DeepEqual(was.Silent, now.Silent) {
			d.Notes = now.Silent.Notes()
		}

		// Such as a prefix that code has to begin with.
		if d.From == d.To && len(d.Parameters)+len(d.Notes) == 0 && to.Touches(was) {
			d.Notes = []string{"a call as before is refused, or means something else"}
		}

		if d.Documented || d.From != d.To || d.FromURL != d.ToURL ||
			len(d.Parameters)+len(d.Inferred)+len(d.Notes) > 0 {
			all = append(all, d)
		}
	}

	return all
}

// accepted says which values a parameter takes, without its description.
func accepted(p toolapi.Parameter) string {
	text := "required"
	if p.Optional {
		text = "optional"
	}

	if p.Schema == nil {
		return text
	}
	return text + " " + pytext.JSON(p.Schema.Without("description"))
}
