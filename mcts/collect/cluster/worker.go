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
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"toolevo/envs"
	"toolevo/mcts"
	"toolevo/mcts/account"
)

// mostFruitless is how many workers in a row may begin a unit without adding anything to its log.
const mostFruitless = 5

// FruitlessError means that a unit was begun by several workers in a row, none of which added
// anything to it: it may be what brings them down.
type FruitlessError struct {
	Workers int
	Reason  string // of the last one that gave one; "" if none did
}

// Error counts the workers.
func (e *FruitlessError) Error() string {
	text := fmt.Sprintf("%d workers began it one after the other, and none did anything of it", e.Workers)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// stageWorker is the stage of a unit that brings workers down: nothing is said about the model.
const stageWorker envs.Stage = "worker"

// GivenUp is the reason in a few words; see envs.GivenUp.
func (e *FruitlessError) GivenUp() string { return fmt.Sprintf("%d workers lost", e.Workers) }

// WorkerOptions say how to work for a coordinator.
type WorkerOptions struct {
	Place  Place  // where the coordinator is
	Name   string // unique among the workers of a run
	Secure *tls.Config

	Log *slog.Logger // nil logs nothing

	// Say tells people that the coordinator is away, or back; nil is nobody.
	Say func(format string, args ...any)

	// Used returns what models took since it was last called, by KIND:MODEL; nil is nothing.
	Used func() map[string]account.Usage
}

// Worker works for a coordinator.
type Worker struct {
	options WorkerOptions
	names   names
	conn    *nats.Conn
	js      jetstream.JetStream
	log     *slog.Logger

	over   chan over   // has room for one
	ending atomic.Bool // the coordinator has said that it ends

	mu    sync.Mutex               // guards what follows
	doing map[string]time.Time     // since when, by unit
	held  map[string]jetstream.Msg // of those units
	done  int64                    // units
}

// Connect connects to the server of a coordinator.
func Connect(o WorkerOptions) (*Worker, error) {
	w := &Worker{
		options: o, names: names{o.Place.Key}, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		over: make(chan over, 1), doing: map[string]time.Time{}, held: map[string]jetstream.Msg{},
	}

	options := []nats.Option{
		nats.Name(o.Name), nats.MaxReconnects(-1), o.Place.credentials(), nats.ReconnectWait(retryEvery),
		nats.ReconnectJitter(retryEvery, retryEvery), nats.ReconnectBufSize(-1),
		nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(3), logErrors(w.log),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil && !w.ending.Load() {
				w.say("The coordinator is away (%v): going on with what is here, and trying again.", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			w.holdOn()
			w.say("The coordinator is back.")
		}),
	}

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

	if err != nil {
		w.conn.Close()
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return w, nil
}

// logErrors logs what goes wrong between calls, which the client would print.
func logErrors(log *slog.Logger) nats.Option {
	return nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		log.Debug("NATS client", "because", err)
	})
}

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

func (w *Worker) noteOver(m *nats.Msg) {
	var o over
	if err := json.Unmarshal(m.Data, &o); err != nil {
		return
	}

	w.ending.Store(true)

	select {
	case w.over <- o:
	default: // told before
	}
}

// Close ends the connection.
func (w *Worker) Close() { w.conn.Close() }

// Join asks the coordinator whether this worker may work, and for what it needs to know.
func (w *Worker) Join(ctx context.Context, hello []byte) (welcome []byte, err error) {
	return w.request(ctx, w.names.join(), hello)
}

// Ask asks the coordinator something about the run. It waits while the coordinator is away.
func (w *Worker) Ask(ctx context.Context, question []byte) (answer []byte, err error) {
	return w.request(ctx, w.names.ask(), question)
}

// AnswerError is what the coordinator answered in place of what it was asked for.
type AnswerError struct{ Text string }

// Error is the coordinator's.
func (e *AnswerError) Error() string { return e.Text }

// answerTime is how long an answer may take, before it is asked for again.
const answerTime = 30 * time.Second

// request asks the coordinator, until it answers or ctx ends.
func (w *Worker) request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	for {
		answer, err := w.requestOnce(ctx, subject, data)
		if err == nil || errors.As(err, new(*AnswerError)) || errors.Is(err, nats.ErrConnectionClosed) {
			return answer, err
		}

		if errors.Is(err, nats.ErrMaxPayload) {
			return nil, fmt.Errorf("cluster: %d bytes are more than one message may have: %w", len(data), err)
		}

		if err := wait(ctx, retryEvery); err != nil {
			return nil, err
		}
	}
}

