package cluster

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"toolevo/mcts"
)

// Beat is what a coordinator is told by a worker.
type Beat struct {
	Worker  string               `json:"worker"`
	Machine string               `json:"machine"`
	Joined  time.Time            `json:"joined"`
	Units   map[string]time.Time `json:"units"` // being done, since when
	Done    int64                `json:"done"`  // units
	Seen    time.Time            `json:"-"`     // by the coordinator
}

// beatEvery is how often a worker says that it is there.
const beatEvery = 2 * time.Second

// beat tells the coordinator about this worker until ctx ends.
func (w *Worker) beat(ctx context.Context) {
	joined := time.Now()

	for {
		w.mu.Lock()
		b := Beat{
			Worker: w.options.Name, Machine: w.options.Machine, Joined: joined, Units: maps.Clone(w.doing),
			Done: w.done,
		}
		w.mu.Unlock()

		if text, err := json.Marshal(b); err == nil {
			_ = w.conn.Publish(w.names.beat(), text) // the next one says it again
		}

		if mcts.Wait(ctx, beatEvery) != nil {
			return
		}
	}
}

// noteBeat notes that a worker is there.
func (c *Coordinator) noteBeat(m *nats.Msg) {
	var b Beat
	if err := json.Unmarshal(m.Data, &b); err != nil || len(b.Worker)+len(b.Machine) > mostName {
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

// Counts returns what was counted so far.
func (c *Coordinator) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

func (c *Coordinator) count(change func(*Counts)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.counts)
}

// Status is how a run is being done at one moment.
type Status struct {
	Counts
	Workers int64         // that are there
	Units   int64         // that they do
	Oldest  time.Duration // since the unit that was begun first was
}

// Status returns how the run is being done.
func (c *Coordinator) Status() Status {
	workers := c.Workers()
	s := Status{Counts: c.Counts(), Workers: int64(len(workers))}

	for _, w := range workers {
		s.Units += int64(len(w.Units))
		for _, since := range w.Units {
			s.Oldest = max(s.Oldest, time.Since(since))
		}
	}
	return s
}
