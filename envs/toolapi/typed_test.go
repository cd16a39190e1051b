package toolapi_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

const systemTools = `
  - {name: Finish, parameters: [answer], description: which ends the task.}
  - {name: UpdateTool, parameters: [newtool_desc], description: which learns.}
`

// typedBase defines tools with types: one by a list of parameters, one by a JSON Schema, one
// without parameters.
const typedBase = `
version: then
base: true
messages: {deprecated: "{{.Old.Name}} is {{.New.Name}}.", invalid: "No."}
apis:
  - name: Forecast
    description: which forecasts.
    parameters:
      - {name: city, type: string, description: where, minLength: 2, examples: [Oslo]}
      - {name: days, type: integer, minimum: 1, maximum: 14, required: false}
      - {name: unit, enum: [celsius, kelvin], optional: true}
  - name: Find
    description: which finds.
    parameters:
      type: object
      properties:
        where: {$ref: "#/$defs/condition"}
        limit: {type: [integer, "null"]}
        tags: {type: array, items: {type: string}, uniqueItems: true}
      required: [where, tags]
      $defs:
        condition:
          type: object
          properties:
            op: {enum: ["=", "<"]}
            value: {type: number}
            both: {type: array, items: {$ref: "#/$defs/condition"}}
          required: [op]
          additionalProperties: false
  - name: Now
    description: which says what time it is.
    parameters: {type: object, properties: {}}
  - name: Note
    description: which notes.
    parameters: [text, {name: tag, optional: true}]
    errors: {arguments: The note is wrong., value: The text of the note is wrong.}
` + systemTools

// typedNext renames, and wraps the optional parameters, too.
const typedNext = `
version: now
deprecates: [then]
apis:
  - name: GetForecast
    tool: Forecast
    parameters:
      - {name: place, type: string}
      - {name: horizon, type: integer, optional: true}
      - {name: scale, type: string, pattern: "^in ", optional: true}
      - {name: key, type: integer}
    adapters:
      - rename: {place: city, horizon: days, scale: unit}
      - prefix: {parameter: unit, text: "in "}
      - ignored: {parameter: key, value: 7}
    notice: {example: '{"place": "Oslo", "key": 7}'}
  - name: Search
    tool: Find
    parameters:
      type: object
      properties: {filter: {type: object}, tags: {type: array}, limit: {}}
      required: [filter, tags]
    adapters: [rename: {filter: where}]
    notice: {example: '{"filter": {"op": "="}, "tags": []}'}
  - name: Clock
    tool: Now
    parameters: []
    notice: {example: '{ }'}
  - name: Remember
    tool: Note
    parameters: [text, {name: labels, optional: true}]
    adapters:
      - bracketed: {parameter: labels, fields: [{label: Tag, to: tag}]}
    errors: {arguments: That is wrong.}
    notice: {example: '{"text": "x"}'}
` + systemTools

