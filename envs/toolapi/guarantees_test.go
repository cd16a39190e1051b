package toolapi_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// everyBase has one tool, whose parameters every kind of adapter that keeps types has something to
// do with; everyNext has those adapters. A name changes twice on the way, as where two versions are
// put one after the other.
const everyBase = `
version: old
base: true
messages: {deprecated: "{{.Old.Name}} is {{.Signature}} {{.Example}}.", invalid: "No."}
apis:
  - name: Act
    description: which acts.
    parameters:
      - {name: city, type: string}
      - {name: sql, type: string}
      - {name: days, type: integer}
      - {name: lat, type: number}
      - {name: lon, type: number}
      - {name: unit, type: string}
      - {name: limit, type: integer, required: false}
      - {name: desc, type: boolean, default: false, required: false}
      - {name: tags, type: array}
      - {name: words, type: string, optional: true}
      - {name: from, type: string}
      - {name: to, type: string}
` + systemTools

const everyNext = `
version: new
deprecates: [old]
apis:
  - name: Do
    tool: Act
    parameters:
      - {name: place, type: string}
      - {name: code, type: string}
      - {name: span}
      - {name: at}
      - {name: unit, type: string, optional: true}
      - {name: limit}
      - {name: desc, type: boolean, optional: true}
      - {name: tag1, optional: true}
      - {name: tag2, optional: true}
      - {name: tag3, optional: true}
      - {name: word1, optional: true}
      - {name: word2, optional: true}
      - {name: ends}
      - {name: sure}
      - {name: key}
    adapters:
      - rename: {place: town, span: period}
      - rename: {town: city, period: days, code: sql}
      - prefix: {parameter: sql, text: "Code:", trim: true, join: " "}
      - spelled: {parameter: days, type: integer}
      - nested: {parameter: at, members: [lat, lon]}
      - fallback: {parameter: unit, value: kelvin}
      - nullable: {parameter: limit}
      - flipped: {parameter: desc, tool: false, default: true}
      - enumerated: {item: tag, to: tags, most: 3}
      - enumerated: {item: word, to: words, most: 2, text: true}
      - bracketed: {parameter: ends, fields: [{label: From, to: from}, {label: To, to: to}]}
      - flag: {parameter: sure}
      - ignored: {parameter: key, value: 7}
    errors: {arguments: Wrong arguments., value: Wrong value.}
` + goodNotice + systemTools

const goodNotice = `    notice:
      example: '{"place": "x", "code": "Code: y", "span": "1", "at": {"lat": 1, "lon": 2}, "limit": null,
        "ends": "From[a], To[b]", "sure": "True", "key": 7}'
`

// every returns the API with all adapters.
func every(t testing.TB) (*toolapi.Version, *toolapi.API) {
	t.Helper()

	c, err := typed(t, everyBase, everyNext)
	if err != nil {
		t.Fatal(err)
	}

	v, err := c.Version("new")
	if err != nil {
		t.Fatal(err)
	}

	a, _ := v.ForTool("Act")
	return v, a
}

// drawCall draws a call of the tool that the version can express.
func drawCall(t *rapid.T) envs.Args {
	number := func(name string) envs.Number {
		return envs.Number(fmt.Sprint(rapid.Int32().Draw(t, name)))
	}
	word := rapid.StringMatching(`[a-z äß]{0,5}[a-z]`)
	call := envs.Args{
		{Name: "city", Value: rapid.String().Draw(t, "city")},
		{Name: "sql", Value: pytext.Strip(rapid.String().Draw(t, "sql"))},
		{Name: "days", Value: number("days")},
		{Name: "lat", Value: number("lat")},
		{Name: "lon", Value: number("lon")},
		{Name: "unit", Value: word.Draw(t, "unit")},
	}
	add := func(name string, v any) { call = append(call, envs.Arg{Name: name, Value: v}) }

	if rapid.Bool().Draw(t, "limited") {
		add("limit", number("limit"))
	}

	if rapid.Bool().Draw(t, "described") {
		add("desc", rapid.Bool().Draw(t, "desc"))
	}

	tags := make([]any, rapid.IntRange(0, 3).Draw(t, "tags"))
	for i := range tags {
		tags[i] = word.Draw(t, "tag")
	}

	add("tags", tags)

	if words := rapid.IntRange(0, 2).Draw(t, "words"); words > 0 {
		add("words", strings.Join([]string{"one", "two"}[:words], ", "))
	}

	add("from", strings.TrimSpace(word.Draw(t, "from")))
	add("to", strings.TrimSpace(word.Draw(t, "to")))
	return call
}

