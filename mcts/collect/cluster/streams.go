package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

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

// removeStreams removes the streams of the run.
func (c *Coordinator) removeStreams(ctx context.Context) (err error) {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer end()

	for _, stream := range []string{c.names.queueStream(), c.names.logStream()} {
		err = errors.Join(err, c.js.DeleteStream(ctx, stream))
	}
	return err
}
