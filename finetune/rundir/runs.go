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
	"time"

	"github.com/goccy/go-yaml"

	"toolevo/envs/disk"
	"toolevo/finetune"
	"toolevo/mcts/account"
	"toolevo/mcts/estimate"
	"toolevo/mcts/store"
)

// ReportFile is the file of an evaluation's run directory that holds its report (finetune.Report).
const ReportFile = "report.json"

// EstimateFile is the file of a collection that holds its estimate.
const EstimateFile = "estimate.json"

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

// Run is what a run directory says of itself, or the folder of an experiment.
type Run struct {
	Dir      string    `json:"dir"`                // the run directory
	Name     string    `json:"name,omitempty"`     // by which commands take it, too
	Parent   string    `json:"parent,omitempty"`   // the folder of the experiment that it is part of
	State    State     `json:"state"`              // running, finished, interrupted, damaged or unreadable
	ID       string    `json:"run_id,omitempty"`   // no other run has it; an experiment has none
	Kind     string    `json:"kind,omitempty"`     // "collect" or "eval", or the command of an experiment
	Software string    `json:"software,omitempty"` // the version that started the run
	Started  time.Time `json:"started,omitzero"`   // its first pass, or the run itself
	Settings
	Progress   Progress       `json:"progress"`             // what the run has noted last
	Accuracies []Accuracy     `json:"accuracies,omitempty"` // of an evaluation's last report
	Bytes      int64          `json:"bytes"`                // of all its files
	Spent      *account.Total `json:"spent,omitempty"`      // by models in all passes; nil if it has noted nothing
	// what the run was expected to take before it began; nil without an estimate
	Estimate *estimate.Estimate `json:"estimate,omitempty"`
	Problem  string             `json:"problem,omitempty"` // why it is damaged or unreadable
}

// Settings are those that tell runs apart. An experiment has the ones that its runs share.
type Settings struct {
	Suite  string `json:"suite,omitempty"`      // the benchmark
	Policy string `json:"policy,omitempty"`     // e.g. "scripted:noisy"; several with commas
	API    string `json:"api,omitempty"`        // deployed versions, as --api takes them
	Prompt string `json:"prompt_api,omitempty"` // the version that prompts show
	Preset string `json:"preset,omitempty"`     // of the search
}

// Accuracy is that of a policy under a deployed version, over all questions.
type Accuracy struct {
	Policy   string  `json:"policy"`         // e.g. "scripted:noisy"
	API      string  `json:"api"`            // the deployed version
	N        int     `json:"n"`              // questions measured
	Lost     int     `json:"lost,omitempty"` // episodes lost to infrastructure failures, in no other figure
	Official float64 `json:"official"`       // right by the benchmark's matcher, 0..1
	Strict   float64 `json:"strict"`         // right by the strict matcher, 0..1
}

// Deep is how many levels below a folder runs are looked for: those of an improvement are two down,
// and it may be one of several.
const Deep = 4

// Find returns the run directories at a folder and in some levels below it, in the order of their
// names. It skips hidden folders, and follows links only to a run itself.
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

// Read reads what the run in dir says about itself. A run that is damaged, or that another version
// made, is no error: its State says so.
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

	r.ID, r.Kind, r.Software, r.Started = m.ID, m.Kind, m.Software, m.Began()
	r.readSettings()

	if r.State, err = stateOf(r.Dir, &m); err != nil {
		return err
	}

	if err := r.readProgress(ctx, &m); err != nil {
		return err
	}

	r.readAccount()

	if r.Kind != "eval" || r.State == Running {
		return nil
	}
	return r.readReport()
}

// readSettings reads what the run's configuration chose. This version of the program need not
// accept the configuration, so only these keys are read, and a file without them is skipped.
func (r *Run) readSettings() {
	var c struct {
		Suite, Prompt, Preset string
		Policy, API           []string
	}

	text, err := store.ReadConfig(r.Dir)
	if err != nil || yaml.Unmarshal([]byte(text), &c) != nil {
		return
	}

	r.Settings = Settings{c.Suite, strings.Join(c.Policy, ","), strings.Join(c.API, ","), c.Prompt, ""}
	if r.Kind == "collect" {
		r.Preset = c.Preset // an evaluation searches nothing
	}
}

// readAccount reads what was spent. An account that cannot be read is as good as none: the next
// process that works on the run replaces it.
func (r *Run) readAccount() {
	passes, err := account.Read(r.Dir)
	if err != nil || len(passes) == 0 {
		return
	}

	spent := account.Sum(passes)
	r.Spent = &spent

	if text, err := disk.ReadFile(filepath.Join(r.Dir, EstimateFile)); err == nil {
		_ = json.Unmarshal(text, &r.Estimate) // a broken estimate does not matter either
	}

	if r.Started.IsZero() { // a name that the user chose tells no time
		r.Started = passes[0].Started
	}
}

// StateOf returns what the run in dir is doing. A damaged run is an error.
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

// readProgress reads the note of the run, or gathers what is known without one.
func (r *Run) readProgress(ctx context.Context, m *store.Manifest) error {
	note, err := ReadNote(r.Dir)
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

// readReport adds the figures of an evaluation's last report.
func (r *Run) readReport() error {
	text, err := disk.ReadFile(filepath.Join(r.Dir, ReportFile))

	// An evaluation that was interrupted before its first end has no report yet.
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	if err != nil {
		return fmt.Errorf("list runs: %w", err)
	}

	var report finetune.Report
	if err := json.Unmarshal(text, &report); err != nil {
		return fmt.Errorf("%s is %w: %w: resume the run, which writes it again",
			filepath.Join(r.Dir, ReportFile), store.ErrDamaged, err)
	}

	// The report has shares; from them and the counts come the numbers of the list, also for a run
	// whose note is gone.
	correct, lost := 0, 0

	for _, row := range report.Rows {
		correct += int(math.Round(row.Official * float64(row.Measured)))
		lost += row.Lost
	}

	r.Progress.Correct, r.Progress.Unresolved = count(correct), count(lost)

	// A single cell has no row over all: it is all.
	all := report.Overall
	if len(all) == 0 {
		all = report.Rows
	}

	for _, row := range all {
		r.Accuracies = append(r.Accuracies,
			Accuracy{row.Policy, row.API, row.N, row.Lost, row.Official, row.Strict})
	}
	return nil
}

func count(n int) *int64 {
	c := int64(n)
	return &c
}

// sizeOf adds up the files below a folder. Files that vanish meanwhile, as a database's journal
// does, are not counted.
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
