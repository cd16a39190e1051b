package openenv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/drift"
	"toolevo/envs/wire"
)

// Server serves environments. It implements [http.Handler].
type Server struct {
	o         Options
	guard     *wire.Guard
	handler   http.Handler
	deployed  map[string]Deployed     // by version
	families  map[string]drift.Family // by their names in a reset; "" is all
	byID      map[string]envs.Task
	byDataset map[string][]envs.Task // "" is all
	datasets  []string
	shown     map[string]*shown // by dataset; "" is all

	episodes, unseeded atomic.Uint64 // counted
	figures            *figures

	sessions *semaphore.Weighted
	active   atomic.Int64
	open     sync.WaitGroup // sessions
	mu       sync.Mutex     // guards the beginning of sessions against the end of the server
	stopping chan struct{}  // closed when no episode may begin any more
	stopped  context.Context
	stop     context.CancelFunc
}

// New returns a server that has opened the environments of all versions.
func New(o Options) (*Server, error) {
	o.MaxSessions = cmp.Or(o.MaxSessions, DefaultMaxSessions)
	o.MaxBytes, o.Idle = cmp.Or(o.MaxBytes, DefaultMaxBytes), cmp.Or(o.Idle, DefaultIdle)
	o.Codec = action.OrDefault(o.Codec)

	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}

	if err := o.check(); err != nil {
		return nil, fmt.Errorf("openenv: %w", err)
	}

	s := &Server{
		o: o, figures: newFigures(), sessions: semaphore.NewWeighted(int64(o.MaxSessions)),
		stopping: make(chan struct{}),
	}
	s.stopped, s.stop = context.WithCancel(context.Background())
	s.readTasks()

	if err := s.readVersions(); err != nil {
		return nil, fmt.Errorf("openenv: %w", err)
	}

	s.guard = &wire.Guard{Key: o.Key, MaxBytes: o.MaxBytes, Refuse: refuse}
	s.handler = s.guard.Handler(s.routes())
	return s, nil
}

func (o *Options) check() error {
	switch {
	case len(o.Tasks) == 0:
		return errors.New("there are no tasks")
	case o.MaxTurns < 1 || o.MaxSessions < 1 || o.MaxBytes < 1 || o.Idle <= 0:
		return fmt.Errorf("%d turns, %d sessions, %d bytes and %v of silence: want at least 1 of each", o.MaxTurns,
			o.MaxSessions, o.MaxBytes, o.Idle)
	}

	if _, named := o.Shapes[TruthfulUpdate]; named && o.IsTrue == nil {
		return fmt.Errorf("the shape %s needs IsTrue", TruthfulUpdate)
	}
	return nil
}

// readTasks sorts the tasks, and prepares what agents see of each dataset.
func (s *Server) readTasks() {
	s.byID, s.byDataset = map[string]envs.Task{}, map[string][]envs.Task{"": s.o.Tasks}

	for _, t := range s.o.Tasks {
		dataset := t.Labels[envs.LabelDataset]

		s.byID[t.ID] = t
		if dataset != "" {
			s.byDataset[dataset] = append(s.byDataset[dataset], t)
		}
	}

	s.shown = map[string]*shown{}
	for dataset := range s.byDataset {
		s.shown[dataset] = s.newShown(envs.OfDataset(dataset))
	}

	s.datasets = slices.DeleteFunc(slices.Sorted(maps.Keys(s.byDataset)), func(name string) bool { return name == "" })
}

// readVersions opens the versions, and names their families. A version has precedence over a family
// of its name.
func (s *Server) readVersions() error {
	s.deployed, s.families = map[string]Deployed{}, map[string]drift.Family{"": s.o.Deployed.All()}

	for _, f := range s.o.Deployed.Families {
		s.families[f.Name] = f
	}

	for _, name := range s.families[""].Versions {
		d, err := s.o.Open(name)
		if err != nil {
			return err
		}

		s.deployed[name], s.families[name] = d, drift.Family{Name: name, Versions: []string{name}}
	}
	return nil
}

// versionNames returns the names of versions and families in a reset.
func (s *Server) versionNames() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(s.families)), func(name string) bool { return name == "" })
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Drain prevents new episodes, and returns when all sessions have ended. Those without an episode
// end at once, the others with it, or when ctx ends.
func (s *Server) Drain(ctx context.Context) {
	s.mu.Lock()
	if !s.isStopping() {
		close(s.stopping)
	}
	s.mu.Unlock()

	ended := make(chan struct{})
	go func() {
		s.open.Wait()
		close(ended)
	}()

	select {
	case <-ended:
	case <-ctx.Done():
		s.stop()
		<-ended
	}
}

// isStopping reports whether the server is stopping.
func (s *Server) isStopping() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}

// enter begins a session, if there is room for one.
func (s *Server) enter() *Error {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.isStopping() {
		return errStopping
	}

	if !s.sessions.TryAcquire(1) {
		return &Error{
			Code: CapacityReached, Message: fmt.Sprintf("the server has all %d sessions that it may have",
				s.o.MaxSessions),
			Active: s.o.MaxSessions, Most: s.o.MaxSessions,
		}
	}

	s.open.Add(1)
	s.figures.sessions.Set(float64(s.active.Add(1)))
	return nil
}

// exit ends a session that entered.
func (s *Server) exit() {
	s.figures.sessions.Set(float64(s.active.Add(-1)))
	s.sessions.Release(1)
	s.open.Done()
}

// errStopping tells a session that the server is stopping.
var errStopping = &Error{Code: SessionError, Message: "the server stops: no episode begins any more"}

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }
