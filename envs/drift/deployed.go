package drift

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"toolevo/envs"
	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/toolapi"
)

// Prefixes of entries of the setting api that are not names of versions.
const (
	FilePrefix   = "file:"   // files of versions
	FactorPrefix = "factor:" // a factor, or all of them, one by one
)

// AllFactors is the entry that stands for the factors that the paper varies, one by one.
const AllFactors = FactorPrefix + groupPublished

// versionsOfFactor is how many versions an entry for a factor makes: the names of a single one may
// be unusually easy or hard to guess.
const versionsOfFactor = 10

// Deployed is the setting api, resolved.
type Deployed struct {
	API      []string       `json:"api"`      // the setting
	Families []Family       `json:"families"` // one for each entry of it
	Files    []toolapi.File `json:"files"`    // of versions that are not shipped
}

// Origin says what the versions of a factor are made from.
type Origin struct {
	Shipped func() (*toolapi.Catalog, error) // the versions of the benchmark
	Prompt  string                           // the version that they are made from
	Seed    uint64
}

// Deploy reads the files that the setting api names, and makes the versions of its factors.
func Deploy(api []string, from Origin) (*Deployed, error) {
	d := &Deployed{API: api}

	// A group takes whatever the tools allow; a factor that is named must be possible.
	named, unnamed := entries(api)
	for _, entry := range named {
		var (
			family Family
			files  []toolapi.File
			err    error
		)

		if pattern, ok := strings.CutPrefix(entry, FilePrefix); ok {
			family, files, err = familyOfFiles(pattern)
		} else if name, ok := strings.CutPrefix(entry, FactorPrefix); ok {
			family, files, err = familyOfFactor(from, name)
			if errors.Is(err, ErrNothing) && slices.Contains(unnamed, entry) {
				continue
			}
		} else {
			family = Family{Name: entry, Versions: []string{entry}}
		}

		if err != nil {
			// Several entries may be given, so the error names the one at fault.
			return nil, console.Option("api", "%s: %w", entry, err)
		}

		d.Families, d.Files = append(d.Families, family), append(d.Files, files...)
	}
	return d, d.check()
}

// entries expands the setting api: a group becomes its factors, of which unnamed may find nothing
// to change.
func entries(api []string) (all, unnamed []string) {
	for _, entry := range api {
		entry = strings.TrimSpace(entry)

		group, ok := strings.CutPrefix(entry, FactorPrefix)
		if !ok || !slices.Contains(groups, group) {
			all = append(all, entry)
			continue
		}

		for _, f := range Factors() {
			if f.Group != group {
				continue
			}

			all = append(all, FactorPrefix+f.Name)
			if group != groupPublished {
				unnamed = append(unnamed, FactorPrefix+f.Name)
			}
		}
	}
	return all, unnamed
}

