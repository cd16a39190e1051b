package openenv

import (
	_ "embed"
	"encoding/json"
	"net/http"

	"toolevo/envs"
	"toolevo/envs/names"
	"toolevo/envs/pytext"
)

// fixedSchemas are the JSON Schemas that depend on no tool, by name.
//
//go:embed schemas.json
var fixedSchemas []byte

// schema sends the JSON Schemas of what clients send and get. The parameter dataset selects the
// tools of one.
func (s *Server) schema(w http.ResponseWriter, r *http.Request) {
	dataset := r.URL.Query().Get("dataset")

	shown, ok := s.shown[dataset]
	if !ok {
		sendError(w, http.StatusNotFound, names.Unknown("dataset", dataset, s.datasets).Error())
		return
	}

	var all map[string]json.RawMessage
	if err := json.Unmarshal(fixedSchemas, &all); err != nil {
		panic(err) // it is part of the program
	}

	actions := []any{}
	for _, api := range shown.apis {
		actions = append(actions, callSchema(api.Name, api.Sentence(), api.Schema()))
	}

	var others []json.RawMessage
	if err := json.Unmarshal(all["actions"], &others); err != nil {
		panic(err)
	}

	// Written this way, members keep their order.
	calls := make([]json.RawMessage, len(actions), len(actions)+len(others))
	for i, action := range actions {
		calls[i] = pytext.AppendJSON(nil, action)
	}

	// Clients such as verifiers put a text that should be an object into the one member that is
	// required.
	action, _ := json.Marshal(map[string]any{
		"type": "object", "anyOf": append(calls, others...),
		"properties": map[string]any{"type": map[string]string{"type": "string"}},
		"required":   []string{"type"},
	})

	delete(all, "actions")
	all["action"], all["functions"] = action, shown.functions

	sendJSON(w, http.StatusOK, all)
}

// callSchema returns the JSON Schema of the action that calls a function.
func callSchema(name, description string, arguments envs.Args) envs.Args {
	constant := func(value string) envs.Args { return envs.Object("const", value) }
	return envs.Object(
		"title", name,
		"description", description,
		"type", "object",
		"properties", envs.Object(
			"type", constant("call_tool"),
			"tool_name", constant(name),
			"arguments", arguments,
			"thought", envs.Object("type", "string"),
		),
		"required", []any{"type", "tool_name", "arguments"},
	)
}
