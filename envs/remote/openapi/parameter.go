package openapi

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/envs/toolapi"
)

// inPath fits a parameter in the template of a path.
var inPath = regexp.MustCompile(`\{([^{}]*)\}`)

// parameters adds the parameters of the path and of the operation, which override those of the path
// with the same name and place.
func (m *maker) parameters() error {
	var all []envs.Args

	for _, from := range []envs.Args{m.entry.item, m.entry.object} {
		list := from.List("parameters")
		if len(list) > mostSchemas {
			return errLarge
		}

		for _, v := range list {
			p, err := m.doc.resolve(v)
			if err != nil {
				return err
			}

			// An operation overrides a parameter of its path, which keeps its place in the list.
			same := func(q envs.Args) bool { return place(p) == place(q) }
			if i := slices.IndexFunc(all, same); i >= 0 {
				all[i] = p
			} else {
				all = append(all, p)
			}
		}
	}

	for _, p := range all {
		if err := m.parameter(p); err != nil {
			return err
		}
	}

	// A part of the path that nothing fills in would make every call fail.
	for _, found := range inPath.FindAllStringSubmatch(m.tool.Operation.Path, -1) {
		named := func(p Parameter) bool { return p.In == Path && p.Wire == found[1] }
		if !slices.ContainsFunc(m.tool.Operation.Parameters, named) {
			return refuse(Malformed, "the path has {%s}, which is no parameter", found[1])
		}
	}

	return nil
}

// place returns what tells a parameter from others.
func place(p envs.Args) [2]string {
	name, _ := p.Text("name")
	in, _ := p.Text("in")
	return [2]string{name, in}
}

// notParameters are headers that OpenAPI describes elsewhere, or that the client sets.
var notParameters = []string{
	"accept", "content-type", "authorization", "host", "content-length", "transfer-encoding",
}

func (m *maker) parameter(p envs.Args) error {
	at := place(p)
	out := Parameter{Wire: at[0], In: Place(at[1])}

	switch {
	case out.In == Header && slices.Contains(notParameters, strings.ToLower(out.Wire)):
		m.note("the header %s is no parameter", out.Wire)
		return nil
	case out.Wire == "" || styles[out.In] == nil || out.In == Body:
		return refuse(Malformed, "the parameter %q has no name or no place", out.Wire)
	case out.In == Path && !strings.Contains(m.tool.Operation.Path, "{"+out.Wire+"}"):
		m.note("%s is not in the path, and no parameter", display.Line(out.Wire, mostShown))
		return nil
	}

	schema, hasSchema := p.Get("schema")

	// Such a parameter is written in a media type instead of a style, and only JSON fits into one
	// value.
	if content := p.Object("content"); len(content) > 0 {
		kind, media, err := chosenMedia(content)
		if err != nil || kind == formMedia {
			return refuse(Media, "the parameter %q is of the type %s", out.Wire, content[0].Name)
		}

		out.JSON = true
		schema, hasSchema = media.Get("schema")
	}

	if err := out.style(p); err != nil {
		return err
	}

	shape := envs.Args{}
	if hasSchema {
		var err error
		if shape, err = m.shape(schema, 0); err != nil {
			return err
		}
	}

	// What is said about the parameter here takes precedence over its schema.
	beside, err := m.keywords(selectKeywords(p, "description", "example"), p, 0)
	for _, k := range shape {
		if _, ok := beside.Get(k.Name); !ok {
			beside = append(beside, k)
		}
	}

	// OpenAPI requires the parameters of a path, whatever a document says about them.
	required, _ := p.Get("required")
	optional := required != true && out.In != Path

	if !optional && !out.JSON {
		beside = notEmpty(beside, out.In)
	}

	out.Name = m.unused(out)
	m.add(out, beside, optional)
	return err
}

// notEmpty returns the schema of a value that a request has to show: an empty list leaves no trace,
// nor does an empty text in a path.
func notEmpty(schema envs.Args, in Place) envs.Args {
	kind, _ := schema.Text("type")
	keyword := map[string]string{"array": "minItems"}[kind]

	if kind == "string" && in == Path {
		keyword = "minLength"
	}

	if _, ok := schema.Get(keyword); ok || keyword == "" {
		return schema
	}
	return schema.With(keyword, envs.Number("1"))
}

// style reads how a value is written.
func (p *Parameter) style(from envs.Args) error {
	p.Style, _ = from.Text("style")
	p.Style = cmp.Or(p.Style, styles[p.In][0])
	p.Explode = p.Style == "form"

	if v, ok := from.Get("explode"); ok {
		p.Explode = v == true
	}

	if !slices.Contains(styles[p.In], p.Style) {
		return refuse(Style, "the parameter %q of the %s is in the style %.50s", p.Wire, p.In,
			p.Style)
	}
	return nil
}

func (m *maker) add(p Parameter, schema envs.Args, optional bool) {
	m.tool.Operation.Parameters = append(m.tool.Operation.Parameters, p)

	if len(schema) == 0 {
		schema = nil
	}

	m.typed = append(m.typed, toolapi.Parameter{Name: p.Name, Optional: optional, Schema: schema})
}

// unused returns a name that no other parameter has.
func (m *maker) unused(p Parameter) string {
	for _, text := range []string{p.Wire, fmt.Sprintf("%s_%s", p.Wire, p.In)} {
		if name := toName(text); m.isFree(name) {
			return name
		}
	}

	return names.Marked(toName(p.Wire), p.Wire+"\n"+string(p.In), toolapi.MostName)
}

func (m *maker) isFree(name string) bool {
	return name != "" && len(name) <= toolapi.MostName &&
		!slices.Contains(toolapi.ParameterNames(m.typed), name)
}
