package cluster

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
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
	Run   string       // its ID
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

	// Earlier returns what the run has of it. It is asked once the unit is known to have no log.
	Earlier func(context.Context) ([]store.Row, error)
}

// Coordinator hands out the units of a run. It is safe for concurrent use.
type Coordinator struct {
	options Options
	names   names
	server  *server.Server // nil with a server that is there
	conn    *nats.Conn
	js      jetstream.JetStream
	log     *slog.Logger

	end  context.CancelFunc // of what runs in the background
	done sync.WaitGroup

	mu     sync.Mutex // guards what follows
	open   map[string]*openUnit
	held   map[string]string // who has begun a unit and not ended it, by unit
	counts Counts
	beats  map[string]Beat
	failed error
	fail   chan struct{} // closed when failed is set

	taken atomic.Uint64 // number of the last message of the logs that is in the run
}

// openUnit is a unit that somebody waits for.
type openUnit struct {
	Unit
	outcome chan []byte // has room for it
	begun   time.Time   // zero before a worker has it
	worker  string
}

// Counts is what a coordinator has counted.
type Counts struct {
	Begun   int `json:"begun"`   // units, by workers; more than once where one was lost
	Ended   int `json:"ended"`   // units
	Again   int `json:"again"`   // of those begun, the ones that another worker had begun before
	Refused int `json:"refused"` // calls that the run had already

	Messages int   `json:"messages"` // of the logs of units, read
	Bytes    int64 `json:"bytes"`    // of them
	Taken    int   `json:"taken"`    // entries with calls and trees, each written at once
}

// Start begins to coordinate a run. What workers have appended that the run lacks is in its
// database when Start returns.
func Start(ctx context.Context, o Options) (*Coordinator, error) {
	c := &Coordinator{
		options: o, names: namesOf(o.Run), log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		open: map[string]*openUnit{}, held: map[string]string{}, beats: map[string]Beat{}, fail: make(chan struct{}),
	}

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
	case <-c.fail:
		return nil, errors.Join(c.failed, c.Close(ctx, false))
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), c.Close(ctx, false))
	}
}

