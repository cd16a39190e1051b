package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/finetune/rundir"
	"toolevo/finetune/stored"
	"toolevo/mcts/account"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/store"
)

// Coordination says that workers on other machines do the work of a run.
type Coordination struct {
	Listen   string        // HOST:PORT for workers; "" with NATS
	NATS     string        // the address of a NATS server that is there; "" starts one
	Insecure bool          // without TLS, though other machines can listen
	Patience time.Duration // how long a worker may say nothing, at least a second
}

// DefaultWorkerPatience is how long a worker may say nothing before its work is another's.
const DefaultWorkerPatience = 60 * time.Second

// mostOpenUnits is how many units are in the queue or being done at once: more than any workers
// have room for.
const mostOpenUnits = 8192

// hello is what a worker says about itself, and welcome what it gets to know.
type hello struct {
	Software string            `json:"software"`
	Models   map[string]served `json:"models,omitempty"` // by policy; nil before it has looked at its servers
	Unfit    string            `json:"unfit,omitempty"`  // why it cannot work for the run, as it found out itself
}

// served is what a worker has seen of a model on its servers, as they answered its greeting. The
// size of the prompt tells tokenizers and chat templates apart.
type served struct {
	Names  []string `json:"names,omitempty"`  // in replies
	Tokens float64  `json:"tokens,omitempty"` // of the greeting's prompt; 0 where servers tell none
}

// differs says how one worker's model differs from another's; "" if it does not.
func (s served) differs(other served) string {
	switch {
	case len(s.Names) > 0 && len(other.Names) > 0 && !slices.Equal(s.Names, other.Names):
		return fmt.Sprintf("its replies are of %s, those of the other workers of %s", strings.Join(s.Names, ", "),
			strings.Join(other.Names, ", "))
	case s.Tokens > 0 && other.Tokens > 0 && s.Tokens != other.Tokens:
		return fmt.Sprintf("its server reads a prompt as %g tokens that the others read as %g: another tokenizer or "+
			"chat template", s.Tokens, other.Tokens)
	}
	return ""
}

type welcome struct {
	Extent   string            `json:"extent"`
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
		if _, err := cluster.PlaceAt("", c.NATS); err != nil {
			return console.Usage("‹nats›: %v", err)
		}
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

	// Its credentials are its user's to give again.
	if p, err := cluster.PlaceAt("", c.NATS); c.NATS != "" && err == nil {
		args = append(args, "--nats", p.Server())
	}

	if c.Insecure {
		args = append(args, "--insecure")
	}

	if c.Patience != DefaultWorkerPatience {
		args = append(args, "--worker-patience", c.Patience.String())
	}
	return args
}

// coordinated starts to coordinate a run if the job says so, until release is called with whether
// the run is complete; otherwise there are no workers. load tells people who is working.
func (j *RunJob) coordinated(ctx context.Context, b *Bench, run *stored.Run) (workers *cluster.Coordinator,
	load func() string, release func(done bool) error, err error) {
	if j.Coordinate == nil {
		return nil, j.load(b), func(bool) error { return nil }, nil
	}

	if workers, err = j.coordinate(ctx, run); err != nil {
		return nil, nil, nil, err
	}

	var once sync.Once

	release = func(done bool) (err error) {
		once.Do(func() { err = j.release(ctx, workers, done) })
		return err
	}
	return workers, func() string { return workersText(workers) }, release, nil
}

// coordinate starts to coordinate a run.
func (j *RunJob) coordinate(ctx context.Context, run *stored.Run) (*cluster.Coordinator, error) {
	door, err := openDoor(run.Dir, j.Coordinate)
	if err != nil {
		return nil, err
	}

	o := cluster.Options{
		// Another run on the server may have been given the same ID.
		Run:      run.Manifest.ID + door.Token,
		Token:    door.Token,
		Secure:   door.server,
		Store:    run.Store,
		Listen:   j.Coordinate.Listen,
		Dir:      filepath.Join(run.Dir, "nats"),
		Patience: j.Coordinate.Patience,
		Extent:   extentOf(run, j.Coordinate),
		InTurn:   run.Manifest.Kind == stored.Collection && run.Config.Search.InTurn(),
		Welcome:  (&entrance{RunJob: j, run: run, models: map[string]served{}}).welcome,
		Ask:      newDataShelf(j.Data, cluster.Remembering(run)).answer,
		Used:     j.noteUsed,
		Log:      j.Servers.Log,
	}

	if j.Coordinate.NATS != "" {
		if o.Place, err = cluster.PlaceAt(o.Run, j.Coordinate.NATS); err != nil {
			return nil, console.Usage("‹nats›: %v", err)
		}
	}

	// What workers have appended while there was no coordinator is in the run once it has started.
	c, err := cluster.Start(ctx, o)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	place := o.Place
	if j.Coordinate.NATS == "" {
		place = cluster.PlaceOf(o.Run, reachable(c.Address()), door.Token, door.pin)
	}

	if err := j.tellPlace(run.Dir, place.String()); err != nil {
		return nil, errors.Join(console.GaveUp(err), c.Close(ctx, false))
	}
	return c, nil
}

// tellPlace says where workers join: to people, and to those that see the run's folder. It has the
// token, so the file is for its owner alone.
func (j *RunJob) tellPlace(dir, join string) error {
	j.Say("Workers join with:\n  toolevo %s", console.Shell("work", "--join", join))
	return os.WriteFile(filepath.Join(dir, joinFile), []byte(join+"\n"), 0o600)
}

