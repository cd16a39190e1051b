package toolapi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"toolevo/envs/toolapi"
)

func TestUnknownVersion(t *testing.T) {
	_, err := load(t).Version("p_x")

	want := `unknown API version "p_x", did you mean p_c? Valid are b2_names_character, b2_names_text, ` +
		`b2_parameters_character, b2_parameters_text, b2_response, p_c, p_s_in, p_s_ood, p_s_ood_proprietary`
	if err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

// TestOwnVersions adds a version of a file, as a user would.
func TestOwnVersions(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(shipped, "p_s_in.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	text := strings.NewReplacer("version: p_s_in", "version: mine", "deprecates: [p_c]", "deprecates: [p_c, p_s_ood]",
		"InitializeDatabase", "Open-DB").Replace(string(data))
	own := toolapi.File{Path: "mine.yaml", Text: text}

	c, err := toolapi.Load(os.DirFS(shipped), own)
	if err != nil {
		t.Fatal(err)
	}

	v, err := c.Version("mine")
	if err != nil {
		t.Fatal(err)
	}

	d, ok := v.Deprecation("Init_DB")

	want := `Error: Init_DB[databaseIdentifier] is deprecated and will be removed in future releases. Use Open-DB[DatabaseName], param example: {"DatabaseName": "flights"} instead.`
	if !ok || d.Notice() != want {
		t.Errorf("notice = %q", d.Notice())
	}

	if _, err := toolapi.Load(os.DirFS(shipped), own, own); err == nil ||
		!strings.Contains(err.Error(), "mine is already defined in") {
		t.Errorf("twice the same version: %v", err)
	}
}

func TestLoadErrors(t *testing.T) {
	pc, err := os.ReadFile(filepath.Join(shipped, "p_c.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	in, err := os.ReadFile(filepath.Join(shipped, "p_s_in.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	tests := []struct{ name, old, new, want string }{
		{"unknown key", "tool: LoadDB", "kernel: LoadDB", `unknown field "kernel"`},
		{"unknown tool", "tool: LoadDB", "tool: LoadDatabase", "p_c has no tool LoadDatabase"},
		{"tool not exposed", "tool: LoadGraph", "tool: LoadDB", "the tool LoadGraph is not exposed"},
		{"name twice", "name: ValidateGraphNode", "name: InitializeDatabase", "the name is exposed twice"},
		{"unusable name", "name: InitializeDatabase", "name: ' x'", "the name cannot be written as an action"},
		{"parameter twice", "{name: graphNode", "{name: Graph_Name", "a parameter is named twice"},
		{"unknown version", "[p_c]", "[p_x]", `unknown API version "p_x"`},
		{"wrong example", `{"DatabaseName": "flights"}`, `{"DBName": "flights"}`,
			"it is not a call of InitializeDatabase[DatabaseName]"},
		{"no JSON", `{"DatabaseName": "flights"}`, `{"DatabaseName": flights}`, "Expecting value: line 1 column 18"},
		{"no example", `example: '{"DatabaseName": "flights"}'`, `signature: x`, "its notice has no example"},
		{"adapter misses", "rename: {DatabaseName: DBName}", "rename: {DatabaseName: Name}", "API 3"},
		{"two adapters in one", "- rename: {DatabaseName: DBName}", "- rename: {DatabaseName: DBName}\n        " +
			"flag: {parameter: x}", "2 kinds in one item"},
		{"join without trim", "trim: true, join", "join", "join is white space and needs trim"},
		{"odd constant", "value: 3", "value: [3]", "is not null, a bool, a number or a string"},
		{"system tool renamed", "- name: Finish", "- name: Done\n    tool: Finish", "system tool Finish"},
		{"half a response", "deprecates:", "response: {state: State}\ndeprecates:", "a response needs two names"},
		{"unknown key of a response", "deprecates:", "response: {status: State}\ndeprecates:", `unknown field "status"`},
		{"not YAML", "version: p_s_in", "version: [", "p_s_in.yaml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changed := strings.Replace(string(in), tt.old, tt.new, 1)
			if changed == string(in) {
				t.Fatalf("%q is not in the file", tt.old)
			}

			_, err := toolapi.Load(fstest.MapFS{"p_c.yaml": {Data: pc}, "p_s_in.yaml": {Data: []byte(changed)}})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "p_s_in.yaml") {
				t.Errorf("error = %v, want %q in it", err, tt.want)
			}
		})
	}

	t.Run("position", func(t *testing.T) {
		changed := strings.Replace(string(in), "deprecates:", "depricates:", 1)

		_, err := toolapi.Load(fstest.MapFS{"p_c.yaml": {Data: pc}, "p_s_in.yaml": {Data: []byte(changed)}})
		if err == nil || !strings.Contains(err.Error(), "[7:1]") {
			t.Errorf("error = %v, want line and column", err)
		}
	})
	t.Run("bad messages", func(t *testing.T) {
		for text, want := range map[string]string{
			"deprecated: '{{.Old'":            "messages.deprecated:1: unclosed action",
			"deprecated: '{{.Older.Name}}'":   "messages.deprecated:1:8: executing",
			"invalid: '{{(index .APIs 99)}}'": "messages.invalid:1:3: executing",
			"invalid: '{{if false}}x{{end}}'": "messages.invalid says nothing",
			"invalidate: x":                   "unknown field \"invalidate\"",
		} {
			changed := strings.Replace(string(in), "apis:", "messages:\n  "+text+"\napis:", 1)

			_, err := toolapi.Load(fstest.MapFS{"p_c.yaml": {Data: pc}, "p_s_in.yaml": {Data: []byte(changed)}})
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "p_s_in.yaml") {
				t.Errorf("%s: error = %v, want %q in it", text, err, want)
			}
		}

		none := strings.Replace(string(pc), "  invalid: >-", "  invalid: ''\n  # >-", 1)
		none = none[:strings.Index(none, "    Invalid Action")] + none[strings.Index(none, "apis:"):]

		if _, err := toolapi.Load(fstest.MapFS{"p_c.yaml": {Data: []byte(none)}}); err == nil ||
			!strings.Contains(err.Error(), "p_c.yaml: no messages.invalid") {
			t.Errorf("error = %v", err)
		}
	})
	t.Run("own messages", func(t *testing.T) {
		changed := strings.Replace(string(in), "apis:", `
messages: {deprecated: "Gone: {{.Old.Name}}. {{.New.Tool}} {{.Signature}} {{.Example}}", invalid: "No."}
apis:`, 1)

		c, err := toolapi.Load(fstest.MapFS{"p_c.yaml": {Data: pc}, "p_s_in.yaml": {Data: []byte(changed)}})
		if err != nil {
			t.Fatal(err)
		}

		v, _ := c.Version("p_s_in")
		d, _ := v.Deprecation("LoadDB")

		want := `Gone: LoadDB. LoadDB InitializeDatabase[DatabaseName] {"DatabaseName": "flights"}`
		if text, err := v.InvalidAction(); err != nil || text != "No." || d.Notice() != want {
			t.Errorf("%q, %q, %v", text, d.Notice(), err)
		}
	})
	t.Run("no base", func(t *testing.T) {
		if _, err := toolapi.Load(fstest.MapFS{"p_s_in.yaml": {Data: in}}); err == nil ||
			!strings.Contains(err.Error(), "no file has base: true") {
			t.Errorf("error = %v", err)
		}
	})
	t.Run("two bases", func(t *testing.T) {
		second := strings.Replace(string(pc), "version: p_c", "version: q_c", 1)

		_, err := toolapi.Load(fstest.MapFS{"p_c.yaml": {Data: pc}, "q_c.yaml": {Data: []byte(second)}})
		if err == nil || !strings.Contains(err.Error(), "q_c.yaml: a second base beside p_c.yaml") {
			t.Errorf("error = %v", err)
		}
	})
	t.Run("empty file", func(t *testing.T) {
		if _, err := toolapi.Load(fstest.MapFS{"x.yaml": {}}); err == nil ||
			!strings.Contains(err.Error(), "x.yaml: the file is empty") {
			t.Errorf("error = %v", err)
		}
	})
}
