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

// compile prepares the check of arguments, when there is anything to check. A schema may refer to its own parts and to
// no file or server.
func (a *API) compile() error {
	typed := func(p Parameter) bool { return p.Schema != nil || p.Optional }
	if len(a.keywords) == 0 && !slices.ContainsFunc(a.Parameters, typed) {
		return nil
	}

	if !a.exact {
		return errors.New("a numbered parameter is a text, so its API cannot have typed or optional parameters")
	}

	// No version takes an argument that it does not name, whatever its schema says.
	schema := without(a.Schema(), "additionalProperties").With("additionalProperties", false)

	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})

	err := c.AddResource(schemaURL, plain(schema))
	if err == nil {
		a.schema, err = c.Compile(schemaURL)
	}

	if err != nil {
		return fmt.Errorf("JSON Schema of the parameters: %s", reason(err))
	}

	return nil
}

// mismatch returns in one line what is wrong with arguments of a typed API, and "" when they fit.
func (a *API) mismatch(args envs.Args) string {
	if a.schema == nil {
		return ""
	}

	err := a.schema.Validate(plain(args))
	if err == nil {
		return ""
	}

	return reason(err)
}

// reason returns in one line the first of the places where a value does not fit its schema, and why. Which place is
// first does not depend on the order of a map.
func reason(err error) string {
	var bad *jsonschema.SchemaValidationError
	if errors.As(err, &bad) {
		err = bad.Err
	}

	var wrong *jsonschema.ValidationError
	if !errors.As(err, &wrong) {
		return display.Line(err.Error(), mostMismatch)
	}

	all := leaves(wrong)
	slices.SortStableFunc(all, func(a, b *jsonschema.ValidationError) int {
		return slices.Compare(a.InstanceLocation, b.InstanceLocation)
	})

	var (
		place = all[0].InstanceLocation
		why   []string
		print = message.NewPrinter(language.English)
	)

	for _, e := range all {
		if slices.Equal(e.InstanceLocation, place) {
			why = append(why, e.ErrorKind.LocalizedString(print))
		}
	}

	slices.Sort(why)
	text := strings.Join(slices.Compact(why), "; ")

	if len(place) > 0 {
		text = fmt.Sprintf("parameter %q: %s", strings.Join(place, "."), text)
	}

	return display.Line(text, mostMismatch)
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

// plainNumber returns an integer as it was written and another number as the float it denotes, because the exact value
// of 1e999999999 would fill the memory. What no float holds is not a number of JSON; it counts as a text.
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
