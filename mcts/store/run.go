package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"golang.org/x/sys/unix"

	"toolevo/envs/disk"
	"toolevo/envs/sqlite"
)

// The files of a run directory.
const (
	ConfigFile   = "run.yaml" // the resolved configuration
	ManifestFile = "run.json" // the manifest
	databaseFile = "run.db"   // the log and the trees
	LockFile     = "run.lock" // see Lock
)

// ErrExists means that a directory already holds a run, and the caller did not ask to resume it.
var ErrExists = errors.New("the directory already holds a run")

// ErrNoRun means that a directory holds no run; see NoRunError.
var ErrNoRun = errors.New("not a run directory")

// NoRunError says which directory holds no run. It wraps ErrNoRun.
type NoRunError struct{ Dir string }

// Error names the directory.
func (e *NoRunError) Error() string {
	return fmt.Sprintf("%s is %v (no %s in it)", e.Dir, ErrNoRun, ManifestFile)
}

// Unwrap returns ErrNoRun.
func (e *NoRunError) Unwrap() error { return ErrNoRun }

// ErrDamaged means that files of a run are missing, or are not what was written.
var ErrDamaged = disk.ErrDamaged

// Run is an open run directory.
type Run struct {
	*Store
	Dir      string
	Manifest Manifest
	Config   string // the resolved configuration, YAML

	release func() error // nil when open for reading
}

// StartRun makes the run directory dir and opens it. The manifest needs no Hash and no Sum; its
// Data is any path of the data folder. It refuses a directory that holds a run (ErrExists) or the
// database of one (ErrDamaged), and one that another process works on (ErrLocked). The directory is
// for its owner alone, unless it was there before. note, if any, notes in the run what it is made
// from, before the directory counts as a run.
func StartRun(ctx context.Context, dir string, m Manifest, config string, note ...func(*Run) error) (*Run, error) {
	if err := Vacant(ctx, dir); err != nil {
		return nil, err
	}

	if err := os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o755); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}

	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("store: %w", err)
	}

	if err := disk.Sync(filepath.Dir(filepath.Clean(dir))); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return withLock(dir, func() (*Run, error) {
		if err := Vacant(ctx, dir); err != nil { // another process may have been faster
			return nil, err
		}

		if err := makeDatabase(ctx, dir, m.ID); err != nil {
			return nil, err
		}

		m.complete(dir)
		return openLocked(ctx, &Run{Dir: dir, Manifest: m, Config: config}, true, note...)
	})
}

// makeDatabase makes the database of a new run, whole or not at all. It replaces one that has no
// calls.
func makeDatabase(ctx context.Context, dir, id string) error {
	path := filepath.Join(dir, databaseFile)
	if err := remove(sqlite.Parts(path)...); err != nil {
		return err
	}

	s, err := Open(ctx, path+disk.Unfinished)
	if err != nil {
		return err
	}

	if err := errors.Join(s.SetMeta(ctx, "run", id), s.Close()); err != nil {
		return sqlite.DiskError(path, err)
	}

	if err := disk.Rename(path+disk.Unfinished, path); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// remove removes files, as far as they exist.
func remove(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store: %w", err)
		}
	}

	return nil
}

// ResumeRun opens the run in dir to continue it. agree looks at the run, which is open for reading,
// and returns its manifest and configuration from now on, or refuses; it may be called twice. As
// for StartRun, the Data it returns is any path of the data folder. ResumeRun refuses what OpenRun
// does, and a run that another process works on (ErrLocked). A run that is refused stays as it is.
func ResumeRun(ctx context.Context, dir string, agree func(context.Context, *Run) (Manifest, string, error)) (*Run,
	error) {
	if _, _, err := consult(ctx, dir, agree); err != nil {
		return nil, err
	}
	return withLock(dir, func() (*Run, error) {
		r, changed, err := consult(ctx, dir, agree) // another process may have been faster
		if err != nil {
			return nil, err
		}
		return openLocked(ctx, r, changed)
	})
}

// consult asks agree about the run in dir, and returns the run as it is to be, closed.
func consult(ctx context.Context, dir string, agree func(context.Context, *Run) (Manifest, string, error)) (r *Run,
	changed bool, err error) {
	if r, err = OpenRun(ctx, dir); err != nil {
		return nil, false, err
	}

	was := *r

	r.Manifest, r.Config, err = agree(ctx, r)
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, false, err
	}

	r.Store = nil
	r.Manifest.complete(dir)
	changed = r.Config != was.Config || !reflect.DeepEqual(r.Manifest, was.Manifest)
	return r, changed, nil
}

// withLock opens a run while this process holds its lock.
func withLock(dir string, open func() (*Run, error)) (*Run, error) {
	release, err := Lock(filepath.Join(dir, LockFile))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}

	// Only a process that holds the lock may finish, or remove, what a killed one has left.
	var r *Run

	err = settle(dir)
	if err == nil {
		r, err = open()
	}

	if err != nil {
		return nil, errors.Join(err, release())
	}

	r.release = release
	return r, nil
}

// openLocked opens the database of a run for writing. The manifest is written last: a directory
// that has one has everything else.
func openLocked(ctx context.Context, r *Run, changed bool, note ...func(*Run) error) (*Run, error) {
	s, err := openExisting(ctx, filepath.Join(r.Dir, databaseFile))
	if err != nil {
		return nil, err
	}

	r.Store = s

	for _, note := range note {
		if err := note(r); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}

	if changed {
		if err := r.writeManifest(); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}

	return r, nil
}

