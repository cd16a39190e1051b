package bench

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/envs/toolbench"
)

// documentUnder returns the document of a tool, with the one that a version shows if that is
// another.
func documentUnder(deployed, published *toolapi.Version, tool string, d *toolbench.Document) *toolbench.Document {
	now, exposed := deployed.ForTool(tool)
	was, _ := published.ForTool(tool) // it has all tools

	// A silent change is made to what the published API answers.
	if !exposed || deployed.Has(was) || len(now.Silent) > 0 {
		return d
	}

	shown := deployedDocument(d, was, now)
	changed := *d
	changed.Deployed = func(args envs.Args) (*toolbench.Document, envs.Args) {
		written, err := now.Lift(args)
		if err != nil { // it has an argument that the document does not know
			return d, args
		}
		return shown, written
	}
	return &changed
}

// deployedDocument returns a document with the name, description and parameters of a version's API
// in place of the published ones.
func deployedDocument(d *toolbench.Document, was, now *toolapi.API) *toolbench.Document {
	shown := *d
	shown.Required, shown.Optional = nil, nil

	if now.Name != was.Name {
		shown.API = now.Name
	}

	if now.Description != was.Description {
		shown.Description = now.Sentence()
	}

	for _, p := range now.Parameters {
		all := &shown.Required
		if p.Optional {
			all = &shown.Optional
		}

		*all = append(*all, documented(p))
	}
	return &shown
}

// documented returns a parameter as documents have it, with its type in capitals. The description
// of an object says what is in it.
func documented(p toolapi.Parameter) toolbench.Parameter {
	said := toolbench.Parameter{Name: p.Name, Type: p.Type(), Description: p.Description()}
	if kind, _ := p.Schema.Text("type"); kind == said.Type {
		said.Type = strings.ToUpper(kind)
	}

	if value, ok := p.Schema.Get("default"); ok {
		said.Default = pytext.AppendJSON(nil, value)
	}

	if members, ok := p.Schema.Get("properties"); ok {
		said.Description = strings.TrimSpace(said.Description + " " + pytext.JSON(members))
	}
	return said
}
