package serve

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/session"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
)

// MaxBody is the largest size of a request's body, in bytes.
const MaxBody = 1 << 20

// handler turns requests into calls.
type handler struct {
	base, deployed *toolapi.Version
	call           stategen.Caller
}

// Handler returns a handler that answers requests to a deployed version with calls of the tools;
// base is the version that defines them. It is for whoever has the sessions: the server, or a
// program in a sandbox.
func Handler(base, deployed *toolapi.Version, call stategen.Caller) http.Handler {
	h := &handler{base, deployed, call}
	mux := http.NewServeMux()

	for _, route := range session.Routes() {
		mux.HandleFunc(route.Method+" "+route.Path, func(w http.ResponseWriter, r *http.Request) {
			h.serveRoute(w, r, &route)
		})
	}

	mux.HandleFunc("POST /api/{name}", h.serveName)
	return http.MaxBytesHandler(mux, MaxBody)
}

// serveRoute answers a request to a route of the base version, which is gone if its API changed.
func (h *handler) serveRoute(w http.ResponseWriter, r *http.Request, at *session.Route) {
	api, ok := h.deployed.ForTool(at.Tool)
	if !ok || !h.base.Has(api) {
		h.gone(w, at.Tool)
		return
	}

	var args envs.Args

	for _, p := range api.Parameters {
		// Parameters of the query and the body have no value here.
		if value := r.PathValue(p.Name); value != "" {
			args = args.With(p.Name, value)
		}
	}

	// A parameter that is missing in the query is left out, which is not the same as empty.
	query := r.URL.Query()

	for _, name := range at.Query {
		if query.Has(name) {
			args = args.With(name, query.Get(name))
		}
	}

	if at.Body != "" {
		data, status, err := wire.ReadObject(r)
		if err != nil {
			refuse(w, status, err.Error())
			return
		}

		args = args.With(at.Body, data)
	}

	h.answer(w, api, args)
}

// serveName answers a request to an API that changed, by its name.
func (h *handler) serveName(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")

	args, status, err := wire.ReadObject(r)

	api, ok := h.deployed.Called(name, args)
	if !ok || !serves(api.Tool) || h.base.Has(api) {
		h.gone(w, name)
		return
	}

	if err != nil {
		refuse(w, status, err.Error())
		return
	}

	h.answer(w, api, args)
}

// serves reports whether the service has a tool.
func serves(tool string) bool {
	return slices.ContainsFunc(session.Routes(), func(r session.Route) bool { return r.Tool == tool })
}

// gone answers a request to what the deployed version does not have.
func (h *handler) gone(w http.ResponseWriter, name string) {
	if d, ok := h.deployed.Deprecation(name); ok {
		refuse(w, http.StatusGone, d.Notice())
		return
	}

	if api, ok := h.deployed.ForTool(name); ok && !h.base.Has(api) {
		refuse(w, http.StatusGone, "use POST /api/"+api.Name+" instead: "+api.Signature())
		return
	}

	refuse(w, http.StatusNotFound, fmt.Sprintf("nothing is served under the name %.100q", name))
}

// answer answers a request with the result of its call.
func (h *handler) answer(w http.ResponseWriter, api *toolapi.API, args envs.Args) {
	lowered, wrong := api.Lower(args)
	if wrong != nil {
		refuse(w, http.StatusBadRequest, cmp.Or(wrong.Reason, wrong.Text))
		return
	}

	result, err := h.call(api.Tool, lowered)

	var refusal *stategen.Refusal

	switch {
	case errors.As(err, new(session.Missing)):
		refuse(w, http.StatusNotFound, err.Error())
	case errors.As(err, &refusal):
		refuse(w, http.StatusBadRequest, refusal.Text)
	case err != nil:
		refuse(w, http.StatusInternalServerError, "the service failed: "+err.Error())
	case result == nil:
		w.WriteHeader(http.StatusOK)
	default:
		wire.SendJSON(w, http.StatusOK, pytext.JSON(result))
	}
}

// refuse answers a request with an error.
func refuse(w http.ResponseWriter, status int, why string) {
	text := pytext.AppendJSON(nil, envs.Object("error", why))
	wire.SendJSON(w, status, string(text))
}
