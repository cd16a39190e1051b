package toolapi_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// What Encode writes reads as what was written.
func TestEncode(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shipped, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}

	texts := []string{typedBase, typedNext, `
version: odd
apis:
  - name: Odd
    parameters: ["true", "", " a: b", "#", "'", "[x]"]
    loose: true
    description: "Two\nlines, and \u2028 \u0007: é 'q' \"p\" {{.X}}"
    adapters:
      - ignored: {parameter: a, value: 3.5}
      - prefix: {parameter: b, text: "It's: ", trim: true, join: " \n"}
    notice: {example: '{"a": "it''s", "b": 1e9}', published: {example: ""}}
`}

	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}

		texts = append(texts, string(text))
	}

	unexported := cmp.Options{
		cmpopts.IgnoreUnexported(toolapi.Spec{}), cmp.AllowUnexported(toolapi.Parameters{}),
	}

	for _, text := range texts {
		want, err := toolapi.Parse(toolapi.File{Path: "before", Text: text})
		if err != nil {
			t.Fatal(err)
		}

		written, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}

		got, err := toolapi.Parse(toolapi.File{Path: "after", Text: string(written)})
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}

		if diff := cmp.Diff(want, got, unexported); diff != "" {
			t.Errorf("%s\n%s", diff, written)
		}
	}
}

// A number of JSON is one in a file, too, however it is written.
func TestEncodeNumbers(t *testing.T) {
	texts := []string{"0", "-0", "7", "-2.50", "1e-06", "1E+16", "-1e308", "0e5", "2.5e-7",
		"18446744073709551615", "18446744073709551616", "-9223372036854775809"}

	var numbers []any
	for _, text := range texts {
		numbers = append(numbers, envs.Number(text))
	}

	schema := envs.Object("exclusiveMinimum", numbers[4], "enum", numbers)
	spec := toolapi.Spec{Version: "small", APIs: []toolapi.APISpec{{
		Name: "Get",
		Parameters: toolapi.Parameters{
			All: []toolapi.Parameter{{Name: "a", Schema: schema}},
		},
		Adapters: []toolapi.AdapterSpec{{Ignored: &toolapi.Ignored{Parameter: "b", Value: 1e-6}}},
	}}}

	written, err := spec.Encode()
	if err != nil {
		t.Fatal(err)
	}

	read, err := toolapi.Parse(toolapi.File{Path: "small.yaml", Text: string(written)})
	if err != nil {
		t.Fatalf("%v\n%s", err, written)
	}

	got := read.APIs[0].Parameters.All[0].Schema.List("enum")
	for i, text := range texts {
		want, _ := strconv.ParseFloat(text, 64)

		number, isNumber := got[i].(envs.Number)
		if f, err := strconv.ParseFloat(string(number), 64); !isNumber || err != nil || f != want {
			t.Errorf("%s is read as %#v", text, got[i])
		}
	}

	if got := read.APIs[0].Adapters[0].Ignored.Value; got != any(1e-6) {
		t.Errorf("an adapter's value 1e-06 is read as %#v", got)
	}

	if _, err := toolapi.NewForm(read.APIs[0].Parameters.Schema()); err != nil {
		t.Error(err)
	}
}

// People write numbers as JSON does, too. What is quoted is a text, and a name is a name.
func TestNumbersOfFiles(t *testing.T) {
	const text = `
version: 1e3
apis:
  - name: Get
    parameters:
      - name: a
        exclusiveMinimum: 1e-6
        enum: [1e3, "1e3", &n -2E+5, *n, !!str 1e3, 007, 089, 1e999]
      - name: b
        default: {1e3: 1e4}
`
	const want = `{"type": "object", "properties": {"a": {"exclusiveMinimum": 1e-06, "enum": ` +
		`[1000.0, "1e3", -200000.0, -200000.0, "1e3", 7, "089", "1e999"]}, ` +
		`"b": {"default": {"1e3": 10000.0}}}, "required": ["a", "b"]}`

	read, err := toolapi.Parse(toolapi.File{Path: "own.yaml", Text: text})
	if err != nil {
		t.Fatal(err)
	}

	if got := pytext.JSON(read.APIs[0].Parameters.Schema()); got != want || read.Version != "1e3" {
		t.Errorf("version %s:\n%s, want\n%s", read.Version, got, want)
	}
}
