package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// Operation is what a tool's calls are requests of.
type Operation struct {
	Method string
	Server string // the base URL; a path alone where the document leaves the host open
	Path   string // with {name} in place of parameters
	Query  string // that every request has

	Parameters []Parameter
	Media      string // the type of the body, "" of none
	NeedsBody  bool   // also where no call has a member of it

	Secrets [][]Secret // those of any of the lists let a request in; of none it needs none
}

// Parameter is where an argument stands in a request.
type Parameter struct {
	Name    string // in a call
	Wire    string // in a request; "" of the body as a whole
	In      Place
	Style   string
	Explode bool
	JSON    bool // in place of a style
}

// Place is a part of a request.
type Place string

// The places.
const (
	Path   Place = "path"
	Query  Place = "query"
	Header Place = "header"
	Cookie Place = "cookie"
	Body   Place = "body"
)

// Secret is what a service knows its users by.
type Secret struct {
	Name   string // of the security scheme, by which it is asked for
	Type   string // apiKey, http, oauth2, openIdConnect or mutualTLS
	Scheme string // of http: basic or bearer
	In     Place  // of an apiKey, as Wire is
	Wire   string
}

// styles are those of each place, the usual one first.
var styles = map[Place][]string{
	Path: {"simple", "label", "matrix"}, Header: {"simple"}, Cookie: {"form"},
	Query: {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	Body:  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
}

// maker makes one tool.
type maker struct {
	shaper

	options Options
	entry   entry
	tool    Tool
	typed   []toolapi.Parameter
}

func (d *document) tool(e entry, o Options) (*Tool, error) {
	for _, depth := range depths {
		m := maker{options: o, entry: e}
		m.shaper = shaper{doc: d, depth: depth, spare: mostSchemas, text: o.MostDescription}

		err := m.make()
		if err == nil {
			m.tool.Notes = m.notes
			return &m.tool, nil
		}

		if !errors.Is(err, errLarge) {
			return nil, err
		}
	}

	return nil, refuse(Size, "it has more than %d schemas", mostSchemas)
}

func (m *maker) make() error {
	e := m.entry
	m.tool.Operation.Method = e.method

	path, _, _ := strings.Cut(e.path, "#") // tells operations of one path apart
	m.tool.Operation.Path, m.tool.Operation.Query, _ = strings.Cut(path, "?")

	for _, step := range []func() error{m.server, m.parameters, m.body, m.secrets} {
		if err := step(); err != nil {
			return err
		}
	}

	for _, name := range e.object.Object("callbacks").Names() {
		m.note("the callback %s is not awaited", display.Line(name, mostShown))
	}

	parameters := toolapi.Parameters{All: append([]toolapi.Parameter{}, m.typed...)}
	if _, err := toolapi.NewForm(parameters.Schema()); err != nil {
		return refuse(Schema, "%s", display.Line(err.Error(), 300))
	}

	m.tool.API = toolapi.APISpec{
		Name: e.name, Description: m.description(), Parameters: parameters, Answer: m.answer(),
		URL: e.method + " " + m.tool.Operation.Server + e.path,
	}

	return nil
}

// description is the summary and the description, or else the method and the path.
func (m *maker) description() string {
	summary, _ := m.entry.object.Text("summary")
	text, _ := m.entry.object.Text("description")

	if !strings.HasPrefix(text, strings.TrimRight(summary, ". ")) {
		text = strings.TrimRight(summary, ". ") + ". " + text
	}

	return cmp.Or(shortened(text, m.text), m.entry.String())
}

// answer is the example of an answer, or "".
func (m *maker) answer() string {
	responses := m.entry.object.Object("responses")

	for _, r := range responses {
		if !strings.HasPrefix(r.Name, "2") {
			continue
		}

		response, _, _ := m.doc.resolve(r.Value)
		_, media, _ := chosenMedia(response.Object("content"))

		if example, ok := m.example(media); ok {
			if size(example, mostKept) <= mostKept {
				return pytext.JSON(example)
			}

			m.note("the example of an answer is left out, which has more than %d KiB", mostKept>>10)
		}
	}

	return ""
}

// example is the first one of a media type or of its schema.
func (m *maker) example(media envs.Args) (any, bool) {
	if v, ok := media.Get("example"); ok {
		return v, true
	}

	for _, e := range media.Object("examples") {
		example, _, _ := m.doc.resolve(e.Value)
		if v, ok := example.Get("value"); ok {
			return v, true
		}
	}

	of, _ := media.Get("schema")
	schema, _, _ := m.doc.resolve(of)

	return schema.Get("example")
}

// server is the base URL: that of the operation, of its path, or of the document.
func (m *maker) server() error {
	if m.options.Server != "" {
		m.tool.Operation.Server = strings.TrimRight(m.options.Server, "/")
		return nil
	}

	var first envs.Args

	for _, from := range []envs.Args{m.entry.object, m.entry.item, m.doc.root} {
		if all := from.List("servers"); len(all) > 0 {
			first, _ = all[0].(envs.Args)
			break
		}
	}

	address, _ := first.Text("url")

	for _, v := range first.Object("variables") {
		variable, _ := v.Value.(envs.Args)
		value, _ := variable.Get("default")
		text, ok := m.options.Variables[v.Name]

		if !ok && value != nil {
			text = pytext.Str(value)
		}

		address = strings.ReplaceAll(address, "{"+v.Name+"}", text)
	}

	// A password in it would be sent by everybody's requests.
	at, err := url.Parse(address)
	if err != nil || strings.ContainsAny(address, "{}") || at.User != nil ||
		!slices.Contains([]string{"", "http", "https"}, at.Scheme) {
		return refuse(Malformed, "the server is no URL of HTTP without a user")
	}

	if at.Host == "" {
		m.note("the document names no host: one has to be given")
	}

	m.tool.Operation.Server = strings.TrimRight(address, "/")

	return nil
}

// placeholder is a parameter in the template of a path.
var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// parameters adds those of the path and of the operation, which stand for those of the path with
// the same name.
func (m *maker) parameters() error {
	var all []envs.Args

	for _, from := range []envs.Args{m.entry.item, m.entry.object} {
		list := from.List("parameters")
		if len(list) > mostSchemas {
			return errLarge
		}

		for _, v := range list {
			p, _, err := m.doc.resolve(v)
			if err != nil {
				return err
			}

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

	for _, found := range placeholder.FindAllStringSubmatch(m.tool.Operation.Path, -1) {
		named := func(p Parameter) bool { return p.In == Path && p.Wire == found[1] }
		if !slices.ContainsFunc(m.tool.Operation.Parameters, named) {
			return refuse(Malformed, "the path has {%s}, which is no parameter", found[1])
		}
	}

	return nil
}

// place is what tells a parameter from others.
func place(p envs.Args) [2]string {
	name, _ := p.Text("name")
	in, _ := p.Text("in")

	return [2]string{name, in}
}

// notParameters are headers that are said otherwise.
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

	beside, err := m.keywords(only(p, "description", "example"), p, 0)
	for _, k := range shape {
		if _, ok := beside.Get(k.Name); !ok {
			beside = append(beside, k)
		}
	}

	required, _ := p.Get("required")
	optional := required != true && out.In != Path

	if !optional && !out.JSON {
		beside = notEmpty(beside, out.In)
	}

	out.Name = m.unused(out)
	m.add(out, beside, optional)

	return err
}

// notEmpty is the schema of a value that has to be seen in a request: an empty list is not, and in
// a path no empty text.
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
		return refuse(Style, "the parameter %q of the %s is in the style %.50s", p.Wire, p.In, p.Style)
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

// unused is a name that no other parameter has.
func (m *maker) unused(p Parameter) string {
	for _, text := range []string{p.Wire, fmt.Sprintf("%s_%s", p.Wire, p.In)} {
		if name := named(text); m.isFree(name) {
			return name
		}
	}

	return names.Marked(named(p.Wire), p.Wire+"\n"+string(p.In), toolapi.MostName)
}

func (m *maker) isFree(name string) bool {
	return name != "" && len(name) <= toolapi.MostName &&
		!slices.Contains(toolapi.ParameterNames(m.typed), name)
}

const (
	jsonMedia = "application/json"
	formMedia = "application/x-www-form-urlencoded"
)

// chosenMedia is the first type of a body that is JSON, or else a form.
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

	body, _, err := m.doc.resolve(v)
	if err != nil {
		return err
	}

	kind, media, err := chosenMedia(body.Object("content"))
	if err != nil {
		return err
	}

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

	p := Parameter{In: Body, Style: "form", Explode: true, JSON: kind != formMedia}
	p.Name = m.unused(Parameter{Wire: "body", In: Body})

	if _, ok := shape.Get("description"); !ok {
		about, err := m.keywords(only(body, "description"), body, 0)
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
		name := named(member)
		if taken[name] || !m.isFree(name) {
			return false
		}

		taken[name] = true
	}

	for _, k := range shape {
		switch {
		case k.Name == "required":
			other := func(v any) bool { return !slices.Contains(members, v.(string)) }
			if slices.ContainsFunc(shape.List(k.Name), other) {
				return false
			}
		case k.Name == "type" && k.Value != "object", k.Name == "additionalProperties" && k.Value != false:
			return false
		case !slices.Contains([]string{"type", "properties", "additionalProperties"}, k.Name) &&
			!slices.Contains(annotations, k.Name):
			return false
		}
	}

	_, closed := shape.Get("additionalProperties")

	return len(taken) > 0 || closed
}

// flatten adds the members of the body.
func (m *maker) flatten(shape, encoding envs.Args) error {
	required := shape.List("required")
	if len(required) > 0 && !m.tool.Operation.NeedsBody {
		m.note("a request may have no body in the document, and always has one here")
	}

	for _, member := range shape.Object("properties") {
		p := Parameter{Name: named(member.Name), Wire: member.Name, In: Body}
		p.JSON = m.tool.Operation.Media != formMedia

		if err := p.style(encoding.Object(member.Name)); err != nil {
			return err
		}

		schema, _ := member.Value.(envs.Args)
		m.add(p, schema, !slices.Contains(required, any(member.Name)))
	}

	return nil
}

// secrets notes what lets a request in.
func (m *maker) secrets() error {
	lists := m.doc.root.List("security")
	if own, ok := m.entry.object.Get("security"); ok {
		lists, _ = own.([]any)
	}

	schemes := m.doc.root.Object("components").Object("securitySchemes")

	for _, v := range lists {
		list := []Secret{}
		needed, _ := v.(envs.Args)

		for _, name := range needed.Names() {
			v, _ := schemes.Get(name)

			scheme, _, err := m.doc.resolve(v)
			if err != nil {
				return refuse(Malformed, "the security scheme %q is not defined", name)
			}

			s := Secret{Name: name}
			s.Type, _ = scheme.Text("type")
			s.Scheme, _ = scheme.Text("scheme")
			s.Wire, _ = scheme.Text("name")
			in, _ := scheme.Text("in")

			if s.In = Place(in); s.Type == "apiKey" && (styles[s.In] == nil || s.In == Path || s.In == Body) {
				return refuse(Malformed, "the security scheme %q has no place", name)
			}

			list = append(list, s)
		}

		m.tool.Operation.Secrets = append(m.tool.Operation.Secrets, list)
	}

	return nil
}
