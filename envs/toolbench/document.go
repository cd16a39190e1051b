package toolbench

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// MostDescription is how many characters a model sees of a description.
const MostDescription = 256

// Key identifies an API by its published names.
type Key struct {
	Category string `json:"category_name"`
	Tool     string `json:"tool_name"`
	API      string `json:"api_name"`
}

// String returns the names with slashes between them.
func (k Key) String() string { return k.Category + "/" + k.Tool + "/" + k.API }

// Compare orders keys by category, tool and API.
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Category, other.Category), cmp.Compare(k.Tool, other.Tool),
		cmp.Compare(k.API, other.API))
}

// Document describes an API, as query files do.
type Document struct {
	Key
	Description     string          `json:"api_description"`
	ToolDescription string          `json:"-"` // "" if no tool document was read
	Method          string          `json:"method"`
	Required        []Parameter     `json:"required_parameters"`
	Optional        []Parameter     `json:"optional_parameters"`
	Template        json.RawMessage `json:"template_response"` // the skeleton of an answer; nil if there is none

	// Deployed returns the document that a version has in place of this one, and a call of this one
	// as callers of the version write it; nil if the version has this one.
	Deployed func(args envs.Args) (*Document, envs.Args) `json:"-"`
}

// Shown returns the document that a call was made against, and the call as it was written.
func (d *Document) Shown(args envs.Args) (*Document, envs.Args) {
	if d.Deployed == nil {
		return d, args
	}
	return d.Deployed(args)
}

// Parameter is a parameter of an API.
type Parameter struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"`        // a word such as NUMBER
	Description string          `json:"description"` // may be empty
	Default     json.RawMessage `json:"default"`     // of any type; "" is none
}

// jsonTypes are the JSON types of the words for types; of any other word it is string.
var jsonTypes = map[string]string{
	"number": "number", "integer": "integer", "int": "integer", "boolean": "boolean", "array": "array",
	"object": "object",
}

// JSONType returns the type of the parameter's values in a JSON Schema.
func (p Parameter) JSONType() string { return cmp.Or(jsonTypes[strings.ToLower(p.Type)], "string") }

// Example returns the default as a value of the parameter's type, and whether there is one.
func (p Parameter) Example() (any, bool) {
	v, err := pytext.DecodeStrict(string(p.Default))
	if err != nil || v == nil || v == "" {
		return nil, false
	}

	text, isText := v.(string)
	kind := p.JSONType()

	switch {
	case kind == "string" && isText:
		return text, true
	case kind == "string":
		return pytext.JSON(v), true
	case isText: // "5" of a number, "true" of a boolean
		if v, err = pytext.DecodeStrict(strings.ToLower(strings.TrimSpace(text))); err != nil {
			return nil, false
		}
	}

	return v, isOfType(v, kind)
}

func isOfType(v any, kind string) bool {
	switch v := v.(type) {
	case envs.Number:
		return kind == "number" || kind == "integer" && !strings.ContainsAny(string(v), ".eE")
	case bool:
		return kind == "boolean"
	case []any:
		return kind == "array"
	case envs.Args:
		return kind == "object"
	}

	return false
}

// schema returns the JSON Schema of the parameter's values.
func (p Parameter) schema() envs.Args {
	schema := envs.Object("type", p.JSONType())
	if p.Description != "" {
		schema = schema.With("description", display.Line(p.Description, MostDescription))
	}

	if v, ok := p.Example(); ok {
		schema = schema.With("default", v)
	}
	return schema
}

// Spec returns the API as a version exposes it under a name.
func (d *Document) Spec(name string) toolapi.APISpec {
	lead := "which calls the API " + display.Line(d.API, toolapi.MostName) + " of the tool " +
		display.Line(d.Tool, toolapi.MostName)
	if d.Description != "" {
		lead += ": " + display.Line(d.Description, MostDescription)
	}

	spec := toolapi.APISpec{Name: name, Description: lead}
	spec.Parameters.All = []toolapi.Parameter{}

	add := func(all []Parameter, optional bool) {
		for _, p := range all {
			named := func(other toolapi.Parameter) bool { return other.Name == p.Name }
			if !slices.ContainsFunc(spec.Parameters.All, named) {
				spec.Parameters.All = append(spec.Parameters.All,
					toolapi.Parameter{Name: p.Name, Optional: optional, Schema: p.schema()})
			}
		}
	}

	add(d.Required, false)
	add(d.Optional, true)

	if len(spec.Parameters.All) == 0 { // what has parameters says which of them does not fit
		spec.Errors.Arguments = "argument error: " + name + " takes no arguments."
	}
	return spec
}
