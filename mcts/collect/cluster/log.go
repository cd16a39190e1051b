package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"toolevo/mcts"
	"toolevo/mcts/store"
)

// ErrLost means that another worker has begun a unit meanwhile: what this one adds is refused.
var ErrLost = errors.New("cluster: another worker has this unit")

// unitLog is the log of a unit. It is not safe for concurrent use.
type unitLog struct {
	js      jetstream.JetStream
	stream  string
	subject string
	most    int // bytes of a message

	last uint64 // the number of the last message that this process knows of; 0 before there is one
}

// read reads the whole log.
func (l *unitLog) read(ctx context.Context) (all []entry, err error) {
	stream, err := l.js.Stream(ctx, l.stream)
	if err != nil {
		return nil, err
	}

	end, err := stream.GetLastMsgForSubject(ctx, l.subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		l.last = 0
		return nil, nil
	}

	if err != nil {
		return nil, err
	}

	var parts assembler

	for l.last = 0; l.last < end.Sequence; {
		m, err := stream.GetMsg(ctx, l.last+1, jetstream.WithGetMsgSubject(l.subject))
		if err != nil {
			return nil, err
		}

		l.last = m.Sequence

		// A part that does not follow is what is left of a purge, or of a worker that died.
		if e, err := parts.add(m.Header, m.Data); err == nil && e != nil {
			all = append(all, *e)
		}
	}
	return all, nil
}

// lacks reports whether the log, which has not ended, lacks a call among some rows.
func (l *unitLog) lacks(ctx context.Context, rows []store.Row) (bool, error) {
	all, err := l.read(ctx)
	there := map[store.Row]bool{}

	for _, e := range all {
		if e.kind == ended { // meanwhile, and it is shortened
			return false, err
		}

		for _, r := range e.rows {
			there[r] = true
		}
	}
	return slices.ContainsFunc(rows, func(r store.Row) bool {
		return !r.IsTree() && !there[r]
	}), err
}

// end returns the number of the last message of the log, 0 without one, and what entry it is of.
func (l *unitLog) end(ctx context.Context) (last uint64, k kind, err error) {
	stream, err := l.js.Stream(ctx, l.stream)
	if err != nil {
		return 0, "", err
	}

	m, err := stream.GetLastMsgForSubject(ctx, l.subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		l.last = 0
		return 0, "", nil
	}

	if err != nil {
		return 0, "", err
	}

	l.last = m.Sequence
	return m.Sequence, kind(m.Header.Get(headerKind)), nil
}

// append adds an entry, if nobody else has added one since this process read the log (ErrLost). It
// tries until it is there, or ctx ends.
func (l *unitLog) append(ctx context.Context, e entry) error {
	messages, err := e.messages(l.subject, l.most)
	if err != nil {
		return err
	}

	for _, m := range messages {
		if err := l.publish(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// retryEvery is how long to wait before a server is asked again that did not answer.
const retryEvery = 250 * time.Millisecond

// publish adds a message to the log.
func (l *unitLog) publish(ctx context.Context, m *nats.Msg) error {
	id := nuid.Next()
	m.Header.Set(jetstream.MsgIDHeader, id)

	for {
		ack, err := l.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(l.last))
		if err == nil {
			l.last = ack.Sequence
			return nil
		}

		if ctx.Err() != nil {
			return ctx.Err()
		}

		if refused(err) {
			return l.settle(ctx, id)
		}

		if errors.Is(err, nats.ErrConnectionClosed) {
			return err // for good: this process has closed it
		}

		if err := mcts.Wait(ctx, retryEvery); err != nil {
			return err
		}
	}
}

// refused reports whether a server refused a message because it does not follow the last one.
func refused(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// settle finds out what a refusal means: the message may be there already, from a try whose answer
// was lost.
func (l *unitLog) settle(ctx context.Context, id string) error {
	for {
		stream, err := l.js.Stream(ctx, l.stream)

		var last *jetstream.RawStreamMsg
		if err == nil {
			last, err = stream.GetLastMsgForSubject(ctx, l.subject)
		}

		switch {
		case err == nil && last.Header.Get(jetstream.MsgIDHeader) == id:
			l.last = last.Sequence
			return nil
		case err == nil, errors.Is(err, jetstream.ErrMsgNotFound):
			return ErrLost
		case errors.Is(err, nats.ErrConnectionClosed):
			return err
		}

		if err := mcts.Wait(ctx, retryEvery); err != nil {
			return err
		}
	}
}