// TestEveryAdapterComesBack is the first guarantee for all adapters in one API, in any order of the
// deployed parameters: Lower(Lift(c)) = c, but for a default that is flipped.
func TestEveryAdapterComesBack(t *testing.T) {
	_, a := every(t)

	rapid.Check(t, func(t *rapid.T) {
		call := drawCall(t)

		deployed, err := a.Lift(rapid.Permutation(call).Draw(t, "order of the call"))
		if err != nil {
			t.Fatal(err)
		}

		got, wrong := a.Lower(rapid.Permutation(deployed).Draw(t, "order"))
		if wrong != nil {
			t.Fatalf("Lower(%v): %+v", deployed, wrong)
		}

		want := slices.DeleteFunc(slices.Clone(call), func(arg envs.Arg) bool {
			return arg.Name == "desc" && arg.Value == false
		})
		if diff := cmp.Diff(fmt.Sprintf("%q", want), fmt.Sprintf("%q", got)); diff != "" {
			t.Fatalf("through %v (-want +got):\n%s", deployed, diff)
		}
	})

	lifted, err := a.Lift(object(t, `{"city": "Oslo", "sql": "SELECT", "days": 3, "lat": 1, "lon": 2, "unit": "c",
		"tags": ["x", "y"], "words": "one, two", "from": "a", "to": "b"}`))
	want := `{"place": "Oslo", "code": "Code: SELECT", "span": "3", "at": {"lat": 1, "lon": 2}, ` +
		`"unit": "c", "limit": null, "desc": false, "tag1": "x", "tag2": "y", "word1": "one", "word2": "two", ` +
		`"ends": "From[a], To[b]", "sure": "True", "key": 7}`

	if got := string(pytext.AppendJSON(nil, lifted)); err != nil || got != want {
		t.Errorf("%s (%v), want\n%s", got, err, want)
	}
}

// TestReasons changes one thing of a call that is right: the reason names the parameter as the call
// has it, whatever it is called in between, and the text is that of a wrong value where the
// parameters are the right ones.
func TestReasons(t *testing.T) {
	_, a := every(t)
	right := a.Example()

	if _, wrong := a.Lower(object(t, right)); wrong != nil {
		t.Fatalf("%s: %+v", right, wrong)
	}

	for _, test := range []struct {
		old, new, reason string
		value            bool
	}{
		{`"span": "1"`, `"span": 1`, `parameter "span" is not integer as a text`, true},
		{`Code: y`, `y`, `parameter "code" does not begin as it has to`, true},
		{`{"lat": 1, "lon": 2}`, `[1, 2]`, `parameter "at" is not an object of its members`, true},
		{`{"lat": 1, "lon": 2}`, `{"lat": 1}`, `the parameters do not belong together`, false},
		{`"From[a], To[b]"`, `"From[a]"`, `parameter "ends" is not of the form that it has to be`, true},
		{`"sure": "True"`, `"sure": [1]`, `parameter "sure" is not true`, true},
		{`"key": 7`, `"key": 7, "tag2": "x"`, `parameter "tag1" is missing`, false},
		{`"key": 7`, `"key": 7, "word1": 3`, `parameter "word1" is not a text`, true},
		{`"place": "x"`, `"place": 3`, `parameter "place": got number, want string`, true},
		{`, "key": 7`, ``, `missing property 'key'`, false},
	} {
		changed := strings.Replace(right, test.old, test.new, 1)
		if changed == right {
			t.Fatalf("%q is not in %s", test.old, right)
		}

		text := "Wrong arguments."
		if test.value {
			text = "Wrong value."
		}

		_, wrong := a.Lower(object(t, changed))
		if wrong == nil || wrong.Reason != test.reason || wrong.Value != test.value ||
			wrong.Text != text {
			t.Errorf("%s: %+v, want %q", test.new, wrong, test.reason)
		}
	}

	// Without types, the names are compared.
	for _, test := range []struct{ tool, call, reason string }{
		{"RetrieveAgenda", `{"Query": "q"}`, `parameter "return_num" is missing`},
		{"RetrieveAgenda", `{"keyword": "q", "return_num": 3}`,
			`parameter "Query" is missing; parameter "keyword" is not known`},
		{"FilterDB", `{"condition2": "a=1"}`, `parameter "condition2" is not known, or not at its number`},
		{"FilterDB", `{"1": "a=1"}`, `parameter "1" is not known, or not at its number`},
		{"GetValue", `{"column1": "a", "ReturnResult": "yes"}`, `parameter "ReturnResult" is not true`},
		{"EdgeCheck", `{"Graph_Name": "g", "NodeInfos": null}`, `parameter "NodeInfos" is not a text`},
	} {
		a, _ := version(t, "p_s_in").ForTool(test.tool)
		if _, wrong := a.Lower(object(t, test.call)); wrong == nil || wrong.Reason != test.reason {
			t.Errorf("%s %s: %+v, want %q", test.tool, test.call, wrong, test.reason)
		}
	}

	a, _ = version(t, "p_s_in").ForTool("EdgeCheck")
	if _, wrong := a.Lower(object(t, `{"Graph_Name": "g", "NodeInfos": 7}`)); !wrong.Value {
		t.Errorf("the parameters are the right ones: %+v", wrong)
	}

	if _, wrong := (toolapi.Flag{Parameter: "sure"}).Lower(nil); wrong == nil {
		t.Error("a flag that has to be there may be missing")
	}

	if _, err := (toolapi.Enumerated{Item: "tag", To: "tags", Most: 2}).Lift(nil); err == nil {
		t.Error("a list that is not there is lifted")
	}
}