// requestOnce asks the coordinator, whose answer may have several parts.
func (w *Worker) requestOnce(ctx context.Context, subject string, data []byte) ([]byte, error) {
	ctx, end := context.WithTimeout(ctx, answerTime)
	defer end()

	inbox := w.conn.NewRespInbox()

	answers, err := w.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }() // the connection is gone: so is the subscription

	if err := w.conn.PublishRequest(subject, inbox, data); err != nil {
		return nil, err
	}

	var all []byte
	for {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			return nil, err
		}

		if m.Header.Get("Status") != "" { // nobody answers
			return nil, nats.ErrNoResponders
		}

		if text := m.Header.Get(headerError); text != "" {
			return nil, &AnswerError{strings.ReplaceAll(text, "\v", "\n")}
		}

		all = append(all, m.Data...)
		if m.Header.Get(headerPart) == m.Header.Get(headerParts) {
			return all, nil
		}
	}
}

// ErrOver means that the run is complete, and ErrPaused that its coordinator has ended, and the run
// may go on later.
var (
	ErrOver   = errors.New("cluster: the run is complete")
	ErrPaused = errors.New("cluster: the coordinator has ended")
)

// Work is how a worker does units.
type Work struct {
	Patience time.Duration // of the coordinator; see Options
	Extent   string        // of the run; see Options

	// Room waits until there is room for another unit, and keeps it until release is called. The
	// unit calls arrived when it asks the model.
	Room func(ctx context.Context) (arrived, release func(), err error)

	// Do does a unit, adds to its log what it makes, and returns the outcome that the unit ends
	// with. An error without one ends the work of this worker; the unit is another's then.
	Do func(ctx context.Context, unit *Assignment) (outcome []byte, err error)
}

// Serve does units until ctx ends, the coordinator ends (ErrOver, ErrPaused), or a unit cannot be
// done here. All but the end of ctx that is no interruption (mcts.Interruptible) lets calls in
// flight finish, for drainTime at most, and hands in what was done.
func (w *Worker) Serve(ctx context.Context, work Work) error {
	serving, interrupt := mcts.Interruptible(ctx)
	defer interrupt()

	// The first reason counts.
	reason := make(chan error, 1)
	stop := func(err error) {
		select {
		case reason <- err:
		default:
		}

		interrupt()
	}

	// It is there as long as it has units.
	beating, done := context.WithCancel(context.WithoutCancel(ctx))
	defer done()

	go w.beat(beating)

	go func() {
		select {
		case o := <-w.over:
			if o.Done {
				stop(ErrOver)
				return
			}

			stop(ErrPaused)
		case <-serving.Done():
		}
	}()

	err := w.serve(serving, work, stop)

	select {
	case first := <-reason:
		return first
	default:
		return err
	}
}

// serve does units until ctx ends. stop ends it because of an error.
func (w *Worker) serve(ctx context.Context, work Work, stop func(error)) error {
	var units sync.WaitGroup
	defer units.Wait()

	// A unit is asked for only when there is room for it, so that slow servers take less.
	for {
		arrived, release, err := work.Room(ctx)
		if err != nil {
			return err
		}

		m, err := w.next(ctx)
		if err != nil {
			release()
			return err
		}

		id := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]

		w.mu.Lock()
		w.doing[id], w.held[id] = time.Now(), m
		w.mu.Unlock()

		units.Go(func() {
			defer release()

			err := w.do(ctx, id, m, work, arrived)

			w.mu.Lock()
			delete(w.doing, id)
			delete(w.held, id)
			w.done++
			w.mu.Unlock()

			if err != nil {
				stop(err)
			}
		})
	}
}

// giveBack returns a unit that comes too late to the queue.
func (w *Worker) giveBack(batch jetstream.MessageBatch) {
	go func() {
		for m := range batch.Messages() {
			_ = m.Nak()
		}
	}()
}

// fetchTime is how long a server keeps a request for a unit. An idle worker asks again that often.
const fetchTime = 20 * time.Second

// next returns the next unit of the queue, when there is one.
func (w *Worker) next(ctx context.Context) (jetstream.Msg, error) {
	for {
		// Looked up each time: a queue that was lost has been made again.
		cons, err := w.js.Consumer(ctx, w.names.queueStream(), consumer)

		var batch jetstream.MessageBatch
		if err == nil {
			batch, err = cons.Fetch(1, jetstream.FetchMaxWait(fetchTime))
		}

		if err == nil {
			select {
			case m, ok := <-batch.Messages():
				if ok {
					return m, nil
				}
			case <-ctx.Done():
				w.giveBack(batch)
			}
		}

		if ctx.Err() != nil || errors.Is(err, nats.ErrConnectionClosed) {
			return nil, cmp.Or(ctx.Err(), err)
		}

		if err == nil && batch.Error() == nil {
			continue
		}

		if err := wait(ctx, retryEvery); err != nil {
			return nil, err
		}
	}
}

