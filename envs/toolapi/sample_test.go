package toolapi_test

import (
	"strings"
	"testing"

	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// Samples fit, whatever the schema says.
func TestSamplesFit(t *testing.T) {
	for _, schema := range []string{
		`{type: [string, "null"]}`, `{type: ["null"]}`, `{type: integer, minimum: 1990, maximum: 2030}`,
		`{type: integer, exclusiveMaximum: 1}`, `{type: number, exclusiveMinimum: 1000, multipleOf: 7}`,
		`{type: string, minLength: 30}`, `{type: string, maxLength: 3}`, `{type: array, minItems: 2, items: {type: integer}}`,
		`{type: array, minItems: 2, uniqueItems: true, items: {type: string}}`, `{anyOf: [{type: integer}, {type: boolean}]}`,
		`{oneOf: [{type: object, required: [a], properties: {a: {type: string, minLength: 9}}}]}`,
		`{type: object, minProperties: 1, properties: {a: {type: boolean}, b: {type: boolean}}}`,
		`{type: object, required: [a, b], properties: {a: {const: 3},
			b: {type: object, required: [c], properties: {c: {type: array}}}}}`,
		`{type: object, required: [a]}`, `{type: boolean, default: "false"}`,
		`{type: object, minProperties: 3, required: [b], properties: {a: {}, b: {}}, additionalProperties: {type: integer}}`,
		`{type: string, pattern: "^[a-f0-9]{8}-[A-Z]+(x|y)?$"}`, `{type: string, pattern: "[\\x20-\\x7E]{10,128}"}`,
		`{type: string, pattern: "^\\S*$", minLength: 12}`,
		`{type: string, pattern: "^(?:[^a-z0-9A-Z]b?)+$", minLength: 4}`,
		`{type: string, pattern: "^((((((((((((a*)*)*)*)*)*)*)*)*)*)*)*)*$", minLength: 900}`,
	} {
		file := toolapi.File{Path: "base.yaml", Text: "version: b\nbase: true\n" +
			"messages: {deprecated: d, invalid: i}\napis:\n" +
			"  - {name: Try, description: which tries., parameters: {type: object, properties: {p: " + schema +
			", q: {type: boolean}}}}" + systemTools}

		spec, err := toolapi.Parse(file)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}

		catalog, err := toolapi.NewCatalog(spec)
		if err != nil {
			t.Fatalf("%s: %v", schema, err)
		}

		v, err := catalog.Version("b")
		if err != nil {
			t.Fatal(err)
		}

		api, _ := v.API("Try")
		if _, wrong := api.Lower(api.Sample()); wrong != nil {
			t.Errorf("%s: %.100s: %s", schema, pytext.JSON(api.Sample()), strings.TrimSpace(wrong.Reason))
		}
	}
}

// Lists in lists multiply: a sample of those stays small, though it does not fit then.
func TestSamplesAreSmall(t *testing.T) {
	lists := `{type: integer}`
	for range 4 {
		lists = `{type: array, minItems: 900, items: ` + lists + `}`
	}

	spec, err := toolapi.Parse(toolapi.File{Path: "base.yaml", Text: "version: b\nbase: true\n" +
		"messages: {deprecated: d, invalid: i}\napis:\n" +
		"  - {name: Try, description: which tries., parameters: {type: object, properties: {p: " + lists + "}}}" +
		systemTools})
	if err != nil {
		t.Fatal(err)
	}

	catalog, err := toolapi.NewCatalog(spec)
	if err != nil {
		t.Fatal(err)
	}

	v, err := catalog.Version("b")
	if err != nil {
		t.Fatal(err)
	}

	api, _ := v.API("Try")
	if n := len(pytext.JSON(api.Sample())); n > 1<<14 {
		t.Errorf("the sample has %d bytes", n)
	}
}
