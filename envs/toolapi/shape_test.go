package toolapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// argsOf reads a JSON object.
func argsOf(t *testing.T, text string) envs.Args {
	t.Helper()

	v, err := pytext.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v.(envs.Args)
}

// What the adapters of typed parameters make of calls. A call of a version that does not fit gives
// "".
func TestShapes(t *testing.T) {
	t.Parallel()

	spelled := func(kind string) toolapi.Adapter { return toolapi.Spelled{Parameter: "n", Type: kind} }
	nested := toolapi.Nested{Parameter: "at", Members: []string{"lat", "lon"}}
	unnested, listed := toolapi.Unnested(nested), toolapi.Listed{Parameter: "ids"}
	fallback := toolapi.Fallback{Parameter: "unit", Value: uint64(3)}
	nullable := toolapi.Nullable{Parameter: "days"}
	flipped := toolapi.Flipped{Parameter: "desc", Tool: false, Default: true}

	for _, tt := range []struct {
		adapter         toolapi.Adapter
		deployed, tools string
	}{
		{spelled("integer"), `{"n": "3"}`, `{"n": 3}`},
		{spelled("integer"), `{"n": "3.0"}`, ""},
		{spelled("integer"), `{"n": 3}`, ""},
		{spelled("number"), `{"n": "-2.50e3"}`, `{"n": -2.50e3}`},
		{spelled("number"), `{"n": "NaN"}`, ""},
		{spelled("number"), `{"n": " 1"}`, ""},
		{spelled("boolean"), `{"n": "false"}`, `{"n": false}`},
		{spelled("boolean"), `{"n": "False"}`, ""},
		{spelled("boolean"), `{}`, `{}`},
		{nested, `{"a": 1, "at": {"lon": 2, "lat": 3}}`, `{"a": 1, "lon": 2, "lat": 3}`},
		{nested, `{"at": {"lon": 2, "height": 3}}`, ""},
		{nested, `{"at": [2, 3]}`, ""},
		{nested, `{"a": 1}`, `{"a": 1}`},
		{unnested, `{"a": 1, "lon": 2}`, `{"a": 1, "at": {"lon": 2}}`},
		{unnested, `{"a": 1}`, `{"a": 1}`},
		{listed, `{"ids": ["x"]}`, `{"ids": "x"}`},
		{listed, `{"ids": []}`, `{}`},
		{listed, `{}`, `{}`},
		{listed, `{"ids": ["x", "y"]}`, ""},
		{listed, `{"ids": "x"}`, ""},
		{fallback, `{}`, `{"unit": 3}`},
		{fallback, `{"unit": 4}`, `{"unit": 4}`},
		{nullable, `{"days": null}`, `{}`},
		{nullable, `{"days": 2}`, `{"days": 2}`},
		{nullable, `{}`, ""},
		{flipped, `{}`, `{"desc": true}`},
		{flipped, `{"desc": false}`, `{}`},
		{flipped, `{"desc": [1]}`, `{"desc": [1]}`},
	} {
		before := argsOf(t, tt.deployed)
		got, wrong := tt.adapter.Lower(before)

		if tt.tools == "" {
			if wrong == nil {
				t.Errorf("%T lowers %s to %v, want an error", tt.adapter, tt.deployed, got)
			}

			continue
		}

		if diff := cmp.Diff(argsOf(t, tt.tools), got); wrong != nil || diff != "" {
			t.Errorf("%T lowers %s: %v\n%s", tt.adapter, tt.deployed, wrong, diff)
		}

		if diff := cmp.Diff(argsOf(t, tt.deployed), before); diff != "" {
			t.Errorf("%T changes what it lowers:\n%s", tt.adapter, diff)
		}
	}

	for call, adapter := range map[string]toolapi.Adapter{
		`{"n": "3"}`:       spelled("integer"),
		`{"n": true}`:      spelled("integer"),
		`{"n": [1]}`:       spelled("boolean"),
		`{"days": null}`:   nullable,
		`{"at": {"x": 1}}`: unnested,
	} {
		if got, err := adapter.Lift(argsOf(t, call)); err == nil {
			t.Errorf("%T lifts %s to %v, want an error", adapter, call, got)
		}
	}
}

// A file whose adapter cannot work is refused.
func TestShapesOfFiles(t *testing.T) {
	t.Parallel()

	for item, want := range map[string]string{
		"spelled: {parameter: days, type: date}":                                  `"date" is not number, integer or boolean`,
		"nested: {parameter: at, members: []}":                                    "no members",
		"unnested: {parameter: at, members: []}":                                  "no members",
		"listed: {}":                                                              "no parameter",
		"fallback: {parameter: days, value: [1]}":                                 "is not null, a bool",
		"flipped: {parameter: days, tool: 1, default: 1}":                         "two defaults that differ",
		"nullable: {parameter: day}":                                              "it does nothing",
		"spelled: {parameter: days, type: integer}\n        flag: {parameter: a}": "2 kinds",
	} {
		text := strings.Replace(typedNext, "ignored: {parameter: key, value: 7}", item, 1)

		_, err := typed(t, typedBase, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", item, err, want)
		}
	}
}