func typed(t testing.TB, files ...string) (*toolapi.Catalog, error) {
	t.Helper()

	fsys := fstest.MapFS{}
	for i, text := range files {
		fsys[fmt.Sprintf("v%d.yaml", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	return toolapi.Load(fsys)
}

func typedVersion(t testing.TB, name string) *toolapi.Version {
	t.Helper()

	c, err := typed(t, typedBase, typedNext)
	if err != nil {
		t.Fatal(err)
	}

	v, err := c.Version(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestLowerTyped(t *testing.T) {
	const wrong = "!argument error: "

	tests := []struct {
		version, tool, deployed string
		want                    string // as in TestLower
	}{
		{"then", "Forecast", `{"city": "Oslo"}`, `{"city": "Oslo"}`},
		{"then", "Forecast", `{"unit": "kelvin", "city": "Oslo"}`, `{"city": "Oslo", "unit": "kelvin"}`},
		{"then", "Forecast", `{"unit": "kelvin", "days": 3.0, "city": "Oslo"}`,
			`{"city": "Oslo", "days": 3.0, "unit": "kelvin"}`},
		{"then", "Forecast", `{ }`, wrong + "missing property 'city'"},
		{"then", "Forecast", `{"city": "Oslo", "b": 1, "a": 1}`, wrong + "additional properties 'a', 'b' not allowed"},
		{"then", "Forecast", `{"days": 3, "town": "Oslo"}`,
			wrong + "additional properties 'town' not allowed; missing property 'city'"},
		{"then", "Forecast", `{"city": 3, "days": "x"}`, wrong + `parameter "city": got number, want string`},
		{"then", "Forecast", `{"city": "", "days": 3.5}`, wrong + `parameter "city": minLength: got 0, want 2`},
		{"then", "Forecast", `{"city": "Oslo", "days": 3.5}`, wrong + `parameter "days": got number, want integer`},
		{"then", "Forecast", `{"city": "Oslo", "days": 0}`, wrong + `parameter "days": minimum: got 0, want 1`},
		{"then", "Forecast", `{"city": "Oslo", "days": NaN}`, wrong + `parameter "days": got string, want integer`},
		{"then", "Forecast", `{"city": "Oslo", "days": -Infinity}`,
			wrong + `parameter "days": got string, want integer`},
		{"then", "Forecast", `{"city": "Oslo", "days": 1e999999999}`,
			wrong + `parameter "days": got string, want integer`},
		{"then", "Forecast", `{"city": "Oslo", "days": 1` + strings.Repeat("0", 100_000) + `}`,
			wrong + `parameter "days": got string, want integer`},
		{"then", "Forecast", `{"city": "Oslo", "unit": "Kelvin"}`,
			wrong + `parameter "unit": value must be one of 'celsius', 'kelvin'`},
		{"then", "Find", `{"tags": ["a"], "where": {"op": "=", "both": [{"op": "<", "value": 1e3}]}, "limit": null}`,
			`{"where": {"op": "=", "both": [{"op": "<", "value": 1e3}]}, "limit": null, "tags": ["a"]}`},
		{"then", "Find", `{"tags": [], "where": {"op": "=", "both": [{"op": "=", "value": "1"}, {}]}}`,
			wrong + `parameter "where.both.0.value": got string, want number`},
		{"then", "Find", `{"tags": [], "where": {"op": "=", "z": 1, "\n": 2}}`,
			wrong + `parameter "where": additional properties '\n', 'z' not allowed`},
		{"then", "Find", `{"tags": ["a", "a"], "where": {"op": "="}}`,
			wrong + `parameter "tags": items at 0 and 1 are equal`},
		{"then", "Now", `{ }`, `{ }`},
		{"then", "Now", `{"zone": 1}`, "!"},
		{"then", "Note", `{"text": 1}`, `{"text": 1}`},
		{"then", "Note", `{"tag": 1}`, "!The note is wrong."},

		{"now", "Forecast", `{"key": 1, "place": "x"}`, `{"city": "x"}`},
		{"now", "Forecast", `{"key": 1, "place": "x", "scale": "in kelvin"}`, `{"city": "x", "unit": "kelvin"}`},
		{"now", "Forecast", `{"key": 1, "place": "x", "scale": "kelvin"}`,
			wrong + `parameter "scale": 'kelvin' does not match pattern '^in '`},
		{"now", "Forecast", `{"key": "1", "place": "x"}`, wrong + `parameter "key": got string, want integer`},
		{"now", "Note", `{"text": 1}`, `{"text": 1}`},
		{"now", "Note", `{"labels": "Tag[a]", "text": 1}`, `{"text": 1, "tag": "a"}`},
		{"now", "Note", `{"labels": "Tag", "text": 1}`, "!That is wrong."},
		{"now", "Now", `{"zone": 1}`, "!"},
	}
	for _, tt := range tests {
		a, _ := typedVersion(t, tt.version).ForTool(tt.tool)
		args, refused := a.Lower(object(t, tt.deployed))

		got := string(pytext.AppendJSON(nil, args))
		if refused != nil {
			got = "!" + refused.Text
		}

		if got = strings.Replace(got, "{}", "{ }", 1); got != tt.want {
			t.Errorf("%s %s.Lower(%.200s) = %s, want %s", tt.version, tt.tool, tt.deployed, got, tt.want)
		}
	}
}

// TestMismatchIsShort checks that an agent cannot make the text about its own mistake long, or of
// several lines. Types of a loose API, or of all in a loose file, are shown, and calls are not held
// to them.
func TestLoose(t *testing.T) {
	t.Parallel()

	const api = "apis:\n  - {name: A, description: which a., parameters: [{name: a, type: string}]LOOSE}\n" +
		"  - {name: B, description: which b., parameters: [{name: b, type: string}]}\n" + systemTools

	const head = "version: v\nbase: true\nmessages: {deprecated: Old., invalid: No.}\n"

	for text, loose := range map[string][2]bool{
		head + strings.Replace(api, "LOOSE", "", 1):                   {false, false},
		head + strings.Replace(api, "LOOSE", ", loose: true", 1):      {true, false},
		head + "loose: true\n" + strings.Replace(api, "LOOSE", "", 1): {true, true},
	} {
		c, err := toolapi.Load(fstest.MapFS{"v.yaml": {Data: []byte(strings.ReplaceAll(text, "\n\n", "\n"))}})
		if err != nil {
			t.Fatal(err)
		}

		v, err := c.Version("v")
		if err != nil {
			t.Fatal(err)
		}

		for i, a := range v.APIs[:2] {
			name := a.Parameters[0].Name
			if kind, _ := a.Parameters[0].Schema.Text("type"); kind != "string" {
				t.Errorf("%s shows %v", a.Name, a.Schema())
			}

			if _, wrong := a.Lower(envs.Object(name, envs.Number("1"))); (wrong == nil) != loose[i] {
				t.Errorf("%s: a number in place of a text: %v", a.Name, wrong)
			}
		}
	}
}

func TestMismatchIsShort(t *testing.T) {
	a, _ := typedVersion(t, "now").ForTool("Forecast")

	_, wrong := a.Lower(envs.Args{
		{Name: "place", Value: "x"},
		{Name: "key", Value: envs.Number("7")},
		{Name: "scale", Value: strings.Repeat("line\n", 100_000)},
	})
	if wrong == nil || len(wrong.Text) > 400 || strings.Contains(wrong.Text, "\n") || !wrong.Value {
		t.Errorf("%+.500v", wrong)
	}
}

// TestMismatchIsStable checks that one mistake has one text, from any goroutine.
func TestMismatchIsStable(t *testing.T) {
	a, _ := typedVersion(t, "then").ForTool("Find")
	args := object(t, `{"where": {"q": 1, "p": 2, "value": "x", "both": 1}, "tags": 3, "limit": "a", "x": 1, "y": 2}`)

	_, want := a.Lower(args)

	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if _, got := a.Lower(args); got.Text != want.Text {
					t.Errorf("%q and %q", got.Text, want.Text)
				}
			}
		})
	}

	group.Wait()
}

func TestLiftTyped(t *testing.T) {
	tests := []struct{ tool, args, want string }{
		{"Forecast", `{"unit": "kelvin", "city": "Oslo"}`, `GetForecast {"place": "Oslo", "scale": "in kelvin", "key": 7}`},
		{"Forecast", `{"city": "Oslo", "days": 3}`, `GetForecast {"place": "Oslo", "horizon": 3, "key": 7}`},
		{"Forecast", `{"city": "Oslo", "days": "soon"}`, `parameter "horizon": got string, want integer`},
		{"Forecast", `{"days": 3}`, `Forecast takes [city days unit], not [days]`},
		{"Find", `{"tags": [], "where": {}}`, `Search {"filter": {}, "tags": []}`},
		{"Find", `{"tags": [], "where": 3}`, `parameter "filter": got number, want object`},
		{"Now", `{ }`, `Clock {}`},
		{"Note", `{"text": 3, "tag": "a"}`, `Remember {"text": 3, "labels": "Tag[a]"}`},
		{"Note", `{"text": 3}`, `Remember {"text": 3}`},
	}
	for _, tt := range tests {
		name, args, err := typedVersion(t, "now").Lift(tt.tool, object(t, tt.args))

		got := fmt.Sprintf("%s %s", name, pytext.AppendJSON(nil, args))
		if err != nil {
			got = err.Error()
		}

		if !strings.HasSuffix(got, tt.want) {
			t.Errorf("Lift(%s, %s) = %s, want %s", tt.tool, tt.args, got, tt.want)
		}
	}
}

// TestLiftNeedsTheOptional has a version that cannot leave out what the tool can.
func TestLiftNeedsTheOptional(t *testing.T) {
	c, err := typed(t, typedBase, strings.NewReplacer("{name: labels, optional: true}", "labels",
		`{"text": "x"}`, `{"text": "x", "labels": "Tag[a]"}`).Replace(typedNext))
	if err != nil {
		t.Fatal(err)
	}

	v, _ := c.Version("now")
	if _, _, err := v.Lift("Note", object(t, `{"text": 3}`)); err == nil ||
		!strings.Contains(err.Error(), "cannot do without a parameter") {
		t.Errorf("error = %v", err)
	}
}

func TestSchema(t *testing.T) {
	tests := []struct{ version, tool, want string }{
		{"then", "Forecast", `{"type": "object", "properties": {` +
			`"city": {"type": "string", "description": "where", "minLength": 2, "examples": ["Oslo"]}, ` +
			`"days": {"type": "integer", "minimum": 1, "maximum": 14}, "unit": {"enum": ["celsius", "kelvin"]}}, ` +
			`"required": ["city"]}`},
		{"then", "Now", `{"type": "object", "properties": {}}`},
		{"then", "Note", `{"type": "object", "properties": {"text": {}, "tag": {}}, "required": ["text"]}`},
		{"now", "Find", `{"type": "object", "properties": {"filter": {"type": "object"}, ` +
			`"tags": {"type": "array"}, "limit": {}}, "required": ["filter", "tags"]}`},
	}
	for _, tt := range tests {
		a, _ := typedVersion(t, tt.version).ForTool(tt.tool)
		if got := string(pytext.AppendJSON(nil, a.Schema())); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.version, tt.tool, got, tt.want)
		}
	}

	a, _ := typedVersion(t, "then").ForTool("Find")
	if got := string(pytext.AppendJSON(nil, a.Schema())); !strings.Contains(got, `"$defs": {"condition": `) {
		t.Errorf("what the schema refers to is missing: %s", got)
	}

	a, _ = typedVersion(t, "then").ForTool("Forecast")
	if got := a.Parameters[0].Description() + a.Parameters[1].Description(); got != "where" {
		t.Errorf("descriptions %q", got)
	}
}

