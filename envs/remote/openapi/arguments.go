package openapi

import (
	"cmp"
	_ "embed"
	"errors"
	"slices"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/envs/toolapi"
)

// Arguments are what a function takes, as the parameters of a tool.
type Arguments struct {
	Parameters toolapi.Parameters
	Wire       map[string]string // by parameter, where the function has another name for it
	Notes      []string          // where the parameters differ from the schema
}

// NewArguments makes parameters of the JSON Schema of a function's arguments, by the rules of a
// body. References lead into the schema itself. mostDescription is that of [Options].
func NewArguments(schema envs.Args, mostDescription int) (*Arguments, error) {
	doc := &document{root: schema, parts: map[string]any{"": schema}, noted: map[string]bool{}}

	for _, depth := range depths {
		m := maker{shaper: shaper{
			doc: doc, depth: depth, spare: mostSchemas,
			text: cmp.Or(mostDescription, usualDescription),
		}}

		a, err := m.arguments(schema)
		if err == nil || !errors.Is(err, errLarge) {
			return a, err
		}
	}

	return nil, refuse(Size, "it has more than %d schemas", mostSchemas)
}

// argument is the place of parameters that are not part of a request.
const argument Place = "argument"

func (m *maker) arguments(schema envs.Args) (*Arguments, error) {
	shape, err := m.shape(schema, 0)
	if err != nil {
		return nil, err
	}

	if kind, ok := shape.Get("type"); ok && kind != "object" {
		return nil, refuse(Schema, "arguments are an object, and not of the type %v", kind)
	}

	a := &Arguments{Wire: map[string]string{}}
	required := shape.List("required")
	members := shape.Object("properties")

	// A required member is a parameter even if the schema says nothing about it.
	for _, v := range required {
		if name, _ := v.(string); !slices.Contains(members.Names(), name) {
			members = members.With(name, envs.Args{})
		}
	}

	// Those of a choice of objects stand in its branches, which stay as keywords beside them.
	for _, choice := range []string{"oneOf", "anyOf", "allOf"} {
		for _, branch := range shape.List(choice) {
			object, _ := branch.(envs.Args)
			for _, name := range object.Object("properties").Names() {
				if !slices.Contains(members.Names(), name) {
					members = members.With(name, envs.Args{})
				}
			}
		}
	}

	for _, member := range members {
		p := Parameter{Wire: member.Name, In: argument}
		if p.Name = m.unused(p); p.Name != p.Wire {
			a.Wire[p.Name] = p.Wire
		}

		schema, _ := member.Value.(envs.Args)
		m.add(p, schema, !slices.Contains(required, any(member.Name)))
	}

	a.Parameters.Keywords = m.besideParameters(shape)
	// Not nil even for a function without parameters: nil means that a file forgot to name them.
	a.Parameters.All = append([]toolapi.Parameter{}, m.typed...)
	a.Notes = m.notes

	// Those keywords use the function's names, and would be wrong for other ones.
	if len(a.Wire) > 0 && len(a.Parameters.Keywords) > 0 {
		return nil, refuse(Schema, "it has keywords beside its parameters, some of which have other names here")
	}

	// A schema that cannot be compiled would otherwise fail only when the tools are loaded.
	if _, err := toolapi.NewForm(a.Parameters.Schema()); err != nil {
		return nil, refuse(Schema, "%s", display.Line(err.Error(), 300))
	}
	return a, nil
}

// besideParameters returns the keywords that are about the arguments as a whole.
func (m *maker) besideParameters(shape envs.Args) (keywords envs.Args) {
	for _, k := range shape {
		switch k.Name {
		case "additionalProperties", "patternProperties":
			if k.Value != false {
				m.note("arguments that have no name in the schema cannot be given")
			}
		case "type", "properties", "required":
		default:
			if !slices.Contains(annotations, k.Name) {
				keywords = append(keywords, k)
			}
		}
	}

	return keywords
}

// Named returns a text as the name of a tool, of at most [toolapi.MostName] letters, digits, _ and
// -. identity tells the tool from others; shared says that others have such a text, too.
func Named(text, identity string, shared bool) string {
	name := toName(text)
	if shared || envs.IsSystem(name) || name == "" || len(name) > toolapi.MostName {
		return names.Marked(name, identity, toolapi.MostName)
	}
	return name
}

//go:embed base.yaml
var baseText string

// Base returns the version with the tools as their document defines them, and the tools of the
// environment.
func Base(version, about string, tools []toolapi.APISpec) (*toolapi.Spec, error) {
	base, err := toolapi.Parse(toolapi.File{Path: version, Text: baseText})
	if err != nil {
		return nil, err
	}

	base.Version, base.About = version, about
	base.APIs = append(slices.Clip(tools), base.APIs...)
	return base, nil
}
