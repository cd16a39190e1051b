package cluster

import "toolevo/mcts/account"

// used returns what the models took that the coordinator was not told.
func (w *Worker) used() map[string]account.Usage {
	if w.options.Used == nil {
		return nil
	}

	more := w.options.Used()

	w.mu.Lock()
	defer w.mu.Unlock()

	untold := w.untold
	w.untold = nil
	return together(more, untold)
}

// noteUntold notes what an entry would have told that was refused: the models took it all the same,
// and the next entry tells it.
func (w *Worker) noteUntold(usage map[string]account.Usage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.untold = together(w.untold, usage)
}

// together returns the sums of both, in one of them.
func together(a, b map[string]account.Usage) map[string]account.Usage {
	if a == nil {
		return b
	}

	for model, u := range b {
		a[model] = a[model].Plus(u)
	}
	return a
}
