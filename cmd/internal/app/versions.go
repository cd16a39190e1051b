package app

import (
	"cmp"
	"os"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/suite"
	"toolevo/envs/toolapi"
	"toolevo/envs/wire"
)

// VersionsJob is about the API versions of a suite over a data folder.
type VersionsJob struct {
	Host
	Settings Settings
	Data     string // the data folder; "" is TOOLEVO_DATA or data
}

func (j *VersionsJob) data() string { return cmp.Or(j.Data, j.DefaultData()) }

// Catalog returns the versions of the benchmark over the data folder, and those in files.
func (j *VersionsJob) Catalog(own ...toolapi.File) (*toolapi.Catalog, error) {
	c, err := j.Resolve(j.Settings, nil, nil)
	if err != nil {
		return nil, err
	}

	b, err := suite.Lookup(c.Suite)
	if err != nil {
		return nil, err
	}
	return b.Versions(j.data(), own...)
}

// Load loads the versions of a benchmark and those in files, folders or patterns. own has the paths
// of the latter, by name.
func (j *VersionsJob) Load(patterns []string) (
	c *toolapi.Catalog, own map[string]string, err error) {
	var files []toolapi.File

	own = map[string]string{}

	for _, pattern := range patterns {
		more, specs, err := drift.ReadFiles(strings.TrimPrefix(pattern, drift.FilePrefix))
		if err != nil {
			return nil, nil, err
		}

		files = append(files, more...)
		for i, s := range specs {
			own[s.Version] = more[i].Path
		}
	}

	c, err = j.Catalog(files...)
	return c, own, err
}

// Version loads a version by its name or its file.
func (j *VersionsJob) Version(name string) (*toolapi.Version, error) {
	v, _, _, err := j.versionAndFile(name)
	return v, err
}

// versionAndFile is Version, and the file that describes it. isPath says that the name is a path.
func (j *VersionsJob) versionAndFile(name string) (
	v *toolapi.Version, file []byte, isPath bool, err error) {
	// A path may come with the prefix that a setting needs, or by itself.
	path, isPath := strings.CutPrefix(name, drift.FilePrefix)
	if _, err := os.Stat(path); err == nil || strings.HasSuffix(path, ".yaml") {
		isPath = true
	}

	var files []string
	if isPath {
		files = []string{path}
	}

	catalog, own, err := j.Load(files)
	if err != nil {
		return nil, nil, isPath, err
	}

	if len(own) > 1 {
		return nil, nil, isPath, console.Usage("%s has %d versions: name one file", name, len(own))
	}

	for version := range own {
		name = version
	}

	if v, err = catalog.Version(name); err != nil {
		return nil, nil, isPath, err
	}

	spec, err := catalog.Spec(name)
	if err == nil {
		file, err = spec.Encode()
	}
	return v, file, isPath, err
}

// VersionsDifference is what differs between two versions.
type VersionsDifference struct {
	From  string             `json:"from"`  // the name of one version
	To    string             `json:"to"`    // that of the other
	Tools []drift.Difference `json:"tools"` // those that are called differently, in the order of the tool list
	Same  int                `json:"same"`  // how many tools are called as before
	// the names of an answer's members, where the form of answers differs; none is the text alone
	FromResponse *wire.AnswerForm `json:"from_response,omitempty"`
	// the same of the other version
	ToResponse *wire.AnswerForm `json:"to_response,omitempty"`
}

// Diff says what differs between two versions, each by its name or a file.
func (j *VersionsJob) Diff(a, b string) (d VersionsDifference, err error) {
	from, err := j.Version(a)
	if err != nil {
		return d, err
	}

	to, err := j.Version(b)
	if err != nil {
		return d, err
	}

	d = VersionsDifference{From: from.Name, To: to.Name, Tools: drift.Diff(from, to)}
	d.Same = len(from.APIs) - len(d.Tools)

	if formatOf(from) != formatOf(to) {
		d.FromResponse, d.ToResponse = from.Response, to.Response
	}
	return d, nil
}

// formatOf returns the form of a version's answers; zero means text alone.
func formatOf(v *toolapi.Version) wire.AnswerForm {
	if v.Response == nil {
		return wire.AnswerForm{}
	}
	return *v.Response
}
