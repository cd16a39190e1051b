package rundir

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"toolevo/envs/regular"
	"toolevo/finetune"
	"toolevo/mcts/store"
)

// ReportFile is the file of an evaluation's run directory that holds its report (finetune.Report).
const ReportFile = "report.json"

// State is what a run is doing.
type State string

// The states of a run; see the package comment.
const (
	Running     State = "running"
	Finished    State = "finished"
	Interrupted State = "interrupted"
	Damaged     State = "damaged"
)

// Run is what a run directory says of itself.
type Run struct {
	Dir      string   `json:"dir"`                // the run directory
	State    State    `json:"state"`              // running, finished, interrupted or damaged
	ID       string   `json:"run_id,omitempty"`   // no other run has it
	Kind     string   `json:"kind,omitempty"`     // "collect" or "eval"
	Software string   `json:"software,omitempty"` // the version that started the run
	Progress Progress `json:"progress"`           // what the run has noted last
	Bytes    int64    `json:"bytes"`              // of all its files
	Problem  string   `json:"problem,omitempty"`  // why it is damaged
}

// List reads the runs of some folders, each a run directory or one that holds some, in the order of the folders and of
// names. It wraps fs.ErrNotExist for a folder that is not there.
func List(ctx context.Context, folders []string) ([]Run, error) {
	all := []Run{}

	for _, folder := range folders {
		dirs, err := runsIn(folder)
		if err != nil {
			return nil, fmt.Errorf("list runs: %w", err)
		}

		for _, dir := range dirs {
			r, err := Read(ctx, dir)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it was removed meanwhile
			}

			if err != nil {
				return nil, err
			}

			all = append(all, r)
		}
	}

	return all, nil
}

// runsIn returns the run directories at or in a folder.
func runsIn(folder string) ([]string, error) {
	if isRun(folder) {
		return []string{folder}, nil
	}

	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}

	var dirs []string

	for _, e := range entries {
		if dir := filepath.Join(folder, e.Name()); isRun(dir) {
			dirs = append(dirs, dir)
		}
	}

	return dirs, nil
}

func isRun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, store.ManifestFile))
	return err == nil
}

// Read reads what the run in dir says of itself. A run that is damaged is no error; it says so.
func Read(ctx context.Context, dir string) (Run, error) {
	r := Run{Dir: dir}

	size, err := sizeOf(dir)
	if err != nil {
		return r, fmt.Errorf("list runs: %w", err)
	}

	r.Bytes = size

	if err := r.read(ctx); errors.Is(err, store.ErrDamaged) {
		r.State, r.Problem = Damaged, err.Error()
	} else if err != nil {
		return r, err
	}

	return r, nil
}

func (r *Run) read(ctx context.Context) error {
	m, err := store.ReadManifest(r.Dir)
	if err != nil {
		return err
	}

	r.ID, r.Kind, r.Software = m.ID, m.Kind, m.Software

	if r.State, err = stateOf(r.Dir, &m); err != nil {
		return err
	}

	if err := r.readProgress(ctx, &m); err != nil {
		return err
	}

	if r.Kind != "eval" || r.State == Running {
		return nil
	}

	return r.readReport()
}

// StateOf is what the run in dir is doing. A run that is damaged is an error.
func StateOf(dir string) (State, error) {
	m, err := store.ReadManifest(dir)
	if err != nil {
		return "", err
	}

	return stateOf(dir, &m)
}

func stateOf(dir string, m *store.Manifest) (State, error) {
	switch err := store.Busy(dir); {
	case errors.Is(err, store.ErrLocked):
		return Running, nil
	case err != nil:
		return "", err
	case m.Finished != nil && !m.Finished.Extended:
		return Finished, nil
	}

	return Interrupted, nil
}

// readProgress reads the note of the run, or gathers what a run without one knows.
func (r *Run) readProgress(ctx context.Context, m *store.Manifest) error {
	note, err := readNote(r.Dir)
	if err != nil {
		return fmt.Errorf("list runs: %w", err)
	}

	switch {
	case note != nil:
		r.Progress = *note
		return nil
	case r.State == Finished:
		r.Progress.Done, r.Progress.Total = int64(m.Finished.Trees), int64(m.Finished.Trees)
		if r.Kind == "collect" {
			r.Progress.Correct = count(m.Finished.Rows)
		}

		return nil
	}

	run, err := store.OpenRun(ctx, r.Dir)
	if err != nil {
		return err
	}

	n, err := run.TreeCount(ctx)
	r.Progress.Done = int64(n)

	return errors.Join(err, run.Close())
}

// readReport adds what the last report of an evaluation says.
func (r *Run) readReport() error {
	text, err := regular.ReadFile(filepath.Join(r.Dir, ReportFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	if err != nil {
		return fmt.Errorf("list runs: %w", err)
	}

	var report finetune.Report
	if err := json.Unmarshal(text, &report); err != nil {
		return fmt.Errorf("%s is %w: %w: --resume writes it again", filepath.Join(r.Dir, ReportFile),
			store.ErrDamaged, err)
	}

	correct, lost := 0, 0

	for _, row := range report.Rows {
		correct += int(math.Round(row.Official * float64(row.N)))
		lost += row.Lost
	}

	r.Progress.Correct, r.Progress.Unresolved = count(correct), count(lost)

	return nil
}

func count(n int) *int64 {
	c := int64(n)
	return &c
}

// sizeOf adds up the files below a folder. What goes while it looks, as a database's journal does, is not counted.
func sizeOf(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = entry.Info(); err == nil {
				total += info.Size()
			}
		}

		if errors.Is(err, fs.ErrNotExist) && path != dir {
			return nil
		}

		return err
	})

	return total, err
}
