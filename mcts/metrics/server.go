package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"toolevo/envs/wire"
)

// headerTimeout is how long a client may take to ask.
const headerTimeout = 5 * time.Second

// closeTimeout is how long Close waits for those who are being answered.
const closeTimeout = time.Second

// Server serves the metrics and the health of a run.
type Server struct {
	listener net.Listener
	http     *http.Server
	registry *prometheus.Registry
	health   atomic.Pointer[Health] // nil before the work begins
	serving  sync.WaitGroup
}

// Start serves on an address: PORT, :PORT or HOST:PORT, port 0 being any free one. Metrics ask for
// the key, if one is set; without a key only this machine is served.
func Start(address, key string) (*Server, error) {
	address, err := wire.ParseAddress(address)
	if err != nil && !(errors.Is(err, wire.ErrOpen) && key != "") {
		return nil, fmt.Errorf("metrics: %w", err)
	}

	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}

	s := &Server{listener: listener, registry: prometheus.NewRegistry()}
	s.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	g := &wire.Guard{Key: key}
	pages := http.NewServeMux()
	pages.Handle("GET /metrics", g.WithKey(promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{})))
	pages.HandleFunc("GET /healthz", s.healthz)
	s.http = &http.Server{Handler: g.Handler(pages), ReadHeaderTimeout: headerTimeout}

	s.serving.Go(func() { _ = s.http.Serve(listener) }) // its error is that of Close
	return s, nil
}

// Address returns where it listens, HOST:PORT.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Watch serves the figures of a run and its health from now on.
func (s *Server) Watch(h *Health, figures ...prometheus.Collector) error {
	for _, f := range figures {
		if err := s.registry.Register(f); err != nil {
			return fmt.Errorf("metrics: %w", err)
		}
	}

	s.health.Store(h)
	return nil
}

// Close stops serving.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()

	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}

	s.serving.Wait()
	return err
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	if h := s.health.Load(); h != nil {
		if err := h.check(time.Now()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}

	fmt.Fprintln(w, "ok")
}
