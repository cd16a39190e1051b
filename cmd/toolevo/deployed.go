package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/regular"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/mcts/store"
)

// inputVersions is the name under which a lineage has the versions that are not shipped.
const inputVersions = "versions"

// What begins entries of the setting api that are not names of versions.
const (
	filePrefix   = "file:"   // files of versions
	factorPrefix = "factor:" // a factor of package drift, or all of them, one by one
)

// versionsOfFactor is how many versions an entry that names a factor stands for: one alone may have names that are
// easily guessed, or badly.
const versionsOfFactor = 10

// deployed is what the setting api comes to.
type deployed struct {
	API      []string       `json:"api"`      // the setting
	Families []drift.Family `json:"families"` // one for each entry of it
	Files    []toolapi.File `json:"files"`    // of versions that are not shipped
}

// readDeployed reads the files that the setting api names, and makes the versions of its factors.
func readDeployed(c *configs.Resolved) (*deployed, error) {
	d := &deployed{API: c.API}

	for _, entry := range entries(c.API) {
		var (
			family drift.Family
			files  []toolapi.File
			err    error
		)

		if pattern, ok := strings.CutPrefix(entry, filePrefix); ok {
			family, files, err = familyOfFiles(pattern)
		} else if name, ok := strings.CutPrefix(entry, factorPrefix); ok {
			family, files, err = familyOfFactor(c, name)
		} else {
			family = drift.Family{Name: entry, Versions: []string{entry}}
		}

		if err != nil {
			return nil, console.Usage("--api %s: %w", entry, err)
		}

		d.Families, d.Files = append(d.Families, family), append(d.Files, files...)
	}

	return d, d.check()
}

// entries are those of the setting api, with the factors that factor:all stands for.
func entries(api []string) []string {
	var named []string

	for _, entry := range api {
		if entry = strings.TrimSpace(entry); entry != factorPrefix+all {
			named = append(named, entry)
			continue
		}

		for _, name := range drift.FactorNames() {
			named = append(named, factorPrefix+name)
		}
	}

	return named
}

// familyOfFiles reads the versions of a pattern.
func familyOfFiles(pattern string) (drift.Family, []toolapi.File, error) {
	f := drift.Family{Name: familyName(pattern)}

	files, specs, err := readVersions(pattern)
	if err != nil {
		return f, nil, err
	}

	for _, s := range specs {
		f.Versions = append(f.Versions, s.Version)
	}

	if slices.Sort(f.Versions); len(f.Versions) == 1 {
		f.Name = f.Versions[0]
	}

	return f, files, nil
}

// familyOfFactor makes versions that differ from the one of the prompt in one factor.
func familyOfFactor(c *configs.Resolved, name string) (drift.Family, []toolapi.File, error) {
	f := drift.Family{Name: name}

	factor, err := drift.ParseFactor(name)
	if err != nil {
		return f, nil, err
	}

	benchmark, err := suite.Lookup(c.Suite)
	if err != nil {
		return f, nil, err
	}

	shipped, err := benchmark.Versions()
	if err != nil {
		return f, nil, err
	}

	m, err := drift.NewMaker(shipped, c.Prompt, allBut(shipped, c.Prompt), c.Seed)
	if err != nil {
		return f, nil, err
	}

	var files []toolapi.File

	for i := range versionsOfFactor {
		spec, _ := m.FactorVersion(factor, i)

		text, err := spec.Encode()
		if err != nil {
			return f, nil, err
		}

		f.Versions = append(f.Versions, spec.Version)
		files = append(files, toolapi.File{Path: spec.Version + ".yaml", Text: string(text)})
	}

	return f, files, nil
}

// check refuses what reports could not tell apart.
func (d *deployed) check() error {
	names, versions := map[string]bool{}, map[string]bool{}

	for _, f := range d.Families {
		if names[f.Name] {
			return console.Usage("--api %s: two of them are called %s in reports: rename a folder",
				strings.Join(d.API, ","), f.Name)
		}

		names[f.Name] = true

		for _, version := range f.Versions {
			if versions[version] {
				return console.Usage("--api %s: has the version %s twice, want each once", strings.Join(d.API, ","),
					version)
			}

			versions[version] = true
		}
	}

	return nil
}

// all is the family of all versions, for commands under which a question meets one of them.
func (d *deployed) all() drift.Family {
	var all drift.Family
	for _, f := range d.Families {
		all.Versions = append(all.Versions, f.Versions...)
	}

	slices.Sort(all.Versions)

	return all
}