func TestTypedLoadErrors(t *testing.T) {
	const days = "{name: days, type: integer, minimum: 1, maximum: 14, required: false}"

	tests := []struct{ name, old, new, want string }{
		{"unknown type", "type: integer, minimum", "type: int, minimum",
			`API 1 ("Forecast"): JSON Schema of the parameters: parameter "properties.days.type": `},
		{"wrong keyword", "minimum: 1,", "minimum: x,", `"properties.days.minimum": got string, want number`},
		{"no number", "minimum: 1,", "minimum: .nan,", `"properties.days.minimum": got string, want number`},
		{"bad pattern", days, `{name: days, pattern: "("}`, `"properties.days.pattern"`},
		{"dangling reference", days, `{name: days, $ref: "#/$defs/x"}`, `#/$defs/x`},
		{"reference to a file", days, `{name: days, $ref: "file:///etc/hostname"}`, `file:///etc/hostname`},
		{"no name", days, "{type: integer}", "parameter 2: it is neither a name nor a mapping"},
		{"a number", days, "3", "parameter 2: it is neither a name nor a mapping"},
		{"named twice", days, "city", "a parameter is named twice"},
		{"not an object", "parameters: {type: object, properties: {}}", "parameters: {type: string}",
			`API 3 ("Now"): the JSON Schema of the parameters is not of the type object`},
		{"odd properties", "parameters: {type: object, properties: {}}",
			"parameters: {type: object, properties: [x]}", "needs an object of properties"},
		{"odd property", "parameters: {type: object, properties: {}}",
			"parameters: {type: object, properties: {x: 1}}", `property "x" is not a JSON Schema`},
		{"odd required", "required: [where, tags]", "required: [where, tag]", "tag is required and no property"},
		{"no list of the required", "required: [where, tags]", "required: where", "a list of the required"},
		{"odd parameters", "parameters: {type: object, properties: {}}", "parameters: x", "neither a list nor"},
		{"none", "    parameters: {type: object, properties: {}}\n", "", "no parameters"},
		{"optional system tool", "parameters: [answer]", "parameters: [{name: answer, optional: true}]",
			"system tool Finish"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changed := strings.Replace(typedBase, tt.old, tt.new, 1)
			if changed == typedBase {
				t.Fatalf("%q is not in the file", tt.old)
			}

			_, err := typed(t, changed)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "v0.yaml") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("error = %v, want %q in it", err, tt.want)
			}
		})
	}

	for old, want := range map[string][2]string{
		`"place": "Oslo"`:          {`"place": 3`, `parameter "place": got number, want string`},
		"prefix: {parameter: unit": {"prefix: {parameter: units", "adapter 2: it does nothing"},
		"bracketed: {parameter: labels, fields: [{label: Tag, to: tag}]}": {
			"numbered: {item: labels, to: tag}", "cannot have typed or optional parameters"},
	} {
		_, err := typed(t, typedBase, strings.Replace(typedNext, old, want[0], 1))
		if err == nil || !strings.Contains(err.Error(), want[1]) || !strings.Contains(err.Error(), "v1.yaml") {
			t.Errorf("%s: error = %v, want %q in it", want[0], err, want[1])
		}
	}
}