// TestAVersionIsWhole breaks the two files above in one place each: none loads, and the error names
// the file.
func TestAVersionIsWhole(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"version: new", "version: ''", "no version"},
		{"- name: Do\n    tool: Act", "- name: Do\n    tool: Other", "old has no tool Other"},
		{"- name: Do", "- name: ''", "the name cannot be written as an action"},
		{"- name: Do", "- name: Do Action Input", "the name cannot be written as an action"},
		{"  - {name: Finish, parameters: [answer], description: which ends the task.}\n", "",
			"the tool Finish is not exposed"},
		{"{name: Finish,", "{name: UpdateTools, tool: Finish,", "system tool Finish"},
		{"period: days, code: sql", "period: city, code: sql", "two parameters one name"},
		{`join: " "`, `join: "x"`, "join is white space"},
		{"[{label: From, to: from}, {label: To, to: to}]", "[]", "bracketed has no fields"},
		{"{item: tag, to: tags,", "{item: '', to: tags,", "enumerated needs an item"},
		{"{item: tag, to: tags,", "{item: tag, to: '',", "enumerated needs an item"},
		{"to: tags, most: 3", "to: tags, most: 0", "at least one item"},
		{"tool: false, default: true", "tool: [x], default: true", "flipped needs two defaults"},
		{"tool: false, default: true", "tool: false, default: [x]", "flipped needs two defaults"},
		{"fallback: {parameter: unit", "fallback: {parameter: units", "6: it does nothing"},
		{"flipped: {parameter: desc", "flipped: {parameter: descs", "8: it does nothing"},
		{"example: '{", "example: '[1]'\n      signature: '{", "not an object"},
		// The tool can do without desc, and what the version makes of that is another call.
		{"flipped: {parameter: desc, tool: false, default: true}",
			"fallback: {parameter: desc, value: true}", "the call ["},
		// 3 is no default of the tool's, so a call that says 3 must not become one that does not.
		{"spelled: {parameter: days, type: integer}",
			"flipped: {parameter: days, tool: 3, default: 4}", "the call ["},
	} {
		changed := strings.Replace(everyNext, test.old, test.new, 1)
		if changed == everyNext {
			t.Fatalf("%q is not in the file", test.old)
		}

		_, err := typed(t, everyBase, changed)
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), "v1.yaml") {
			t.Errorf("%s: %v, want %q", test.new, err, test.want)
		}
	}

	for old, want := range map[string]string{
		"    description: which acts.\n": "no description",
		"parameters: [answer]":           "system tool Finish",
	} {
		changed := strings.Replace(everyBase, old, "", 1)
		if want != "no description" {
			changed = strings.Replace(everyBase, old, "parameters: [answer, reason]", 1)
		}

		if _, err := typed(t, changed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", old, err)
		}
	}

	// Not every version takes every sample of the tool: one that wants a certain text is whole.
	fussy := strings.Replace(everyNext, "place, type: string", "place, pattern: '^x'", 1)
	if _, err := typed(t, everyBase, fussy); err != nil {
		t.Error(err)
	}
}

