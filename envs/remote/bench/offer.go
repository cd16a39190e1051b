package bench

import (
	"context"
	"net/http"
	"path"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/remote"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/toolapi"
)

// offer is what a server or a document offers.
type offer struct {
	tools    []offered
	left     []LeftTool
	unchosen []string // names at the server, or of operations
}

// offered is a tool that is offered.
type offered struct {
	api   toolapi.APISpec
	name  string // at the server
	wire  map[string]string
	reads bool // no call changes anything, as far as its server or its method says
	notes []string
}

// offerOf asks a server for its tools.
func offerOf(ctx context.Context, server *remote.MCP, describe int) (*offer, error) {
	listed, left, err := server.Tools(ctx)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	set, o := remote.ToolsOf(listed, describe), &offer{}
	set.Left = append(set.Left, left...)

	for _, t := range set.Tools {
		o.tools = append(o.tools, offered{t.API, t.Name, t.Wire, t.ReadsOnly, t.Notes})
	}

	for _, l := range set.Left {
		o.left = append(o.left, LeftTool{l.Name, l.Why})
	}

	return o, nil
}

// offerIn reads the tools of an OpenAPI document.
func offerIn(file string, choose []string, describe int) (*offer, []byte, error) {
	text, err := disk.ReadText(file)
	if err != nil {
		return nil, nil, err
	}

	set, err := openapi.Load(text, openapi.Options{Choose: choose, MostDescription: describe})
	if err != nil {
		return nil, nil, console.Usage("%s: %w", file, err)
	}

	o := &offer{unchosen: set.Unchosen}
	for _, t := range set.Tools {
		reads := t.Operation.Method == http.MethodGet || t.Operation.Method == http.MethodHead
		o.tools = append(o.tools, offered{api: t.API, name: t.API.Name, reads: reads, notes: t.Notes})
	}

	for _, l := range set.Left {
		o.left = append(o.left, LeftTool{l.Name, string(l.Cause) + ": " + l.Why})
	}

	return o, text, nil
}

// choose leaves the tools whose names fit one of some patterns, and the others by name.
func (o *offer) choose(patterns []string) error {
	var kept []offered

	for _, t := range o.tools {
		fits := len(patterns) == 0

		for _, pattern := range patterns {
			ok, err := path.Match(pattern, t.api.Name)
			if err != nil {
				return console.Usage("‹choose›: %w", err)
			}

			fits = fits || ok
		}

		if fits {
			kept = append(kept, t)
		} else {
			o.left = append(o.left, LeftTool{t.name, "not chosen"})
			o.unchosen = append(o.unchosen, t.name)
		}
	}

	if o.tools = kept; len(kept) == 0 {
		return console.Usage("no tool is left to import: %d are left out", len(o.left))
	}

	return nil
}

// apis are the tools as a version has them.
func (o *offer) apis() []toolapi.APISpec {
	all := make([]toolapi.APISpec, len(o.tools))
	for i, t := range o.tools {
		all[i] = t.api
	}

	return all
}

// describe notes in a toolset what is known of the tools, beside what the user says.
func (o *offer) describe(toolset *Toolset, reads []string) {
	for _, t := range o.tools {
		name := t.api.Name
		if t.reads || slices.Contains(reads, name) {
			toolset.Reads = append(toolset.Reads, name)
		}

		if t.name != name || len(t.wire) > 0 {
			if toolset.Called == nil {
				toolset.Called = map[string]Called{}
			}

			toolset.Called[name] = Called{t.name, t.wire}
		}
	}
}
