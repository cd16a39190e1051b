package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// The files of a run directory.
const (
	ConfigFile   = "run.yaml" // the resolved configuration
	manifestFile = "run.json" // the manifest
	databaseFile = "run.db"   // the log and the trees
	lockFile     = "run.lock" // see Lock
)

// Manifest says what a run is. Two runs of one Hash grow the same trees if their models answer the
// same; they are still two runs, with an ID each.
type Manifest struct {
	ID         string            `json:"id"`                 // unique; a later run has a greater one
	Hash       string            `json:"hash"`               // of Kind, ConfigHash and Inputs; "" in runs of earlier versions
	Kind       string            `json:"kind"`               // "collect" or "eval"
	ConfigHash string            `json:"config_hash"`        // of the settings that change a result
	Inputs     map[string]string `json:"inputs"`             // what the run's questions use: hashes and makers, by name
	Data       string            `json:"data,omitempty"`     // the data folder; see DataFolder
	Software   string            `json:"software"`           // the version that started the run
	Finished   *Finished         `json:"finished,omitempty"` // nil until the run has ended with nothing left to do
	Sum        string            `json:"sum,omitempty"`      // of all the above and the configuration
}

// Finished is what a run had when it was finished.
type Finished struct {
	Trees    int    `json:"trees"`
	Rows     int    `json:"rows"`
	SHA256   string `json:"rows_sha256"`        // of the file of its rows
	Extended bool   `json:"extended,omitempty"` // there is more to do since
}

// NewID returns the ID of a new run: no other run has it, and a later one is greater.
func NewID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("store: make the ID of a run: %w", err)
	}
	return id.String(), nil
}

// Identity returns what two runs have in common that grow the same trees. Of a run of an earlier
// version that is its ID.
func (m *Manifest) Identity() string { return cmp.Or(m.Hash, m.ID) }

// hash returns what Hash has to be.
func (m *Manifest) hash() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q\n", m.Kind, m.ConfigHash)
	for _, name := range slices.Sorted(maps.Keys(m.Inputs)) {
		fmt.Fprintf(sum, "%q %q\n", name, m.Inputs[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// sum returns what Sum has to be beside a configuration.
func (m Manifest) sum(config string) (string, error) {
	m.Sum = ""
	text, err := m.encode()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(text, config...))
	return hex.EncodeToString(sum[:]), nil
}

// encode returns the text of the manifest's file.
func (m *Manifest) encode() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return append(text, '\n'), nil
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

// StartRun makes the run directory dir and opens it. The manifest needs no Hash and no Sum; its Data
// is any path of the data folder. It refuses a directory that holds a run (ErrExists) or the database
// of one (ErrDamaged), and one that another process works on (ErrLocked). The directory is for its
// owner alone, unless it was there before.
func StartRun(ctx context.Context, dir string, m Manifest, config string) (*Run, error) {
	if err := vacant(ctx, dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(dir)), 0o755); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("store: %w", err)
	}

	return locked(dir, func() (*Run, error) {
		if err := vacant(ctx, dir); err != nil { // another process may have been faster
			return nil, err
		}
		if err := makeDatabase(ctx, dir, m.ID); err != nil {
			return nil, err
		}
		m.complete(dir)
		return openLocked(ctx, &Run{Dir: dir, Manifest: m, Config: config}, true)
	})
}

// makeDatabase makes the database of a new run, whole or not at all, in place of one without a call.
func makeDatabase(ctx context.Context, dir, id string) error {
	path := filepath.Join(dir, databaseFile)
	if err := remove(path, path+"-wal", path+"-shm"); err != nil {
		return err
	}

	s, err := Open(ctx, path+unfinished)
	if err != nil {
		return err
	}
	if err := errors.Join(s.SetMeta(ctx, "run", id), s.Close()); err != nil {
		return err
	}

	if err := os.Rename(path+unfinished, path); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// remove removes files that may be there.
func remove(paths ...string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store: %w", err)
		}
	}
	return nil
}

