package toolapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
	"toolevo/envs/yamltext"
)

// Parameter is one parameter of an API.
type Parameter struct {
	Name     string
	Optional bool // a call may leave it out

	// Schema is the JSON Schema of its values, with its description; nil takes any value.
	Schema envs.Args
}

// Description returns the description in the parameter's schema, or "".
func (p Parameter) Description() string {
	text, _ := p.Schema.Text("description")
	return text
}

// Type names the values that it takes, in the form of texts for models.
func (p Parameter) Type() string { return typeText(p.Schema) }

// Parameters are the parameters of an API, and the other keywords of its JSON Schema. In a file
// they are a list of names and mappings, or the JSON Schema of an object.
type Parameters struct {
	All      []Parameter // nil in a file that has none
	Keywords envs.Args

	// Loose says that types are only documented, and that a call may have any values. The file or
	// the API says so.
	Loose bool

	wrong error // with what a file has; Load says of which API
}

// Schema returns the JSON Schema of the API's arguments as models with function calling are shown
// it: an object with the parameters in their order.
func (a *API) Schema() envs.Args { return Parameters{All: a.Parameters, Keywords: a.keywords}.Schema() }

// Function returns the API as OpenAI's chat API describes a function that a model may call.
func (a *API) Function() envs.Args { return function(a.Name, a.Sentence(), a.Schema()) }

// Sentence returns the description as a sentence, without the "which" that follows a signature.
func (a *API) Sentence() string {
	text, continues := strings.CutPrefix(a.Description, "which ")
	if !continues || text == "" {
		return a.Description
	}

	return display.Capital(text)
}

// Function returns the API as [API.Function] does, but with the unchanged description, which a row
// keeps.
func (f *APISpec) Function() envs.Args { return function(f.Name, f.Description, f.Parameters.Schema()) }

func function(name, description string, parameters envs.Args) envs.Args {
	return envs.Object(
		"type", "function",
		"function", envs.Object("name", name, "description", description, "parameters", parameters),
	)
}

// FunctionList returns the JSON list of functions, as requests and samples have it.
func FunctionList(all []envs.Args) string {
	list := make([]any, len(all))
	for i := range all {
		list[i] = all[i]
	}
	return pytext.JSON(list)
}

// ParseFunctions reads a JSON list of functions as [API.Function] writes them. They can be shown,
// but not called.
func ParseFunctions(text string) ([]*API, error) {
	v, err := pytext.Decode(text)
	if err != nil {
		return nil, err
	}

	list, _ := v.([]any)
	all := make([]*API, len(list))

	for i, item := range list {
		tool, _ := item.(envs.Args)
		if all[i], err = parseFunction(tool.Object("function")); err != nil {
			return nil, fmt.Errorf("function %d (%q): %w", i+1, all[i].Name, err)
		}
	}

	return all, nil
}

// parseFunction reads a function. Its tool has the same name.
func parseFunction(function envs.Args) (*API, error) {
	a := &API{}
	a.Name, _ = function.Text("name")
	a.Description, _ = function.Text("description")

	var p Parameters
	err := p.readSchema(function.Object("parameters"))
	a.Tool, a.Parameters, a.keywords = a.Name, p.All, p.Keywords
	return a, err
}

// Schema returns the JSON Schema of an object with these parameters, in their order.
func (p Parameters) Schema() envs.Args {
	properties := envs.Args{}

	var required []any

	for _, p := range p.All {
		properties = properties.With(p.Name, append(envs.Args{}, p.Schema...))

		if !p.Optional {
			required = append(required, p.Name)
		}
	}

	schema := envs.Object("type", "object", "properties", properties)
	if len(required) > 0 {
		schema = schema.With("required", required)
	}
	return append(schema, p.Keywords...)
}

// takeParameters sets the parameters from those of a file.
func (a *API) takeParameters(p Parameters) error {
	switch {
	case p.wrong != nil:
		return p.wrong
	case p.All == nil:
		return errors.New("no parameters")
	}

	names := ParameterNames(p.All)
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		return errors.New("a parameter is named twice")
	}

	a.Parameters, a.keywords, a.loose = p.All, p.Keywords, p.Loose
	return nil
}

// UnmarshalYAML reads either form.
func (p *Parameters) UnmarshalYAML(read func(any) error) error {
	var node ast.Node
	if err := read(&node); err != nil {
		return err
	}

	// read goes through the same node again.
	yamltext.Numbers(node)

	var v any
	if err := read(&v); err != nil {
		return err
	}

	p.wrong = p.read(v)
	return nil
}

func (p *Parameters) read(v any) error {
	value, err := JSONValue(v)
	if err != nil {
		return err
	}

	switch v := value.(type) {
	case []any:
		p.All = []Parameter{}

		for i, item := range v {
			parameter, err := readParameter(item)
			if err != nil {
				return fmt.Errorf("parameter %d: %w", i+1, err)
			}

			p.All = append(p.All, parameter)
		}
	case envs.Args:
		return p.readSchema(v)
	case nil:
	default:
		return errors.New("parameters are neither a list nor a JSON Schema")
	}

	return nil
}

// form returns the parameters as a file has them: a list of names, or a JSON Schema if names do not
// say everything.
func (p Parameters) form() any {
	typed := func(p Parameter) bool { return p.Optional || p.Schema != nil }
	if len(p.Keywords) > 0 || slices.ContainsFunc(p.All, typed) {
		return p.Schema()
	}
	return ParameterNames(p.All)
}

