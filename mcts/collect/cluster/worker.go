package cluster

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"toolevo/mcts/account"
)

// WorkerOptions say how to work for a coordinator.
type WorkerOptions struct {
	Place  Place  // where the coordinator is
	Name   string // unique among the workers of a run
	Secure *tls.Config

	// Machine names what may be broken for all workers on it.
	Machine string

	Log *slog.Logger // nil logs nothing

	// Say tells people that the coordinator is away, or back; nil is nobody.
	Say func(format string, args ...any)

	// Used returns what models took since it was last called, by KIND:MODEL; nil is nothing.
	Used func() map[string]account.Usage

	// Untold takes back what Used has returned and the coordinator was not told; it is there if
	// Used is.
	Untold func(map[string]account.Usage)
}

// Worker works for a coordinator.
type Worker struct {
	options WorkerOptions
	names   names
	conn    *nats.Conn
	js      jetstream.JetStream
	log     *slog.Logger

	complete context.Context         // ends with the run, by ErrOver, or with the connection
	finish   context.CancelCauseFunc // of complete
	paused   chan struct{}           // told that the coordinator ends before the run; for one
	ending   atomic.Bool             // the coordinator has said that it ends

	mu    sync.Mutex               // guards what follows
	doing map[string]time.Time     // since when, by unit
	held  map[string]jetstream.Msg // of those units
	done  int64                    // units

	failures int // of units, one after the other

	room *semaphore.Weighted // of units that have just begun; see takeRoom
}

// Connect connects to the server of a coordinator.
func Connect(o WorkerOptions) (*Worker, error) {
	w := &Worker{
		options: o, names: names{o.Place.Key}, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		paused: make(chan struct{}, 1), doing: map[string]time.Time{},
		held: map[string]jetstream.Msg{}, room: semaphore.NewWeighted(allRoom),
	}
	w.complete, w.finish = context.WithCancelCause(context.Background())

	options := append(clientOptions(o.Name, w.log), o.Place.credentials(),
		nats.ReconnectWait(retryEvery), nats.ReconnectJitter(retryEvery, retryEvery),
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil && !w.ending.Load() {
				w.say("The coordinator is away (%v): going on with what is here, and trying again.", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			w.holdOn()
			w.say("The coordinator is back.")
		}),
		// The client closes it where a server refuses it twice. Nothing can be handed in any more.
		nats.ClosedHandler(func(conn *nats.Conn) {
			w.finish(explain(cmp.Or(conn.LastError(), nats.ErrConnectionClosed)))
		}))

	if o.Secure != nil {
		options = append(options, nats.Secure(o.Secure))
	}

	// A first connection that fails is an error: the address may be wrong. Later ones are tried for
	// ever.
	var err error
	if w.conn, err = nats.Connect(o.Place.Server(), options...); err != nil {
		return nil, fmt.Errorf("cluster: connect to %s: %w", o.Place.Host, explain(err))
	}

	w.js, err = jetstream.New(w.conn)
	if err == nil {
		_, err = w.conn.Subscribe(w.names.over(), w.noteOver)
	}

	// The server knows of it before this worker counts as connected.
	if err == nil {
		err = w.conn.FlushTimeout(connectTime)
	}

	if err != nil {
		w.Close()
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return w, nil
}

// clientOptions are those of coordinators and workers. What goes wrong between calls, which the
// client would print, is logged.
func clientOptions(name string, log *slog.Logger) []nats.Option {
	return []nats.Option{
		nats.Name(name), nats.Timeout(connectTime), nats.MaxReconnects(-1),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(3),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			log.Debug("NATS client", "because", err)
		}),
	}
}

// connectTime is how long a server may take to answer: its machine may be busy.
const connectTime = 10 * time.Second

// pingEvery is how often a client looks whether its server is still there. Three silences are a new
// connection.
const pingEvery = 10 * time.Second

// ErrToken means that a server refuses the token of a place.
var ErrToken = nats.ErrAuthorization

// explain says what an error of a connection means.
func explain(err error) error {
	if errors.Is(err, nats.ErrAuthorization) {
		return fmt.Errorf("%w: use the command that the coordinator printed: its token is another one", err)
	}
	return err
}

// holdOn keeps all units at once, before others fetch what seems lost.
func (w *Worker) holdOn() {
	w.mu.Lock()
	defer w.mu.Unlock()

	for _, m := range w.held {
		_ = m.InProgress()
	}
}

func (w *Worker) say(format string, args ...any) {
	if w.options.Say != nil {
		w.options.Say(format, args...)
	}
}

// Close ends the connection.
func (w *Worker) Close() {
	w.finish(nil)
	w.conn.Close()
}
