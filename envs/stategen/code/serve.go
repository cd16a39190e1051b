package code

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/session/serve"
)

// baseURL is the address that programs see.
const baseURL = "http://localhost:8000"

// server is the service as a program sees it, with its current state.
type server struct {
	surface *Surface
	state   stategen.State
	calls   int      // of APIs, including refused ones
	refusal *problem // the first call that was not done
	last    *problem // why the last call was not done; nil if it was
	made    []Made   // the calls that were done
}

// problem is why a call was not done, and the exception that a function raises for it.
type problem struct {
	cause        Cause
	raises, text string
}

// Error implements error.
func (p *problem) Error() string { return p.text }

// answer answers what a program asks: a request, or a call by name. An error is never the
// program's.
func (s *server) answer(ctx context.Context, asked envs.Args) (envs.Args, error) {
	s.calls++
	s.last = nil

	var (
		answer envs.Args
		err    error
	)

	if _, isRequest := asked.Get("method"); isRequest {
		answer, err = s.request(ctx, asked)
	} else {
		answer, err = s.function(asked)
	}

	if s.refusal == nil {
		s.refusal = s.last
	}
	return answer, err
}

// function answers a call by name.
func (s *server) function(asked envs.Args) (envs.Args, error) {
	name, _ := asked.Text("name")

	value, err := s.callAPI(name, asked.Object("args"))
	if errors.As(err, &s.last) {
		return envs.Object("raise", s.last.raises, "text", s.last.text), nil
	}
	return envs.Object("value", value), err
}

// callAPI calls a deployed API by its name.
func (s *server) callAPI(name string, args envs.Args) (any, error) {
	api, ok := s.surface.api(name, args)
	if !ok {
		return nil, s.unknown(name)
	}

	lowered, wrong := api.Lower(args)
	if wrong != nil {
		p := &problem{cause: Arguments, raises: "TypeError", text: api.Name + ": " + wrong.Reason}
		if _, outdated := s.surface.Deployed.Outdated(name, args); outdated {
			p.cause = OutdatedAPI
		}
		return nil, p
	}

	value, err := s.call(api.Tool, lowered)

	var refused *stategen.Refusal
	if errors.As(err, &refused) {
		return nil, &problem{cause: causeOfRefusal(refused), raises: "RuntimeError", text: refused.Text}
	}
	return value, err
}

// unknown returns the problem with a name that no deployed API of the domain has.
func (s *server) unknown(name string) *problem {
	p := &problem{cause: UnknownAPI, raises: "AttributeError", text: "there is no API " + pytext.Repr(name)}
	if notice := s.surface.deprecated(name); notice != "" {
		p.cause, p.text = OutdatedAPI, notice
	}
	return p
}

// call runs a tool of the base version.
func (s *server) call(tool string, args envs.Args) (any, error) {
	state, value, err := s.surface.Domain.Call(s.state, tool, args)
	if err == nil {
		s.state = state
		s.made = append(s.made, Made{tool, args, value})
	}

	return value, err
}

// request answers a request as the web service does. An address that nothing serves gets the status
// 0.
func (s *server) request(ctx context.Context, asked envs.Args) (envs.Args, error) {
	method, _ := asked.Text("method")
	address, _ := asked.Text("url")
	body, _ := asked.Text("body")

	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	// A program reaches nothing but the service.
	if err != nil || r.URL.Scheme+"://"+r.URL.Host != baseURL {
		s.last = &problem{cause: WrongURL, text: "cannot connect to " + address}
		return response(0, s.last.text), nil
	}

	r.Header.Set("Content-Type", "application/json")

	query := r.URL.Query()

	for _, p := range asked.Object("query") {
		query.Set(p.Name, pytext.Str(p.Value))
	}

	r.URL.RawQuery = query.Encode()

	var (
		failure error
		refused *stategen.Refusal
	)

	w := &recorder{header: http.Header{}, status: http.StatusOK}

	call := func(tool string, args envs.Args) (any, error) {
		value, err := s.call(tool, args)
		// The program reads a refusal as a response. Any other error is a failure here.
		if !errors.As(err, &refused) {
			failure = err
		}

		return value, err
	}
	serve.Handler(s.surface.Base, s.surface.Deployed, call).ServeHTTP(w, r)

	// Without a refusal the request reached no tool: only its status and path tell why.
	switch {
	case refused != nil:
		s.last = &problem{cause: causeOfRefusal(refused), text: w.body.String()}
	case w.status != http.StatusOK:
		s.last = &problem{cause: causeOfStatus(w.status, r.URL.Path), text: w.body.String()}
	}

	return response(w.status, w.body.String()), failure
}

// causeOfRefusal returns the cause of a call that the service refused.
func causeOfRefusal(r *stategen.Refusal) Cause {
	if r.OfState {
		return Refused
	}
	return Arguments
}

// causeOfStatus returns the cause of a failed request that called no tool.
func causeOfStatus(status int, path string) Cause {
	switch {
	case status == http.StatusGone:
		return OutdatedAPI
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge:
		return Arguments
	case strings.Count(path, "/") == 2: // as /api/NAME
		return UnknownAPI
	}

	return WrongURL
}

func response(status int, body string) envs.Args {
	return envs.Object("status", stategen.Number(float64(status)), "body", body)
}

// recorder keeps a response.
type recorder struct {
	header http.Header
	status int
	body   strings.Builder
}

// Header implements [http.ResponseWriter].
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader implements [http.ResponseWriter].
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write implements [http.ResponseWriter].
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
