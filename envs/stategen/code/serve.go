package code

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// The statuses of responses.
const (
	statusNone    = 0 // nobody is there
	statusBad     = 400
	statusMissing = 404
	statusGone    = 410
)

// server is the service as a program finds it, and the state it has come to.
type server struct {
	surface *Surface
	state   stategen.State
	calls   int      // of APIs, refused ones included
	refusal *problem // the first call that was not done
	last    *problem // why the last call was not done; nil if it was
}

// problem is a call that was not done.
type problem struct {
	cause  Cause
	text   string
	status int    // of a response
	raises string // the exception of a function
}

// answer answers what a program asks: a request, or a call by name. The error is ours.
func (s *server) answer(asked envs.Args) (envs.Args, error) {
	s.calls++
	s.last = nil

	var (
		value any
		err   error
	)

	_, isRequest := asked.Get("method")
	if isRequest {
		value, err = s.request(asked)
	} else {
		name, _ := asked.Text("name")
		args, _ := asked.Get("args")
		object, _ := args.(envs.Args)
		value, err = s.named(name, object)
	}

	if errors.As(err, &s.last) {
		if s.refusal == nil {
			s.refusal = s.last
		}

		err = nil
	}

	if isRequest {
		return respond(value, s.last), err
	}

	if s.last != nil {
		return envs.Args{{Name: "raise", Value: s.last.raises}, {Name: "text", Value: s.last.text}}, err
	}

	return envs.Args{{Name: "value", Value: value}}, err
}

// Error implements error.
func (p *problem) Error() string { return p.text }

// respond is the response to a request. What answers with nothing has an empty body.
func respond(value any, wrong *problem) envs.Args {
	status, body := envs.Number("200"), ""

	switch {
	case wrong != nil && wrong.status == statusNone:
		status, body = "0", wrong.text
	case wrong != nil:
		status = stategen.Number(float64(wrong.status))
		body = string(pytext.AppendJSON(nil, envs.Args{{Name: "error", Value: wrong.text}}))
	case value != nil:
		body = string(pytext.AppendJSON(nil, value))
	}

	return envs.Args{{Name: "status", Value: status}, {Name: "body", Value: body}}
}

// named calls a deployed API by its name.
func (s *server) named(name string, args envs.Args) (any, error) {
	api, ok := s.surface.api(name)
	if !ok {
		return nil, s.unknown(name)
	}

	return s.call(api, args)
}

// unknown is the answer to a name that no deployed API of the domain has.
func (s *server) unknown(name string) *problem {
	p := &problem{
		cause: UnknownAPI, status: statusMissing, raises: "AttributeError",
		text: "there is no API " + pytext.Repr(name),
	}

	if notice := s.surface.deprecated(name); notice != "" {
		p.cause, p.status, p.text = OutdatedAPI, statusGone, notice
	}

	return p
}

// call runs the tool of an API.
func (s *server) call(api *toolapi.API, args envs.Args) (any, error) {
	lowered, wrong := api.Lower(args)
	if wrong != nil {
		p := &problem{cause: Arguments, status: statusBad, raises: "TypeError", text: api.Name + ": " + wrong.Reason}
		if _, outdated := s.surface.Deployed.Outdated(api.Name, args); outdated {
			p.cause = OutdatedAPI
		}

		return nil, p
	}

	state, value, err := s.surface.Domain.Call(s.state, api.Tool, lowered)

	var refused *stategen.Refusal
	if errors.As(err, &refused) {
		return nil, &problem{cause: Refused, status: statusBad, raises: "RuntimeError", text: refused.Text}
	}

	if err == nil {
		s.state = state
	}

	return value, err
}

// request answers a request to the service.
func (s *server) request(asked envs.Args) (any, error) {
	method, _ := asked.Text("method")
	address, _ := asked.Text("url")

	rest, ok := strings.CutPrefix(address, baseURL+"/")
	if !ok {
		return nil, nowhere(statusNone, "cannot connect to "+address)
	}

	rest, inline, _ := strings.Cut(rest, "?")
	path := segments(strings.TrimSuffix(rest, "/"))

	for i := range routes {
		if args, ok := routes[i].match(method, path); ok {
			return s.routed(&routes[i], args, asked, inline)
		}
	}

	if len(path) != 2 || path[0] != changedPath {
		return nil, nowhere(statusMissing, "nothing is served at "+method+" /"+rest)
	}

	name, err := url.PathUnescape(path[1])
	api, ok := s.surface.api(name)

	switch {
	case err != nil || !ok || s.surface.unchanged(api):
		return nil, s.unknown(name)
	case method != "POST":
		return nil, nowhere(statusMissing, "/"+rest+" takes POST, not "+method)
	}

	args, wrong := body(asked)
	if wrong != nil {
		return nil, wrong
	}

	object, ok := args.(envs.Args)
	if !ok {
		return nil, &problem{cause: Arguments, status: statusBad, text: "the body is no JSON object"}
	}

	return s.call(api, object)
}

func nowhere(status int, text string) *problem {
	return &problem{cause: WrongURL, status: status, text: text}
}

// routed answers a request to a route of the base, which is gone where its API has changed.
func (s *server) routed(r *route, inPath map[string]string, asked envs.Args, inline string) (any, error) {
	api, ok := s.surface.Deployed.ForTool(r.tool)
	if !ok || !s.surface.unchanged(api) {
		p := s.unknown(r.tool)
		p.cause, p.status = OutdatedAPI, statusGone

		return nil, p
	}

	args := envs.Args{}
	for _, name := range slices.Sorted(maps.Keys(inPath)) {
		args = append(args, envs.Arg{Name: name, Value: inPath[name]})
	}

	query, err := url.ParseQuery(inline)
	if err != nil {
		return nil, nowhere(statusBad, "the query of the URL cannot be read: "+err.Error())
	}

	params, _ := asked.Get("query")
	object, _ := params.(envs.Args)

	for _, name := range r.query {
		if v, ok := object.Get(name); ok {
			args = append(args, envs.Arg{Name: name, Value: v})
		} else if query.Has(name) {
			args = append(args, envs.Arg{Name: name, Value: query.Get(name)})
		}
	}

	if r.body != "" {
		v, wrong := body(asked)
		if wrong != nil {
			return nil, wrong
		}

		args = append(args, envs.Arg{Name: r.body, Value: v})
	}

	return s.call(api, args)
}

// body reads the body of a request.
func body(asked envs.Args) (any, *problem) {
	text, _ := asked.Text("body")

	v, err := pytext.Decode(text)
	if err != nil {
		return nil, &problem{cause: Arguments, status: statusBad, text: "the body is no JSON: " + err.Error()}
	}

	return v, nil
}
