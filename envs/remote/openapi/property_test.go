package openapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/remote/openapi"
)

// kind is a schema and what is drawn of it.
type kind struct {
	schema envs.Args
	values *rapid.Generator[any]
}

// scalarKinds are told apart as texts. Texts have signs that mean something somewhere in a request.
func scalarKinds(texts string) []kind {
	text := rapid.Map(rapid.StringMatching(texts), func(s string) any { return s })
	integer := rapid.Map(rapid.IntRange(-1000, 1000), func(i int) any { return number(i) })

	words := []any{"a", "bc"}
	if strings.Contains(texts, " ") {
		words[1] = "b c"
	}
	return []kind{
		{envs.Object("type", "string"), text},
		{envs.Object("type", "integer"), integer},
		{envs.Object("type", "number"), rapid.Map(rapid.IntRange(-99, 99), func(i int) any {
			return envs.Number(fmt.Sprintf("%d.5", i))
		})},
		{envs.Object("type", "boolean"), rapid.Map(rapid.Bool(), func(b bool) any { return b })},
		{envs.Object("enum", words, "type", "string"), rapid.SampledFrom(words)},
		{envs.Object("anyOf", []any{envs.Object("type", "integer"), envs.Object("type", "boolean")}), integer},
	}
}

// drawKind draws a schema. Members of objects begin with the parameter's name, so that two objects
// in one query can be told apart.
func drawKind(t *rapid.T, name string, scalars []kind, levels int) kind {
	one := func(label string) kind {
		if levels > 1 && rapid.IntRange(0, 2).Draw(t, label+" is deep") == 0 {
			return drawKind(t, label, scalars, levels-1)
		}
		return scalars[rapid.IntRange(0, len(scalars)-1).Draw(t, label)]
	}

	switch rapid.IntRange(0, 2).Draw(t, name+" form") {
	case 0:
		item := one(name + "item")
		return kind{
			envs.Object("type", "array", "items", item.schema),
			rapid.Map(rapid.SliceOfN(item.values, 1, 3), func(l []any) any { return l }),
		}
	case 1:
		var properties envs.Args

		members := make([]kind, rapid.IntRange(1, 3).Draw(t, name+" members"))
		for i := range members {
			members[i] = one(fmt.Sprintf("%s%c", name, 'a'+i))
			properties = properties.With(fmt.Sprintf("%s%c", name, 'a'+i), members[i].schema)
		}

		return kind{envs.Object("type", "object", "properties", properties), rapid.Custom(func(t *rapid.T) any {
			object := envs.Args{}
			for i, m := range properties {
				if i == 0 || rapid.Bool().Draw(t, "has "+m.Name) {
					object = object.With(m.Name, members[i].values.Draw(t, m.Name))
				}
			}

			return object
		})}
	}
	return scalars[rapid.IntRange(0, len(scalars)-1).Draw(t, name+" scalar")]
}

// drawn is an operation of a random document, and what calls of it may have.
type drawnOperation struct {
	document envs.Args
	kinds    map[string]kind
	required map[string]bool
}

// texts are what texts in each place are drawn from.
var placeTexts = map[string]string{
	"path": `[a-z0-9,;=.%&+é "]{1,6}x`, "query": `[a-z0-9,;=./%&+é "#\[\]?]{0,6}`,
	"header": `([!-+\--~]([ -+\--~]{0,4}[!-+\--~])?)?`, "cookie": `[a-z0-9,;=./%&+é "]{0,6}`,
	"body": `[a-z0-9,;=./%&+é "\x{1}\x{7f}]{0,6}`,
}

