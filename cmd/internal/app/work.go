package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/account"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/policy/serving"
	"toolevo/mcts/store"
)

// WorkJob does the work of a run that another process coordinates.
type WorkJob struct {
	Host
	Join          string // what the coordinator printed, or the folder of its run
	Name          string // of this worker; "" is one that no other has
	Data          string // the data folder; "" is TOOLEVO_DATA or data
	Fetch         bool   // what the data folder lacks, from the coordinator
	Workers       int    // trees or episodes at a time, at most; 0 is as many as pay
	PythonServers int
	Servers       *serving.Servers
	Metrics       string
	Log           console.Log
}

// Worked is what a worker has done.
type Worked struct {
	Run   string        `json:"run_id"` // that it worked for
	Units int           `json:"units"`  // that it has begun
	Spent account.Total `json:"spent"`  // by its models
}

// Work joins a run, and does its units until the run is complete or ctx ends. While the coordinator
// is away it goes on, and waits for it.
func Work(ctx context.Context, job WorkJob) (Worked, error) {
	place, err := placeOf(job.Join)
	if err != nil {
		return Worked{}, console.Usage("‹join›: %v", err)
	}

	host, _ := os.Hostname() // a name without it will do

	if job.Name == "" {
		id, err := store.NewID()
		if err != nil {
			return Worked{}, console.GaveUp(err)
		}

		job.Name = host + "-" + id[len(id)-8:]
	}

	w := &working{WorkJob: job, place: place, machine: host}

	member, err := w.connect()
	for err == nil {
		if err = w.pass(ctx, member); !errors.Is(err, cluster.ErrPaused) {
			break
		}

		job.Say("The coordinator has ended; waiting for it to go on with the run. Ctrl-C ends this worker.")

		member, err = w.wait(ctx)
	}

	if errors.Is(err, cluster.ErrOver) {
		err = nil
	}

	// The account that those of all passes are within.
	w.done.Spent = job.Servers.Account.Total()
	return w.done, err
}

// again is how long to wait before a coordinator that has ended is looked for again.
const again = time.Second

// wait waits until the coordinator is back.
func (w *working) wait(ctx context.Context) (*cluster.Worker, error) {
	for {
		if err := mcts.Wait(ctx, again); err != nil {
			return nil, endedWork(ctx, err)
		}

		// A folder may say another address by now.
		if place, err := placeOf(w.Join); err == nil {
			w.place = place
		}

		if member, err := w.connect(); err == nil || errors.Is(err, cluster.ErrToken) {
			return member, err
		}
	}
}

func (w *working) connect() (*cluster.Worker, error) {
	member, err := cluster.Connect(cluster.WorkerOptions{
		Place: w.place, Name: w.Name, Machine: w.machine, Secure: w.place.Client(),
		Used: w.used, Untold: w.untold, Say: w.Say,
	})
	if err == nil {
		w.Say("Connected to %s as %s.", w.place.Host, w.Name)
	}
	return member, console.GaveUp(err)
}

// working is a worker at work.
type working struct {
	WorkJob
	place    cluster.Place
	machine  string
	done     Worked
	patience time.Duration // of the coordinator
	extent   string        // of the run, as it was when this worker joined

	mu      sync.Mutex // guards done and what follows
	open    int        // units that are being done
	moves   int64      // what health returned last, and units that have ended since
	account *account.Account
	told    map[string]account.Usage // of the models, as the coordinator knows it
}

// pass works from joining until the coordinator ends, or ctx does.
func (w *working) pass(ctx context.Context, member *cluster.Worker) error {
	defer member.Close()

	stop := w.Step("Joining the run at " + w.place.Host)
	welcome, err := w.join(ctx, member, hello{})
	stop()

	if err != nil {
		return err
	}

	err = w.inTwin(ctx, member, welcome)

	// Its own reason, which the coordinator's user should know, too.
	if console.KindOf(err) == console.WrongUsage && !errors.As(err, new(*cluster.AnswerError)) {
		_, _ = w.join(ctx, member, hello{Unfit: err.Error()})
	}
	return err
}

// join asks the coordinator whether this worker may work.
func (w *working) join(ctx context.Context, member *cluster.Worker, h hello) (*welcome, error) {
	h.Software = Software()

	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}

	// A coordinator that is away is waited for; one that answers knows why.
	text, err = member.Join(ctx, text)
	if refused := (*cluster.AnswerError)(nil); errors.As(err, &refused) {
		return nil, console.Usage("%w", err)
	}

	if err != nil {
		return nil, endedWork(ctx, err)
	}

	var welcome welcome
	if err := json.Unmarshal(text, &welcome); err != nil {
		return nil, console.GaveUp(fmt.Errorf("the coordinator's welcome cannot be read: %w", err))
	}
	return &welcome, nil
}

