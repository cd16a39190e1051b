package improve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"toolevo/envs/console"
	"toolevo/envs/names"
	"toolevo/mcts/store"
)

// Program is this program, as the stages use it.
type Program struct {
	Path string // of its executable

	// Run does what a command line of collect, eval or export asks for, and returns the result:
	// what the command prints as JSON.
	Run func(ctx context.Context, args ...string) (any, error)

	// Running returns where a server of a kind is already running, from the environment.
	Running func(kind string) string

	// Say tells the user something on a line.
	Say func(format string, args ...any)

	// Watch shows what a trainer said last until the returned function is called.
	Watch func(log string) (stop func())
}

// Options say which stages are skipped or repeated.
type Options struct {
	Skip  []string // IDs of stages whose results exist already, or are not wanted
	Redo  bool     // repeat stages whose settings changed, and all that depend on them
	Again []string // IDs of stages to repeat, with all that depend on them
}

// lockFile keeps other processes out of the folder.
const lockFile = ".lock"

// loop is a run of all rounds.
type loop struct {
	config  *Config
	dir     string // absolute
	program Program
	notes   *notes
}

// Run does all stages in a folder that are not finished, and returns what was measured in all of
// them. It stops at the first stage that fails.
func Run(ctx context.Context, c *Config, dir string, p Program, o Options) (_ *Result, err error) {
	l := &loop{config: c, program: p}

	if l.dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}

	// A misspelt stage is found before the folder is made, so that it leaves no trace.
	if err := l.checkIDs(slices.Concat(o.Skip, o.Again)); err != nil {
		return nil, err
	}

	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return nil, err
	}

	// The notes are read under the lock, since another process may be writing them.
	release, err := store.Lock(filepath.Join(l.dir, lockFile))
	if err != nil {
		return nil, err
	}

	defer func() { err = errors.Join(err, release()) }()

	if l.notes, err = readNotes(l.dir); err != nil {
		return nil, err
	}

	// All finished stages are compared with the file before the first new one begins: a changed
	// setting should not surface after hours of training.
	if err := l.compare(o); err != nil {
		return nil, err
	}

	if err := l.doAll(ctx, o.Skip); err != nil {
		return nil, err
	}

	result, err := l.result()
	if err != nil {
		return nil, err
	}
	return result, result.writeCSV(filepath.Join(l.dir, CSVFile))
}

// checkIDs rejects unknown stages.
func (l *loop) checkIDs(ids []string) error {
	var known []string
	for _, s := range l.stages() {
		known = append(known, s.ID())
	}

	for _, id := range ids {
		if _, err := names.Parse("stage", id, known); err != nil {
			return err
		}
	}

	return nil
}

// compare rejects a file whose settings for finished stages, or for a training that was begun, have
// changed. With Redo, and for the stages in Again, it forgets the stages instead, and removes their
// folders: but never that of a skipped stage, which the user made.
func (l *loop) compare(o Options) error {
	keys := map[string]string{}
	again := slices.Clone(o.Again)

	var repeated []stage

	for _, s := range l.stages() {
		keys[s.ID()] = l.key(s, keys)

		// Stages come before those that depend on them, so that one pass carries a repetition to
		// the end.
		if slices.ContainsFunc(s.dependsOn, func(id string) bool { return slices.Contains(again, id) }) {
			again = append(again, s.ID())
		}

		n, before := l.notes.find(s.ID()), l.notes.key(s.ID())
		skip := slices.Contains(o.Skip, s.ID())
		_, err := os.Lstat(s.out)
		isThere := err == nil

		switch {
		case slices.Contains(again, s.ID()):
		case before == "" || before == keys[s.ID()]:
			continue
		case n == nil && (skip || !isThere): // a training that will not resume
			continue
		case !o.Redo:
			// Hours of training are not thrown away because of a changed line: the user has to say
			// so.
			return &ChangedError{s.ID(), l.dir}
		}

		if n != nil && n.Skipped && !skip && isThere {
			return console.Usage("stage %s was skipped: name it in ‹skip› again, or remove its "+
				"folder %s", s.ID(), s.out)
		}

		again, repeated = append(again, s.ID()), append(repeated, s)
	}

	return l.forget(repeated, o.Skip)
}

// forget forgets stages, and removes the folders of those that are not skipped.
func (l *loop) forget(stages []stage, skip []string) error {
	for _, s := range stages {
		// The note goes first: a folder without a note is begun again, a note without one is not.
		l.notes.Stages = slices.DeleteFunc(l.notes.Stages, func(n note) bool {
			return n.Stage == s.ID()
		})
		if err := l.notes.write(l.dir); err != nil {
			return err
		}

		// What an unfinished stage has done would be gone on with, though it is of other weights.
		if !slices.Contains(skip, s.ID()) {
			if err := os.RemoveAll(s.out); err != nil {
				return err
			}
		}
	}
	return nil
}

// ChangedError means that the file has new settings for a finished stage, a training that was
// begun, or a stage that one of them depends on.
type ChangedError struct{ Stage, Dir string }

// Error names the stage.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("stage %s in %s is finished or begun, but the file now has other settings "+
		"for it, or for a stage that it depends on", e.Stage, e.Dir)
}

// doAll does the stages that are not finished.
func (l *loop) doAll(ctx context.Context, skip []string) error {
	keys := map[string]string{}

	for _, s := range l.stages() {
		keys[s.ID()] = l.key(s, keys)

		if l.notes.find(s.ID()) != nil {
			continue
		}

		n := note{Stage: s.ID(), Key: keys[s.ID()], Skipped: slices.Contains(skip, s.ID())}

		// A trainer resumes whatever its folder holds, so the settings of that are noted. The runs
		// of other stages know their own.
		if s.name == stageTrain && !n.Skipped {
			l.notes.Begun = n
			if err := l.notes.write(l.dir); err != nil {
				return err
			}
		}

		if n.Skipped {
			l.program.Say("%s: skipped", s.ID())
		} else if err := l.do(ctx, s, &n); err != nil {
			return fmt.Errorf("stage %s: %w", s.ID(), err)
		}

		l.notes.Stages = append(l.notes.Stages, n)
		if err := l.notes.write(l.dir); err != nil {
			return err
		}
	}

	return nil
}

// do does a stage and notes its result.
func (l *loop) do(ctx context.Context, s stage, n *note) (err error) {
	l.program.Say("%s …", s.ID())

	began := time.Now()

	var result any

	switch s.name {
	case stageExport:
		result, err = l.program.Run(ctx, append([]string{"export", "--out", s.out}, s.args...)...)
	case stageTrain:
		err = l.runTrainer(ctx, s)
	case stageCollect:
		result, err = l.play(ctx, s, "collect")
	default:
		result, err = l.play(ctx, s, "eval")
	}

	if err != nil {
		return err
	}

	n.Seconds = time.Since(began).Seconds()
	if result != nil {
		n.Result, err = json.Marshal(result)
	}
	return err
}
