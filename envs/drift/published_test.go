package drift_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/drift"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// documents are tools as ToolBench describes them.
const documents = `
version: p_c
base: true
messages: {deprecated: "{{.Old.Name}} is {{.New.Signature}}: {{.Example}}", invalid: "No."}
apis:
  - name: names
    description: which has names of the 48, one in capitals, and one that is there already.
    parameters:
      - {name: city, type: string, default: x}
      - {name: City, type: string, default: x}
      - {name: location, type: string, default: x}
      - {name: url, type: string, optional: true}
  - name: types
    description: which has a number, that never drifts, an integer and a boolean.
    parameters:
      - {name: a, type: number, default: 1, optional: true}
      - {name: b, type: integer, default: 2, optional: true}
      - {name: c, type: boolean, default: true, optional: true}
  - name: defaults
    description: which has defaults that flip, where they mean something.
    parameters:
      - {name: a, type: string, default: ASC}
      - {name: b, type: string, default: ASC, optional: true}
      - {name: c, type: string, default: up, optional: true}
  - {name: Finish, parameters: [answer], description: which ends the task.}
  - {name: UpdateTool, parameters: [newtool_desc], description: which learns.}
`

// published are the versions of DynamicToolBench of some tools.
func published(t *testing.T, text string) *toolapi.Catalog {
	t.Helper()
	return drift.Published(catalogOf(t, text), "p_c")
}

// apiOf is the API of a tool in a version.
func apiOf(t *testing.T, c *toolapi.Catalog, version, tool string) *toolapi.API {
	t.Helper()

	v, err := c.Version(version)
	if err != nil {
		t.Fatal(err)
	}

	a, ok := v.ForTool(tool)
	if !ok {
		t.Fatalf("%s has no API for %s", version, tool)
	}
	return a
}

// The published rules that no chance decides, case by case: the API, and a call of the tool as the
// version has it.
func TestPublishedRules(t *testing.T) {
	t.Parallel()

	for _, test := range []struct{ version, tool, signature, call, want string }{
		{
			drift.DTBv2, "names", "names[location2, City, location, endpoint_url]",
			`{"city": "Rome", "City": "R", "location": "Italy", "url": "u"}`,
			`{"location2": "Rome", "City": "R", "location": "Italy", "endpoint_url": "u"}`,
		},
		{drift.DTBv2, "types", "types[a, b, c]", `{"b": 3, "c": false}`, `{"b": 3, "c": false}`},
		{drift.DTBv2, "defaults", "defaults[a, b, c]", `{"a": "x"}`, `{"a": "x"}`},
	} {
		a := apiOf(t, published(t, documents), test.version, test.tool)
		if got := a.Signature(); got != test.signature {
			t.Errorf("%s, %s: %s, want %s", test.version, test.tool, got, test.signature)
		}

		call, _, err := pytext.DecodeObject(test.call)
		if err != nil {
			t.Fatal(err)
		}

		lifted, err := a.Lift(call)
		if got := pytext.JSON(lifted); err != nil || got != test.want {
			t.Errorf("%s, %s: %s becomes %s, %v, want %s", test.version, test.tool, test.call, got, err, test.want)
		}
	}

	// Nothing of it is swapped in this version. A call without a flipped parameter means the other
	// default, and one that names the tool's is as before.
	flipped := apiOf(t, published(t, documents), drift.DTBv3, "defaults")
	for call, want := range map[string]string{
		`{"a": "x"}`: `{"a": "x", "b": "desc"}`, `{"a": "x", "b": "ASC"}`: `{"a": "x"}`,
		`{"a": "x", "b": "asc"}`: `{"a": "x", "b": "asc"}`,
	} {
		args, _, err := pytext.DecodeObject(call)
		if err != nil {
			t.Fatal(err)
		}

		lowered, wrong := flipped.Lower(args)
		if got := pytext.JSON(lowered); wrong != nil || got != want {
			t.Errorf("%s means %s, %+v, want %s", call, got, wrong, want)
		}
	}
}

// What chance decides comes as often as published, for each tool by itself: of two parameters, one
// that must be there, 0.99 · 0.99 / 2 change places, and of two places 0.99 go into an object.
func TestPublishedChances(t *testing.T) {
	t.Parallel()

	const n = 300

	var text strings.Builder

	head, rest, _ := strings.Cut(documents, "apis:\n")
	text.WriteString(head + "apis:\n")

	for i := range n {
		fmt.Fprintf(&text, "  - {name: swap%d, description: which swaps., parameters: [{name: a, type: string, "+
			"default: x}, {name: b, type: string, optional: true}]}\n", i)
		fmt.Fprintf(&text, "  - {name: place%d, description: which nests., parameters: [{name: address_1, "+
			"type: string}, {name: geo, type: string}, {name: q, type: string, optional: true}]}\n", i)
	}

	c := published(t, text.String()+rest)
	exchanged, nested := 0, 0

	for i := range n {
		if p := apiOf(t, c, drift.DTBCombined, fmt.Sprint("swap", i)).Parameters; p[0].Optional && !p[1].Optional {
			exchanged++
		}

		place := apiOf(t, c, drift.DTBCombined, fmt.Sprint("place", i))
		if slices.Contains(toolapi.ParameterNames(place.Parameters), "address") {
			nested++
		}
	}

	if exchanged < n*40/100 || exchanged > n*58/100 || nested < n*96/100 {
		t.Errorf("%d of %d changed places, %d of %d are nested", exchanged, n, nested, n)
	}

	// The tools beside it change nothing of what becomes of one.
	alone := published(t, documents)
	for _, version := range []string{drift.DTBv2, drift.DTBv3, drift.DTBCombined} {
		for _, tool := range []string{"names", "types", "defaults"} {
			want, got := apiOf(t, alone, version, tool), apiOf(t, c, version, tool)
			if diff := cmp.Diff(want.Function(), got.Function()); diff != "" {
				t.Errorf("%s: %s beside others:\n%s", version, tool, diff)
			}
		}
	}
}