// TestLoadReadsOnlyFiles holds that folders and other files are left alone, and that what cannot be
// read is an error.
func TestLoadReadsOnlyFiles(t *testing.T) {
	files := fstest.MapFS{
		"old.yaml":           {Data: []byte(everyBase)},
		"readme.md":          {Data: []byte("no version")},
		"folder.yaml/x.yaml": {Data: []byte("no version")},
	}
	if c, err := toolapi.Load(files); err != nil || !slices.Equal(c.Names(), []string{"old"}) {
		t.Errorf("%v", err)
	}

	_, err := toolapi.Load(os.DirFS(filepath.Join(t.TempDir(), "none")))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}

	if _, err := toolapi.NewCatalog(); err == nil {
		t.Error("no versions make a catalog")
	}

	c, err := toolapi.Load(files)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := c.Spec("none"); err == nil {
		t.Error("a version that is not there has a file")
	}

	spec, err := c.Spec("old")
	if err != nil {
		t.Fatal(err)
	}

	again, err := toolapi.NewCatalog(spec)
	if err != nil || !slices.Equal(again.Names(), []string{"old"}) {
		t.Errorf("%v", err)
	}
}

// TestSchemasReferToNoFile holds that a schema cannot have a file read, though it is one that fits.
func TestSchemasReferToNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "any.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}

	changed := strings.Replace(everyBase, "city, type: string", "city, $ref: 'file://"+path+"'", 1)

	_, err := typed(t, changed)
	if err == nil || !strings.Contains(err.Error(), "JSON Schema of the parameters") {
		t.Errorf("a file was read: %v", err)
	}
}

// TestSmallSchemas holds that each keyword of a parameter counts, where nothing else has types, and
// those of the API do, too.
func TestSmallSchemas(t *testing.T) {
	for _, test := range []struct{ parameters, good, bad, schema string }{
		{`[{name: a, type: integer}]`, `{"a": 1}`, `{"a": "1"}`,
			`{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}`},
		{`[{name: a, type: object, required: [x]}]`, `{"a": {"x": 1}}`, `{"a": {}}`,
			`{"type": "object", "properties": {"a": {"type": "object", "required": ["x"]}}, ` +
				`"required": ["a"]}`},
		{`[{name: a, type: array, uniqueItems: true}]`, `{"a": [1]}`, `{"a": [1, 1]}`,
			`{"type": "object", "properties": {"a": {"type": "array", "uniqueItems": true}}, ` +
				`"required": ["a"]}`},
		{`[{name: a, optional: false}, {name: b, required: false}]`, `{"a": 1}`, `{"b": 1}`,
			`{"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}`},
		{`{type: object, properties: {a: {}, b: {}}, required: [a, b], maxProperties: 1}`, ``,
			`{"a": 1, "b": 2}`,
			`{"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"], ` +
				`"maxProperties": 1}`},
		{`{type: object}`, `{ }`, `{"a": 1}`, `{"type": "object", "properties": {}}`},
	} {
		file := "version: v\nbase: true\nmessages: {deprecated: x, invalid: x}\napis:\n" +
			"  - name: A\n    description: which acts.\n    parameters: " + test.parameters +
			systemTools

		c, err := typed(t, file)
		if err != nil {
			t.Errorf("%s: %v", test.parameters, err)
			continue
		}

		v, _ := c.Version("v")
		a, _ := v.API("A")

		if got := string(pytext.AppendJSON(nil, a.Schema())); got != test.schema {
			t.Errorf("%s: %s, want %s", test.parameters, got, test.schema)
		}

		if test.good != "" {
			if _, wrong := a.Lower(object(t, test.good)); wrong != nil {
				t.Errorf("%s: %s: %+v", test.parameters, test.good, wrong)
			}
		}

		if _, wrong := a.Lower(object(t, test.bad)); wrong == nil {
			t.Errorf("%s takes %s", test.parameters, test.bad)
		}
	}
}

