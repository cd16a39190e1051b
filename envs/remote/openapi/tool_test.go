package openapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/pytext"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/toolapi"
)

// load loads the one operation of a document, POST /a/{id}, with what is beside it.
func load(t *testing.T, operation, beside string) *openapi.Toolset {
	t.Helper()

	set, err := openapi.Load([]byte(`{"openapi": "3.0.0", "servers": [{"url": "https://x.example"}], "paths": {"/a":
		{"post": {`+operation+`}}}, "components": {"schemas": {`+beside+`}}}`), openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}

	if len(set.Tools)+len(set.Left) != 1 {
		t.Fatalf("%d tools, left %v", len(set.Tools), set.Left)
	}
	return set
}

const bodyOf = `"requestBody": {"required": true, "content": {"application/json": {"schema": `

// What a schema becomes where there is more to it than to copy it.
func TestSchemas(t *testing.T) {
	for name, c := range map[string]struct{ operation, beside, want, note string }{
		"required by another part than the read-only one": {
			bodyOf + `{"allOf": [{"required": ["id", "a"]}, {"$ref": "#/components/schemas/A"}]}}}}`,
			`"A": {"properties": {"id": {"readOnly": true}, "a": {"type": "integer"}}}`,
			`{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}`, "",
		},
		"parts that do not agree": {
			bodyOf + `{"allOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"a": {"type": "string"}}}]}}}}`, "",
			`{"type": "object", "properties": {"body": {"allOf": [{"properties": {"a": {"type": "integer"}}}, ` +
				`{"properties": {"a": {"type": "string"}}}]}}, "required": ["body"]}`, "",
		},
		"a part that has no more members": {
			bodyOf + `{"allOf": [{"properties": {"a": {}}, "additionalProperties": false}, {"type": "object"}]}}}}`, "",
			`{"type": "object", "properties": {"body": {"allOf": [{"properties": {"a": {}}, "additionalProperties": false}, ` +
				`{"type": "object"}]}}, "required": ["body"]}`, "",
		},
		"required, and no member": {
			bodyOf + `{"type": "object", "required": ["b"], "properties": {"a": {}}}}}}`, "",
			`{"type": "object", "properties": {"body": {"type": "object", "required": ["b"], "properties": {"a": {}}}}, ` +
				`"required": ["body"]}`, "",
		},
		"no members": {
			bodyOf + `{"type": "object", "properties": {}, "additionalProperties": false}}}}`, "",
			`{"type": "object", "properties": {}}`, "",
		},
		"members of one name": {
			bodyOf + `{"properties": {"a.b": {}, "a-b": {}, "a_b": {}}}}}}`, "",
			`{"type": "object", "properties": {"body": {"properties": {"a.b": {}, "a-b": {}, "a_b": {}}}}, "required": ["body"]}`, "",
		},
		"what has to be seen": {
			`"parameters": [{"name": "a", "in": "query", "required": true, "schema": {"type": "array"}},
				{"name": "b", "in": "query", "schema": {"type": "array"}},
				{"name": "c", "in": "query", "required": true, "schema": {"type": "string"}}]`, "",
			`{"type": "object", "properties": {"a": {"type": "array", "minItems": 1}, "b": {"type": "array"}, ` +
				`"c": {"type": "string"}}, "required": ["a", "c"]}`, "",
		},
		"an example of a parameter": {
			`"parameters": [{"name": "a", "in": "query", "description": "ours", "example": 7,
				"schema": {"type": "integer", "example": 8, "description": "theirs"}}]`, "",
			`{"type": "object", "properties": {"a": {"description": "ours", "examples": [7], "type": "integer"}}}`, "",
		},
		"a large value": {
			`"parameters": [{"name": "a", "in": "query", "schema": {"enum": ["` + strings.Repeat("x", 20<<10) + `"]}}]`, "",
			`{"type": "object", "properties": {"a": {}}}`, "enum is left out, which has more than 16 KiB",
		},
		"many levels": {
			bodyOf + `{"type": "object", "properties": {"a": ` + strings.Repeat(`{"items": `, 10) + `{}` +
				strings.Repeat("}", 10) + `}}}}}`, "",
			`{"type": "object", "properties": {"a": ` + strings.Repeat(`{"items": `, 7) + `{}` + strings.Repeat("}", 7) + `}}`,
			"what is more than 8 levels deep is cut",
		},
		"a type of nobody": {
			`"parameters": [{"name": "a", "in": "query", "schema": {"type": "date", "nullable": true}}]`, "",
			`{"type": "object", "properties": {"a": {}}}`, "the type date is not known",
		},
		"a reference with escapes": {
			`"parameters": [{"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/A%20~1B"}}]`,
			`"A /B": {"type": "integer"}`, `{"type": "object", "properties": {"a": {"type": "integer"}}}`, "",
		},
		"a reference into a list": {
			`"parameters": [{"name": "a", "in": "query", "schema": {"$ref": "#/components/schemas/A/allOf/1"}}]`,
			`"A": {"allOf": [{}, {"type": "integer"}]}`, `{"type": "object", "properties": {"a": {"type": "integer"}}}`, "",
		},
	} {
		set := load(t, c.operation, c.beside)
		if len(set.Left) > 0 {
			t.Errorf("%s: %+v", name, set.Left)
			continue
		}

		if diff := cmp.Diff(c.want, pytext.JSON(set.Tools[0].API.Parameters.Schema())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}

		if got := strings.Join(set.Tools[0].Notes, "; "); got != c.note {
			t.Errorf("%s: note %q, want %q", name, got, c.note)
		}
	}
}