// readParameter reads an item of a list: a name, or a mapping of the name, whether the parameter is
// required or optional, and the keywords of its schema.
func readParameter(item any) (Parameter, error) {
	if name, ok := item.(string); ok {
		return Parameter{Name: name}, nil
	}

	// Anything but a mapping has no name, and is refused for that below.
	mapping, _ := item.(envs.Args)

	var p Parameter

	for _, arg := range mapping {
		// Only a bool is about the parameter: a list under "required" belongs to its schema.
		set, isBool := arg.Value.(bool)

		switch {
		case arg.Name == "name":
			p.Name, _ = arg.Value.(string)
		case isBool && arg.Name == "required":
			p.Optional = !set
		case isBool && arg.Name == "optional":
			p.Optional = set
		default:
			p.Schema = append(p.Schema, arg)
		}
	}

	if p.Name == "" {
		return p, errors.New("it is neither a name nor a mapping with a name")
	}
	return p, nil
}

// readSchema reads the JSON Schema of an object, such as the parameters of a function. Schema
// writes it again.
func (p *Parameters) readSchema(schema envs.Args) error {
	p.All = []Parameter{}

	if kind, _ := schema.Text("type"); kind != "object" {
		return errors.New("the JSON Schema of the parameters is not of the type object")
	}

	v, _ := schema.Get("required")
	required, isList := v.([]any)
	w, _ := schema.Get("properties")
	properties, isObject := w.(envs.Args)

	// Other people's schemas leave out either. One of another type would be lost unnoticed.
	if v != nil && !isList || w != nil && !isObject {
		return errors.New("the JSON Schema of the parameters needs an object of properties and a " +
			"list of the required")
	}

	for _, property := range properties {
		fields, ok := property.Value.(envs.Args)
		if !ok {
			return fmt.Errorf("property %q is not a JSON Schema", property.Name)
		}

		parameter := Parameter{
			Name: property.Name, Optional: !slices.Contains(required, any(property.Name)),
		}
		if len(fields) > 0 {
			parameter.Schema = fields
		}

		p.All = append(p.All, parameter)
	}

	// No call could fit: it would have to give a parameter that is not known.
	for _, v := range required {
		if name, _ := v.(string); !slices.Contains(properties.Names(), name) {
			return fmt.Errorf("%v is required and no property", v)
		}
	}

	for _, keyword := range schema {
		if !slices.Contains([]string{"type", "properties", "required"}, keyword.Name) {
			p.Keywords = append(p.Keywords, keyword)
		}
	}

	return nil
}

// JSONValue turns what the YAML library makes of a node, with ordered mappings, into values of
// package envs.
func JSONValue(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, string:
		return v, nil
	case int64, uint64:
		return envs.Number(fmt.Sprint(v)), nil
	case float64:
		// As Python writes it, since tools compare and print texts.
		return envs.Number(pytext.FormatFloat(v)), nil
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			var err error
			if list[i], err = JSONValue(item); err != nil {
				return nil, err
			}
		}

		return list, nil
	case yaml.MapSlice:
		object := make(envs.Args, len(v))
		for i, item := range v {
			value, err := JSONValue(item.Value)
			if err != nil {
				return nil, err
			}

			// The keys of YAML may be numbers; the names of JSON are texts.
			object[i] = envs.Arg{Name: fmt.Sprint(item.Key), Value: value}
		}
		return object, nil
	}
	return nil, fmt.Errorf("%v is not a value of JSON", v)
}

// ParameterNames returns the names of parameters, in their order.
func ParameterNames(parameters []Parameter) []string {
	names := make([]string, len(parameters))
	for i, p := range parameters {
		names[i] = p.Name
	}
	return names
}

// Needed returns a call without its optional arguments.
func Needed(call envs.Args, of []Parameter) envs.Args {
	return slices.DeleteFunc(slices.Clone(call), func(a envs.Arg) bool {
		isOptional := func(p Parameter) bool { return p.Name == a.Name && p.Optional }
		return slices.ContainsFunc(of, isOptional)
	})
}

// fits reports whether arguments fit parameters: every one is known, and no required one is
// missing. Argument names are distinct.
func fits(args envs.Args, parameters []Parameter) bool {
	given := 0

	for i := range parameters {
		if _, ok := args.Get(parameters[i].Name); ok {
			given++
		} else if !parameters[i].Optional {
			return false
		}
	}

	return given == len(args)
}

// missed names the parameters that are missing and the arguments that are unknown. No parameter is
// optional here: a JSON Schema says what is wrong then.
func missed(args envs.Args, parameters []Parameter) string {
	var all []string

	for _, p := range parameters {
		if _, ok := args.Get(p.Name); !ok {
			all = append(all, parameterWords(p.Name)+" is missing")
		}
	}

	for _, name := range args.Names() {
		if !slices.Contains(ParameterNames(parameters), name) {
			all = append(all, parameterWords(name)+" is not known")
		}
	}

	return display.Line(strings.Join(all, "; "), mostMismatch)
}

// parameterWords names a parameter for the agent.
func parameterWords(name string) string { return fmt.Sprintf("parameter %q", name) }

// inOrder returns arguments that fit the parameters in the order of these.
func inOrder(args envs.Args, parameters []Parameter) envs.Args {
	sorted := len(args) == len(parameters)
	for i := 0; sorted && i < len(args); i++ {
		sorted = args[i].Name == parameters[i].Name
	}

	if sorted {
		return args
	}

	ordered := make(envs.Args, 0, len(args))
	for _, p := range parameters {
		if v, ok := args.Get(p.Name); ok {
			ordered = ordered.With(p.Name, v)
		}
	}

	return ordered
}