// familyOfFiles reads the versions of a pattern.
func familyOfFiles(pattern string) (Family, []toolapi.File, error) {
	f := Family{Name: familyName(pattern)}

	files, specs, err := ReadFiles(pattern)
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
func familyOfFactor(from Origin, name string) (Family, []toolapi.File, error) {
	f := Family{Name: name}

	factor, err := ParseFactor(name)
	if err != nil {
		return f, nil, err
	}

	shipped, err := from.Shipped()
	if err != nil {
		return f, nil, err
	}

	// No made version has a name of a shipped one, which a policy may know from training.
	m, err := NewMaker(shipped, from.Prompt, AllBut(shipped, from.Prompt), from.Seed)
	if err != nil {
		return f, nil, err
	}

	var files []toolapi.File

	for i := range versionsOfFactor {
		spec, changes := m.FactorVersion(factor, i)
		// A version in which nothing has changed would be counted as drift.
		if len(changes) == 0 {
			return f, nil, ErrNothing
		}

		text, err := spec.Encode()
		if err != nil {
			return f, nil, err
		}

		f.Versions = append(f.Versions, spec.Version)
		// The file exists nowhere: its text goes into the run, which can then be played again.
		files = append(files, toolapi.File{Path: spec.Version + ".yaml", Text: string(text)})
	}
	return f, files, nil
}

// ErrNothing is the error of a factor that the tools of a benchmark have nothing of.
var ErrNothing = errors.New("there is nothing to change: the tools do not say what they answer, or have nothing of " +
	"the kind")

// check rejects versions and families that reports could not tell apart.
func (d *Deployed) check() error {
	names, versions := map[string]bool{}, map[string]bool{}

	for _, f := range d.Families {
		if names[f.Name] {
			return console.Option("api",
				"%s: two of them are called %s in reports: rename a folder",
				strings.Join(d.API, ","), f.Name)
		}

		names[f.Name] = true

		for _, version := range f.Versions {
			if versions[version] {
				return console.Option("api", "%s has the version %s twice, want each once",
					strings.Join(d.API, ","),
					version)
			}

			versions[version] = true
		}
	}
	return nil
}

// All returns the family of all versions, for commands in which a question meets one of them.
func (d *Deployed) All() Family {
	var all Family
	for _, f := range d.Families {
		all.Versions = append(all.Versions, f.Versions...)
	}

	slices.Sort(all.Versions)
	return all
}

// Apart returns d with each version as a family of its own.
func (d *Deployed) Apart() *Deployed {
	apart := *d
	apart.Families = nil

	for _, version := range d.All().Versions {
		apart.Families = append(apart.Families, Family{Name: version, Versions: []string{version}})
	}
	return &apart
}

// Only returns the families of some versions, with the files that define them and those of the
// versions that these name.
func (d *Deployed) Only(versions ...string) *Deployed {
	only, taken := &Deployed{API: d.API}, map[string]bool{}

	// A version's file names the versions that it needs. It is searched rather than parsed, as a
	// file too many does no harm.
	for needed := slices.Clone(versions); len(needed) > 0; needed = needed[1:] {
		defines := regexp.MustCompile(
			`(?m)^version:\s*['"]?` + regexp.QuoteMeta(needed[0]) + `['"]?\s*$`)

		for _, f := range d.Files {
			if taken[f.Path] || !defines.MatchString(f.Text) {
				continue
			}

			taken[f.Path] = true
			only.Files = append(only.Files, f)

			words := strings.FieldsFunc(f.Text, func(r rune) bool {
				return unicode.IsSpace(r) || strings.ContainsRune(`[]{},:'"`, r)
			})
			for _, version := range d.All().Versions {
				if slices.Contains(words, version) {
					needed = append(needed, version)
				}
			}
		}
	}

	// A question could draw nothing from a family without versions.
	for _, f := range d.Families {
		f.Versions = slices.DeleteFunc(slices.Clone(f.Versions), func(version string) bool {
			return !slices.Contains(versions, version)
		})
		if len(f.Versions) > 0 {
			only.Families = append(only.Families, f)
		}
	}

	return only
}

// Family returns the family of that name in reports.
func (d *Deployed) Family(name string) Family {
	i := slices.IndexFunc(d.Families, func(f Family) bool { return f.Name == name })
	return d.Families[i]
}

// Cell returns the name in reports of a version's family, or the name itself outside any family.
func (d *Deployed) Cell(version string) string {
	for _, f := range d.Families {
		if slices.Contains(f.Versions, version) {
			return f.Name
		}
	}

	return version
}

// Hash returns the same for the same files, wherever they are.
func (d *Deployed) Hash() string {
	var texts []string
	for _, f := range d.Files {
		texts = append(texts, f.Text)
	}

	slices.Sort(texts)
	return envs.SHA256(fmt.Sprintf("%q", texts))
}

// familyName names the versions of several files in reports: after their folder, or after the
// pattern of the files.
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

// HasFiles reports whether some of the versions that the setting api names are not shipped.
func HasFiles(api []string) bool {
	return slices.ContainsFunc(api, func(entry string) bool {
		entry = strings.TrimSpace(entry)
		return strings.HasPrefix(entry, FilePrefix) || strings.HasPrefix(entry, FactorPrefix)
	})
}

// ReadFiles reads the files of a pattern; it is an error if there are none. A folder stands for its
// *.yaml files.
func ReadFiles(pattern string) ([]toolapi.File, []*toolapi.Spec, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is not a pattern of file names: %w: want e.g. "+
			"file:DIR/*.yaml", pattern, err)
	}

	// A folder stands for the versions in it.
	if inFolder, _ := filepath.Glob(filepath.Join(pattern, "*.yaml")); len(paths) == 1 &&
		len(inFolder) > 0 {
		paths = inFolder
	}

	// To Glob, a pattern without matches is no error; here it is a mistake.
	if len(paths) == 0 {
		return nil, nil, console.Usage("there is no file %s: `toolevo versions make` makes some",
			pattern)
	}

	var (
		files []toolapi.File
		specs []*toolapi.Spec
	)

	for _, path := range paths {
		text, err := disk.ReadText(path)
		if err != nil {
			return nil, nil, err
		}

		f := toolapi.File{Path: path, Text: string(text)}

		// Parsed at once, so that a broken file is found before anything runs.
		s, err := toolapi.Parse(f)
		if err != nil {
			return nil, nil, err
		}

		files, specs = append(files, f), append(specs, s)
	}
	return files, specs, nil
}

// AllBut returns the names of all versions but one.
func AllBut(c *toolapi.Catalog, version string) []string {
	return slices.DeleteFunc(c.Names(), func(name string) bool { return name == version })
}