// TestHas holds that an API is another one under another name or with other parameters, of a tool
// that the version has.
func TestHas(t *testing.T) {
	next, a := every(t)

	c, err := typed(t, everyBase)
	if err != nil {
		t.Fatal(err)
	}

	base, _ := c.Version("old")
	own, _ := base.ForTool("Act")
	finish, _ := base.ForTool("Finish")

	renamed, wider := *own, *own
	renamed.Name = "Acts"
	wider.Parameters = slices.Concat(own.Parameters, []toolapi.Parameter{{Name: "more"}})

	for _, test := range []struct {
		v    *toolapi.Version
		a    *toolapi.API
		want bool
	}{
		{base, own, true}, {next, a, true}, {next, finish, true}, {next, own, false},
		{base, a, false}, {base, &renamed, false}, {base, &wider, false},
		{base, &toolapi.API{Tool: "None"}, false},
	} {
		if test.v.Has(test.a) != test.want {
			t.Errorf("%s has %s: %v", test.v.Name, test.a.Signature(), !test.want)
		}
	}
}

// TestFunction writes an API as OpenAI's chat API wants it, with a description that does not go on
// behind a signature.
func TestFunction(t *testing.T) {
	a, _ := version(t, "p_c").ForTool("LoadDB")
	want := `{"type": "function", "function": {"name": "LoadDB", "description": "Loads the database of that name and ` +
		`returns its columns. The name can be one of the following: flights/coffee/airbnb/yelp/agenda.", ` +
		`"parameters": {"type": "object", "properties": {"DBName": {"type": "string", ` +
		`"description": "the name of the database"}}, "required": ["DBName"]}}}`

	if got := string(pytext.AppendJSON(nil, a.Function())); got != want {
		t.Errorf("%s, want %s", got, want)
	}

	for description, want := range map[string]string{
		"which énumère.": "Énumère.", "which ": "which ", "": "", "écrit.": "écrit.",
	} {
		if got := (&toolapi.API{Description: description}).Sentence(); got != want {
			t.Errorf("%q is the sentence %q, want %q", description, got, want)
		}
	}
}

