package simserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"toolevo/envs/wire"
)

// maxBody bounds the body of a request.
const maxBody = 64 << 20

// Server is a simulated server. It is safe for concurrent use.
type Server struct {
	o      Options
	reader reader
	mux    *http.ServeMux

	handler http.Handler // the mux behind a guard
	engine  *engine
	faults  faultSource
	greedy  atomic.Uint64 // greedy requests so far

	handlers sync.WaitGroup // running requests
	serving  sync.WaitGroup // accept loops

	mu        sync.Mutex
	address   string
	http      *http.Server // nil while dead
	hangUp    func()       // closes the port of http and ends its requests
	closed    bool
	revival   *time.Timer
	down      bool      // flapping
	upAt      time.Time // when that ends; zero is never
	random    *rand.Rand
	window    int           // of the model as it is loaded (Ollama)
	keepAlive time.Duration // for which it stays loaded without a request

	vocabulary vocabulary
}

// New returns a server without a port: it answers what [Server.ServeHTTP] is called with, until
// Revive opens one.
func New(o Options) (*Server, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}

	s := &Server{
		o: o, reader: reader{o.Codec}, address: cmp.Or(o.Address, "127.0.0.1:0"),
		faults: faultSource{faults: o.Faults, sent: map[uint64]uint64{}},
		random: rand.New(rand.NewPCG(o.Seed, 0x73696d)), vocabulary: vocabulary{ids: map[string]int{}},
	}
	s.engine = newEngine(&s.o)
	s.routes()
	s.handler = (&wire.Guard{Key: o.APIKey}).Handler(s.mux)

	return s, nil
}

// Start returns a server that listens on o.Address. Close it after use.
func Start(o Options) (*Server, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}

	if err := s.Revive(); err != nil {
		return nil, err
	}
	return s, nil
}

// URL is the server's base address, e.g. http://127.0.0.1:8000; the OpenAI protocol's paths begin
// with /v1 below it.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "http://" + s.address
}

// Kill closes the port and every connection: clients are refused from now on, and requests in
// flight are lost.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.http != nil {
		s.hangUp()
		s.http.Close() // its error is about connections that are of no use any more
		s.http = nil
	}
}

// Revive opens the port again after Kill or Die, and ends a Flap. It does nothing if the server is
// well or closed.
func (s *Server) Revive() error {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.down = false
	if s.http != nil || s.closed {
		return nil
	}

	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		return fmt.Errorf("simserver: listen on %s: %w", s.address, err)
	}

	s.address = listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: time.Minute, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	s.http, s.hangUp = server, func() {
		listener.Close() // the server knows it only once it serves
		cancel()
	}
	s.serving.Go(func() { _ = server.Serve(listener) }) // it ends with the server, and says nothing else

	return nil
}

// Close kills the server and waits until every request has ended. Requests that hang are cut.
func (s *Server) Close() {
	s.mu.Lock()

	s.closed = true
	if s.revival != nil {
		s.revival.Stop()
	}
	s.mu.Unlock()
	s.Kill()
	s.handlers.Wait()
	s.serving.Wait()
}

// Pause keeps waiting sequences from starting until Resume, so that requests can pile up.
func (s *Server) Pause() { s.engine.pause(true) }

// Resume ends a Pause.
func (s *Server) Resume() { s.engine.pause(false) }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	}

	s.handlers.Add(1)

	flapping := s.down && (s.upAt.IsZero() || time.Now().Before(s.upAt))
	s.mu.Unlock()
	defer s.handlers.Done()

	if flapping {
		s.engine.count(func(st *Stats) { st.Cut++ })
		reset(w, nil)
		return
	}

	s.handler.ServeHTTP(w, r)
}

// completion wraps a handler of requests for completions: it counts them, reads the body, and
// injects the fault that the request meets.
func (s *Server) completion(handle func(*exchange)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.engine.count(func(st *Stats) {
			st.Requests++
			if st.First.IsZero() {
				st.First = time.Now()
			}
		})

		x := &exchange{s: s, w: w, r: r}

		// Before anything else: which fault a request meets depends on its bytes.
		var err error
		if x.body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
			x.refuse(http.StatusBadRequest, "the body cannot be read: "+err.Error(), "")
			return
		}

		x.fault = s.faults.next(x.body)
		// Its OpenAI protocol ignores n, so there is no wrong number of choices.
		if s.o.Kind == Ollama && x.fault == WrongN && !x.native() {
			x.fault = Garbage
		}

		if x.fault != None {
			s.engine.count(func(st *Stats) { st.Faults[x.fault]++ })
		}

		if !x.fail() {
			handle(x)
		}
	}
}

// generate is Server.generate for an exchange: what goes wrong is answered, and ok is false.
func (x *exchange) generate(p *input, a sampling) (list []drawn, ok bool) {
	list, err := x.s.generate(x.r.Context(), p, a)
	switch {
	case err == nil:
		return list, true
	case x.r.Context().Err() != nil:
		panic(http.ErrAbortHandler) // nobody is listening
	case errors.Is(err, errFull):
		x.full()
	default:
		x.refuse(http.StatusInternalServerError, err.Error(), "")
	}

	return nil, false
}

// random64 draws the seed of a request without one, or the id of a call.
func (s *Server) random64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.Uint64()
}
