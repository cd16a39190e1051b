package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/semaphore"

	"toolevo/envs"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/bench"
	"toolevo/envs/wire"
)

// Version is the functions that a version exposes. It is safe for concurrent use.
type Version interface {
	// Functions returns all of them.
	Functions() []bench.Function
	// Find returns the function by which an API is called, and whether there is one.
	Find(api toolbench.Key) (name string, ok bool)
	// Call calls a function. An error is a failure on this side, not of the call.
	Call(ctx context.Context, name string, args envs.Args) (bench.Answer, error)
}

// Options say what is served, and to whom.
type Options struct {
	Versions map[string]Version // by name
	Default  string             // the version of a request that names none
	Key      string             // that clients have to send; "" for none
	MaxBody  int64              // bytes of a request; 0 is DefaultMaxBody
	MaxCalls int                // that run at the same time; 0 is DefaultMaxCalls
	Software string             // the version of this program, for clients
	Log      *slog.Logger       // for failures on this side; nil for nowhere
}

// The default limits. Calls wait for a model more than for a processor.
const (
	DefaultMaxBody  = 1 << 20
	DefaultMaxCalls = 256
)

// Server answers requests. It implements [http.Handler].
type Server struct {
	o       Options
	running *semaphore.Weighted
	metrics *prometheus.Registry
	calls   *prometheus.CounterVec // by outcome
	renamed *prometheus.CounterVec // those with names as StableToolBench's client spells them
	guard   *wire.Guard
	handler http.Handler
}

// New returns a server.
func New(o Options) (*Server, error) {
	if o.Versions[o.Default] == nil {
		return nil, fmt.Errorf("serve: the version %q is not among those that are served", o.Default)
	}

	o.MaxBody, o.MaxCalls = cmp.Or(o.MaxBody, DefaultMaxBody), cmp.Or(o.MaxCalls, DefaultMaxCalls)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}

	s := &Server{o: o, running: semaphore.NewWeighted(int64(o.MaxCalls)), metrics: prometheus.NewRegistry()}
	s.calls = wire.NewCounter(s.metrics, callsMetric,
		"Requests by what became of them: an outcome, refused (no call), or failed (our failure).", "outcome")
	s.renamed = wire.NewCounter(s.metrics, renamedMetric,
		"Calls with arguments named as StableToolBench's client spells them.", "outcome")
	s.guard = &wire.Guard{Key: o.Key, MaxBytes: o.MaxBody, Refuse: s.refuse}
	mcp := s.guard.WithKey(s.mcpHandler())

	mux := http.NewServeMux()
	mux.HandleFunc("POST /virtual", s.virtual)
	mux.Handle("/mcp", mcp)
	mux.Handle("/mcp/{version}", mcp)
	mux.Handle("GET /metrics", s.guard.WithKey(promhttp.HandlerFor(s.metrics, promhttp.HandlerOpts{})))

	s.handler = s.guard.Handler(mux)
	return s, nil
}

// The names of the metrics.
const (
	callsMetric   = "toolevo_served_calls_total"
	renamedMetric = "toolevo_served_standardised_calls_total"
)

// StandardisedHeader is the header of an answer that says how many arguments were spelled as
// StableToolBench's client does, otherwise than in the document.
const StandardisedHeader = "Toolevo-Standardised-Names"

// Counts returns how many requests had each outcome.
func (s *Server) Counts() map[string]int64 { return wire.Counts(s.metrics, callsMetric) }

// Standardised returns how many calls of each outcome had arguments that were named as
// StableToolBench's client spells them.
func (s *Server) Standardised() map[string]int64 { return wire.Counts(s.metrics, renamedMetric) }

func (s *Server) count(outcome string) { s.calls.WithLabelValues(outcome).Inc() }

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// chatWithUser is a name that agents call when they want to ask the user.
const chatWithUser = "chat_with_user"

// virtual answers a request of StableToolBench's protocol.
func (s *Server) virtual(w http.ResponseWriter, r *http.Request) {
	request, status, err := wire.ReadObject(r)
	if err != nil {
		s.refuse(w, status, err.Error())
		return
	}

	// StableToolBench's clients send their key in the body.
	key, _ := request.Text("toolbench_key")
	if !s.guard.IsKey(cmp.Or(wire.Bearer(r), key)) {
		s.refuse(w, http.StatusUnauthorized,
			"the key is missing or wrong: send it as Authorization: Bearer KEY, or as "+
				"toolbench_key")
		return
	}

	version, _ := request.Text("version")

	v, ok := s.o.Versions[cmp.Or(version, s.o.Default)]
	if !ok {
		s.refuse(w, http.StatusBadRequest, fmt.Sprintf("the version %.100q is not served", version))
		return
	}

	// No document has it, so it counts as no call of any version.
	if name, _ := request.Text("api_name"); name == chatWithUser {
		answer := toolbench.Answer{Response: "There is no user to chat with. Go on by yourself."}
		wire.SendJSON(w, http.StatusOK, answer.Text())
		return
	}

	a, err := s.answer(r.Context(), v, request)
	if err != nil {
		s.o.Log.Error("a call failed", "error", err)
		s.refuse(w, http.StatusBadGateway, "what stands in for the API failed: "+err.Error())
		return
	}

	// Clients compare bodies with other servers', so this is said in a header.
	if a.Respelled > 0 {
		w.Header().Set(StandardisedHeader, strconv.Itoa(a.Respelled))
	}

	wire.SendJSON(w, http.StatusOK, a.Text)
}

// answer answers a request in a version.
func (s *Server) answer(ctx context.Context, v Version, request envs.Args) (bench.Answer, error) {
	category, _ := request.Text("category")
	tool, _ := request.Text("tool_name")
	api, _ := request.Text("api_name")
	key := toolbench.Key{Category: category, Tool: tool, API: api}

	input, _ := request.Get("tool_input")

	args, err := wire.Arguments(input)
	if err != nil {
		return s.refusal(envs.InvocationError, "tool input parse error: "+err.Error()), nil
	}

	name, ok := v.Find(key)
	if !ok {
		return s.refusal(envs.InvalidAction, fmt.Sprintf("there is no API %.300q", key)), nil
	}
	return s.call(ctx, v, name, args)
}

// refusal returns the answer to a request that is not a call.
func (s *Server) refusal(outcome envs.Outcome, why string) bench.Answer {
	s.count(outcome.String())
	return bench.Answer{Text: toolbench.Answer{Error: why, Response: ""}.Text(), Outcome: outcome}
}

// call calls a function as soon as one more call may run.
func (s *Server) call(ctx context.Context, v Version, name string, args envs.Args) (bench.Answer, error) {
	if err := s.running.Acquire(ctx, 1); err != nil {
		return bench.Answer{}, err
	}
	defer s.running.Release(1)

	a, err := v.Call(ctx, name, args)
	if err != nil {
		s.count("failed")
		return a, err
	}

	s.count(a.Outcome.String())

	if a.Respelled > 0 {
		s.renamed.WithLabelValues(a.Outcome.String()).Inc()
	}
	return a, nil
}

// refuse answers a request with an HTTP error.
func (s *Server) refuse(w http.ResponseWriter, status int, why string) {
	s.count("refused")
	wire.SendJSON(w, status, toolbench.Answer{Error: why, Response: ""}.Text())
}