// TestSample draws one value of each parameter: an example, one of an enumeration, the default, or
// one of its type.
func TestSample(t *testing.T) {
	file := strings.Replace(everyBase, "      - {name: to, type: string}\n", `
      - {name: to, type: string}
      - {name: a, type: string, examples: [Oslo]}
      - {name: b, enum: [x, y], default: y}
      - {name: c, type: integer, default: 9}
      - {name: d, const: k}
      - {name: e, type: boolean}
      - {name: f, type: object}
      - {name: g, examples: []}
`, 1)

	c, err := typed(t, file)
	if err != nil {
		t.Fatal(err)
	}

	v, _ := c.Version("old")
	a, _ := v.ForTool("Act")
	want := `{"city": "value 1", "sql": "value 2", "days": 3, "lat": 4, "lon": 5, "unit": "value 6", ` +
		`"limit": 7, "desc": false, "tags": [], "words": "value 10", "from": "value 11", "to": "value 12", ` +
		`"a": "Oslo", "b": "x", "c": 9, "d": "k", "e": true, "f": {}, "g": "value 19"}`

	if got := string(pytext.AppendJSON(nil, a.Sample())); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

// TestOutdated holds that a call that was right under a deprecated version is told what it is now,
// though its name stands; a call that was wrong before is not.
func TestOutdated(t *testing.T) {
	next := strings.NewReplacer("- name: Do\n    tool: Act", "- name: Act").Replace(everyNext)
	silent := strings.NewReplacer("version: new", "version: silent", goodNotice, "").Replace(next)

	c, err := typed(t, everyBase, next, silent)
	if err != nil {
		t.Fatal(err)
	}

	v, _ := c.Version("new")
	before := object(t, `{"city": "x", "sql": "y", "days": 1, "lat": 1, "lon": 2, "unit": "k", "tags": [],
		"from": "a", "to": "b"}`)

	d, ok := v.Outdated("Act", before)
	if !ok || d.Old.Parameters[0].Name != "city" || d.New.Parameters[0].Name != "place" ||
		!strings.HasPrefix(d.Notice(), "Act is Act[place, code") ||
		!strings.Contains(d.Notice(), `"span": "1"`) {
		t.Errorf("%v: %s", ok, d.Notice())
	}

	if d, ok := v.Outdated("Act", before[1:]); ok {
		t.Errorf("a call that was never right: %s", d.Notice())
	}

	if _, ok := v.Outdated("Finish", before); ok {
		t.Error("another tool")
	}

	v, _ = c.Version("silent")
	if d, ok := v.Outdated("Act", before); ok {
		t.Errorf("without an example there is no notice: %s", d.Notice())
	}
}

// TestEncodeAsShipped writes a file byte for byte: names are bare, whatever else is in quotes, and
// what cannot be seen is escaped.
func TestEncodeAsShipped(t *testing.T) {
	names := []string{
		"a", "z", "A", "Z", "_", "a0", "a9", "0a", "a/", "a:", "a@", "a[", "a`", "a{", "", "true", "null", "é",
		"it's", "a~", "a ", "\u007f", "\u2028", "\uFFFD", "\n",
	}

	spec := &toolapi.Spec{
		Version: "v", Base: true, Deprecates: []string{}, Messages: toolapi.Messages{Invalid: "No."},
		APIs: []toolapi.APISpec{
			{Name: "A", Adapters: []toolapi.AdapterSpec{
				{Ignored: &toolapi.Ignored{Parameter: "a"}},
				{Rename: toolapi.Rename{"b": "c", "a": "b"}},
				{Ignored: &toolapi.Ignored{Parameter: "k", Value: 1.0}},
			}},
			{Name: "B"},
			{Name: "C", Parameters: toolapi.Parameters{
				All: []toolapi.Parameter{{Name: "x", Schema: envs.Args{{Name: "type", Value: "string"}}}},
			}},
			{Name: "D", Parameters: toolapi.Parameters{
				All:      []toolapi.Parameter{{Name: "x"}},
				Keywords: envs.Args{{Name: "maxProperties", Value: envs.Number("1")}},
			}},
		},
	}
	for _, name := range names {
		spec.APIs[0].Parameters.All = append(spec.APIs[0].Parameters.All, toolapi.Parameter{Name: name})
	}

	want := `version: v
base: true
messages:
  invalid: 'No.'
apis:
  - name: A
    parameters: [a, z, A, Z, _, a0, a9, '0a', 'a/', 'a:', 'a@', 'a[', 'a` + "`" + `', 'a{', '', 'true', 'null', 'é',` +
		` 'it''s', 'a~', 'a ', "` + "\u007f" + `", "\u2028", "` + "\uFFFD" + `", "\n"]
    adapters:
      - ignored: {parameter: a, value: null}
      - rename: {a: b, b: c}
      - ignored: {parameter: k, value: 1.0}
  - name: B
    parameters: []
  - name: C
    parameters: {type: object, properties: {x: {type: string}}, required: [x]}
  - name: D
    parameters: {type: object, properties: {x: {}}, required: [x], maxProperties: 1}
`

	got, err := spec.Encode()
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("(%v) -want +got:\n%s", err, diff)
	}

	read, err := toolapi.Parse(toolapi.File{Path: "v.yaml", Text: string(got)})
	if err != nil {
		t.Fatal(err)
	}

	for i, p := range read.APIs[0].Parameters.All {
		if p.Name != names[i] {
			t.Errorf("%q is read as %q", names[i], p.Name)
		}
	}

	spec.APIs[0].Adapters[0].Ignored.Value = reflect.ValueOf

	text, err := spec.Encode()
	if err == nil || text != nil || !strings.Contains(err.Error(), "the version v") {
		t.Errorf("a function is written: %v", err)
	}
}