// Vacant makes sure that a run can begin in a directory, which need not exist: it holds none, and
// can be written. A database without a manifest and without a call is what a process left behind
// that was killed as it began.
func Vacant(ctx context.Context, dir string) error {
	_, _, err := readManifest(dir)
	if err == nil {
		return fmt.Errorf("store: %s: %w", dir, ErrExists)
	}

	// A run that is damaged is a run, too: another must not take its place.
	if !errors.Is(err, ErrNoRun) {
		return err
	}

	if err := writable(dir); err != nil {
		return err
	}

	path := filepath.Join(dir, databaseFile)
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return nil
	}

	// Opened for reading: it may be somebody's run, and has to stay as it is.
	s, err := OpenReadOnly(ctx, path)
	if err != nil {
		return err
	}

	n, err := s.CallCount(ctx)
	if err == nil && n > 0 {
		err = fmt.Errorf("store: %s is %w: it has the log of a run, %s, and no %s: put that back, or choose "+
			"another folder", dir, ErrDamaged, path, ManifestFile)
	}

	return errors.Join(err, s.Close())
}

// writable makes sure that files can be made in a directory, or that the directory can be made.
func writable(dir string) error {
	_, err := Room(dir)
	return err
}

// Room returns how many bytes are free for the files of a run directory, which need not exist yet.
// It fails if no files can be made there.
func Room(dir string) (free uint64, err error) {
	_, err = os.Stat(dir)
	if parent := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && parent != dir {
		return Room(parent)
	}

	if err == nil {
		err = unix.Faccessat(unix.AT_FDCWD, dir+string(filepath.Separator), unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	}

	if err != nil {
		return 0, fmt.Errorf("store: %w", &fs.PathError{Op: "write in", Path: dir, Err: err})
	}

	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, fmt.Errorf("store: %w", &fs.PathError{Op: "statfs", Path: dir, Err: err})
	}
	return disk.Bavail * uint64(disk.Bsize), nil
}

// OpenRun opens a run directory for reading, also while another process works on it. It refuses a
// directory that holds no run (ErrNoRun), and one whose files are not whole, or not of one run
// (ErrDamaged).
func OpenRun(ctx context.Context, dir string) (*Run, error) {
	config, m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}

	path := filepath.Join(dir, databaseFile)

	err = readable(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("store: %w", err)
	}

	if err != nil {
		return nil, fmt.Errorf("store: the run in %s is %w: its log: %w: %s", dir, ErrDamaged, err, restore)
	}

	s, err := OpenReadOnly(ctx, path)
	if err != nil {
		return nil, err
	}

	r := &Run{Store: s, Dir: dir, Manifest: m, Config: config}
	if err := r.checkDatabase(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return r, nil
}

// readable makes sure that a file exists, can be read, and is not empty.
func readable(path string) error {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()

	info, err := f.Stat()
	if err == nil && info.Size() == 0 {
		err = fmt.Errorf("%s is empty", path)
	}
	return err
}

// checkDatabase makes sure that the database belongs to the manifest: it is easily copied, or put
// back, without it.
func (r *Run) checkDatabase(ctx context.Context) error {
	id, err := r.Meta(ctx, "run")
	if err != nil {
		return err
	}

	if id != r.Manifest.ID {
		return fmt.Errorf("store: the run in %s is %w: its %s belongs to run %q, its %s to run %q: put the right "+
			"one back", r.Dir, ErrDamaged, databaseFile, id, ManifestFile, r.Manifest.ID)
	}

	f := r.Manifest.Finished
	if f == nil {
		return nil
	}

	n, err := r.TreeCount(ctx)
	if err == nil && n < f.Trees {
		err = fmt.Errorf("store: the run in %s is %w: it had %d trees when it was finished, and its %s holds %d: "+
			"put the right one back", r.Dir, ErrDamaged, f.Trees, databaseFile, n)
	}

	return err
}

// Finish notes that the run has ended with nothing left to do, and what its rows are.
func (r *Run) Finish(ctx context.Context, rows int, sha256 string) error {
	n, err := r.TreeCount(ctx)
	if err != nil {
		return err
	}

	finished := Finished{Trees: n, Rows: rows, SHA256: sha256}
	if r.Manifest.Finished != nil && *r.Manifest.Finished == finished {
		return nil
	}

	r.Manifest.Finished = &finished
	return r.writeManifest()
}

// Close closes the database and releases the run's lock.
func (r *Run) Close() error {
	err := r.Store.Close()
	if r.release != nil {
		err = errors.Join(err, r.release())
	}
	return err
}

// settle completes or undoes what a killed process began in a run's directory.
func settle(dir string) error {
	config := filepath.Join(dir, ConfigFile)
	if now, _, err := readManifest(dir); err == nil {
		if text, err := os.ReadFile(config); err != nil || string(text) != now {
			if err := disk.Rename(config+disk.Unfinished, config); err != nil {
				return fmt.Errorf("store: %w", err)
			}
		}
	}

	database := filepath.Join(dir, databaseFile+disk.Unfinished)
	return remove(append(sqlite.Parts(database), config+disk.Unfinished,
		filepath.Join(dir, ManifestFile+disk.Unfinished))...)
}

// write writes a file that is not read before it is renamed.
func write(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}

	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// TreeCount returns how many trees are stored.
func (s *Store) TreeCount(ctx context.Context) (int, error) { return s.count(ctx, "trees") }