// TestTypedLowerLift is TestLowerLift for types, optional parameters and nested values.
func TestTypedLowerLift(t *testing.T) {
	var condition func(t *rapid.T, depth int) envs.Args

	condition = func(t *rapid.T, depth int) envs.Args {
		args := envs.Args{{Name: "op", Value: rapid.SampledFrom([]any{"=", "<"}).Draw(t, "op")}}
		if rapid.Bool().Draw(t, "valued") {
			args = append(args, envs.Arg{Name: "value", Value: envs.Number(fmt.Sprint(rapid.Int().Draw(t, "value")))})
		}

		if depth > 0 {
			both := make([]any, rapid.IntRange(0, 3).Draw(t, "both"))
			for i := range both {
				both[i] = condition(t, depth-1)
			}

			args = append(args, envs.Arg{Name: "both", Value: both})
		}
		return args
	}

	draw := map[string]func(t *rapid.T) envs.Args{
		"Forecast": func(t *rapid.T) envs.Args {
			return envs.Args{
				{Name: "city", Value: rapid.StringN(2, -1, -1).Draw(t, "city")},
				{Name: "days", Value: envs.Number(fmt.Sprint(rapid.IntRange(1, 14).Draw(t, "days")))},
				{Name: "unit", Value: rapid.SampledFrom([]any{"celsius", "kelvin"}).Draw(t, "unit")},
			}
		},
		"Find": func(t *rapid.T) envs.Args {
			var tags []any
			for _, tag := range rapid.SliceOfDistinct(rapid.String(), rapid.ID).Draw(t, "tags") {
				tags = append(tags, tag)
			}
			return envs.Args{
				{Name: "where", Value: condition(t, 3)},
				{Name: "limit", Value: rapid.SampledFrom([]any{nil, envs.Number("3")}).Draw(t, "limit")},
				{Name: "tags", Value: tags},
			}
		},
		"Now": func(t *rapid.T) envs.Args { return envs.Args{} },
		"Note": func(t *rapid.T) envs.Args {
			return envs.Args{{Name: "text", Value: rapid.String().Draw(t, "text")}, {Name: "tag", Value: "a b"}}
		},
	}

	for _, name := range []string{"then", "now"} {
		for tool, draw := range draw {
			a, _ := typedVersion(t, name).ForTool(tool)
			base, _ := typedVersion(t, "then").ForTool(tool)

			t.Run(name+"/"+tool, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					call := draw(t)
					for _, p := range base.Parameters {
						if p.Optional && rapid.Bool().Draw(t, "without "+p.Name) {
							call = slices.DeleteFunc(call, func(arg envs.Arg) bool { return arg.Name == p.Name })
						}
					}

					deployed, err := a.Lift(call)
					if err != nil {
						t.Fatal(err)
					}

					got, wrong := a.Lower(rapid.Permutation(deployed).Draw(t, "order"))
					if wrong != nil {
						t.Fatalf("Lower(%v): %q", deployed, wrong.Text)
					}

					if diff := cmp.Diff(fmt.Sprintf("%q", call), fmt.Sprintf("%q", got)); diff != "" {
						t.Fatalf("through %v (-want +got):\n%s", deployed, diff)
					}
				})
			})
		}
	}
}