// do does a unit that the queue has handed out. It returns an error that ends the work.
func (w *Worker) do(ctx context.Context, id string, m jetstream.Msg, work Work, arrived func()) error {
	// What is done is written down although ctx was interrupted, and calls that are paid for end.
	life, end := mcts.InFlight(ctx)
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(drainTime+handInTime, end) })()

	paid, lost := context.WithCancelCause(life)
	defer lost(nil)

	inner, interrupt := mcts.Interruptible(paid)
	defer context.AfterFunc(ctx, func() {
		interrupt()
		time.AfterFunc(drainTime, func() { lost(context.Canceled) })
	})()

	a := &Assignment{ID: id, Work: m.Data(), Arrived: arrived, worker: w, life: life, lost: lost, log: unitLog{
		js: w.js, stream: w.names.logStream(), subject: w.names.log(id), most: mostData(w.conn),
	}}

	// The run has been given other questions or trees since this worker joined.
	if m.Headers().Get(headerExtent) != work.Extent {
		_ = m.Nak()
		return ErrPaused
	}
	defer a.keep(life, m, work.Patience)()

	over, err := a.begin(inner)

	switch {
	case errors.Is(err, ErrLost):
		return nil // whoever has it acknowledges it
	case err != nil: // ctx has ended
		return ignore(m.Nak())
	case over:
		return ignore(m.Ack())
	}

	if a.fruitless.Workers >= mostFruitless {
		a.Fruitless = envs.Fail(stageWorker, "begin "+id, &a.fruitless)
	}

	outcome, err := work.Do(inner, a)
	if errors.Is(context.Cause(paid), ErrLost) {
		err = ErrLost
	}
	return w.settle(life, a, m, outcome, err)
}

// drainTime is how long calls that servers are answering may take once a worker is to end, and
// handInTime how long the writing of what they brought. A machine that is taken away leaves 30 s.
const (
	drainTime  = 22 * time.Second
	handInTime = 5 * time.Second
)

// ignore has nothing to do about the error of an acknowledgement: the server hands the unit out
// again, and its log says what became of it.
func ignore(error) error { return nil }

// settle writes down how a unit ended here, until ctx ends.
func (w *Worker) settle(ctx context.Context, a *Assignment, m jetstream.Msg, outcome []byte, err error) error {
	flushed := cmp.Or(a.Flush(ctx), err)

	switch {
	case errors.Is(flushed, ErrLost):
		w.log.Warn("another worker has a unit that was done here", "unit", a.ID)
		return nil
	case err == nil:
		if a.add(ctx, entry{kind: ended, body: outcome}) != nil {
			return nil // another worker's after a while
		}
		return ignore(m.DoubleAck(ctx))
	}

	leave := entry{kind: left}
	if !errors.Is(err, context.Canceled) {
		leave.body = []byte(err.Error())
	}

	if a.add(ctx, leave) == nil {
		_ = m.Nak() // handed out at once
	}

	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Beat is what a coordinator is told by a worker.
type Beat struct {
	Worker string               `json:"worker"`
	Joined time.Time            `json:"joined"`
	Units  map[string]time.Time `json:"units"` // being done, since when
	Done   int64                `json:"done"`  // units
	Seen   time.Time            `json:"-"`     // by the coordinator
}

// beatEvery is how often a worker says that it is there.
const beatEvery = 2 * time.Second

// beat tells the coordinator about this worker until ctx ends.
func (w *Worker) beat(ctx context.Context) {
	joined := time.Now()

	for {
		w.mu.Lock()
		b := Beat{Worker: w.options.Name, Joined: joined, Units: maps.Clone(w.doing), Done: w.done}
		w.mu.Unlock()

		if text, err := json.Marshal(b); err == nil {
			_ = w.conn.Publish(w.names.beat(), text) // the next one says it again
		}

		if wait(ctx, beatEvery) != nil {
			return
		}
	}
}

// noteBeat notes that a worker is there.
func (c *Coordinator) noteBeat(m *nats.Msg) {
	var b Beat
	if err := json.Unmarshal(m.Data, &b); err != nil || len(b.Worker) > mostName {
		return
	}

	b.Seen = time.Now()

	c.mu.Lock()
	defer c.mu.Unlock()

	if _, known := c.beats[b.Worker]; known || len(c.beats) < mostWorkers {
		c.beats[b.Worker] = b
	}
}

// Bounds of what anybody may say about workers.
const (
	mostName    = 200
	mostWorkers = 10_000
)

// awayAfter is after how long a worker that says nothing counts as gone.
const awayAfter = 5 * beatEvery

// Workers returns the workers that are there, by name.
func (c *Coordinator) Workers() []Beat {
	c.mu.Lock()
	defer c.mu.Unlock()

	var all []Beat
	for _, b := range c.beats {
		if time.Since(b.Seen) < awayAfter {
			all = append(all, b)
		}
	}

	slices.SortFunc(all, func(a, b Beat) int { return strings.Compare(a.Worker, b.Worker) })
	return all
}
