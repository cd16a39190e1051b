package openapi

import (
	"cmp"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// Operation is what a tool's calls are requests of.
type Operation struct {
	Method string
	Server string // the base URL; only a path if the document leaves the host open
	Path   string // with {name} in place of parameters
	Query  string // that every request has

	Parameters []Parameter
	Media      string // the type of the body; "" without one
	NeedsBody  bool   // even if a call has no member of it

	Secrets [][]Secret // all of any one list let a request in; without lists none are needed
}

// Parameter says where an argument goes in a request.
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

// Secret is what a service recognises its users by.
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

// maker makes the tool of one operation.
type maker struct {
	shaper

	options Options
	entry   entry
	tool    Tool
	typed   []toolapi.Parameter

	documented string // the base URL in the document, as far as it can be read
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
		URL: e.method + " " + m.documented + e.path,
	}
	return nil
}

// description returns the summary and the description, or else the method and the path.
func (m *maker) description() string {
	summary, _ := m.entry.object.Text("summary")
	text, _ := m.entry.object.Text("description")

	if !strings.HasPrefix(text, strings.TrimRight(summary, ". ")) {
		text = strings.TrimRight(summary, ". ") + ". " + text
	}
	return cmp.Or(shortened(text, m.text), m.entry.String())
}

// answer returns the example of an answer, or "".
func (m *maker) answer() string {
	responses := m.entry.object.Object("responses")

	for _, r := range responses {
		if !strings.HasPrefix(r.Name, "2") {
			continue
		}

		response, _ := m.doc.resolve(r.Value)
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

// example returns the first example of a media type or of its schema.
func (m *maker) example(media envs.Args) (any, bool) {
	if v, ok := media.Get("example"); ok {
		return v, true
	}

	for _, e := range media.Object("examples") {
		example, _ := m.doc.resolve(e.Value)
		if v, ok := example.Get("value"); ok {
			return v, true
		}
	}

	v, _ := media.Get("schema")
	schema, _ := m.doc.resolve(v)
	return schema.Get("example")
}

// behindHost fits a base URL whose path can be read, whatever its host is. A password may have a
// slash, so nothing with an @ is a path.
var behindHost = regexp.MustCompile(`^https?://[^/]*(/[^{}?#@]*)?$`)

// server finds the base URL: the one that is given, or else that of the operation, of its path, or
// of the document.
func (m *maker) server() error {
	address := m.documentedServer()
	path := behindHost.FindStringSubmatch(address)

	// A password in the URL would be sent with everybody's requests.
	at, err := url.Parse(address)
	isURL := err == nil && !strings.ContainsAny(address, "{}") && at.User == nil &&
		slices.Contains([]string{"", "http", "https"}, at.Scheme)

	switch isGiven := m.options.Server != ""; {
	case !isURL && path != nil && (isGiven || m.options.AnyHost):
		address = path[1]
	case !isURL && isGiven:
		address = ""
	case !isURL:
		return refuse(Malformed, "the server is no URL of HTTP without a user")
	case at.Host == "" && !isGiven && !m.options.AnyHost:
		m.note("the document names no host: one has to be given")
	}

	m.documented = strings.TrimRight(address, "/")
	m.tool.Operation.Server = strings.TrimRight(cmp.Or(m.options.Server, address), "/")
	return nil
}

// documentedServer returns the base URL that the document has for the operation.
func (m *maker) documentedServer() string {
	first := m.doc.server(m.entry)
	address, _ := first.Text("url")

	// Nobody chooses values for these variables, so they have their defaults.
	for _, v := range first.Object("variables") {
		variable, _ := v.Value.(envs.Args)
		text := ""

		if value, _ := variable.Get("default"); value != nil {
			text = pytext.Str(value)
		}

		address = strings.ReplaceAll(address, "{"+v.Name+"}", text)
	}

	return address
}

// server returns the first server of an operation, of its path, or of the document.
func (d *document) server(e entry) (first envs.Args) {
	for _, from := range []envs.Args{e.object, e.item, d.root} {
		if all := from.List("servers"); len(all) > 0 {
			first, _ = all[0].(envs.Args)
			break
		}
	}

	return first
}

// secrets notes which secrets let a request in.
func (m *maker) secrets() error {
	// An operation's own list counts even if it is empty, which means that nothing is needed.
	lists := m.doc.root.List("security")
	if own, ok := m.entry.object.Get("security"); ok {
		lists, _ = own.([]any)
	}

	schemes := m.doc.root.Object("components").Object("securitySchemes")

	for _, v := range lists {
		// A list without schemes is kept: it lets everybody in.
		list := []Secret{}
		needed, _ := v.(envs.Args)

		for _, name := range needed.Names() {
			v, _ := schemes.Get(name)

			scheme, err := m.doc.resolve(v)
			if err != nil {
				return refuse(Malformed, "the security scheme %q is not defined", name)
			}

			s := Secret{Name: name}
			s.Type, _ = scheme.Text("type")
			s.Scheme, _ = scheme.Text("scheme")
			s.Wire, _ = scheme.Text("name")
			in, _ := scheme.Text("in")

			if s.In = Place(in); s.Type == "apiKey" && (styles[s.In] == nil || s.In == Path ||
				s.In == Body) {
				return refuse(Malformed, "the security scheme %q has no place", name)
			}

			list = append(list, s)
		}

		m.tool.Operation.Secrets = append(m.tool.Operation.Secrets, list)
	}
	return nil
}
