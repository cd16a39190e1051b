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
	tools    []remote.Tool
	left     []remote.Left
	unchosen []string // names at the server, or of operations
}

// offerFromServer asks a server for its tools.
func offerFromServer(ctx context.Context, server *remote.MCP, describe int) (*offer, error) {
	listed, left, err := server.Tools(ctx)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	set := remote.ToolsOf(listed, describe)
	return &offer{tools: set.Tools, left: append(set.Left, left...)}, nil
}

// offerFromDocument reads the tools of an OpenAPI document.
func offerFromDocument(file string, o openapi.Options) (*offer, []byte, error) {
	text, err := disk.ReadText(file)
	if err != nil {
		return nil, nil, err
	}

	set, err := openapi.Load(text, o)
	if err != nil {
		return nil, nil, console.Usage("%s: %w", file, err)
	}

	offered := &offer{unchosen: set.Unchosen}
	for _, t := range set.Tools {
		reads := t.Operation.Method == http.MethodGet || t.Operation.Method == http.MethodHead
		offered.tools = append(offered.tools, remote.Tool{API: t.API, Name: t.API.Name,
			ReadsOnly: reads, Notes: t.Notes})
	}

	for _, l := range set.Left {
		offered.left = append(offered.left, remote.Left{Name: l.Name,
			Why: string(l.Cause) + ": " + l.Why})
	}
	return offered, text, nil
}

// choose keeps the tools whose names fit one of the patterns, and only the names of the others.
func (o *offer) choose(patterns []string) error {
	var kept []remote.Tool

	for _, t := range o.tools {
		fits := len(patterns) == 0

		for _, pattern := range patterns {
			ok, err := path.Match(pattern, t.API.Name)
			if err != nil {
				return console.Usage("‹choose›: %w", err)
			}

			fits = fits || ok
		}

		if fits {
			kept = append(kept, t)
		} else {
			o.left = append(o.left, remote.Left{Name: t.Name, Why: "not chosen"})
			o.unchosen = append(o.unchosen, t.Name)
		}
	}

	if o.tools = kept; len(kept) == 0 {
		return console.Usage("no tool is left to import: %d are left out", len(o.left))
	}
	return nil
}

// apis returns the tools as a version has them.
func (o *offer) apis() []toolapi.APISpec {
	all := make([]toolapi.APISpec, len(o.tools))
	for i, t := range o.tools {
		all[i] = t.API
	}
	return all
}

// describe notes in a toolset what is known about the tools: which only read, by the server or the
// user, and what the server calls them.
func (o *offer) describe(toolset *Toolset, reads []string) {
	for _, t := range o.tools {
		name := t.API.Name
		if t.ReadsOnly || slices.Contains(reads, name) {
			toolset.Reads = append(toolset.Reads, name)
		}

		if t.Name != name || len(t.Wire) > 0 {
			if toolset.Called == nil {
				toolset.Called = map[string]Called{}
			}

			toolset.Called[name] = Called{t.Name, t.Wire}
		}
	}

	// What no tool is called is kept to be refused, as in allow.
	for _, name := range reads {
		if !slices.Contains(toolset.Reads, name) {
			toolset.Reads = append(toolset.Reads, name)
		}
	}
}