func drawOperation(t *rapid.T, texts map[string]string, cookies bool) drawnOperation {
	d := drawnOperation{kinds: map[string]kind{}, required: map[string]bool{}}
	path := "/p"

	var parameters []any

	for i := range rapid.IntRange(0, 4).Draw(t, "parameters") {
		name := fmt.Sprintf("p%d", i)
		in := rapid.SampledFrom([]string{"path", "query", "header", "cookie"}).Draw(t, name+" in")
		style := rapid.SampledFrom(map[string][]string{
			"path": {"simple", "label", "matrix"}, "header": {"simple"}, "cookie": {"form"},
			"query": {"form", "pipeDelimited", "spaceDelimited", "deepObject"},
		}[in]).Draw(t, name+" style")
		explode := style == "deepObject" || (in != "cookie" || cookies) && rapid.Bool().Draw(t, name+" explode")

		levels, allowed := 1, texts[in]

		switch {
		case style == "deepObject":
			levels = 3
		case style == "label" && explode, style == "matrix" && explode:
			allowed = strings.ReplaceAll(allowed, ".", "") // which is between values
		case style == "spaceDelimited" || style == "pipeDelimited":
			allowed = "[a-z0-9,]{1,6}"
		}

		k := drawKind(t, name, scalarKinds(allowed), levels)
		if style == "label" && strings.Contains(pytext.JSON(k.schema), "number") {
			explode = false
		}

		switch typ, _ := k.schema.Text("type"); {
		case style == "deepObject" && typ != "object":
			style, k = "form", drawKind(t, name, scalarKinds(allowed), 1)
		case strings.HasSuffix(style, "Delimited") && typ != "array":
			style, explode = "form", true
		}

		required := in == "path" || rapid.Bool().Draw(t, name+" required")
		if in == "path" {
			path += "/{" + name + "}"
		}

		d.kinds[name], d.required[name] = k, required
		parameters = append(parameters, envs.Object("name", name, "in", in, "style", style, "explode", explode,
			"required", required, "schema", k.schema))
	}

	operation := envs.Object("parameters", parameters, "responses", envs.Object("200", envs.Object("description", "")))

	media := rapid.SampledFrom([]string{"", "application/json", "application/x-www-form-urlencoded"}).Draw(t, "body")
	if media != "" {
		operation = d.addBody(t, operation, media, texts["body"])
	}

	d.document = envs.Object("openapi", "3.0.3", "info", envs.Object("title", "t", "version", "1"), "servers",
		[]any{envs.Object("url", "https://x.example/v1")}, "paths", envs.Object(path, envs.Object("post", operation)))
	return d
}

func (d *drawnOperation) addBody(t *rapid.T, operation envs.Args, media, texts string) envs.Args {
	var (
		properties envs.Args
		required   []any
	)

	for i := range rapid.IntRange(1, 3).Draw(t, "members") {
		name := fmt.Sprintf("m%d", i)

		levels := 1
		if media == "application/json" {
			levels = 3
		}

		k := drawKind(t, name, scalarKinds(texts), levels)
		if rapid.Bool().Draw(t, name+" required") {
			required = append(required, name)
		}

		d.kinds[name], d.required[name] = k, slices.Contains(required, any(name))
		properties = properties.With(name, k.schema)
	}

	schema := envs.Object("type", "object", "properties", properties)
	if len(required) > 0 {
		schema = schema.With("required", required)
	}
	return operation.With("requestBody", envs.Object("required", true, "content",
		envs.Object(media, envs.Object("schema", schema))))
}

func (d *drawnOperation) drawCall(t *rapid.T, tool openapi.Tool) envs.Args {
	call := envs.Args{}

	for _, p := range tool.API.Parameters.All {
		if p.Optional == d.required[p.Name] {
			t.Fatalf("%s is required: %v, and optional: %v", p.Name, d.required[p.Name], p.Optional)
		}

		if !p.Optional || rapid.Bool().Draw(t, p.Name+" is there") {
			call = call.With(p.Name, d.kinds[p.Name].values.Draw(t, p.Name))
		}
	}
	return call
}

func (d *drawnOperation) load(t *rapid.T) openapi.Tool {
	set, err := openapi.Load([]byte(pytext.JSON(d.document)), openapi.Options{})
	if err != nil || len(set.Tools) != 1 {
		t.Fatalf("%v, %+v", err, set)
	}
	return set.Tools[0]
}

// The request of a call says what the call said: a reader that knows the document finds the same
// call in it.
func TestRequestsSayWhatCallsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawOperation(t, placeTexts, true)
		tool := d.load(t)
		call := d.drawCall(t, tool)

		request, err := tool.Operation.Request(context.Background(), call, nil)
		if err != nil {
			t.Fatalf("%v: %v", call, err)
		}

		got := reader{t, request, d.kinds}.call(tool.Operation)
		if diff := cmp.Diff(call, got); diff != "" {
			t.Errorf("%s %+v (-call +read):\n%s", request.URL, request.Header, diff)
		}
	})
}