// drawSchema draws the JSON Schema of a value.
func drawSchema(t *rapid.T, depth int) envs.Args {
	schema := envs.Args{}
	add := func(name string, v any) { schema = append(schema, envs.Arg{Name: name, Value: v}) }

	if rapid.Bool().Draw(t, "described") {
		add("description", rapid.StringMatching(`[ -~äß漢]{0,20}`).Draw(t, "description"))
	}

	last := 5
	if depth == 0 {
		last = 3
	}

	switch rapid.IntRange(0, last).Draw(t, "type") {
	case 1:
		add("type", "string")
		add("enum", []any{"a", "b: c", ""})
	case 2:
		add("type", "integer")
		add("minimum", envs.Number(fmt.Sprint(rapid.IntRange(-9, 9).Draw(t, "minimum"))))
	case 3:
		add("type", []any{"number", "null"})
		add("multipleOf", envs.Number("0.5"))
	case 4:
		add("type", "array")
		add("items", drawSchema(t, depth-1))
	case 5:
		return append(schema, drawObject(t, depth-1)...)
	}

	return schema
}

func drawObject(t *rapid.T, depth int) envs.Args {
	properties, required := envs.Args{}, []any{}
	for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z_ 0-9.'ä-]{1,6}`), 0, 4,
		rapid.ID).Draw(t, "properties") {
		properties = append(properties, envs.Arg{Name: name, Value: drawSchema(t, depth)})
		if rapid.Bool().Draw(t, "required") {
			required = append(required, name)
		}
	}

	schema := envs.Args{{Name: "type", Value: "object"}, {Name: "properties", Value: properties}}
	if len(required) > 0 {
		schema = append(schema, envs.Arg{Name: "required", Value: required})
	}

	if rapid.Bool().Draw(t, "closed") {
		schema = append(schema, envs.Arg{Name: "additionalProperties", Value: false})
	}
	return schema
}

