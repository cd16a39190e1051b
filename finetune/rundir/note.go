package rundir

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"toolevo/envs/console"
	"toolevo/envs/disk"
)

// noteFile is the file of a run directory that says how far the run is.
const noteFile = "progress.json"

// noteEvery is how often a process that works on a run notes its progress: one that is killed loses
// no more.
const noteEvery = time.Second

// Progress is how far a run is.
type Progress struct {
	Done       int64  `json:"done"`                        // trees or episodes that are there, given up, or no longer needed
	Total      int64  `json:"total"`                       // trees or episodes of the run at most; 0 if not noted
	Questions  int64  `json:"questions,omitempty"`         // of the run
	Finished   int64  `json:"questions_done,omitempty"`    // of a collection: those that get no more trees
	Solved     *int64 `json:"solved,omitempty"`            // questions of a collection with an accepted trajectory
	Correct    *int64 `json:"correct,omitempty"`           // correct trajectories, or episodes
	Accepted   *int64 `json:"distinct_accepted,omitempty"` // trajectories of a collection that training takes
	Unresolved *int64 `json:"unresolved,omitempty"`        // trees given up, or episodes lost, to failures of infrastructure

	// of a run that workers do, as they were when its coordinator last noted it
	Workers *Workers `json:"workers,omitempty"`
}

// Workers are those of a run that workers on other machines do.
type Workers struct {
	Begun   int `json:"units_begun"`       // by workers; a unit is a question's trees, or an episode
	Ended   int `json:"units_ended"`       // of those begun
	Again   int `json:"units_begun_again"` // as their worker was lost
	Refused int `json:"calls_refused"`     // calls to the model that were made twice

	There []Worker `json:"there,omitempty"` // by name
}

// Worker is a worker of a run.
type Worker struct {
	Name    string  `json:"worker"`            // as it calls itself
	Units   int     `json:"units"`             // that it does
	Done    int64   `json:"units_done"`        // since it joined
	PerHour float64 `json:"units_per_hour"`    // that it did since it joined
	Longest float64 `json:"longest,omitempty"` // seconds since it began the unit that takes longest
}

// Note notes the progress of the run in dir until finish is called, which notes the last of it.
func Note(dir string, read func() Progress) (finish func() error) {
	return Keep(filepath.Join(dir, noteFile), func() any { return read() })
}

// Keep replaces the file at path by a value as JSON every second until finish is called, which does
// so a last time and returns the error of that. A process that is killed leaves the old file or the
// new one.
func Keep(path string, read func() any) (finish func() error) {
	// Only the last one reports its error.
	stop := console.Every(noteEvery, func() { _ = replace(path, read()) })
	return func() error {
		stop()
		return replace(path, read())
	}
}

// replace replaces a file without a sync: the figures of the last seconds before a power cut are
// not worth one every second.
func replace(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}

	if err := os.WriteFile(path+disk.Unfinished, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+disk.Unfinished, path)
}

// ReadNote returns the progress that the run in dir has noted, nil if it has no readable note.
func ReadNote(dir string) (*Progress, error) {
	text, err := disk.ReadFile(filepath.Join(dir, noteFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	if err != nil {
		return nil, err
	}

	var p Progress
	if json.Unmarshal(text, &p) != nil || p.Done < 0 || p.Total < 0 {
		return nil, nil // as good as none: the next process that works on the run replaces it
	}
	return &p, nil
}
