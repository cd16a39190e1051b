package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"toolevo/mcts"
)

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

		// Who has connected meanwhile would wait for a coordinator that does not come back.
		err = errors.Join(err, c.sayOver(done))
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

	for c.anyHeld() && mcts.Wait(ctx, lookEvery) == nil {
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
		if here[worker] && c.failed.Err() == nil {
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

// closeTime is how long the end of a coordinator waits for a server, whose machine may be busy.
const closeTime = 30 * time.Second

// over tells workers that the coordinator ends.
type over struct {
	Done bool `json:"done"` // the run is complete
}

func (w *Worker) noteOver(m *nats.Msg) {
	var o over
	if err := json.Unmarshal(m.Data, &o); err != nil {
		return
	}

	w.ending.Store(true)

	if o.Done {
		w.finish(ErrOver)
		return
	}

	select {
	case w.paused <- struct{}{}:
	default: // told before
	}
}

// ErrOver means that the run is complete, and ErrPaused that its coordinator has ended, and the run
// may go on later.
var (
	ErrOver   = errors.New("cluster: the run is complete")
	ErrPaused = errors.New("cluster: the coordinator has ended")
)
