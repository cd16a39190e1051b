package code

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// Surface is how programs reach the tools of a domain.
type Surface struct {
	Domain   stategen.Domain
	Base     *toolapi.Version // the version that defines the tools; it may have those of other domains, too
	Deployed *toolapi.Version
}

// style returns the style of calls in this domain.
func (s *Surface) style() style {
	switch s.Domain.Name() {
	case "session":
		return requests{}
	case "tensor":
		return torch{}
	}

	return functions{}
}

// apis returns the deployed APIs of the domain's tools.
func (s *Surface) apis() []*toolapi.API {
	var apis []*toolapi.API

	for _, spec := range s.Domain.APIs() {
		if api, ok := s.Deployed.ForTool(spec.Name); ok {
			apis = append(apis, api)
		}
	}

	return apis
}

// api returns the deployed API of a name, where it belongs to the domain.
func (s *Surface) api(name string) (*toolapi.API, bool) {
	i := slices.IndexFunc(s.apis(), func(a *toolapi.API) bool { return a.Name == name })
	if i < 0 {
		return nil, false
	}

	return s.apis()[i], true
}

// unchanged reports whether a deployed API is what the base has.
func (s *Surface) unchanged(api *toolapi.API) bool {
	base, ok := s.Base.ForTool(api.Tool)

	return ok && api.Name == base.Name &&
		bytes.Equal(pytext.AppendJSON(nil, api.Schema()), pytext.AppendJSON(nil, base.Schema()))
}

// deprecated returns the notice about a name that the deployed version no longer has, or "".
func (s *Surface) deprecated(name string) string {
	if d, ok := s.Deployed.Deprecation(name); ok {
		return d.Notice()
	}

	return ""
}

// route is how the session service serves a tool of the base.
type route struct {
	tool, method string
	path         []string // segments behind the base URL; "{type}" is an argument
	body         string   // the argument that is the body, or ""
	query        []string // the arguments that are parameters of the query
	answers      bool     // the body of the response is the result
}

func segments(path string) []string { return strings.Split(path, "/") }

var routes = []route{
	{tool: "list_sessions", method: "GET", path: segments("api/sessions/{source}/{type}"), answers: true},
	{tool: "add_session", method: "POST", path: segments("api/sessions/{source}/{type}"), body: "data", answers: true},
	{
		tool: "query_sessions", method: "GET", path: segments("api/sessions/{source}/{type}/query"),
		query: []string{"field", "value"}, answers: true,
	},
	{tool: "get_session", method: "GET", path: segments("api/sessions/{source}/{type}/{id}"), answers: true},
	{tool: "update_session", method: "PUT", path: segments("api/sessions/{source}/{type}/{id}"), body: "data"},
	{tool: "delete_session", method: "DELETE", path: segments("api/sessions/{source}/{type}/{id}")},
}

// baseURL is where the service seems to be.
const baseURL = "http://localhost:8000"

// changedPath begins the path of an API that has changed.
const changedPath = "api"

// match returns the arguments in a path, by name; ok is false where it is not that of the route.
func (r *route) match(method string, path []string) (args map[string]string, ok bool) {
	if r.method != method || len(r.path) != len(path) {
		return nil, false
	}

	args = map[string]string{}

	for i, segment := range r.path {
		name, isArgument := argumentOf(segment)

		switch {
		case isArgument:
			value, err := url.PathUnescape(path[i])
			if err != nil || value == "" {
				return nil, false
			}

			args[name] = value
		case segment != path[i]:
			return nil, false
		}
	}

	return args, true
}

// argumentOf returns the name in a segment like "{type}".
func argumentOf(segment string) (name string, ok bool) {
	name, ok = strings.CutPrefix(segment, "{")
	return strings.TrimSuffix(name, "}"), ok
}