// What a schema allows, its parameters take, also where it is cut, and where the arguments are a
// choice of objects.
func TestArgumentsTakeWhatIsAllowed(t *testing.T) {
	closed := func(inner string) string {
		return `{"type": "object", "properties": {"a": ` + inner + `}, "required": ["a"], "additionalProperties": false}`
	}

	deep, value := `{}`, `1`
	for range 12 {
		deep, value = closed(deep), `{"a": `+value+`}`
	}

	choice := `{"type": "object", "oneOf": [{"properties": {"id": {"type": "integer"}}, "required": ["id"]},
		{"properties": {"name": {"type": "string"}}, "required": ["name"]}]}`

	for _, c := range []struct {
		schema, call string
		fits         bool
	}{
		{deep, value, true}, {choice, `{"id": 1}`, true}, {choice, `{"name": "x"}`, true}, {choice, `{}`, false},
		{choice, `{"id": "x"}`, false}, {choice, `{"other": 1}`, false},
	} {
		schema, _, err := pytext.DecodeObject(c.schema)
		if err != nil {
			t.Fatal(err)
		}

		a, err := openapi.NewArguments(schema, 0)
		if err != nil {
			t.Fatal(err)
		}

		form, err := toolapi.NewForm(a.Parameters.Schema().With("additionalProperties", false))
		if err != nil {
			t.Fatal(err)
		}

		call, _, err := pytext.DecodeObject(c.call)
		if err != nil {
			t.Fatal(err)
		}

		if _, why := form.Misfit(call); (why == "") != c.fits {
			t.Errorf("%s of %.60s: %q", c.call, c.schema, why)
		}
	}
}

func TestLarge(t *testing.T) {
	var parameters, operations strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&parameters, `{"name": "p%d", "in": "query"},`, i)
	}

	for i := range 20_001 {
		fmt.Fprintf(&operations, `"/%d": {"get": {}},`, i)
	}

	for name, operation := range map[string]string{
		"parameters": `"parameters": [` + strings.TrimSuffix(parameters.String(), ",") + `]`,
		"members":    bodyOf + `{"properties": {` + manyMembers(600) + `}}}}}`,
	} {
		set := load(t, operation, "")
		if len(set.Left) != 1 || set.Left[0].Cause != openapi.Size {
			t.Errorf("%s: left %v", name, set.Left)
		}
	}

	document := []byte(`{"openapi": "3.0.0", "paths": {` + strings.TrimSuffix(operations.String(), ",") + `}}`)
	_, err := openapi.Load(document, openapi.Options{})
	if err == nil || !strings.Contains(err.Error(), "choose some") {
		t.Errorf("many operations: %v", err)
	}

	set, err := openapi.Load(document, openapi.Options{Choose: []string{"/2*"}})
	if err != nil || len(set.Tools) != 1+10+100+1000+1 {
		t.Errorf("some of many operations: %v", err)
	}

	long := load(t, `"parameters": [{"$ref": "#/`+strings.Repeat("x", 2000)+`"}]`, "")
	if len(long.Left) != 1 || !strings.Contains(long.Left[0].Why, "leads out") {
		t.Errorf("a long reference: %v", long.Left)
	}
}

func manyMembers(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(`"m%d": {}`, i)
	}
	return strings.Join(members, ", ")
}

// Names are such that chat APIs take them, whatever those of the document are.
func TestNames(t *testing.T) {
	long := strings.Repeat("long", 20)
	set := load(t, `"operationId": "`+long+`", "parameters": [{"name": "`+long+`", "in": "query"}, {"name": "日本", "in": "query"},
		{"name": "`+long+`", "in": "header"}, {"name": "$top", "in": "query"}, {"name": "top", "in": "query"}]`, "")

	api := set.Tools[0].API
	all := append(toolapi.ParameterNames(api.Parameters.All), api.Name)

	for _, name := range all {
		if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool {
			return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
		}) {
			t.Errorf("the name %q", name)
		}
	}

	slices.Sort(all)

	if len(slices.Compact(all)) != 6 {
		t.Errorf("names are shared: %v", all)
	}
}

// What a document does not say of styles is as OpenAPI says.
func TestUsualStyles(t *testing.T) {
	set := load(t, `"parameters": [{"name": "a", "in": "query"}, {"name": "b", "in": "header"}, {"name": "c", "in": "cookie"},
		{"name": "d", "in": "query", "style": "pipeDelimited"}, {"name": "e", "in": "query", "style": "form", "explode": false}]`, "")

	var got []string
	for _, p := range set.Tools[0].Operation.Parameters {
		got = append(got, fmt.Sprint(p.Name, p.Style, p.Explode))
	}

	want := []string{"aformtrue", "bsimplefalse", "cformtrue", "dpipeDelimitedfalse", "eformfalse"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A body that has to be there is, also where a call says nothing of it.
func TestEmptyBodies(t *testing.T) {
	for _, media := range []string{"application/json", "application/x-www-form-urlencoded"} {
		for needed, want := range map[bool]string{true: media, false: ""} {
			set := load(t, fmt.Sprintf(`"requestBody": {"required": %v, "content": {"%s": {"schema": {"properties": {"a": {}}}}}},
				"parameters": [{"name": "X-Color", "in": "header"}]`, needed, media), "")

			r, err := set.Tools[0].Operation.Request(t.Context(), decode(t, `{"X-Color": []}`), nil)
			if err != nil {
				t.Fatal(err)
			}

			if got := r.Header.Get("Content-Type"); got != want {
				t.Errorf("%s, needed: %v: a request of the type %q", media, needed, got)
			}

			if _, ok := r.Header["X-Color"]; ok {
				t.Error("an empty list is a header")
			}
		}
	}
}