// reader reads a request as a server does that has the document.
type reader struct {
	t       *rapid.T
	request *http.Request
	kinds   map[string]kind
}

func (r reader) call(o openapi.Operation) envs.Args {
	body, err := io.ReadAll(r.request.Body)
	if err != nil {
		r.t.Fatal(err)
	}

	call := envs.Args{}

	for _, p := range o.Parameters {
		v, ok := r.value(p, o, string(body))
		if ok {
			call = call.With(p.Name, v)
		}
	}

	return call
}

func (r reader) value(p openapi.Parameter, o openapi.Operation, body string) (any, bool) {
	schema := r.kinds[p.Name].schema

	switch p.In {
	case openapi.Path:
		pattern := "^" + regexp.QuoteMeta("/v1"+o.Path) + "$"
		pattern = strings.Replace(pattern, regexp.QuoteMeta("{"+p.Wire+"}"), "([^/]*)", 1)
		pattern = regexp.MustCompile(`\\\{[a-z0-9]*\\\}`).ReplaceAllString(pattern, "[^/]*")
		return r.path(p, schema, regexp.MustCompile(pattern).FindStringSubmatch(r.request.URL.EscapedPath())[1]), true
	case openapi.Header:
		text, ok := r.request.Header[http.CanonicalHeaderKey(p.Wire)]
		if !ok {
			return nil, false
		}
		return r.parts(schema, text[0], ",", "=", p.Explode, func(s string) string { return s }), true
	case openapi.Cookie:
		return r.pairs(p, schema, strings.ReplaceAll(r.request.Header.Get("Cookie"), "; ", "&"))
	case openapi.Query:
		return r.pairs(p, schema, r.request.URL.RawQuery)
	}

	if o.Media == "application/json" {
		v, err := pytext.Decode(body)
		if err != nil {
			r.t.Fatal(err)
		}
		return v.(envs.Args).Get(p.Wire)
	}
	return r.pairs(p, schema, body)
}

func (r reader) unescape(s string) string {
	text, err := url.PathUnescape(s)
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}

func (r reader) path(p openapi.Parameter, schema envs.Args, text string) any {
	kind, _ := schema.Text("type")
	name := p.Wire + "="

	switch {
	case p.Style == "label" && p.Explode:
		return r.parts(schema, text[1:], ".", "=", true, r.unescape)
	case p.Style == "label":
		return r.parts(schema, text[1:], ",", "=", false, r.unescape)
	case p.Style == "matrix" && p.Explode && kind == "object":
		return r.parts(schema, text[1:], ";", "=", true, r.unescape)
	case p.Style == "matrix" && p.Explode && kind == "array":
		return r.parts(schema, text[1+len(name):], ";"+name, "=", true, r.unescape)
	case p.Style == "matrix":
		return r.parts(schema, text[1+len(name):], ",", "=", false, r.unescape)
	}

	return r.parts(schema, text, ",", "=", p.Explode, r.unescape)
}

// parts takes a text apart as its schema says.
func (r reader) parts(schema envs.Args, text, between, is string, explode bool, unescape func(string) string) any {
	switch kind, _ := schema.Text("type"); kind {
	case "array":
		list := []any{}
		for part := range strings.SplitSeq(text, between) {
			list = append(list, r.typed(schema.Object("items"), unescape(part)))
		}
		return list
	case "object":
		object := envs.Args{}

		parts := strings.Split(text, between)
		for i := 0; i < len(parts); i++ {
			name, value, _ := strings.Cut(parts[i], is)
			if !explode {
				name, value = parts[i], parts[i+1]
				i++
			}

			name = unescape(name)
			object = object.With(name, r.typed(schema.Object("properties").Object(name), unescape(value)))
		}
		return object
	}
	return r.typed(schema, unescape(text))
}

func (r reader) typed(schema envs.Args, text string) any {
	kind, _ := schema.Text("type")
	if kind == "string" {
		return text
	}

	v, err := pytext.DecodeStrict(text)
	if err != nil {
		r.t.Fatalf("%q of %v: %v", text, schema, err)
	}
	return v
}