// connect starts a server, unless there is one, and connects to it.
func (c *Coordinator) connect(ctx context.Context) (err error) {
	options := []nats.Option{nats.Name("toolevo coordinator"), nats.MaxReconnects(-1), nats.PingInterval(pingEvery),
		nats.MaxPingsOutstanding(3), logErrors(c.log)}
	address := c.options.Place.Server()

	if c.options.Listen != "" {
		c.server, err = startServer(c.options.Listen, c.options.Dir, c.options.Token, c.options.Secure,
			c.log)
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

// makeStreams makes the streams of the run, unless they are there.
func (c *Coordinator) makeStreams(ctx context.Context) error {
	err := c.makeStream(ctx, jetstream.StreamConfig{
		Name: c.names.queueStream(), Subjects: []string{c.names.queue("*")}, Retention: jetstream.WorkQueuePolicy,
		// A unit is queued once: a second message under its subject is refused.
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
	})
	if err == nil {
		err = c.makeStream(ctx, jetstream.StreamConfig{
			Name: c.names.logStream(), Subjects: []string{c.names.log("*")},
		})
	}

	if err == nil {
		_, err = c.js.CreateOrUpdateConsumer(ctx, c.names.queueStream(), jetstream.ConsumerConfig{
			Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.options.Patience, MaxAckPending: -1,
		})
	}

	if err != nil {
		return fmt.Errorf("cluster: make the queue: %w", err)
	}
	return nil
}

// makeStream makes a stream, unless it is there. One that takes the place of a lost one counts on,
// so that no number that a worker knows is that of another message.
func (c *Coordinator) makeStream(ctx context.Context, s jetstream.StreamConfig) error {
	_, err := c.js.Stream(ctx, s.Name)
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}

	s.FirstSeq = uint64(time.Now().UnixMicro())
	_, err = c.js.CreateStream(ctx, s)
	return err
}

// consumer is the name under which workers take units.
const consumer = "workers"

// serve answers workers.
func (c *Coordinator) serve(ctx context.Context) error {
	answer := func(with func(context.Context, []byte) ([]byte, error)) nats.MsgHandler {
		return func(m *nats.Msg) {
			go func() { // the next one need not wait
				data, err := with(ctx, m.Data)
				if err := c.respond(m.Reply, data, err); err != nil {
					c.log.Warn("a worker got no answer", "because", err)
				}
			}()
		}
	}

	for subject, handler := range map[string]nats.MsgHandler{
		c.names.join(): answer(c.options.Welcome),
		c.names.ask():  answer(c.options.Ask),
		c.names.beat(): c.noteBeat,
	} {
		if _, err := c.conn.Subscribe(subject, handler); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	return nil
}

// respond answers a worker, in as many messages as it takes.
func (c *Coordinator) respond(to string, data []byte, err error) error {
	if err != nil {
		reply := nats.NewMsg(to)
		reply.Header.Set(headerError, oneLine(err))
		return c.conn.PublishMsg(reply)
	}

	parts := slices.Collect(slices.Chunk(data, mostData(c.conn)))
	if len(parts) == 0 {
		parts = [][]byte{nil}
	}

	for i, part := range parts {
		reply := nats.NewMsg(to)
		reply.Data = part
		reply.Header.Set(headerPart, strconv.Itoa(i+1))
		reply.Header.Set(headerParts, strconv.Itoa(len(parts)))

		if err := c.conn.PublishMsg(reply); err != nil {
			return err
		}
	}
	return nil
}

// headerError has the error of an answer.
const headerError = "Toolevo-Error"

// oneLine returns an error as a header can have it.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "\v") }

// follow takes what workers append into the run, until ctx ends. It closes read once it has all
// that was there when it began.
func (c *Coordinator) follow(ctx context.Context, read chan struct{}) {
	f := &follower{c: c, logs: map[string]*assembler{}, read: read}

	for ctx.Err() == nil {
		err := f.follow(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}

		if final := (*storeError)(nil); errors.As(err, &final) {
			c.setFailed(final.err)
			return
		}

		c.log.Warn("the logs of units cannot be read", "because", err)

		if wait(ctx, retryEvery) == nil {
			c.repair(ctx)
		}
	}
}

// storeError is that of the run's database: the run cannot go on.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }

func (c *Coordinator) setFailed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.failed == nil {
		c.failed = err
		close(c.fail)
	}
}

// repair makes what a server has lost: its streams, and the units in them.
func (c *Coordinator) repair(ctx context.Context) {
	if err := c.makeStreams(ctx); err != nil {
		return // the server is away; tried again
	}

	c.mu.Lock()
	units := slices.Collect(maps.Values(c.open))
	c.mu.Unlock()

	for _, u := range units {
		if err := c.queueOnce(ctx, c.logOf(u.ID), &u.Unit); err != nil {
			c.log.Warn("a unit could not be queued again", "unit", u.ID, "because", err)
		}
	}
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
	case <-c.fail:
		return nil, c.failed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// queue queues a unit, unless it is in the queue. It tries until ctx ends.
func (c *Coordinator) queue(ctx context.Context, u *Unit) error {
	l := c.logOf(u.ID)

	for {
		err := c.queueOnce(ctx, l, u)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}

		if final := (*storeError)(nil); errors.As(err, &final) {
			return final.err
		}

		c.log.Warn("a unit could not be queued", "unit", u.ID, "because", err)

		if err := wait(ctx, retryEvery); err != nil {
			return err
		}
	}
}

func (c *Coordinator) logOf(unit string) *unitLog {
	return &unitLog{
		js: c.js, stream: c.names.logStream(), subject: c.names.log(unit), most: mostData(c.conn),
	}
}

// mostData is how many bytes of an entry go into a message.
func mostData(conn *nats.Conn) int { return int(min(conn.MaxPayload(), mostMessage)) / 2 }

func (c *Coordinator) queueOnce(ctx context.Context, l *unitLog, u *Unit) error {
	last, end, err := l.end(ctx)
	if err != nil {
		return err
	}

	if end == ended {
		if last > c.taken.Load() {
			return nil // its outcome is on the way here
		}

		// It was ended for another process, and the run lacks some of it.
		if last, err = 0, c.forget(ctx, u.ID, l); err != nil {
			return err
		}
	}

	if last == 0 && u.Earlier != nil {
		rows, err := u.Earlier(ctx)
		if err != nil {
			return &storeError{err}
		}

		if len(rows) > 0 {
			err = l.append(ctx, entry{kind: added, rows: rows})
		}

		if err != nil {
			return err
		}
	}

	m := nats.NewMsg(c.names.queue(u.ID))
	m.Data = u.Work
	m.Header.Set(headerExtent, c.options.Extent)

	_, err = c.js.PublishMsg(ctx, m)

	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == errorStoreFailed && strings.Contains(api.Description, "per subject") {
		return nil // it is in the queue
	}
	return err
}

// headerExtent has the extent of the run for which a unit was queued.
const headerExtent = "Toolevo-Extent"

// forget removes a unit that has ended from the queue, and its log.
func (c *Coordinator) forget(ctx context.Context, unit string, l *unitLog) error {
	for stream, subject := range map[string]string{
		c.names.queueStream(): c.names.queue(unit), l.stream: l.subject,
	} {
		s, err := c.js.Stream(ctx, stream)
		if err == nil {
			err = s.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}

		if err != nil {
			return err
		}
	}

	l.last = 0
	return nil
}

// dropOld removes from the queue what was queued for another extent of the run.
func (c *Coordinator) dropOld(ctx context.Context) error {
	stream, err := c.js.Stream(ctx, c.names.queueStream())
	if err != nil {
		return err
	}

	next, err := stream.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(c.names.queue("*")))

	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil
	case err != nil:
		return err
	case next.Header.Get(headerExtent) == c.options.Extent:
		return nil
	}
	return stream.Purge(ctx)
}

