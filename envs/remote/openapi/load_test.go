package openapi_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"toolevo/envs/pytext"
	"toolevo/envs/remote/openapi"
	"toolevo/envs/toolapi"
)

func shop(t *testing.T, o openapi.Options) *openapi.Toolset {
	t.Helper()

	text, err := os.ReadFile("testdata/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}

	set, err := openapi.Load(text, o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func tool(t *testing.T, set *openapi.Toolset, name string) openapi.Tool {
	t.Helper()

	i := slices.IndexFunc(set.Tools, func(tool openapi.Tool) bool { return tool.API.Name == name })
	if i < 0 {
		t.Fatalf("no tool %s", name)
	}
	return set.Tools[i]
}

func TestFunctions(t *testing.T) {
	set := shop(t, openapi.Options{})

	for name, want := range map[string]string{
		// The operation's own limit, a header of a component, and no Authorization; the last
		// sentence that fits.
		"listOrders": `{"name": "listOrders", "description": "Lists orders. Newest first, ten at a time unless a limit says ` +
			`otherwise.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", ` +
			`"exclusiveMinimum": 1, "default": 10, "examples": [20]}, "status": {"type": "array", "items": {"type": "string", ` +
			`"enum": ["paid", "sent"], "description": "Where it is."}}, "filter_shop": {"type": ["string", "null"]}, ` +
			`"X-Trace": {"type": "string"}}, "required": ["X-Trace"]}}`,
		// Two parts of a body are one, without what is read-only.
		"add_order": `{"name": "add_order", "description": "POST /orders", "parameters": {"type": "object", "properties": ` +
			`{"limit": {"description": "of the path", "type": "string"}, "item": {"type": "string"}, "count": {"type": "integer", "maximum": 5}, "status": {"description": ` +
			`"what it becomes", "type": "string", "enum": ["paid", "sent"]}, "gift": {"anyOf": [{"type": "string"}, ` +
			`{"type": "object", "properties": {"to": {"type": "string"}}}]}}, "required": ["item", "count"]}}`,
		// Two operations of one name, one of which has a body with the name of another parameter.
		"order_" + hashOf("GET /orders/{id}"): `{"name": "order_ea614192", "description": "GET /orders/{id}", "parameters": ` +
			`{"type": "object", "properties": {"id": {"type": "integer"}, "id_query": {"description": "another one", "type": ` +
			`"string"}, "where": {"type": "object", "properties": {"a": {"type": "integer"}}}}, "required": ["id"]}}`,
		"order_" + hashOf("PUT /orders/{id}"): `{"name": "order_c8ee5c0d", "description": "PUT /orders/{id}", "parameters": ` +
			`{"type": "object", "properties": {"id": {"type": "integer"}, "body": {"type": "object", "properties": {"id": ` +
			`{"type": "integer"}, "name": {"type": "string"}}}}, "required": ["id", "body"]}}`,
		"delete_orders_id": `{"name": "delete_orders_id", "description": "DELETE /orders/{id}", "parameters": {"type": ` +
			`"object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}}`,
		"tree": `{"name": "tree", "description": "PUT /tree", "parameters": {"type": "object", "properties": {"name": ` +
			`{"type": "string"}, "children": {"type": "array", "items": {"type": "object"}}}}}`,
		"Finish_" + hashOf("POST /pay"): `{"name": "Finish_f6bf7783", "description": "POST /pay", "parameters": {"type": ` +
			`"object", "properties": {"amount": {"type": "number"}, "card": {"type": "object", "properties": {"no": ` +
			`{"type": "string"}}}}, "required": ["amount"]}}`,
		"post_large": `{"name": "post_large", "description": "POST /large", "parameters": {"type": "object", "properties": ` +
			`{"body": {"type": "object", "additionalProperties": {"type": "string"}, "properties": {"a": {"type": "string"}}}}}}`,
	} {
		found := tool(t, set, name)
		if diff := cmp.Diff(want, pytext.JSON(found.API.Function().Object("function"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	if len(set.Tools) != 8 {
		t.Errorf("%d tools, want 8", len(set.Tools))
	}
}

func TestAnswers(t *testing.T) {
	set := shop(t, openapi.Options{})

	for name, want := range map[string]string{
		"listOrders": `[{"id": 7, "status": "paid"}]`, "add_order": `{"id": 7}`, "tree": "",
	} {
		if got := tool(t, set, name).API.Answer; got != want {
			t.Errorf("%s answers %s, want %s", name, got, want)
		}
	}
}

func TestNotes(t *testing.T) {
	set := shop(t, openapi.Options{})

	for name, want := range map[string][]string{
		"listOrders": {"the pattern ^(?!x) is not checked", "the header Authorization is no parameter"},
		"add_order": {
			"not is not checked", "a request may have no body in the document, and always has one here",
			"the callback shipped is not awaited",
		},
		"tree":             {"#/components/schemas/Node has itself inside, and is cut there"},
		"delete_orders_id": nil,
	} {
		if diff := cmp.Diff(want, tool(t, set, name).Notes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestLeft(t *testing.T) {
	want := []openapi.Left{
		{"/elsewhere", openapi.Reference, "https://other.example/paths.yaml leads out of the document"},
		{"GET /orders/{id}/{missing}", openapi.Malformed, "the path has {missing}, which is no parameter"},
		{"POST /picture", openapi.Multipart, "multipart/form-data"},
		{"PUT /picture", openapi.Binary, "application/octet-stream"},
		{"PATCH /picture", openapi.Media, `"application/xml"`},
		{"GET /broken", openapi.Reference, "other.yaml#/Q leads out of the document"},
		{"PUT /broken", openapi.Reference, "#/components/schemas/Nothing leads nowhere"},
		{"POST /broken", openapi.Reference, "#/components/schemas/Loop leads to more than 50 others"},
		{"PATCH /broken", openapi.Schema, `parameter "properties.q.minLength": minimum: got -1, want 0`},
		{"HEAD /broken", openapi.Style, `the parameter "q" of the query is in the style matrix`},
		{"TRACE /broken", openapi.Malformed, `the parameter "q" has no name or no place`},
		{"OPTIONS /broken", openapi.Malformed, `the security scheme "unknown" is not defined`},
	}
	if diff := cmp.Diff(want, shop(t, openapi.Options{}).Left); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWebhooks(t *testing.T) {
	set, err := openapi.Load([]byte(`{"openapi": "3.1.0", "info": {"title": "t"}, "webhooks": {"paid": {}},
		"paths": {"/a": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {
			"$ref": "#/$defs/q", "description": "here"}}]}}},
		"$defs": {"q": {"type": ["integer", "null"], "exclusiveMinimum": 2, "examples": [3, {}], "const": 3}}}`),
		openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}

	left := []openapi.Left{{"paid", openapi.Webhook, "nothing here is called by a service"}}
	if diff := cmp.Diff(left, set.Left); diff != "" {
		t.Error(diff)
	}

	const want = `{"type": "object", "properties": {"q": {"description": "here", "type": ["integer", "null"], ` +
		`"exclusiveMinimum": 2, "examples": [3], "const": 3}}}`
	if got := pytext.JSON(set.Tools[0].API.Parameters.Schema()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// baseOf returns the version that has the tools of a document.
func baseOf(version string, set *openapi.Toolset) (*toolapi.Spec, error) {
	var apis []toolapi.APISpec
	for _, tool := range set.Tools {
		apis = append(apis, tool.API)
	}
	return openapi.Base(version, "A shop", apis)
}

// A base is a version that loads, also from its file.
func TestBase(t *testing.T) {
	base, err := baseOf("shop", shop(t, openapi.Options{}))
	if err != nil {
		t.Fatal(err)
	}

	text, err := base.Encode()
	if err != nil {
		t.Fatal(err)
	}

	read, err := toolapi.Parse(toolapi.File{Path: "shop.yaml", Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}

	for _, spec := range []*toolapi.Spec{base, read} {
		catalog, err := toolapi.NewCatalog(spec)
		if err != nil {
			t.Fatal(err)
		}

		v, err := catalog.Version("shop")
		if err != nil || len(v.APIs) != 10 || v.About != "A shop" || v.APIs[9].Name != "UpdateTool" {
			t.Errorf("%v, %+v", err, v)
		}
	}
}

// JSON and YAML say the same.
func TestJSON(t *testing.T) {
	text, err := os.ReadFile("testdata/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}

	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}

	set, err := openapi.Load(append([]byte("\ufeff\n"), asJSON...), openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(shop(t, openapi.Options{}), set, cmp.AllowUnexported(toolapi.Parameters{})); diff != "" {
		t.Errorf("(-YAML +JSON):\n%s", diff)
	}
}

// A number without a dot may have an exponent, in YAML as in JSON.
func TestSmallNumbers(t *testing.T) {
	const in = `{"openapi": "3.1.0", "paths": {"/a": {"get": {"parameters": [` +
		`{"name": "q", "in": "query", "schema": {"exclusiveMinimum": 1e-06, "default": 1e+16}}]}}}}`

	var want string

	for _, text := range []string{in, "# YAML\n" + in} {
		set, err := openapi.Load([]byte(text), openapi.Options{})
		if err != nil || len(set.Tools) != 1 {
			t.Fatalf("%.6s: %v, %+v", text, err, set)
		}

		got := pytext.JSON(set.Tools[0].API.Parameters.Schema())
		if want == "" {
			want = got
		} else if got != want {
			t.Errorf("YAML says %s, JSON %s", got, want)
		}

		base, err := baseOf("base", set)
		if err != nil {
			t.Fatal(err)
		}

		file, err := base.Encode()
		if err != nil {
			t.Fatal(err)
		}

		read, err := toolapi.Parse(toolapi.File{Path: "base.yaml", Text: string(file)})
		if err == nil {
			_, err = toolapi.NewCatalog(read)
		}

		if err != nil {
			t.Errorf("what is imported cannot be loaded: %v", err)
		}
	}
}

func TestChoose(t *testing.T) {
	all := shop(t, openapi.Options{})
	order := "order_" + hashOf("GET /orders/{id}")

	for pattern, want := range map[string][]string{
		"listOrders":     {"listOrders"},
		"orders":         {"listOrders", "add_order"}, // a tag
		"GET /orders*":   {"listOrders", order},
		"/orders/{id}":   {order, "order_" + hashOf("PUT /orders/{id}"), "delete_orders_id"},
		"t?ee":           {"tree"},
		"POST /picture*": nil, // is left
	} {
		set := shop(t, openapi.Options{Choose: []string{pattern}})

		var got []string
		for _, tool := range set.Tools {
			got = append(got, tool.API.Name)

			// A name does not depend on what is chosen.
			if !slices.ContainsFunc(all.Tools, func(o openapi.Tool) bool { return o.API.Name == tool.API.Name }) {
				t.Errorf("%s is called otherwise when it is chosen", tool.API.Name)
			}
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}

	some, err := openapi.Load([]byte(`{"openapi": "3.0.0", "paths": {"/a": {"get": {}, "put": {}}}}`),
		openapi.Options{Choose: []string{"GET *"}})
	if err != nil || len(some.Tools) != 1 || len(some.Unchosen) != 1 || some.Unchosen[0] != "put_a" {
		t.Errorf("%+v, %v", some, err)
	}

	text := []byte(`{"openapi": "3.0.0", "paths": {"/a": {"get": {}, "put": {}}}}`)
	some, err = openapi.Load(text, openapi.Options{Leave: []string{"get_a", "get_b"}})
	if err != nil || len(some.Tools) != 1 || !slices.Equal(some.Unchosen, []string{"get_a"}) {
		t.Errorf("%+v, %v", some, err)
	}

	_, err = openapi.Load([]byte(`{"openapi": "3.0.0", "paths": {}}`), openapi.Options{Choose: []string{"pets"}})
	if err == nil || !strings.Contains(err.Error(), `"pets"`) {
		t.Errorf("a pattern that fits nothing: %v", err)
	}
}

func TestServers(t *testing.T) {
	for _, c := range []struct {
		options openapi.Options
		want    string
	}{
		{openapi.Options{}, "https://eu.shop.example/v1"},
		{openapi.Options{Server: "http://127.0.0.1:80/x/"}, "http://127.0.0.1:80/x"},
	} {
		if got := tool(t, shop(t, c.options), "listOrders").Operation.Server; got != c.want {
			t.Errorf("%+v: %s, want %s", c.options, got, c.want)
		}
	}

	// A service that is given or started has another host, so nobody asks for the document's.
	for address, want := range map[string][2]string{
		"https://me:secret@x.example/v1":  {"http://localhost:1/x", "/v1"},
		"https://{tenant}.example.com":    {"http://localhost:1/x", ""},
		"/v1":                             {"http://localhost:1/x", "/v1"},
		"https://x.example/v1/":           {"http://localhost:1/x", "https://x.example/v1"},
		"https://x.example/{stage}":       {"http://localhost:1/x", "left"},
		"https://me:sec/secret@x.example": {"http://localhost:1/x", "left"},
	} {
		for i, o := range []openapi.Options{{Server: "http://localhost:1/x"}, {AnyHost: true}} {
			set, err := openapi.Load([]byte(`{"openapi": "3.0.0", "servers": [{"url": "`+address+
				`"}], "paths": {"/a": {"get": {}}}}`), o)
			if err != nil {
				t.Fatal(err)
			}

			got := "left"
			for _, tool := range set.Tools {
				if got = tool.Operation.Server; len(tool.Notes) > 0 ||
					strings.Contains(tool.API.URL, "secret") {
					t.Errorf("%s, %+v: %s, notes %q", address, o, tool.API.URL, tool.Notes)
				}
			}

			if got != want[i] {
				t.Errorf("%s, %+v: %s, want %s", address, o, got, want[i])
			}
		}
	}

	// An API is known by what its document says, wherever its service runs.
	const at = "GET https://eu.shop.example/v1/orders"
	given := shop(t, openapi.Options{Server: "http://x"})
	if got := tool(t, given, "listOrders").API.URL; got != at {
		t.Errorf("its URL is %s, want %s", got, at)
	}

	for _, address := range []string{"https://me:secret@x.example", "ftp://x.example", "https://{x}.example", ":"} {
		set, err := openapi.Load([]byte(`{"openapi": "3.0.0", "servers": [{"url": "`+address+`"}], "paths": {"/a": {"get": {}}}}`),
			openapi.Options{})
		if err != nil || len(set.Left) != 1 || strings.Contains(set.Left[0].Why, "secret") {
			t.Errorf("%s: %v, %+v", address, err, set)
		}
	}

	if got := tool(t, shop(t, openapi.Options{}), "tree").Operation.Server; got != "https://trees.example" {
		t.Errorf("an operation's own server: %s", got)
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "empty",
		"[]":                                "object",
		"{":                                 "invalid JSON",
		"a: [":                              "sequence",
		`{"swagger": "2.0"}`:                "Swagger 2.0: convert",
		`{"a": 1}`:                          "not an OpenAPI document",
		"openapi: 4.0.0":                    "want 3.0 or 3.1",
		"openapi: {a: 1}":                   "want 3.0 or 3.1",
		strings.Repeat(" ", 40<<20):         "larger than 32 MiB",
		strings.Repeat("[{", 5<<20):         "too much",
		"{" + strings.Repeat("[", 5e6):      "more than 4194304 values",
		`{"a": ` + strings.Repeat("[", 1e5): "recursion",
	} {
		_, err := openapi.Load([]byte(text), openapi.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
}

// What is small and stands for much is bounded.
func TestHostile(t *testing.T) {
	for name, schemas := range map[string]func(i int) string{
		"chain": func(i int) string { return `{"properties": {"a": {"$ref": "` + schemaAt(i+1) + `"}}}` },
		"doubles": func(i int) string {
			return `{"allOf": [{"$ref": "` + schemaAt(i+1) + `"}, {"anyOf": [{"$ref": "` + schemaAt(i+1) + `"}]}]}`
		},
		"circle": func(i int) string { return `{"items": {"$ref": "` + schemaAt((i+1)%2) + `"}}` },
		"alias":  func(i int) string { return `{"$ref": "` + schemaAt(i+1) + `"}` },
		"mesh": func(i int) string {
			var b strings.Builder
			for j := range 200 {
				b.WriteString(`"` + string(rune('a'+j%26)) + strings.Repeat("x", j/26) + `": {"$ref": "` + schemaAt(j) + `"},`)
			}
			return `{"properties": {` + strings.TrimSuffix(b.String(), ",") + `}}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			b.WriteString(`{"openapi": "3.0.0", "info": {"title": "t"}, "paths": {"/a": {"post": {"requestBody": {"content":
				{"application/json": {"schema": {"$ref": "` + schemaAt(0) + `"}}}}}}}, "components": {"schemas": {`)

			for i := range 300 {
				b.WriteString(`"s` + pytext.Str(number(i)) + `": ` + schemas(i) + `,`)
			}

			b.WriteString(`"s300": {}}}}`)

			set, err := openapi.Load(b.Bytes(), openapi.Options{})
			if err != nil {
				t.Fatal(err)
			}

			if len(set.Tools)+len(set.Left) != 1 {
				t.Fatalf("%d tools, %v", len(set.Tools), set.Left)
			}

			for _, tool := range set.Tools {
				if n := len(pytext.JSON(tool.API.Function())); n > 64<<10 {
					t.Errorf("a function of %d bytes", n)
				}
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	text, err := os.ReadFile("testdata/shop.yaml")
	if err != nil {
		f.Fatal(err)
	}

	f.Add(string(text))
	f.Add(`{"openapi": "3.1.0", "paths": {"/a/{b}": {"get": {"parameters": [{"$ref": "#/paths/~1a~1{b}/x/0"}], "x": [{}]}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		set, err := openapi.Load([]byte(text), openapi.Options{})
		if err != nil {
			return
		}

		base, err := baseOf("base", set)
		if err == nil {
			_, err = toolapi.NewCatalog(base)
		}

		if err != nil {
			t.Fatal(err)
		}
	})
}
