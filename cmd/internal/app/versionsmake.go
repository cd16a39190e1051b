package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/drift"
	"toolevo/envs/kept"
	"toolevo/envs/toolapi"
)

// MakeVersionsJob makes API versions from an existing one.
type MakeVersionsJob struct {
	VersionsJob
	From      string   // the version they are made from
	Out       string   // the folder for the files
	Count     int      // how many are made
	Seed      uint64   // of all that is drawn
	HoldOut   []string // versions whose identifiers are not used; nil is all that are shipped, but From
	Factor    string   // the only thing that changes; "" is many at once
	Operators []string // by name, in their order; none are drawn for each API
	Script    string   // a file of operators for each tool; empty for drawn ones
	Unseen    int      // more versions, of words that the others do not have, in the folder unseen
}

// maximumMade is how many versions a job makes at most.
const maximumMade = 10_000

// check rejects a job that makes no sense.
func (j *MakeVersionsJob) check() error {
	switch {
	case j.Out == "":
		return console.Usage("‹out› is missing: want the folder for the files")
	case j.Count < 1 || j.Count > maximumMade:
		return console.Usage("‹count› %d: want 1 to %d", j.Count, maximumMade)
	case j.Unseen < 0 || j.Unseen > maximumMade:
		return console.Usage("‹unseen› %d: want at most %d", j.Unseen, maximumMade)
	case j.Factor != "" && len(j.Operators) > 0:
		return console.Usage("‹factor› and ‹ops›: name one thing that changes, or operators")
	case j.Script != "" && (j.Factor != "" || len(j.Operators) > 0 || j.Unseen > 0 || j.Count != 1):
		return console.Usage("‹script› makes one version, by what FILE says: give it without " +
			"‹count›, ‹factor›, ‹ops› and ‹unseen›")
	}

	return nil
}

// open rejects a job that makes no sense, and returns what makes versions.
func (j *MakeVersionsJob) open() (shipped *toolapi.Catalog, m *drift.Maker, err error) {
	if shipped, err = j.Catalog(); err != nil {
		return nil, nil, err
	}

	if j.HoldOut == nil {
		j.HoldOut = drift.AllBut(shipped, j.From)
	}

	if err := j.check(); err != nil {
		return nil, nil, err
	}

	m, err = drift.NewMaker(shipped, j.From, j.HoldOut, j.Seed)
	return shipped, m, err
}

// MadeVersions are versions that were made.
type MadeVersions struct {
	From      string        `json:"from"`                // the version they were made from
	Factor    string        `json:"factor,omitempty"`    // the only thing that changes
	Operators []string      `json:"operators,omitempty"` // in their order, if they were named
	Seed      uint64        `json:"seed"`                // of all randomness
	HeldOut   []string      `json:"held_out"`            // versions whose identifiers do not occur
	Dir       string        `json:"dir"`                 // the folder of the files
	Made      []MadeVersion `json:"made"`                // in the order of their numbers
	Unseen    []MadeVersion `json:"unseen,omitempty"`    // those of other words
}

// MadeVersion is a version that was made.
type MadeVersion struct {
	Version string         `json:"version"` // its name
	Path    string         `json:"path"`    // its file
	Changes []drift.Change `json:"changes"` // by tool, in the order in which they were made

	file toolapi.File
}

// MakeVersions makes versions, and writes their files when all of them are whole.
func MakeVersions(ctx context.Context, job MakeVersionsJob) (made MadeVersions, err error) {
	shipped, m, err := job.open()
	if err != nil {
		return made, err
	}

	job.Announce("versions make", "of "+job.From, fmt.Sprintf("seed %d", job.Seed),
		"data "+job.data())

	made = MadeVersions{
		From: job.From, Factor: job.Factor, Operators: job.Operators, Seed: job.Seed, HeldOut: job.HoldOut,
		Dir: job.Out,
	}

	// The words are shared out: no other version may have those of the unseen ones.
	if job.Unseen > 0 {
		made.Unseen, err = job.make(ctx, m.Of(drift.Unseen), filepath.Join(job.Out, "unseen"),
			job.Unseen)
		m = m.Of(drift.Seen)
	}

	if err == nil {
		made.Made, err = job.make(ctx, m, job.Out, job.Count)
	}

	// Nothing is written before all are whole: a folder has all versions of a command, or none.
	if err == nil {
		var files []toolapi.File
		for _, v := range slices.Concat(made.Made, made.Unseen) {
			files = append(files, v.file)
		}

		err = writeVersions(shipped, files)
	}

	if err != nil {
		return MadeVersions{}, err
	}
	return made, nil
}