// errorStoreFailed is what a server answers that does not take a message into a stream.
const errorStoreFailed = 10077

// Counts returns what was counted so far.
func (c *Coordinator) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// Status is how a run is being done at one moment.
type Status struct {
	Workers int64         // that are there
	Units   int64         // that they do
	Oldest  time.Duration // since the unit that was begun first was
	Begun   int64         // units, by workers
	Ended   int64         // units
	Again   int64         // units that were begun a second time or more, as their worker was lost
	Refused int64         // calls that were made twice
}

// Status returns how the run is being done.
func (c *Coordinator) Status() Status {
	workers, n := c.Workers(), c.Counts()
	s := Status{
		Workers: int64(len(workers)), Begun: int64(n.Begun), Ended: int64(n.Ended), Again: int64(n.Again),
		Refused: int64(n.Refused),
	}

	for _, w := range workers {
		s.Units += int64(len(w.Units))
		for _, since := range w.Units {
			s.Oldest = max(s.Oldest, time.Since(since))
		}
	}
	return s
}

// Address is where the server of this process listens, "" without one.
func (c *Coordinator) Address() string {
	if c.server == nil {
		return ""
	}
	return c.server.Addr().String()
}

// Close ends the coordination. done is whether the run is complete: then its workers go home, and
// nothing of it stays in NATS. Otherwise they hand in what they have, for which Close waits as long
// as a worker may take to drain, and wait for the run to go on.
func (c *Coordinator) Close(ctx context.Context, done bool) (err error) {
	if c.conn != nil && c.conn.IsConnected() && c.end != nil {
		err = c.sayOver(done)
	}

	// Only then does it stop to take what they hand in.
	if c.end != nil {
		if !done {
			c.waitForWorkers()
		}

		c.end()
		c.done.Wait()
	}

	if done && err == nil && c.js != nil {
		err = c.removeStreams(ctx)
	}

	if c.conn != nil {
		c.conn.Close()
	}

	if c.server != nil {
		c.server.Shutdown()
		c.server.WaitForShutdown()

		if done && err == nil {
			err = os.RemoveAll(c.options.Dir)
		}
	}

	if err != nil {
		return fmt.Errorf("cluster: end: %w", err)
	}
	return nil
}

// waitForWorkers waits until no worker that is there has a unit.
func (c *Coordinator) waitForWorkers() {
	ctx, end := context.WithTimeout(context.Background(), drainTime+2*handInTime)
	defer end()

	for c.anyHeld() && wait(ctx, lookEvery) == nil {
	}
}

// lookEvery is how often the end of a coordinator looks whether workers are done.
const lookEvery = 20 * time.Millisecond

// anyHeld reports whether a worker that is there has a unit.
func (c *Coordinator) anyHeld() bool {
	here := map[string]bool{}
	for _, b := range c.Workers() {
		here[b.Worker] = true
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	for _, worker := range c.held {
		if here[worker] && c.failed == nil {
			return true
		}
	}
	return false
}

// sayOver tells workers that the coordinator ends.
func (c *Coordinator) sayOver(done bool) error {
	text, err := json.Marshal(over{Done: done})
	if err != nil {
		return err
	}
	return errors.Join(c.conn.Publish(c.names.over(), text), c.conn.FlushTimeout(closeTime))
}

// removeStreams removes the streams of the run.
func (c *Coordinator) removeStreams(ctx context.Context) (err error) {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer end()

	for _, stream := range []string{c.names.queueStream(), c.names.logStream()} {
		err = errors.Join(err, c.js.DeleteStream(ctx, stream))
	}
	return err
}

// closeTime is how long the end of a coordinator waits for a server.
const closeTime = 5 * time.Second

// over tells workers that the coordinator ends.
type over struct {
	Done bool `json:"done"` // the run is complete
}
