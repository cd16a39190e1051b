package toolapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
)

const (
	schemaURL    = "toolapi:arguments" // of the schema that is compiled; nothing is loaded from it
	mostMismatch = 300                 // columns of a reason
)

// compile prepares the check of arguments, if there is anything to check.
func (a *API) compile() error {
	typed := func(p Parameter) bool { return p.Schema != nil || p.Optional }
	if a.loose || len(a.keywords) == 0 && !slices.ContainsFunc(a.Parameters, typed) {
		return nil
	}

	if !a.exact {
		return errors.New("a numbered parameter is a text, so its API cannot have typed or optional parameters")
	}

	// No version takes an argument that it does not name, whatever its schema says.
	schema := a.Schema().Without("additionalProperties").With("additionalProperties", false)

	var err error
	if a.form, err = NewForm(schema); err != nil {
		return fmt.Errorf("JSON Schema of the parameters: %w", err)
	}
	return nil
}

// mismatch returns in one line what is wrong with arguments of a typed API, or "" if they fit.
func (a *API) mismatch(args envs.Args) string {
	if a.form == nil {
		return ""
	}
	return display.Line(inParameter(a.form.Misfit(args)), mostMismatch)
}

// inParameter says in which parameter something is wrong.
func inParameter(place []string, why string) string {
	if len(place) == 0 {
		return why
	}
	return parameterWords(strings.Join(place, ".")) + ": " + why
}

// Form is a JSON Schema that values are checked against.
type Form struct{ schema *jsonschema.Schema }

// NewForm returns the form of a schema, which may refer to its own parts but to no file or server.
func NewForm(schema envs.Args) (*Form, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})

	if err := c.AddResource(schemaURL, plain(schema)); err != nil {
		return nil, err
	}

	compiled, err := c.Compile(schemaURL)

	var bad *jsonschema.SchemaValidationError
	if errors.As(err, &bad) {
		err = errors.New(inParameter(misfit(bad.Err)))
	}
	return &Form{compiled}, err
}

// Misfit returns the first place where a value does not fit, and why. If it fits, why is "". Which
// place is first does not depend on the order of a map.
func (f *Form) Misfit(v any) (place []string, why string) {
	return misfit(f.schema.Validate(plain(v)))
}

func misfit(err error) (place []string, why string) {
	if err == nil {
		return nil, ""
	}

	var wrong *jsonschema.ValidationError
	if !errors.As(err, &wrong) {
		return nil, err.Error()
	}

	// The library reports places in the order of a map, and an agent must always read the same.
	all := leaves(wrong)
	slices.SortStableFunc(all, func(a, b *jsonschema.ValidationError) int {
		return slices.Compare(a.InstanceLocation, b.InstanceLocation)
	})

	var reasons []string

	place = all[0].InstanceLocation
	print := message.NewPrinter(language.English)

	for _, e := range all {
		if slices.Equal(e.InstanceLocation, place) {
			reasons = append(reasons, e.ErrorKind.LocalizedString(print))
		}
	}

	// The order of the reasons for one place is not fixed either.
	slices.Sort(reasons)
	return place, strings.Join(slices.Compact(reasons), "; ")
}

// leaves returns the errors that have no cause.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if extra, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		slices.Sort(extra.Properties)
	}

	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}

	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// plain returns a value as package jsonschema takes it.
func plain(v any) any {
	switch v := v.(type) {
	case envs.Args:
		object := make(map[string]any, len(v))
		for _, arg := range v {
			object[arg.Name] = plain(arg.Value)
		}
		return object
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plain(item)
		}
		return list
	case envs.Number:
		return plainNumber(v)
	}
	return v
}

// plainNumber returns an integer as it was written, and any other number as a float, because the
// exact value of 1e999999999 would fill the memory. A number that no float can hold counts as a
// text.
func plainNumber(n envs.Number) any {
	f, ok := pytext.ParseFloat(string(n))

	switch {
	case !ok || math.IsNaN(f) || math.IsInf(f, 0):
		return string(n)
	case strings.ContainsAny(string(n), ".eE"):
		return f
	}

	return json.Number(n)
}