// ResumeRun opens the run in dir to go on with it. agree looks at the run, which is open for reading,
// and says what its manifest and configuration are from now on, or refuses; it may be asked twice. As
// for StartRun, the Data it gives is any path of the data folder. ResumeRun refuses what OpenRun does, and a run that another process works on (ErrLocked). A run
// that is refused stays as it is.
func ResumeRun(ctx context.Context, dir string, agree func(context.Context, *Run) (Manifest, string, error)) (*Run, error) {
	if _, _, err := consult(ctx, dir, agree); err != nil {
		return nil, err
	}

	return locked(dir, func() (*Run, error) {
		r, changed, err := consult(ctx, dir, agree) // another process may have been faster
		if err != nil {
			return nil, err
		}
		return openLocked(ctx, r, changed)
	})
}

// consult asks agree about the run in dir, and returns the run as it is to be, closed.
func consult(ctx context.Context, dir string, agree func(context.Context, *Run) (Manifest, string, error)) (r *Run, changed bool, err error) {
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

// locked opens a run while this process holds its lock.
func locked(dir string, open func() (*Run, error)) (*Run, error) {
	release, err := Lock(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}

	// What a process that was killed has left, only the next one can finish, or remove.
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

// openLocked opens the database of a run for writing. The manifest is written last: a directory that
// has one has everything else.
func openLocked(ctx context.Context, r *Run, changed bool) (*Run, error) {
	s, err := openExisting(ctx, filepath.Join(r.Dir, databaseFile))
	if err != nil {
		return nil, err
	}

	r.Store = s
	if changed {
		if err := r.writeManifest(); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}

	return r, nil
}

// vacant makes sure that a directory, which need not be there, holds no run. A database without a
// manifest and without a call is what a process left behind that was killed as it began.
func vacant(ctx context.Context, dir string) error {
	_, _, err := readManifest(dir)
	if err == nil {
		return fmt.Errorf("store: %s: %w", dir, ErrExists)
	}
	if !errors.Is(err, ErrNoRun) {
		return err
	}

	path := filepath.Join(dir, databaseFile)
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return nil
	}

	s, err := OpenReadOnly(ctx, path)
	if err != nil {
		return err
	}
	n, err := s.CallCount(ctx)
	if err == nil && n > 0 {
		err = fmt.Errorf("store: %s is %w: it has the log of a run, %s, and no %s: put that back, or choose another folder",
			dir, ErrDamaged, path, manifestFile)
	}

	return errors.Join(err, s.Close())
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
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return nil, fmt.Errorf("store: the run in %s is %w: its %s, with all it did, is missing or empty: put it back, "+
			"or begin another run in another folder", dir, ErrDamaged, databaseFile)
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

// checkDatabase makes sure that the database is the one that the manifest was written beside: it is
// easily copied, or put back, without it.
func (r *Run) checkDatabase(ctx context.Context) error {
	id, err := r.Meta(ctx, "run")
	if err != nil {
		return err
	}
	if id != r.Manifest.ID && (id != "" || r.Manifest.Hash != "") {
		return fmt.Errorf("store: the run in %s is %w: its %s belongs to run %q, its %s to run %q: put the right one back",
			r.Dir, ErrDamaged, databaseFile, id, manifestFile, r.Manifest.ID)
	}

	f := r.Manifest.Finished
	if f == nil {
		return nil
	}
	n, err := r.TreeCount(ctx)
	if err == nil && n < f.Trees {
		err = fmt.Errorf("store: the run in %s is %w: it had %d trees when it was finished, and its %s holds %d: put the right one back",
			r.Dir, ErrDamaged, f.Trees, databaseFile, n)
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

// DataFolder returns the path of the data folder that the run in dir was made from, "" where the
// manifest names none.
func (m *Manifest) DataFolder(dir string) string {
	if m.Data == "" || filepath.IsAbs(m.Data) {
		return m.Data
	}
	return filepath.Join(resolved(dir), m.Data)
}

// ReadManifest reads the manifest of the run in dir, without opening it.
func ReadManifest(dir string) (Manifest, error) {
	_, m, err := readManifest(dir)
	return m, err
}

// ReadConfig reads the configuration of the run in dir, without opening it.
func ReadConfig(dir string) (string, error) {
	config, _, err := readManifest(dir)
	return config, err
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
// ErrDamaged where it is not what was written.
func readManifest(dir string) (config string, m Manifest, err error) {
	path := filepath.Join(dir, manifestFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", m, fmt.Errorf("store: %s is %w (no %s in it)", dir, ErrNoRun, manifestFile)
	}
	if err != nil {
		return "", m, fmt.Errorf("store: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return "", m, fmt.Errorf("store: %s is %w: %w", path, ErrDamaged, err)
	}

	yaml, err := os.ReadFile(filepath.Join(dir, ConfigFile))
	if err == nil {
		err = m.check(dir, text, string(yaml))
	}
	if err != nil {
		// A process that was killed as it changed the run may not have come to rename it.
		next, nextErr := os.ReadFile(filepath.Join(dir, ConfigFile+unfinished))
		if nextErr == nil && m.check(dir, text, string(next)) == nil {
			return string(next), m, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", m, fmt.Errorf("store: the run in %s is %w: its %s is missing: put it back", dir, ErrDamaged, ConfigFile)
	}
	if err != nil {
		return "", m, fmt.Errorf("store: %w", err)
	}

	return string(yaml), m, nil
}

// check makes sure that a manifest and a configuration are to the byte what was written.
func (m *Manifest) check(dir string, text []byte, config string) error {
	if m.Hash == "" && m.Sum == "" {
		return nil // of an earlier version
	}

	again, err := m.encode()
	if err != nil {
		return err
	}
	sum, err := m.sum(config)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, text) || sum != m.Sum || m.hash() != m.Hash {
		return fmt.Errorf("the run in %s is %w: its %s or its %s was changed since it was written: put it back "+
			"(settings of a run are changed by the flags of --resume)", dir, ErrDamaged, manifestFile, ConfigFile)
	}

	return nil
}

// complete fills in what follows from the rest.
func (m *Manifest) complete(dir string) {
	m.Hash = m.hash()
	m.Data = relative(dir, m.Data)
}

// writeManifest writes the configuration and then the manifest.
func (r *Run) writeManifest() error {
	sum, err := r.Manifest.sum(r.Config)
	if err != nil {
		return err
	}
	r.Manifest.Sum = sum
	text, err := r.Manifest.encode()
	if err != nil {
		return err
	}

	// The manifest decides: the configuration beside it is the one that it was written with, which a
	// reader finds under either name.
	config, manifest := filepath.Join(r.Dir, ConfigFile), filepath.Join(r.Dir, manifestFile)
	if err := errors.Join(write(config+unfinished, []byte(r.Config)), write(manifest+unfinished, text)); err != nil {
		return errors.Join(err, remove(config+unfinished, manifest+unfinished))
	}
	err = os.Rename(manifest+unfinished, manifest)
	if err == nil {
		err = os.Rename(config+unfinished, config)
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}

	return nil
}

// relative returns a path as seen from a run's directory, so that both can be moved together, or the
// whole path where they have nothing in common but the root.
func relative(dir, path string) string {
	if path == "" {
		return ""
	}
	from, to := resolved(dir), realPath(path)
	rel, err := filepath.Rel(from, to)
	if err != nil || strings.Count(rel, "..") == strings.Count(from, string(filepath.Separator)) {
		return to
	}
	return rel
}

// realPath returns the absolute path of a file, with no symbolic links on the way to it. The file
// itself may be one: whoever links to a data folder may move it.
func realPath(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return filepath.Join(resolved(filepath.Dir(abs)), filepath.Base(abs))
}

// resolved returns the absolute path of a folder without symbolic links, where it is there.
func resolved(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	return abs
}

// unfinished ends the names of files that are being written.
const unfinished = ".new"

// settle ends what a process began in a run's directory that was killed, or undoes it.
func settle(dir string) error {
	config := filepath.Join(dir, ConfigFile)
	if now, _, err := readManifest(dir); err == nil {
		if text, err := os.ReadFile(config); err != nil || string(text) != now {
			if err := os.Rename(config+unfinished, config); err != nil {
				return fmt.Errorf("store: %w", err)
			}
		}
	}

	database := filepath.Join(dir, databaseFile+unfinished)
	return remove(config+unfinished, filepath.Join(dir, manifestFile+unfinished), database, database+"-wal", database+"-shm")
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
func (s *Store) TreeCount(ctx context.Context) (int, error) {
	var n int
	err := s.read.QueryRowContext(ctx, `SELECT count(*) FROM trees`).Scan(&n)
	return n, fail("count trees", err)
}