// make makes versions for a folder.
func (j *MakeVersionsJob) make(ctx context.Context, m *drift.Maker, dir string, count int) (
	[]MadeVersion, error) {
	makeOne, err := j.maker(m)
	if err != nil {
		return nil, err
	}
	return kept.All(ctx, count, runtime.GOMAXPROCS(0), nil, func(_ context.Context, i int) (MadeVersion, error) {
		spec, changes := makeOne(i)

		// A version in which nothing changed would be measured as if something had.
		if j.Factor != "" && len(changes) == 0 {
			return MadeVersion{}, console.Usage("‹factor› %s: %w", j.Factor, drift.ErrNothing)
		}
		return newMadeVersion(dir, spec, changes)
	})
}

// newMadeVersion is a version with its file in a folder.
func newMadeVersion(dir string, spec *toolapi.Spec, changes []drift.Change) (MadeVersion, error) {
	text, err := spec.Encode()
	path := filepath.Join(dir, spec.Version+".yaml")
	return MadeVersion{spec.Version, path, changes, toolapi.File{Path: path, Text: string(text)}}, err
}

// maker returns what makes the i-th version: by the operators that are named, by those of a script,
// or of the factor, or else by operators that are drawn.
func (j *MakeVersionsJob) maker(m *drift.Maker) (
	func(i int) (*toolapi.Spec, []drift.Change), error) {
	switch {
	case j.Script != "":
		text, err := disk.ReadText(j.Script)
		if err != nil {
			return nil, err
		}

		script, err := drift.ParseScript(toolapi.File{Path: j.Script, Text: string(text)})
		if err != nil {
			return nil, err
		}

		// A script leaves nothing to draw, so its version has no number.
		spec, changes, err := m.Scripted(script)
		return func(int) (*toolapi.Spec, []drift.Change) { return spec, changes }, err
	case len(j.Operators) > 0:
		operators, err := drift.ParseOperators(j.Operators)
		if err != nil {
			return nil, console.Usage("‹ops›: %w", err)
		}
		return func(i int) (*toolapi.Spec, []drift.Change) {
			return m.Applied("made", operators, i)
		}, nil
	case j.Factor != "":
		f, err := drift.ParseFactor(j.Factor)
		if err != nil {
			return nil, console.Usage("‹factor›: %w", err)
		}
		return func(i int) (*toolapi.Spec, []drift.Change) { return m.FactorVersion(f, i) }, nil
	}
	return m.Version, nil
}

// writeVersions writes the files of whole versions. It overwrites none: runs may have been made
// from it.
func writeVersions(shipped *toolapi.Catalog, files []toolapi.File) error {
	if _, err := shipped.WithFiles(files...); err != nil {
		return fmt.Errorf("a version that was made is not whole, which is a mistake of "+
			"the program: %w", err)
	}

	// Nothing is written before all were looked at.
	var missing []toolapi.File

	for _, f := range files {
		was, err := os.ReadFile(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, f)
		case err != nil:
			return err
		case string(was) != f.Text:
			return console.Usage("%s is there and holds something else: choose another ‹out› or "+
				"‹seed›, or remove it", f.Path)
		}
	}

	for _, f := range missing {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}

		if err := disk.Write(f.Path, []byte(f.Text)); err != nil {
			return err
		}
	}
	return nil
}
