package remote_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolevo/envs/pytext"
	"toolevo/envs/remote"
	"toolevo/envs/toolapi"
)

// listed are tools as a client reads them.
func listed(t *testing.T, text string) (all []*mcp.Tool) {
	t.Helper()

	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// A server's list becomes tools with types: references are replaced, names fit, and what is not
// expressed is named.
func TestToolsOfAList(t *testing.T) {
	t.Parallel()

	set := remote.ToolsOf(listed(t, `[
		{"name": "orders/list", "annotations": {"readOnlyHint": true},
			"description": "Lists <b>all</b> orders.\n\nOf all times. And so on.",
			"inputSchema": {"$schema": "x", "type": "object", "$defs": {"State": {"enum": ["open", "paid"]}},
				"properties": {"$top": {"type": "integer"}, "state": {"$ref": "#/$defs/State"}},
				"required": ["state", "page"]}},
		{"name": "orders.list", "inputSchema": {"type": "object"}},
		{"name": "Finish", "inputSchema": {"type": "object", "additionalProperties": {"type": "string"}}},
		{"name": "either", "inputSchema": {"type": "object", "properties": {"a": {}, "b": {}},
			"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}},
		{"name": "away", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "https://x.example/a"}}}},
		{"name": "text", "inputSchema": {"type": "string"}}
	]`), 30)

	if len(set.Tools) != 4 || len(set.Left) != 2 ||
		!strings.Contains(set.Left[0].Why, "leads out") || !strings.Contains(set.Left[1].Why, "type string") {
		t.Fatalf("%+v", set)
	}

	first := set.Tools[0]
	schema := pytext.JSON(first.API.Parameters.Schema())

	if want := `{"type": "object", "properties": {"top": {"type": "integer"}, "state": {"enum": ["open", "paid"]}, ` +
		`"page": {}}, "required": ["state", "page"]}`; schema != want {
		t.Errorf("the parameters are\n%s, want\n%s", schema, want)
	}

	if first.Name != "orders/list" || first.Wire["top"] != "$top" || len(first.Wire) != 1 || !first.ReadsOnly ||
		first.API.Description != "Lists all orders." {
		t.Errorf("%+v", first)
	}

	for _, tool := range set.Tools[:3] {
		name := tool.API.Name
		if name == set.Tools[3].API.Name || !strings.Contains(name, "_") || name == "orders_list" {
			t.Errorf("%s is called %s", tool.Name, name)
		}
	}

	if notes := set.Tools[2].Notes; len(notes) == 0 || !strings.Contains(notes[0], "no name in the schema") {
		t.Errorf("the notes are %q", notes)
	}

	if schema := pytext.JSON(set.Tools[3].API.Parameters.Schema()); !strings.Contains(schema, "anyOf") {
		t.Errorf("%s has lost what it says beside its parameters", schema)
	}

	base, err := baseOf(set)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := toolapi.NewCatalog(base); err != nil {
		t.Error(err)
	}
}

// Servers that were made for older libraries list tools without their parameters.
func TestToolsThatLackTheirParameters(t *testing.T) {
	t.Parallel()

	for about, want := range map[string]bool{
		"Reads a file. Use the 'head' parameter for less.": true,
		"Args:\n  path: where":                             true,
		"Lists notes. See `read` (optional).":              false,
		"Lists notes, with 'name' and 'type'.":             false,
		"Resets.":                                          false,
	} {
		set := remote.ToolsOf(listed(t, `[{"name": "read", "inputSchema": {"type": "object", "properties": {"path": {}}}},
			{"name": "one", "description": `+pytext.JSON(about)+`, "inputSchema": {"type": "object"}}]`), 0)

		if noted := len(set.Tools[1].Notes) > 0; noted != want || len(set.Tools[0].Notes) > 0 {
			t.Errorf("%q: %+v", about, set.Tools)
		}
	}

	set := remote.ToolsOf(listed(t, `[{"name": "read", "inputSchema": {"type": "object"}},
		{"name": "write", "inputSchema": {"type": "object"}}]`), 0)
	if len(set.Tools[0].Notes) == 0 || len(set.Tools[1].Notes) == 0 {
		t.Errorf("no tool has parameters, and nothing is said of it: %+v", set.Tools)
	}
}

// The list of a server that runs.
func TestToolsOfAServer(t *testing.T) {
	t.Parallel()

	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	m := &remote.MCP{Command: []string{binary, "serve-notes", "{dir}"}}

	all, _, err := m.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	set := remote.ToolsOf(all, 0)
	if len(set.Tools) != 4 || len(set.Left) != 0 {
		t.Fatalf("%+v", set)
	}

	for _, tool := range set.Tools {
		if got := toolapi.ParameterNames(tool.API.Parameters.All); strings.Join(got, " ") != "path text" ||
			tool.ReadsOnly != (tool.Name == "read" || tool.Name == "list") || len(tool.Notes) > 0 {
			t.Errorf("%+v", tool)
		}
	}
}
