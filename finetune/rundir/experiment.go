package rundir

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"toolevo/envs/disk"
	"toolevo/mcts/account"
	"toolevo/mcts/store"
)

// experimentFile is the file of a folder in which a command makes several runs.
const experimentFile = "experiment.json"

// experiment is what such a folder says about itself.
type experiment struct {
	Kind     string `json:"kind"`               // the command
	Runs     int    `json:"runs,omitempty"`     // that it makes, 0 if that depends on what they find
	Finished bool   `json:"finished,omitempty"` // nothing is left to do
}

// Begin notes that a command makes some runs in a folder, 0 if their number is unknown, and keeps
// its account there, on top of earlier ones. No other process may do so until finish is called,
// with whether all is done.
func Begin(dir, command string, runs int, a *account.Account) (finish func(all bool) error, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}

	release, err := store.Lock(filepath.Join(dir, store.LockFile))
	if err != nil {
		return nil, err
	}

	// An experiment that is begun again is no longer finished, so the note is replaced at once.
	note := experiment{Kind: command, Runs: runs}
	if err := replace(filepath.Join(dir, experimentFile), note); err != nil {
		return nil, errors.Join(err, release())
	}

	keep := KeepAccount(dir, a)
	return func(all bool) error {
		note.Finished = all
		err := errors.Join(keep(), replace(filepath.Join(dir, experimentFile), note))

		// What failed before its first run leaves nothing behind, unless models were asked for it.
		unpaid := a == nil || a.Total().Calls == 0
		if below, found := findBelow(dir, 2); found == nil && len(below) == 0 && !all && unpaid {
			for _, name := range []string{experimentFile, account.File, store.LockFile, ""} {
				_ = os.Remove(filepath.Join(dir, name)) // a folder with something else in it stays
			}
		}

		return errors.Join(err, release())
	}, nil
}

// KeepAccount continues an account from what a folder has of it, and keeps it there until the
// returned function is called.
func KeepAccount(dir string, a *account.Account) (finish func() error) {
	if passes, err := account.Read(dir); err == nil {
		a.Resume(passes)
	}
	return Keep(filepath.Join(dir, account.File), func() any { return a.Passes() })
}

// experimentAbove finds the experiment that the run in a folder is part of: the experiment's
// folder, "" where the run is part of none, and what that says of itself.
func experimentAbove(dir string) (above string, found experiment) {
	// The runs of an improvement and of an experiment with drift are two levels down.
	for range 2 {
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent

		var e experiment // a damaged file leaves nothing for the one above it
		text, err := disk.ReadFile(filepath.Join(dir, experimentFile))
		if err == nil && json.Unmarshal(text, &e) == nil {
			return dir, e
		}
	}
	return "", experiment{}
}

// row reads the experiment in a folder as a line of the list of runs.
func (e experiment) row(dir string) Run {
	r := Run{Dir: dir, Kind: e.Kind, State: Interrupted, Progress: Progress{Total: int64(e.Runs)}}
	r.Bytes, _ = sizeOf(dir)
	r.readAccount()

	switch {
	case errors.Is(store.Busy(dir), store.ErrLocked):
		r.State = Running
	case e.Finished:
		r.State = Finished
	}
	return r
}

// addPart adds what one of its runs says to an experiment.
func (r *Run) addPart(part *Run) {
	if part.State == Finished {
		r.Progress.Done++
	}

	if part.Problem != "" { // it says nothing about itself
		return
	}

	if r.Software == "" { // the first part
		r.Software, r.Settings = part.Software, part.Settings
	}

	for _, setting := range []struct {
		shared *string
		other  string
	}{
		{&r.Suite, part.Suite}, {&r.Policy, part.Policy}, {&r.API, part.API}, {&r.Prompt, part.Prompt},
		{&r.Preset, part.Preset},
	} {
		if *setting.shared != setting.other {
			*setting.shared = ""
		}
	}
}