// extentOf says what a run has to do, and how, in a word that differs once it is extended.
func extentOf(run *stored.Run, c *Coordination) string {
	var all strings.Builder
	fmt.Fprintln(&all, run.Run.Config, c.Patience)

	for _, q := range run.Questions {
		fmt.Fprintln(&all, q.ID)
	}
	return envs.SHA256(all.String())[:16]
}

// joinFile is the file of a run's folder that says where its coordinator is, while there is one or
// the run has to go on.
const joinFile = "join"

// placeOf reads where a coordinator is: what it printed, or the folder of its run.
func placeOf(join string) (cluster.Place, error) {
	if strings.Contains(join, "://") {
		return cluster.ParsePlace(join)
	}

	text, err := disk.ReadFile(filepath.Join(join, joinFile))
	if errors.Is(err, fs.ErrNotExist) {
		return cluster.Place{}, fmt.Errorf("%q is no run that somebody coordinates (with ‹listen›): start that, or "+
			"give the address that it printed", join)
	}

	if err != nil {
		return cluster.Place{}, err
	}
	return cluster.ParsePlace(strings.TrimSpace(string(text)))
}

// release ends a coordination, and says what it came to. Workers of a run that is not done hand in
// what they have.
func (j *RunJob) release(ctx context.Context, c *cluster.Coordinator, done bool) error {
	// That takes as long as their calls in flight.
	stop := func() {}
	if !done {
		stop = j.Step("Waiting for the workers to hand in what they have")
	}

	err := c.Close(ctx, done)

	stop()

	if done {
		if gone := os.Remove(filepath.Join(j.Out, joinFile)); !errors.Is(gone, fs.ErrNotExist) {
			err = cmp.Or(err, gone)
		}
	}

	n := c.Counts()
	text := fmt.Sprintf("Workers began %d units and ended %d", n.Begun, n.Ended)

	for _, other := range []struct {
		n    int
		text string
	}{
		{n.Again, "%d were begun again, as their worker was lost"},
		{n.Refused, "%d calls were made twice and refused"},
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

// entrance decides who may join a coordination.
type entrance struct {
	*RunJob
	run *stored.Run

	mu     sync.Mutex
	models map[string]served // of the first workers that told, by policy
}

// welcome tells a worker what it needs to know about a run, if it is of this version and its models
// are those of the other workers.
func (e *entrance) welcome(ctx context.Context, text []byte) ([]byte, error) {
	welcome, err := e.letIn(ctx, text)
	if err != nil {
		e.Say("A worker was refused: %v", err)
	}
	return welcome, err
}

func (e *entrance) letIn(ctx context.Context, text []byte) ([]byte, error) {
	var h hello
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, errors.New("what it says cannot be read: is it toolevo?")
	}

	if h.Software != Software() {
		return nil, fmt.Errorf("the run is coordinated by toolevo %s, this worker is %s: install the same version",
			Software(), h.Software)
	}

	if h.Unfit != "" {
		return nil, errors.New(h.Unfit)
	}

	if err := e.compare(h.Models); err != nil {
		return nil, err
	}

	run := e.run

	notes, err := run.Notes(ctx)
	if err != nil {
		return nil, err
	}

	// A worker has a data folder of its own, and takes up the run as one that goes on.
	m := run.Manifest
	m.Data, m.Finished = "", nil
	return json.Marshal(welcome{extentOf(run, e.Coordinate), m, run.Run.Config, notes, e.Coordinate.Patience})
}

// compare rejects a worker whose models are not those of the others. The first worker that has seen
// something of a model says what the others have to have.
func (e *entrance) compare(models map[string]served) error {
	e.mu.Lock()
	defer e.mu.Unlock()

	for policy, model := range models {
		if how := model.differs(e.models[policy]); how != "" {
			return fmt.Errorf("the model %s of this worker is another one: %s", policy, how)
		}
	}

	// The first may have seen nothing, as its server was still loading the model.
	for policy, model := range models {
		first := e.models[policy]
		if len(first.Names) == 0 {
			first.Names = model.Names
		}

		first.Tokens = cmp.Or(first.Tokens, model.Tokens)
		e.models[policy] = first
	}
	return nil
}

// workersText says who is working.
func workersText(c *cluster.Coordinator) string {
	s := c.Status()

	text := fmt.Sprintf("%d workers, %d units", s.Workers, s.Units)
	if s.Again > 0 {
		text += fmt.Sprintf(", %d begun again", s.Again)
	}
	return text
}

// workersNote returns what the list of runs shows of workers; nil without any.
func workersNote(c *cluster.Coordinator) *rundir.Workers {
	if c == nil {
		return nil
	}

	n := c.Counts()
	all := &rundir.Workers{Begun: n.Begun, Ended: n.Ended, Again: n.Again, Refused: n.Refused}

	for _, b := range c.Workers() {
		w := rundir.Worker{Name: b.Worker, Units: len(b.Units), Done: b.Done}
		if there := b.Seen.Sub(b.Joined).Hours(); there > 0 {
			w.PerHour = float64(b.Done) / there
		}

		for _, since := range b.Units {
			w.Longest = max(w.Longest, b.Seen.Sub(since).Seconds())
		}

		all.There = append(all.There, w)
	}
	return all
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