// TestSchemaRoundTrip reads a JSON Schema and writes it again.
func TestSchemaRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := string(pytext.AppendJSON(nil, drawObject(t, 3)))
		file := "version: v\nbase: true\nmessages: {deprecated: x, invalid: x}\napis:\n" +
			"  - name: A\n    description: which acts.\n    parameters: " + want + systemTools

		c, err := toolapi.Load(fstest.MapFS{"v.yaml": {Data: []byte(file)}})
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}

		v, _ := c.Version("v")
		a, _ := v.API("A")

		if got := string(pytext.AppendJSON(nil, a.Schema())); got != want {
			t.Fatalf("%s became %s", want, got)
		}
	})
}

func FuzzLowerTyped(f *testing.F) {
	f.Add(`{"where": {"op": "=", "both": [{"op": "<", "value": 1e3}, {"q": NaN}]}, "tags": ["a", "b"], "limit": -0}`)
	f.Add(`{"city": "Oslo", "days": 1e999999999, "unit": {}}`)
	f.Add(`{"where": ` + strings.Repeat(`{"op": "=", "both": [`, 300) + strings.Repeat("]}", 300) + `, "tags": []}`)

	v := typedVersion(f, "then")

	f.Fuzz(func(t *testing.T, text string) {
		args, _, err := pytext.DecodeObject(text)
		if err != nil {
			return
		}

		for _, a := range v.APIs {
			lowered, wrong := a.Lower(args)
			if wrong != nil {
				if _, again := a.Lower(args); again.Text != wrong.Text || len(wrong.Text) > 1300 ||
					strings.Contains(wrong.Text, "\n") {
					t.Errorf("%q and then %q", wrong.Text, again.Text)
				}
			} else if _, err := a.Lift(lowered); err != nil {
				t.Errorf("%v cannot be lifted: %v", lowered, err)
			}
		}
	})
}

func BenchmarkLowerTyped(b *testing.B) {
	a, _ := typedVersion(b, "then").ForTool("Find")
	args := object(b, `{"where": {"op": "=", "both": [{"op": "<", "value": 1e3}]}, "tags": ["a", "b"]}`)

	b.ReportAllocs()

	for b.Loop() {
		if _, wrong := a.Lower(args); wrong != nil {
			b.Fatal(wrong.Text)
		}
	}
}
