package collect

import (
	"sync"
)

// Progress counts what a run has done so far. Reading it while the run works is safe.
type Progress struct {
	mu  sync.Mutex
	now Snapshot
}

// Snapshot is Progress at one moment.
type Snapshot struct {
	Questions     int64 `json:"questions"`      // questions of the run
	QuestionsDone int64 `json:"questions_done"` // questions with nothing more to do
	// of those done, the ones that took this process no call to the model
	QuestionsReplayed int64 `json:"-"`
	Solved            int64 `json:"solved"`        // questions with an accepted trajectory
	Trees             int64 `json:"trees"`         // trees in the run; fewer than planned where questions had enough
	TreesPlanned      int64 `json:"trees_planned"` // trees the run may grow at most
	// of those planned, the ones in the run, given up, or no longer needed
	TreesDone   int64 `json:"trees_done"`
	TreesLoaded int64 `json:"trees_loaded"`   // of those in the run, the ones that were there before
	Unresolved  int64 `json:"unresolved"`     // trees given up
	Asked       int64 `json:"calls"`          // calls to the model
	Replayed    int64 `json:"calls_replayed"` // calls answered by the log
	Samples     int64 `json:"samples"`        // completions, of asked calls
	// distinct trajectories that training takes: correct by the strict matcher, too
	Accepted int64 `json:"distinct_accepted"`
	Correct  int64 `json:"-"`     // trajectories of the trees in the run that ended with the right answer
	Turns    int64 `json:"turns"` // turns of the trees in the run
	// of those turns, the ones from which no action could be read
	Unreadable int64 `json:"unreadable_turns"`
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
