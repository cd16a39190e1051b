package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"toolevo/envs/console"
	"toolevo/finetune/stored"
	"toolevo/mcts/account"
	"toolevo/mcts/collect"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/store"
)

// Coordination says that workers on other machines do the work of a run.
type Coordination struct {
	Listen   string        // HOST:PORT for workers; "" with NATS
	NATS     string        // the address of a NATS server that is there; "" starts one
	Insecure bool          // without TLS, though other machines can listen
	Patience time.Duration // how long a worker may say nothing, at least a second

	// Started is called once workers can join, with the command that does it; nil is not called.
	Started func(join string)
}

// DefaultWorkerPatience is how long a worker may say nothing before its work is another's.
const DefaultWorkerPatience = 60 * time.Second

// mostOpenUnits is how many units are in the queue or being done at once: more than any workers
// have room for.
const mostOpenUnits = 8192

// hello is what a worker says about itself, and welcome what it gets to know.
type hello struct {
	Software string `json:"software"`
}

type welcome struct {
	Manifest store.Manifest    `json:"manifest"`
	Config   string            `json:"config"`
	Notes    map[string]string `json:"notes"`
	Patience time.Duration     `json:"patience"`
}

// check rejects a coordination that cannot be.
func (c *Coordination) check() error {
	switch {
	case c.Listen == "" && c.NATS == "":
		return console.Usage("‹insecure› needs ‹listen› or ‹nats›")
	case c.Listen != "" && c.NATS != "":
		return console.Usage("‹listen› starts a NATS server, ‹nats› names one: give one of them")
	case c.Patience < time.Second:
		return console.Usage("‹worker-patience› %v: want at least a second", c.Patience)
	case c.NATS != "":
		return nil
	}

	_, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return console.Usage("‹listen› %q: want HOST:PORT: %v", c.Listen, err)
	}
	return nil
}

// Arguments returns the flags that a resumed run needs again.
func (c *Coordination) Arguments() (args []string) {
	if c.Listen != "" {
		args = append(args, "--listen", c.Listen)
	}

	if c.NATS != "" {
		args = append(args, "--nats", c.NATS)
	}

	if c.Insecure {
		args = append(args, "--insecure")
	}

	if c.Patience != DefaultWorkerPatience {
		args = append(args, "--worker-patience", c.Patience.String())
	}
	return args
}

// coordinate starts to coordinate a run.
func (j *RunJob) coordinate(ctx context.Context, run *stored.Run) (*cluster.Coordinator, error) {
	o := cluster.Options{
		Run:      run.Manifest.ID,
		Store:    run.Store,
		Listen:   j.Coordinate.Listen,
		URL:      j.Coordinate.NATS,
		Dir:      filepath.Join(run.Dir, "nats"),
		Patience: j.Coordinate.Patience,
		Welcome:  func(ctx context.Context, text []byte) ([]byte, error) { return j.welcome(ctx, run, text) },
		Ask:      cluster.Remembering(run),
		Used:     j.noteUsed,
		Log:      j.Servers.Log,
	}
	door, err := openDoor(run.Dir, j.Coordinate)
	if err != nil {
		return nil, err
	}

	o.Token, o.Secure = door.Token, door.server

	// What workers have appended while there was no coordinator is in the run once it has started.
	c, err := cluster.Start(ctx, o)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	join := cluster.PlaceOf(run.Manifest.ID, reachable(c.Address()), door.Token, door.pin).String()
	j.Say("Workers join with:\n  toolevo %s", console.Shell("work", "--join", join))

	if j.Coordinate.Started != nil {
		j.Coordinate.Started(join)
	}
	return c, nil
}

// release ends a coordination, and says what it came to. Workers of a run that is not done hand in
// what they have.
func (j *RunJob) release(ctx context.Context, c *cluster.Coordinator, done bool) error {
	stop := func() {}
	if !done {
		stop = j.Step("Waiting for the workers to hand in what they have")
	}

	err := c.Close(ctx, done)

	stop()

	n := c.Counts()
	text := fmt.Sprintf("Workers began %d units and ended %d", n.Begun, n.Ended)

	for _, other := range []struct {
		n    int
		text string
	}{
		{n.Again, "%d were begun again, as their worker was lost"},
		{n.Refused, "%d calls were made twice and refused"},
		{n.GivenUp, "%d were given up, as they brought workers down"},
	} {
		if other.n > 0 {
			text += "; " + fmt.Sprintf(other.text, other.n)
		}
	}

	j.Say("%s.", text)
	return console.GaveUp(err)
}

// reachable returns an address that other machines can dial, as far as this one knows it.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return address
	}

	if name, err := os.Hostname(); err == nil {
		host = name
	}
	return net.JoinHostPort(host, port)
}

// noteUsed notes what the models of workers took.
func (j *RunJob) noteUsed(all map[string]account.Usage) {
	for model, u := range all {
		j.Servers.Account.Of(model).Take(u)
	}
}

// welcome tells a worker what it needs to know about a run, if it is of this version.
func (j *RunJob) welcome(ctx context.Context, run *stored.Run, text []byte) ([]byte, error) {
	var h hello
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, fmt.Errorf("this is no worker of toolevo")
	}

	if h.Software != Software() {
		j.Say("A worker of toolevo %s was refused: this is %s.", h.Software, Software())
		return nil, fmt.Errorf("the run is coordinated by toolevo %s, this worker is %s: install the same version",
			Software(), h.Software)
	}

	notes, err := run.Notes(ctx)
	if err != nil {
		return nil, err
	}

	m := run.Manifest
	m.Data, m.Finished = "", nil
	return json.Marshal(welcome{m, run.Run.Config, notes, j.Coordinate.Patience})
}

// numbered returns the numbers of questions, by which units are named.
func numbered(all []collect.Question) func(id string) int {
	numbers := map[string]int{}
	for i, q := range all {
		numbers[q.Task.ID] = i
	}
	return func(id string) int { return numbers[id] }
}

// workersText says who is working.
func workersText(c *cluster.Coordinator) string {
	workers, units := c.Workers(), 0
	for _, w := range workers {
		units += len(w.Units)
	}
	return fmt.Sprintf("%d workers, %d units", len(workers), units)
}

// twin makes the folder that a worker works in: the run, without anything done yet.
func (w *welcome) twin(ctx context.Context, dir string) error {
	run, err := store.StartRun(ctx, dir, w.Manifest, w.Config, func(r *store.Run) error {
		for key, value := range w.Notes {
			if err := r.SetMeta(ctx, key, value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return run.Close()
}
