package drift_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
)

// scripted is the version of a script that ships with the program.
func scripted(t *testing.T, name string) *toolapi.Spec {
	t.Helper()

	path := filepath.Join("../../configs/apis/scripts", name+".yaml")

	script, err := drift.ParseScript(toolapi.File{Path: path, Text: string(mustRead(t, path))})
	if err != nil {
		t.Fatal(err)
	}

	s, _, err := maker(t, shipped(t), "p_c", 1).Scripted(script)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The published versions are operators on p_c, but for what is in testdata/scripts.txt; and they
// load as such.
func TestScriptsOfShippedVersions(t *testing.T) {
	t.Parallel()

	var b strings.Builder

	for _, name := range []string{"p_s_in", "p_s_ood"} {
		got, want := scripted(t, name), specOf(t, shipped(t), name)
		fmt.Fprintf(&b, "%s\n", name)

		if got.Version != want.Version || got.About != want.About ||
			!reflect.DeepEqual(got.Deprecates, want.Deprecates) {
			t.Errorf("the script makes %s (%s), which deprecates %v", got.Version, got.About, got.Deprecates)
		}

		for i, a := range want.APIs {
			writeDifference(&b, a.Name, "name", got.APIs[i].Name, a.Name)
			writeDifference(&b, a.Name, "parameters", got.APIs[i].Parameters.All, a.Parameters.All)
			writeDifference(&b, a.Name, "adapters", encoded(t, got.APIs[i]), encoded(t, a))
			writeDifference(&b, a.Name, "example", got.APIs[i].Notice.Example, a.Notice.Example)
			writeDifference(&b, a.Name, "arguments", got.APIs[i].Errors.Arguments, a.Errors.Arguments)
			writeDifference(&b, a.Name, "value", got.APIs[i].Errors.Value, a.Errors.Value)
		}

		got.Version += "_scripted"

		text, err := got.Encode()
		if err != nil {
			t.Fatal(err)
		}

		shipped(t, toolapi.File{Path: name, Text: string(text)})
	}

	path := filepath.Join("testdata", "scripts.txt")

	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	if diff := cmp.Diff(string(mustRead(t, path)), b.String()); diff != "" {
		t.Error(diff)
	}
}

// The single factors of the paper are what their scripts make of p_c, to the byte, and the one of
// answers is what the factor makes.
func TestPublishedFactors(t *testing.T) {
	t.Parallel()

	made := map[string]*toolapi.Spec{}
	for _, name := range []string{"names_text", "names_character", "parameters_text", "parameters_character"} {
		made["b2_"+name] = scripted(t, "b2_"+name)
	}

	made["b2_response"], _ = maker(t, shipped(t), "p_c", 1).FactorVersion(factor(t, "response"), 0)
	made["b2_response"].Version = "b2_response"
	made["b2_response"].About = specOf(t, shipped(t), "b2_response").About

	for name, spec := range made {
		text, err := spec.Encode()
		if err != nil {
			t.Fatal(err)
		}

		path := filepath.Join("../../configs/apis", name+".yaml")

		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}

		if diff := cmp.Diff(string(mustRead(t, path)), string(text)); diff != "" {
			t.Errorf("%s:\n%s", path, diff)
		}
	}
}

func writeDifference(b *strings.Builder, api, what string, got, want any) {
	if !reflect.DeepEqual(got, want) {
		fmt.Fprintf(b, "  %s %s\n    by operators  %v\n    published     %v\n", api, what, got, want)
	}
}

// encoded are the adapters of an API as a file has them.
func encoded(t *testing.T, a toolapi.APISpec) string {
	t.Helper()

	one := toolapi.Spec{Version: "x", APIs: []toolapi.APISpec{{Name: "x", Adapters: a.Adapters}}}

	text, err := one.Encode()
	if err != nil {
		t.Fatal(err)
	}

	_, adapters, _ := strings.Cut(string(text), "adapters:\n")
	return strings.Join(strings.Fields(adapters), " ")
}

// Two renamings in a row are one, also where the second gives a name that the first took away.
func TestRenamedTwice(t *testing.T) {
	t.Parallel()

	for steps, want := range map[[2]string]toolapi.Rename{
		{"{GraphName: A}", "{A: B, Node: A}"}:       {"B": "GraphName", "A": "Node"},
		{"{GraphName: A, Node: B}", "{A: B, B: A}"}: {"B": "GraphName", "A": "Node"},
		{"{GraphName: A}", "{Node: B}"}:             {"A": "GraphName", "B": "Node"},
		{"{GraphName: A, Node: B}", "{A: C}"}:       {"C": "GraphName", "B": "Node"},
	} {
		text := fmt.Sprintf("{version: x, tools: {NodeCheck: [{rename-parameter: %s}, "+
			"{rename-parameter: %s}]}}", steps[0], steps[1])

		s, err := drift.ParseScript(toolapi.File{Path: "x.yaml", Text: text})
		if err != nil {
			t.Fatal(err)
		}

		// A map is read in another order each time.
		for range 20 {
			got, _, err := maker(t, shipped(t), "p_c", 1).Scripted(s)
			if err != nil {
				t.Fatal(err)
			}

			for _, a := range got.APIs {
				if a.ToolName() != "NodeCheck" {
					continue
				}

				if diff := cmp.Diff(want, a.Adapters[0].Rename); diff != "" {
					t.Fatalf("%s: %s", text, diff)
				}
			}
		}
	}
}

// A script that cannot be applied says which step of which tool cannot.
func TestScriptMistakes(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"tools: {}": "no version",
		"{version: x, tools: {LoadDB: [{rename-apis: y}]}}":                     "rename-apis",
		"{version: x, tools: {LoadDB: [{rename-api: y, add-flag: z}]}}":         "LoadDB, step 1: want one operator",
		"{version: x, tools: {LoadDB: [{}]}}":                                   "LoadDB, step 1: want one operator",
		"{version: x, tools: {LoadDB: [{rename-parameter: {Name: y}}]}}":        "step 1: rename-parameter cannot",
		"{version: x, tools: {LoadDB: [{add-flag: y}, {number-list: {y: z}}]}}": "LoadDB, step 2: number-list",
		"{version: x, tools: {LoadTea: [{rename-api: y}]}}":                     "LoadTea, step 1: rename-api cannot",
	} {
		s, err := drift.ParseScript(toolapi.File{Path: "x.yaml", Text: text})
		if err == nil {
			_, _, err = maker(t, shipped(t), "p_c", 1).Scripted(s)
		}

		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
