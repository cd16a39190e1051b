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
	"strings"

	"toolevo/envs/disk"
	"toolevo/finetune"
	"toolevo/mcts/account"
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
	Unreadable  State = "unreadable"
)

// Run is what a run directory says of itself.
type Run struct {
	Dir      string   `json:"dir"`                // the run directory
	State    State    `json:"state"`              // running, finished, interrupted, damaged or unreadable
	ID       string   `json:"run_id,omitempty"`   // no other run has it
	Kind     string   `json:"kind,omitempty"`     // "collect" or "eval"
	Software string   `json:"software,omitempty"` // the version that started the run
	Progress Progress `json:"progress"`           // what the run has noted last
	Bytes    int64    `json:"bytes"`              // of all its files

	Spent   *account.Total `json:"spent,omitempty"`   // by models in all passes; nil where it has noted nothing
	Problem string         `json:"problem,omitempty"` // why it is damaged or unreadable
}

// List reads the runs at and below some folders, in the order of the folders and of names. It wraps
// fs.ErrNotExist for a folder that is not there.
func List(ctx context.Context, folders []string) ([]Run, error) {
	all := []Run{}

	for _, folder := range folders {
		dirs, err := Find(folder, Deep)
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

// Deep is how many levels below a folder runs are looked for: those of an improvement are two down,
// and it may be one of several.
const Deep = 4

// Find returns the run directories at a folder and in some levels below it, in the order of their
// names. Hidden folders, and what lies behind a link, are passed over, but for links that lead to a
// run.
func Find(folder string, levels int) ([]string, error) {
	var dirs []string
	if isRun(folder) {
		dirs = append(dirs, folder)
	}

	below, err := findBelow(folder, levels)

	return append(dirs, below...), err
}

func findBelow(folder string, levels int) (dirs []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil || levels == 0 {
		return nil, err
	}

	for _, e := range entries {
		dir := filepath.Join(folder, e.Name())
		if isRun(dir) {
			dirs = append(dirs, dir)
		}

		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}

		// A folder of somebody else's, or one that was removed meanwhile, has no run to show.
		below, _ := findBelow(dir, levels-1)
		dirs = append(dirs, below...)
	}

	return dirs, nil
}

func isRun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, store.ManifestFile))
	return err == nil
}

// Read reads what the run in dir says of itself. A run that is damaged, or that another version
// made, is no error; it says so.
func Read(ctx context.Context, dir string) (Run, error) {
	r := Run{Dir: dir}

	size, err := sizeOf(dir)
	if err != nil {
		return r, fmt.Errorf("list runs: %w", err)
	}

	r.Bytes = size

	err = r.read(ctx)

	_, unreadable := errors.AsType[*disk.FormatError](err)

	switch {
	case errors.Is(err, store.ErrDamaged):
		r.State, r.Problem = Damaged, err.Error()
	case unreadable:
		r.State, r.Problem = Unreadable, err.Error()
	case err != nil:
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

	// One that cannot be read is as good as none: the next process that works on the run replaces it.
	if passes, err := account.Read(r.Dir); err == nil {
		spent := account.Sum(passes)
		r.Spent = &spent
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
	text, err := disk.ReadFile(filepath.Join(r.Dir, ReportFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	if err != nil {
		return fmt.Errorf("list runs: %w", err)
	}

	var report finetune.Report
	if err := json.Unmarshal(text, &report); err != nil {
		return fmt.Errorf("%s is %w: %w: resume the run, which writes it again", filepath.Join(r.Dir, ReportFile),
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
