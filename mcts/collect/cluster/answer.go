package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"toolevo/mcts"
)

// serve answers workers.
func (c *Coordinator) serve(ctx context.Context) error {
	answer := func(with func(context.Context, []byte) ([]byte, error)) nats.MsgHandler {
		parts := partsOf{}
		return func(m *nats.Msg) {
			question, whole := parts.add(m)
			if !whole {
				return
			}

			go func() { // the next one need not wait
				data, err := with(ctx, question)
				if ctx.Err() != nil { // its error says nothing of the worker, which asks again
					return
				}

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

		c.names.machines(): answer(c.machines),
	} {
		if _, err := c.conn.Subscribe(subject, handler); err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	return nil
}

// partsOf are requests of which parts are to come, by where their answers go.
type partsOf map[string]*request

// request is what has come of one.
type request struct {
	assembler
	since time.Time
}

// add returns the request that a message completes; whole is false if it completes none. A worker
// asks again where parts were lost.
func (p partsOf) add(m *nats.Msg) (data []byte, whole bool) {
	switch m.Header.Get(headerParts) {
	case "1", "": // "" is of another version, which is answered so
		return m.Data, true
	}

	// By then it has been asked again, and its answer goes elsewhere.
	maps.DeleteFunc(p, func(_ string, r *request) bool { return time.Since(r.since) > answerTime })

	if p[m.Reply] == nil {
		p[m.Reply] = &request{since: time.Now()}
	}

	e, err := p[m.Reply].add(m.Header, m.Data)
	if e == nil || err != nil {
		return nil, false
	}

	delete(p, m.Reply)
	return e.body, true
}

// respond answers a worker.
func (c *Coordinator) respond(to string, data []byte, err error) error {
	if err != nil {
		reply := nats.NewMsg(to)
		reply.Header.Set(headerError, oneLine(err))
		return c.conn.PublishMsg(reply)
	}
	return send(c.conn, to, "", data)
}

// send sends data in as many messages as it takes. reply is where an answer goes, if one is wanted.
func send(conn *nats.Conn, to, reply string, data []byte) error {
	for _, m := range split(to, data, mostData(conn)) {
		m.Reply = reply

		if err := conn.PublishMsg(m); err != nil {
			return err
		}
	}
	return nil
}

// headerError has the error of an answer.
const headerError = "Toolevo-Error"

// oneLine returns an error as a header can have it.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "\v") }

// Join asks the coordinator whether this worker may work, and for what it needs to know. It waits
// while the coordinator is away, and returns ErrOver where the run is complete.
func (w *Worker) Join(ctx context.Context, hello []byte) (welcome []byte, err error) {
	asking, end := context.WithCancel(ctx)
	defer end()

	go func() {
		if w.isGone(asking) {
			w.finish(ErrOver)
		}
	}()
	return w.request(asking, w.names.join(), hello)
}

// goneTime is for how long nothing of a run has to be on the server until it counts as complete: a
// coordinator that lost its queue makes it again.
const goneTime = 10 * time.Second

// isGone waits until ctx ends, or nothing of the run has been on the server for a while.
func (w *Worker) isGone(ctx context.Context) bool {
	since := time.Now()

	for time.Since(since) < goneTime {
		if mcts.Wait(ctx, retryEvery) != nil {
			return false
		}

		if _, err := w.js.Stream(ctx, w.names.queueStream()); !errors.Is(err, jetstream.ErrStreamNotFound) {
			since = time.Now()
		}
	}
	return true
}

// Ask asks the coordinator something about the run. It waits while the coordinator is away, and
// returns ErrOver where the run is complete.
func (w *Worker) Ask(ctx context.Context, question []byte) (answer []byte, err error) {
	return w.request(ctx, w.names.ask(), question)
}

// AnswerError is what the coordinator answered in place of what it was asked for.
type AnswerError struct{ Text string }

// Error is the coordinator's.
func (e *AnswerError) Error() string { return e.Text }

// answerTime is how long an answer may take, before it is asked for again.
const answerTime = 30 * time.Second

// mostRequest bounds what a worker asks, in bytes.
const mostRequest = 32 << 20

// request asks the coordinator, until it answers, the run is complete, or ctx ends.
func (w *Worker) request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	if len(data) > mostRequest {
		return nil, fmt.Errorf("cluster: %d bytes are more than a request may have: %w", len(data),
			nats.ErrMaxPayload)
	}

	asking, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(w.complete, end)()

	for {
		answer, err := w.requestOnce(asking, subject, data)
		if err == nil || errors.As(err, new(*AnswerError)) || errors.Is(err, nats.ErrConnectionClosed) {
			return answer, err
		}

		if err := mcts.Wait(asking, retryEvery); err != nil {
			return nil, cmp.Or(context.Cause(w.complete), err)
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

	if err := send(w.conn, subject, inbox, data); err != nil {
		return nil, err
	}

	var parts assembler
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

		e, err := parts.add(m.Header, m.Data)
		if err != nil {
			return nil, err
		}

		if e != nil {
			return e.body, nil
		}
	}
}
