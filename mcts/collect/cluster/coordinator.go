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

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/mod/semver"

	"toolevo/mcts/account"
	"toolevo/mcts/store"
)

// Options say how to coordinate a run.
type Options struct {
	Run   string       // its name, which no other run on the server has, now or later
	Store *store.Store // of the run, which takes what workers make

	// Where: an address to listen on, with a folder for the server's streams, or the address of a
	// NATS server that is there.
	Listen, Dir string
	Place       Place // in place of Listen

	Token  string      // that workers have to know, with Listen
	Secure *tls.Config // of the server, and nil for none, with Listen

	// Extent says what the run has to do, in a word: another one when questions or trees are added.
	// Workers that joined under another one join again.
	Extent string

	// InTurn is whether trees of a question depend on those before them.
	InTurn bool

	// Patience is how long a worker may say nothing before another one gets its unit.
	Patience time.Duration

	// Welcome answers a worker that wants to join: with what it needs to know, or why it cannot.
	Welcome func(ctx context.Context, hello []byte) (welcome []byte, err error)

	// Ask answers a question of a worker about the run.
	Ask func(ctx context.Context, question []byte) (answer []byte, err error)

	// Used is told what the models of workers took, by KIND:MODEL.
	Used func(map[string]account.Usage)

	Log *slog.Logger // nil logs nothing
}

// Unit is something that one worker does at a time.
type Unit struct {
	ID   string // letters, digits and dashes; no other unit of the run has it
	Work []byte // what to do, as workers understand it; at most a message

	// Earlier returns what the run has of it.
	Earlier func(context.Context) ([]store.Row, error)

	// Asked is told of the calls that workers make, and of the completions that they bring; nil is
	// nobody.
	Asked func(calls, samples int)
}

// Coordinator hands out the units of a run. It is safe for concurrent use.
type Coordinator struct {
	options Options
	names   names
	server  *server.Server // nil with a server that is there
	conn    *nats.Conn
	js      jetstream.JetStream
	log     *slog.Logger
	started time.Time

	failed context.Context // ends with why the run cannot go on
	fail   context.CancelCauseFunc

	end  context.CancelFunc // of what runs in the background
	done sync.WaitGroup

	mu     sync.Mutex // guards what follows
	open   map[string]*openUnit
	held   map[string]string // who has begun a unit and not ended it, by unit
	counts Counts
	beats  map[string]Beat

	taken atomic.Uint64 // number of the last message of the logs that is in the run

	reconnected chan struct{} // has room for one: the server was away, and may have lost something
}

// openUnit is a unit that somebody waits for.
type openUnit struct {
	Unit
	outcome chan []byte // has room for it
	begun   time.Time   // zero before a worker has it
	worker  string
}

// Start begins to coordinate a run. What workers have appended that the run lacks is in its
// database when Start returns.
func Start(ctx context.Context, o Options) (*Coordinator, error) {
	c := &Coordinator{
		options: o, names: namesOf(o.Run), started: time.Now(),
		log:  cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		open: map[string]*openUnit{}, held: map[string]string{}, beats: map[string]Beat{},
		reconnected: make(chan struct{}, 1),
	}
	c.failed, c.fail = context.WithCancelCause(context.Background())

	if err := c.connect(ctx); err != nil {
		return nil, errors.Join(err, c.Close(ctx, false))
	}

	background, end := context.WithCancel(context.WithoutCancel(ctx))
	c.end = end

	if err := c.serve(background); err != nil {
		return nil, errors.Join(err, c.Close(ctx, false))
	}

	// Before any unit is queued: one may have ended while there was no coordinator.
	read := make(chan struct{})
	c.done.Go(func() { c.follow(background, read) })

	select {
	case <-read:
		if err := c.dropOld(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("cluster: %w", err), c.Close(ctx, false))
		}
		return c, nil
	case <-c.failed.Done():
		return nil, errors.Join(context.Cause(c.failed), c.Close(ctx, false))
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), c.Close(ctx, false))
	}
}

// connect starts a server, unless there is one, and connects to it.
func (c *Coordinator) connect(ctx context.Context) (err error) {
	options := append(clientOptions("toolevo coordinator", c.log),
		nats.ReconnectHandler(func(*nats.Conn) {
			select {
			case c.reconnected <- struct{}{}:
			default:
			}
		}))
	address := c.options.Place.Server()

	if c.options.Listen != "" {
		c.server, err = startServer(c.options.Listen, c.options.Dir, c.options.Token, c.options.Secure,
			c.log, c.fail)
		if err != nil {
			return err
		}

		// Its own server, too, is dialled as workers do, but within the process.
		address = c.server.ClientURL()
		options = append(options, nats.InProcessServer(c.server), nats.Token(c.options.Token))

		if c.options.Secure != nil { // the other end is in this process: whose certificate it is needs no proof
			options = append(options, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true}))
		}
	} else {
		options = append(options, c.options.Place.credentials())
	}

	if c.conn, err = nats.Connect(address, options...); err != nil {
		return fmt.Errorf("cluster: connect to %s: %w", address, err)
	}

	if v := c.conn.ConnectedServerVersion(); semver.Compare("v"+v, "v"+oldest) < 0 {
		return fmt.Errorf("cluster: the NATS server at %s is %s: want %s or later, or leave it out: toolevo "+
			"has one of its own", address, v, oldest)
	}

	if c.js, err = jetstream.New(c.conn); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	return c.makeStreams(ctx)
}

// Do has a worker do a unit, and returns the outcome that the worker ended it with. What the worker
// made is in the run's database by then.
func (c *Coordinator) Do(ctx context.Context, u Unit) (outcome []byte, err error) {
	o := &openUnit{Unit: u, outcome: make(chan []byte, 1)}

	c.mu.Lock()
	c.open[u.ID] = o
	c.mu.Unlock()

	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, u.ID)
	}()

	if err := c.queue(ctx, &u); err != nil {
		return nil, err
	}

	select {
	case outcome = <-o.outcome:
		return outcome, nil
	case <-c.failed.Done():
		return nil, context.Cause(c.failed)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Address is where the server of this process listens, "" without one.
func (c *Coordinator) Address() string {
	if c.server == nil {
		return ""
	}
	return c.server.Addr().String()
}