// served returns what was seen of the models by greeting their servers, before anything else was
// asked of them.
func (b *Bench) served(spent account.Pass) map[string]served {
	all := map[string]served{}

	for policy, s := range b.Snapshots() {
		model := served{Names: s.Names()}
		if u := spent.Models[policy]; u.Calls > 0 {
			model.Tokens = float64(u.PromptTokens) / float64(u.Calls)
		}

		all[policy] = model
	}
	return all
}

// endedWork returns the error of a worker that its user, its coordinator or a failure has ended.
func endedWork(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, cluster.ErrOver) || errors.Is(err, cluster.ErrPaused):
		return err
	case ctx.Err() != nil:
		return console.Interrupted("interrupted; what was done is with the coordinator, and other workers go on")
	}
	return console.GaveUp(err)
}

// inTwin makes a folder for this worker and works in it.
func (w *working) inTwin(ctx context.Context, member *cluster.Worker, welcome *welcome) (err error) {
	if err := disk.RemoveLeftovers(os.TempDir(), twinPrefix, ""); err != nil {
		w.Say("%v", err) // of others, or on a disk that will be noticed
	}

	claimed, err := disk.MkdirTemp("", twinPrefix)
	if err != nil {
		return console.GaveUp(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(claimed.Name()), claimed.Close()) }()

	dir := filepath.Join(claimed.Name(), welcome.Manifest.ID)
	if err := welcome.twin(ctx, dir); err != nil {
		return console.GaveUp(err)
	}

	w.done.Run, w.patience, w.extent = welcome.Manifest.ID, welcome.Patience, welcome.Extent

	run := w.runJob(dir)
	if w.Fetch {
		if err := w.fetchData(ctx, member, run.Data); err != nil {
			return err
		}
	}

	switch welcome.Manifest.Kind {
	case stored.Collection:
		job := CollectJob{RunJob: run}.Prepared()
		return w.grow(ctx, &job, member)
	default:
		job := EvaluateJob{RunJob: run}
		job.setCommand("eval", stored.Evaluated, EvaluateDefaults())
		return w.play(ctx, &job, member)
	}
}

// runJob returns the job that works in a folder. An engine is the run's or none: `work` has no flag
// to mix them.
func (w *working) runJob(dir string) RunJob {
	return RunJob{
		Host:          w.Host,
		Data:          cmp.Or(w.Data, w.DefaultData()),
		Out:           dir,
		Workers:       w.Workers,
		PythonServers: w.PythonServers,
		Resume:        true,
		Servers:       w.Servers,
		Metrics:       w.Metrics,
		Log:           w.Log,
		Part:          true,
		works:         true,
		oneEngine:     true,
	}
}

// twinPrefix begins the names of workers' folders among temporary files.
const twinPrefix = "toolevo-work-"

// grow does the units of a collection.
func (w *working) grow(ctx context.Context, j *CollectJob, member *cluster.Worker) error {
	b, err := j.open(ctx, OnePolicy(stored.Collection))
	if err != nil {
		return err
	}
	defer b.Close()

	return j.inRun(ctx, b, func(run *stored.Run) error {
		o, err := LogOptions(b, run.Run)
		if err != nil {
			return err
		}

		// Results of tools are those of the whole run.
		if o.Env, err = b.branchEnvironment(member); err != nil {
			return err
		}

		if o.Policy, err = b.Policy(b.Config.Policy[0]); err != nil {
			return err
		}

		return w.serve(ctx, member, &j.RunJob, b, run, func(ctx context.Context, u *unit) ([]byte, error) {
			o := o
			o.Store, o.Policy = u.store, arriving{o.Policy, u.Arrived}
			return cluster.GrowLane(ctx, u.Assignment, o)
		})
	})
}

// play does the units of an evaluation.
func (w *working) play(ctx context.Context, j *EvaluateJob, member *cluster.Worker) error {
	b, err := j.open(ctx, nil)
	if err != nil {
		return err
	}
	defer b.Close()

	return j.inRun(ctx, b, func(run *stored.Run) error {
		e, err := b.evaluation(run, member)
		if err != nil {
			return err
		}

		o := finetune.Options{Workers: 1, Retry: b.Retry()}

		return w.serve(ctx, member, &j.RunJob, b, run, func(ctx context.Context, u *unit) ([]byte, error) {
			o := o
			o.Store = u.store
			return playUnit(ctx, u, e.Jobs, o)
		})
	})
}
