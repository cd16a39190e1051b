package finetune

import "sync"

// Progress counts what an evaluation has done so far. Reading it while episodes are played is safe.
type Progress struct {
	mu  sync.Mutex
	now Snapshot
}

// Snapshot is Progress at one moment.
type Snapshot struct {
	Planned  int64 // episodes of the evaluation, from the start
	Done     int64 // of those, the ones that are over or lost
	Replayed int64 // of those done, the ones that took no call to the model

	Turns      int64 // of the episodes that are over
	Unreadable int64 // of those, the ones from which no action could be read
}

// Snapshot reads the counters.
func (p *Progress) Snapshot() Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *Progress) count(change func(s *Snapshot)) {
	p.mu.Lock()
	defer p.mu.Unlock()

	change(&p.now)
}
