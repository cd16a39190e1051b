package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"toolevo/envs"
	"toolevo/envs/disk"
)

// Manifest says what a run is. Two runs of one Hash grow the same trees if their models answer the
// same; they are still two runs, with an ID each.
type Manifest struct {
	Format     int               `json:"format"`             // of the run's files
	ID         string            `json:"id"`                 // unique; a later run has a greater one
	Hash       string            `json:"hash"`               // of Kind, ConfigHash and Inputs
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
	Trees    int    `json:"trees"`              // or episodes
	Rows     int    `json:"rows"`               // of trajectories.parquet or episodes.parquet
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

// Began returns when the run began; see TimeOf.
func (m *Manifest) Began() time.Time { return TimeOf(m.ID) }

// TimeOf returns when the run of an ID began, or the zero time if the ID does not tell.
func TimeOf(runID string) time.Time {
	id, err := uuid.Parse(runID)
	if err != nil || id.Version() != 7 {
		return time.Time{}
	}
	return time.Unix(id.Time().UnixTime()).UTC()
}

// hash computes the value of Hash.
func (m *Manifest) hash() string {
	var all strings.Builder
	fmt.Fprintf(&all, "%q %q\n", m.Kind, m.ConfigHash)

	for _, name := range slices.Sorted(maps.Keys(m.Inputs)) {
		fmt.Fprintf(&all, "%q %q\n", name, m.Inputs[name])
	}
	return envs.SHA256(all.String())[:16]
}

// sum computes the value of Sum with a configuration.
func (m Manifest) sum(config string) (string, error) {
	m.Sum = ""

	text, err := m.encode()
	if err != nil {
		return "", err
	}
	return envs.SHA256(append(text, config...)), nil
}

// encode returns the text of the manifest's file.
func (m *Manifest) encode() ([]byte, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return append(text, '\n'), nil
}

// DataFolder returns the path of the data folder that the run in dir was made from, or "" if the
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

// ReadConfig returns the configuration of the run in dir without opening its database.
func ReadConfig(dir string) (string, error) {
	config, _, err := readManifest(dir)
	return config, err
}

// readManifest reads the manifest and the configuration of a run. It wraps ErrNoRun if the
// directory has none, and ErrDamaged if they are not what was written.
func readManifest(dir string) (config string, m Manifest, err error) {
	path := filepath.Join(dir, ManifestFile)

	text, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", m, fmt.Errorf("store: %w", &NoRunError{dir})
	}

	if err != nil {
		return "", m, fmt.Errorf("store: %w", err)
	}

	// Before it is decoded: the manifest of another version may have fields that this one does not
	// know, and is not damaged for that.
	if err := checkFormat(dir, text); err != nil {
		return "", m, fmt.Errorf("store: %w", err)
	}

	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()

	if err := decoder.Decode(&m); err != nil {
		return "", m, fmt.Errorf("store: %s is %w: %w: %s", path, ErrDamaged, err, restore)
	}

	yaml, err := disk.ReadFile(filepath.Join(dir, ConfigFile))
	if err == nil {
		err = m.check(dir, text, string(yaml))
	}

	if err != nil {
		// A process that was killed while it changed the run may not have renamed it yet.
		next, nextErr := disk.ReadFile(filepath.Join(dir, ConfigFile+disk.Unfinished))
		if nextErr == nil && m.check(dir, text, string(next)) == nil {
			return string(next), m, nil
		}
	}

	if errors.Is(err, fs.ErrNotExist) {
		return "", m, fmt.Errorf("store: the run in %s is %w: its %s is missing: %s", dir,
			ErrDamaged, ConfigFile, restore)
	}

	if err != nil {
		return "", m, fmt.Errorf("store: %w", err)
	}
	return string(yaml), m, nil
}

// check makes sure that a manifest and a configuration are what was written, to the byte.
func (m *Manifest) check(dir string, text []byte, config string) error {
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
			"(settings of a run are changed when it is resumed)", dir, ErrDamaged, ManifestFile, ConfigFile)
	}
	return nil
}

// checkFormat makes sure that a manifest is of this format, or damaged.
func checkFormat(dir string, text []byte) error {
	config, err := disk.ReadFile(filepath.Join(dir, ConfigFile))
	if err != nil || !isWhole(string(text), string(config)) {
		return nil
	}
	return disk.CheckJSON(dir, text, "format", Format)
}

// isWhole reports whether a manifest's file has the right sum, whatever else it says: it is as some
// version wrote it.
func isWhole(text, config string) bool {
	before, rest, found := strings.Cut(text, ",\n  \"sum\": \"")
	sum, after, _ := strings.Cut(rest, `"`)
	return found && envs.SHA256(before+after+config) == sum
}

// complete fills in what follows from the rest.
func (m *Manifest) complete(dir string) {
	m.Format = Format
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

	// Neither replaces the old one before both are on the disk. Then the manifest decides: a reader
	// that finds it finds its configuration under either name.
	config, manifest := filepath.Join(r.Dir, ConfigFile), filepath.Join(r.Dir, ManifestFile)
	if err := errors.Join(write(config+disk.Unfinished, []byte(r.Config)),
		write(manifest+disk.Unfinished, text)); err != nil {
		return errors.Join(err, remove(config+disk.Unfinished, manifest+disk.Unfinished))
	}

	err = disk.Rename(manifest+disk.Unfinished, manifest)
	if err == nil {
		err = disk.Rename(config+disk.Unfinished, config)
	}

	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// relative returns a path as seen from a run's directory, so that both can be moved together, or
// the absolute path if they have only the root in common.
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

// resolved returns the absolute path of a folder, without symbolic links if the folder exists.
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