// pairs finds a parameter among names and values.
func (r reader) pairs(p openapi.Parameter, schema envs.Args, text string) (any, bool) {
	kind, _ := schema.Text("type")

	var mine []string // of this parameter, or of its members

	object := envs.Args{}

	for pair := range strings.SplitSeq(text, "&") {
		name, value, _ := strings.Cut(pair, "=")

		name = r.unescape(name)
		way := strings.FieldsFunc(name, func(c rune) bool { return c == '[' || c == ']' })

		switch member, ok := schema.Object("properties").Get(name); {
		case len(way) == 0:
		case name == p.Wire:
			mine = append(mine, value)
		case ok && p.Explode && p.Style == "form" && kind == "object":
			object = object.With(name, r.typed(member.(envs.Args), r.unescape(value)))
		case p.Style == "deepObject" && way[0] == p.Wire:
			object = r.put(object, schema, way[1:], r.unescape(value)).(envs.Args)
		}
	}

	switch {
	case len(object) > 0:
		return object, true
	case len(mine) == 0:
		return nil, false
	case p.Explode && kind == "array":
		return r.parts(schema, strings.Join(mine, "&"), "&", "=", true, r.unescape), true
	}

	between := map[string]string{"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}[p.Style]
	return r.parts(schema, mine[0], between, "=", false, r.unescape), true
}

// put puts a value where the names in brackets say.
func (r reader) put(into any, schema envs.Args, way []string, text string) any {
	if len(way) == 0 {
		return r.typed(schema, text)
	}

	if kind, _ := schema.Text("type"); kind == "array" {
		list, _ := into.([]any)
		if way[0] == fmt.Sprint(len(list)) {
			return append(list, r.put(nil, schema.Object("items"), way[1:], text))
		}

		list[len(list)-1] = r.put(list[len(list)-1], schema.Object("items"), way[1:], text)
		return list
	}

	object, _ := into.(envs.Args)
	inside, ok := object.Get(way[0])
	now := r.put(inside, schema.Object("properties").Object(way[0]), way[1:], text)

	if ok {
		object[slices.Index(object.Names(), way[0])].Value = now
		return object
	}
	return object.With(way[0], now)
}

// kin-openapi finds the parameters and the body that the document wants in our requests, and that
// they fit.
func TestRequestsFitForOthers(t *testing.T) {
	plain := map[string]string{}
	for place := range placeTexts {
		plain[place] = "[a-z]{1,6}" // it decodes the path before it takes it apart
	}

	rapid.Check(t, func(t *rapid.T) {
		d := drawOperation(t, plain, false) // it takes no exploded cookies
		tool := d.load(t)
		call := d.drawCall(t, tool)

		request, err := tool.Operation.Request(context.Background(), call, nil)
		if err != nil {
			t.Fatalf("%v: %v", call, err)
		}

		document, err := openapi3.NewLoader().LoadFromData([]byte(pytext.JSON(d.document)))
		if err != nil {
			t.Fatal(err)
		}

		if err := judge(document, tool.Operation, request); err != nil {
			t.Errorf("%s %v of %v: %v", request.URL, request.Header, pytext.JSON(call), err)
		}
	})
}

// judge has kin-openapi validate a request.
func judge(document *openapi3.T, o openapi.Operation, request *http.Request) error {
	item := document.Paths.Value(o.Path)
	pattern := regexp.MustCompile(`\\\{[^{}]*\\\}`).ReplaceAllString(regexp.QuoteMeta(o.Path), "([^/]*)") + "$"
	values := regexp.MustCompile(pattern).FindStringSubmatch(request.URL.EscapedPath())
	names := regexp.MustCompile(`\{[^{}]*\}`).FindAllString(o.Path, -1)

	if len(values) != len(names)+1 {
		return nil // the path has signs of its own that are escaped
	}

	parameters := map[string]string{}
	for i, name := range names {
		parameters[strings.Trim(name, "{}")], _ = url.PathUnescape(values[i+1])
	}
	return openapi3filter.ValidateRequest(context.Background(), &openapi3filter.RequestValidationInput{
		Request: request, PathParams: parameters,
		Route: &routers.Route{
			Spec: document, PathItem: item, Method: o.Method, Path: o.Path, Operation: item.GetOperation(o.Method),
		},
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true,
			ExcludeRequestBody: o.Media == "application/x-www-form-urlencoded", // it reads no objects in forms
		},
	})
}
