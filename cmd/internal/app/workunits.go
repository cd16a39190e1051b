package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"toolevo/envs/sqlite"
	"toolevo/finetune/stored"
	"toolevo/mcts"
	"toolevo/mcts/account"
	"toolevo/mcts/collect"
	"toolevo/mcts/collect/cluster"
	"toolevo/mcts/store"
)

// room returns how many more lanes the models could serve.
func (b *Bench) room(samples int) int {
	if room := b.Room(); room != nil {
		return room(samples)
	}
	return mostOpenUnits
}

// unit is a unit that is being done.
type unit struct {
	*cluster.Assignment
	store *store.Store // of its own
}

// serve does units: as many at once as the models have room for, and as the job allows.
func (w *working) serve(ctx context.Context, member *cluster.Worker, j *RunJob, b *Bench, run *stored.Run,
	do func(context.Context, *unit) ([]byte, error)) error {
	scratch := &scratch{dir: run.Dir}

	if err := j.publish(b, run.Run, followed{done: w.health}); err != nil {
		return err
	}

	w.follow(j.Servers.Account)

	// The coordinator compares the models with those of the other workers before it gives out work.
	if _, err := w.join(ctx, member, hello{Models: b.served(j.Servers.Account.Pass())}); err != nil {
		return err
	}
	defer w.Step("Working")()

	err := member.Serve(ctx, cluster.Work{
		Patience: w.patience,
		Extent:   w.extent,
		Room:     roomFor(j.workerCount(b), func() int { return b.room(j.samples(b)) }),
		Do: func(ctx context.Context, a *cluster.Assignment) ([]byte, error) {
			defer w.began()()

			s, remove, err := scratch.open(ctx)
			if err != nil {
				return nil, err
			}
			defer remove()

			return do(ctx, &unit{a, s})
		},
	})

	j.sayServed(b)
	return endedWork(ctx, err)
}

// roomFor lets in as many units at once as the models have room for, and no more than most.
func roomFor(most int, room func() int) func(context.Context) (arrived, release func(), err error) {
	var gate collect.Gate
	free := make(chan struct{}, most) // has one for each unit
	return func(ctx context.Context) (arrived, release func(), err error) {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}

		// The model may have less room than the job allows.
		if gate.Wait(ctx, room); ctx.Err() != nil {
			<-free
			return nil, nil, ctx.Err()
		}

		arrived = gate.Start()
		return arrived, func() {
			arrived()
			gate.End()
			<-free
		}, nil
	}
}

// began counts a unit, until it has ended.
func (w *working) began() (ended func()) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.done.Units++
	w.open++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()

		w.open--
		w.moves++
	}
}

// health grows as long as the worker is healthy: with the units that end, and while it has none, as
// it may wait long for others.
func (w *working) health() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.open == 0 {
		w.moves++
	}
	return w.moves
}

// follow has the coordinator told what is noted in an account.
func (w *working) follow(a *account.Account) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.account, w.told = a, map[string]account.Usage{}
}

// used returns what the models took since it was last called.
func (w *working) used() map[string]account.Usage {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.account == nil {
		return nil
	}

	now, since := w.account.Pass().Models, map[string]account.Usage{}

	for model, u := range now {
		if more := u.Minus(w.told[model]); more.Calls > 0 {
			since[model] = more
		}
	}

	w.told = now
	return since
}

// untold notes that the coordinator was not told what used returned: the models took it all the
// same.
func (w *working) untold(usage map[string]account.Usage) {
	w.mu.Lock()
	defer w.mu.Unlock()

	for model, u := range usage {
		w.told[model] = w.told[model].Minus(u)
	}
}

// scratch makes databases for one unit each: what another worker was faster with leaves nothing
// behind.
type scratch struct {
	dir string
	n   atomic.Int64
}

func (s *scratch) open(ctx context.Context) (db *store.Store, remove func(), err error) {
	path := filepath.Join(s.dir, fmt.Sprintf("unit-%d.db", s.n.Add(1)))

	db, err = store.Open(ctx, path)
	return db, func() {
		_ = db.Close() // nobody reads it again
		for _, part := range sqlite.Parts(path) {
			_ = os.Remove(part)
		}
	}, err
}

// arriving is a policy that says when it is called.
type arriving struct {
	mcts.Policy
	arrived func()
}

// Propose implements mcts.Policy.
func (p arriving) Propose(ctx context.Context, r mcts.Request) ([]mcts.Proposal, error) {
	p.arrived()
	return p.Policy.Propose(ctx, r)
}

// Converse implements mcts.Converser.
func (p arriving) Converse() (conversation mcts.Policy, end func()) {
	conversation, end = mcts.Converse(p.Policy)
	return arriving{conversation, p.arrived}, end
}
