package toolapi_test

import (
	"testing"

	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// What models tell UpdateTool is a function in JSON, or the line of a tool list.
func TestParseDescription(t *testing.T) {
	const object = `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`

	function := func(description, parameters string) string {
		return `{"type": "function", "function": {"name": "Init_DB", "description": "` + description +
			`", "parameters": ` + parameters + `}}`
	}
	untyped := `{"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]}`

	for text, want := range map[string]string{
		function("Opens it.", object): function("Opens it.", object),
		`{"name": "Init_DB", "description": "Opens it.", "parameters": ` + object + `}`: function("Opens it.", object),
		"Init_DB[a, b], which is an updated version of LoadDB and takes its place. For example, {}.": function(
			"Is an updated version of LoadDB and takes its place. For example, {}.", untyped),
		"`Init_DB[a, b]`, it opens a database": function("it opens a database", untyped),
		"Init_DB[]":                            function("", `{"type": "object", "properties": {}}`),
		"Init_DB":                              "",
		"The tool has changed":                 "",
		"":                                     "",
		`{"name": "Init_DB"}`:                  "",
		`{"parameters": ` + object + `}`:       "",
		`[1]`:                                  "",
	} {
		got := ""
		if a, ok := toolapi.ParseDescription(text); ok {
			got = pytext.JSON(a.Function())
		}

		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}
