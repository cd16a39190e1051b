package openapi

import (
	"cmp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
)

const (
	jsonMedia = "application/json"
	formMedia = "application/x-www-form-urlencoded"
)

// chosenMedia returns the first type of a body that is JSON, or else a form.
func chosenMedia(content envs.Args) (name string, media envs.Args, err error) {
	for _, c := range content {
		kind, _, _ := strings.Cut(strings.ToLower(c.Name), ";")
		kind = strings.TrimSpace(kind)
		object, _ := c.Value.(envs.Args)

		switch {
		case strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "/json"):
			return kind, object, nil
		case kind == "*/*" || kind == "application/*":
			return jsonMedia, object, nil
		case kind == formMedia:
			name, media = kind, object
		case strings.HasPrefix(kind, "multipart/"):
			err = refuse(Multipart, "%s", kind)
		case kind == "application/octet-stream":
			err = cmp.Or(err, refuse(Binary, "%s", kind))
		default:
			err = cmp.Or(err, refuse(Media, "%q", display.Line(kind, mostShown)))
		}
	}

	if name != "" {
		err = nil
	}
	return name, media, err
}

// body adds the parameters of the body.
func (m *maker) body() error {
	v, ok := m.entry.object.Get("requestBody")
	if !ok {
		return nil
	}

	body, err := m.doc.resolve(v)
	if err != nil {
		return err
	}

	kind, media, err := chosenMedia(body.Object("content"))
	if err != nil {
		return err
	}

	// Nobody can say how a body without a type is written.
	if kind == "" {
		m.note("the body has no type, and is left out")
		return nil
	}

	shape := envs.Args{}
	if schema, ok := media.Get("schema"); ok {
		if shape, err = m.shape(schema, 0); err != nil {
			return err
		}
	}

	if format, _ := shape.Text("format"); format == "binary" {
		return refuse(Binary, "a text of the format binary")
	}

	needed, _ := body.Get("required")
	m.tool.Operation.Media, m.tool.Operation.NeedsBody = kind, needed == true

	if m.isFlat(shape) {
		return m.flatten(shape, media.Object("encoding"))
	}

	// Members that cannot be parameters of their own stay together in one.
	p := Parameter{In: Body, Style: "form", Explode: true, JSON: kind != formMedia}
	p.Name = m.unused(Parameter{Wire: "body", In: Body})

	// This parameter is the whole body, so the body's description is its own.
	if _, ok := shape.Get("description"); !ok {
		about, err := m.keywords(selectKeywords(body, "description"), body, 0)
		if err != nil {
			return err
		}

		shape = append(about, shape...)
	}

	m.add(p, shape, needed != true)
	return nil
}

// isFlat reports whether a body is an object whose members can be parameters.
func (m *maker) isFlat(shape envs.Args) bool {
	members := shape.Object("properties").Names()
	taken := map[string]bool{}

	for _, member := range members {
		name := toName(member)

		// Members whose names collide here cannot be parameters of their own.
		if taken[name] || !m.isFree(name) {
			return false
		}

		taken[name] = true
	}

	// Any other keyword is about the object as a whole, and would be lost with it.
	for _, k := range shape {
		switch {
		case k.Name == "required":
			other := func(v any) bool { return !slices.Contains(members, v.(string)) }
			if slices.ContainsFunc(shape.List(k.Name), other) {
				return false
			}
		case k.Name == "type" && k.Value != "object", k.Name == "additionalProperties" &&
			k.Value != false:
			return false
		case !slices.Contains([]string{"type", "properties", "additionalProperties"}, k.Name) &&
			!slices.Contains(annotations, k.Name):
			return false
		}
	}

	// An object without members takes any member, unless it is closed.
	_, closed := shape.Get("additionalProperties")
	return len(taken) > 0 || closed
}

// flatten adds a parameter for each member of the body.
func (m *maker) flatten(shape, encoding envs.Args) error {
	required := shape.List("required")
	if len(required) > 0 && !m.tool.Operation.NeedsBody {
		m.note("a request may have no body in the document, and always has one here")
	}

	for _, member := range shape.Object("properties") {
		p := Parameter{Name: toName(member.Name), Wire: member.Name, In: Body}
		p.JSON = m.tool.Operation.Media != formMedia

		if err := p.style(encoding.Object(member.Name)); err != nil {
			return err
		}

		schema, _ := member.Value.(envs.Args)
		m.add(p, schema, !slices.Contains(required, any(member.Name)))
	}
	return nil
}
