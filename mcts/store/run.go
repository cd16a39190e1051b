package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The files of a run directory.
const (
	ConfigFile   = "run.yaml" // the resolved configuration
	manifestFile = "run.json" // the manifest
	databaseFile = "run.db"   // the log and the trees
	lockFile     = "run.lock" // see Lock
)

// Manifest says what a run is. Two runs with the same ID produce the same trees, if the
// model answers the same.
type Manifest struct {
	ID         string            `json:"id"`          // derived from kind, configuration and inputs
	Kind       string            `json:"kind"`        // "collect" or "eval"
	ConfigHash string            `json:"config_hash"` // of the resolved configuration
	Inputs     map[string]string `json:"inputs"`      // hashes of the data read, by name
	Software   string            `json:"software"`    // the version that started the run
}

// MismatchError means that a run directory belongs to something else.
type MismatchError struct {
	Dir            string
	Theirs, Ours   Manifest
	Stored, Wanted string // the configurations
}

// Error names the directory; the caller has both configurations to show what differs.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s belongs to another %s run (%s, not %s)", e.Dir, e.Theirs.Kind, e.Theirs.ID, e.Ours.ID)
}

// ErrExists means that a directory holds a run already and was not asked to go on with it.
var ErrExists = errors.New("the directory holds a run already")

// ErrNoRun means that a directory holds no run.
var ErrNoRun = errors.New("no run directory")

// ErrDamaged means that files of a run are missing, or are not what was written.
var ErrDamaged = errors.New("damaged")

// Run is an open run directory.
type Run struct {
	*Store
	Dir      string
	Manifest Manifest
	Config   string // the resolved configuration, YAML

	release func() error // nil when open for reading
}

// StartRun makes the run directory dir and opens it, or, with resume, goes on with the one that is
// there. It refuses a directory that holds another run (MismatchError), one that holds a run when
// resume is not set (ErrExists) and one that holds none when it is (ErrNoRun), one whose files are
// not whole (ErrDamaged), and one that another process works on (ErrLocked). A directory that is
// refused stays as it is.
func StartRun(ctx context.Context, dir string, m Manifest, config string, resume bool) (*Run, error) {
	if _, err := admit(dir, m, config, resume); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	release, err := Lock(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}

	r, err := startLocked(ctx, dir, m, config, resume)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	r.release = release

	return r, nil
}

func startLocked(ctx context.Context, dir string, m Manifest, config string, resume bool) (*Run, error) {
	m, err := admit(dir, m, config, resume) // another process may have been faster
	if err != nil {
		return nil, err
	}

	s, err := Open(ctx, filepath.Join(dir, databaseFile))
	if err == nil {
		err = s.claim(ctx, m.ID)
	}
	if err != nil {
		return nil, err
	}
	if !resume {
		if err := writeManifest(dir, m, config); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}

	return &Run{Store: s, Dir: dir, Manifest: m, Config: config}, nil
}

// admit says whether a run may begin in a directory, or go on, and returns its manifest.
func admit(dir string, m Manifest, config string, resume bool) (Manifest, error) {
	stored, theirs, err := readManifest(dir)
	switch {
	case errors.Is(err, ErrNoRun) && !resume:
		return m, nil
	case err != nil:
		return m, err
	case !resume:
		return m, fmt.Errorf("store: %s: %w", dir, ErrExists)
	case theirs.ID != m.ID:
		return m, &MismatchError{Dir: dir, Theirs: theirs, Ours: m, Stored: stored, Wanted: config}
	}
	return theirs, nil
}

// claim notes in the database which run it belongs to, or refuses one that belongs to another: a database is easily
// copied without its manifest.
func (s *Store) claim(ctx context.Context, id string) error {
	have, err := s.Meta(ctx, "run")
	if err == nil && have == "" {
		return s.SetMeta(ctx, "run", id)
	}
	if err == nil && have != id {
		err = fmt.Errorf("store: %s belongs to run %s, not %s: move it away, or choose another folder", s.path, have, id)
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

// OpenRun opens a run directory for reading, also while another process works on it.
func OpenRun(ctx context.Context, dir string) (*Run, error) {
	config, m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	s, err := OpenReadOnly(ctx, filepath.Join(dir, databaseFile))
	if err != nil {
		return nil, err
	}
	return &Run{Store: s, Dir: dir, Manifest: m, Config: config}, nil
}

// Busy returns an error that wraps [ErrLocked] if another process works on the run in dir right now. It is for finding out
// before something that takes long: StartRun finds out for good.
func Busy(dir string) error {
	path := filepath.Join(dir, lockFile)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	release, err := Lock(path)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return release()
}

// ReadManifest reads the manifest of the run in dir, without opening it.
func ReadManifest(dir string) (Manifest, error) {
	_, m, err := readManifest(dir)
	return m, err
}

// Close closes the database and gives the run free.
func (r *Run) Close() error {
	err := r.Store.Close()
	if r.release != nil {
		err = errors.Join(err, r.release())
	}
	return err
}

// readManifest reads what a directory says of its run. It wraps ErrNoRun where there is none, and
// ErrDamaged where only a part of it is there.
func readManifest(dir string) (config string, m Manifest, err error) {
	path := filepath.Join(dir, manifestFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", m, fmt.Errorf("store: %s is %w (no %s in it)", dir, ErrNoRun, manifestFile)
	}
	if err != nil {
		return "", m, fmt.Errorf("store: %w", err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return "", m, fmt.Errorf("store: %s is %w: %w", path, ErrDamaged, err)
	}

	yaml, err := os.ReadFile(filepath.Join(dir, ConfigFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", m, fmt.Errorf("store: the run in %s is %w: its %s is missing: put it back", dir, ErrDamaged, ConfigFile)
	}
	if err != nil {
		return "", m, fmt.Errorf("store: %w", err)
	}

	return string(yaml), m, nil
}

// writeManifest writes the manifest last: a directory with a manifest has everything else.
func writeManifest(dir string, m Manifest, config string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := writeFile(filepath.Join(dir, ConfigFile), []byte(config)); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, manifestFile), append(text, '\n'))
}

// writeFile writes a file whole or not at all.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("store: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