// family returns the family that reports call so.
func (d *deployed) family(name string) drift.Family {
	i := slices.IndexFunc(d.Families, func(f drift.Family) bool { return f.Name == name })
	return d.Families[i]
}

// cell returns what reports call the family of a version; any other name stays.
func (d *deployed) cell(version string) string {
	for _, f := range d.Families {
		if slices.Contains(f.Versions, version) {
			return f.Name
		}
	}

	return version
}

// hash is the same for the same files wherever they are.
func (d *deployed) hash() string {
	var texts []string
	for _, f := range d.Files {
		texts = append(texts, f.Text)
	}

	slices.Sort(texts)

	sum := sha256.New()
	fmt.Fprintf(sum, "%q", texts)

	return hex.EncodeToString(sum.Sum(nil))
}

// familyName is how reports call the versions of several files: by their folder, or by what the files have in common.
func familyName(pattern string) string {
	dir, file := filepath.Split(filepath.Clean(pattern))
	if file != "*.yaml" {
		return strings.TrimSuffix(file, ".yaml")
	}

	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}

	return filepath.Base(dir)
}

// metaVersions is where the database of a run has the versions that its questions meet, when some are not shipped:
// files may change, or go, and another program may make other ones.
const metaVersions = "versions"

// noteVersions notes in a run what it deploys.
func noteVersions(ctx context.Context, run *store.Run, d *deployed) error {
	if len(d.Files) == 0 {
		return nil
	}

	text, err := json.Marshal(d)
	if err != nil {
		return err
	}

	return run.SetMeta(ctx, metaVersions, string(text))
}

// notedVersions returns what a run of a configuration deploys.
func notedVersions(ctx context.Context, run *store.Run, c *configs.Resolved) (*deployed, error) {
	text, err := run.Meta(ctx, metaVersions)
	if err != nil {
		return nil, console.GaveUp(err)
	}

	if text == "" && !hasFiles(c.API) {
		return readDeployed(c)
	}

	if text == "" {
		return nil, fmt.Errorf("%s is %w: its API versions are missing: `toolevo %s --resume --out %s` notes them "+
			"again", run.Dir, store.ErrDamaged, run.Manifest.Kind, run.Dir)
	}

	d := &deployed{}
	if err := json.Unmarshal([]byte(text), d); err != nil {
		return nil, fmt.Errorf("%s: its API versions cannot be read: %w", run.Dir, err)
	}

	return d, nil
}

// hasFiles reports whether some of the versions are not shipped.
func hasFiles(api []string) bool {
	return slices.ContainsFunc(api, func(entry string) bool {
		entry = strings.TrimSpace(entry)
		return strings.HasPrefix(entry, filePrefix) || strings.HasPrefix(entry, factorPrefix)
	})
}

// notedVersions returns what the run to continue deploys, or a branch; nil for any other new run. A process that was
// killed may not have come to note it; then the files are read again, and have to be what they were.
func (f *runFlags) notedVersions(ctx context.Context, c *configs.Resolved) (*deployed, error) {
	switch {
	case f.branch != nil:
		return f.branch.deployed(c)
	case !*f.resume:
		return nil, nil
	}

	run, err := store.OpenRun(ctx, *f.out)
	if err != nil {
		return nil, err
	}

	d, err := notedVersions(ctx, run, c)
	if errors.Is(err, store.ErrDamaged) || err == nil && !slices.Equal(d.API, c.API) {
		d, err = nil, nil
	}

	return d, errors.Join(err, run.Close())
}

// readVersions reads the files of a pattern, of which there is at least one. A folder stands for its *.yaml files.
func readVersions(pattern string) ([]toolapi.File, []*toolapi.Spec, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is no pattern of file names: %w", pattern, err)
	}

	if inFolder, _ := filepath.Glob(filepath.Join(pattern, "*.yaml")); len(paths) == 1 && len(inFolder) > 0 {
		paths = inFolder
	}

	if len(paths) == 0 {
		return nil, nil, console.Usage("there is no file %s: `toolevo versions make --out DIR` makes some", pattern)
	}

	var (
		files []toolapi.File
		specs []*toolapi.Spec
	)

	for _, path := range paths {
		text, err := regular.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}

		f := toolapi.File{Path: path, Text: string(text)}

		s, err := toolapi.Parse(f)
		if err != nil {
			return nil, nil, err
		}

		files, specs = append(files, f), append(specs, s)
	}

	return files, specs, nil
}
