package training

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"toolevo/envs/disk"
	"toolevo/envs/yamltext"
	"toolevo/trajectories/export"
)

// What an entry of dataset_info.json says of its samples.
const (
	fileNameKey   = "file_name"   // the file that has them
	numSamplesKey = "num_samples" // how many an epoch has; missing: each once
)

// openOther opens a dataset that is no export and is trained beside one, and checks that it fits.
func (r *Recipe) openOther(name string, beside *Source) (s *Source, err error) {
	if r.Trainer == export.TRL {
		s, err = openCarded(name, beside)
	} else {
		s, err = r.openEntry(name)
	}

	if err != nil {
		return nil, err
	}

	if s.Rows, err = export.CountSamples(s.file); err != nil {
		return nil, err
	}

	// LLaMA-Factory draws as many as the entry says: some of a larger file, of a smaller one some
	// again.
	if n, ok := s.entries[s.Name][numSamplesKey].(float64); ok && s.Rows > 0 {
		s.Rows = int(n)
	}

	if s.Rows <= 0 {
		return nil, fmt.Errorf("%s holds no sample, or its entry takes none", s.file)
	}

	s.Trained = s.Rows
	s.datasets = []dataset{{s.Name, s.Rows}}
	s.SHA256, _, err = disk.Sum(s.file)
	return s, err
}

// openEntry finds a dataset for LLaMA-Factory: DIR:NAME, where DIR/dataset_info.json has an entry
// NAME.
func (r *Recipe) openEntry(name string) (*Source, error) {
	// The last colon, because the name of a folder may contain one.
	i := strings.LastIndexByte(name, ':')
	if i < 0 {
		return nil, errors.New("want DIR:NAME, a folder with LLaMA-Factory's dataset_info.json, " +
			"and the name of an entry in it")
	}

	folder, err := filepath.Abs(name[:i])
	if err != nil {
		return nil, err
	}

	entries, err := readEntries(folder)
	if err != nil {
		return nil, err
	}

	name = name[i+1:]
	entry, ok := entries[name]

	// An entry may name a hub or a script instead of a file: samples that nobody can count or hash
	// here.
	path, _ := entry[fileNameKey].(string)

	switch {
	case !ok:
		return nil, fmt.Errorf("%s has no entry %q: it has %s", export.DatasetInfoFile, name,
			strings.Join(slices.Sorted(maps.Keys(entries)), ", "))
	case path == "":
		return nil, fmt.Errorf("the entry %s names no file on this machine: download the data, "+
			"and name the file with file_name", name)
	}

	entries = map[string]map[string]any{name: entry} // its neighbours are not trained
	s := &Source{Name: name, Folder: folder, file: path, entries: entries}
	return s, r.checkStage(entry)
}

// checkStage rejects an entry whose samples are for another kind of training.
func (r *Recipe) checkStage(entry map[string]any) error {
	columns, _ := entry["columns"].(map[string]any)
	_, labelled := columns["kto_tag"]
	ranking, _ := entry["ranking"].(bool)
	has, wants := "plain conversations", "plain conversations"

	switch {
	case ranking:
		has = "pairs of a better and a worse reply"
	case labelled:
		has = "labels of single replies"
	}

	switch {
	case r.Format.IsPairs():
		wants = "pairs of a better and a worse reply"
	case r.Format.IsLabelled():
		wants = "labels of single replies"
	}

	if has != wants {
		return fmt.Errorf("it has %s, and the format %s is trained on %s", has, r.Format, wants)
	}
	return nil
}

// openCarded finds a dataset for TRL: a folder whose card says what the library datasets loads.
func openCarded(folder string, beside *Source) (*Source, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}

	own, err := readCard(beside.Folder)
	if err != nil {
		return nil, err
	}

	other, err := readCard(folder)
	if err != nil {
		return nil, fmt.Errorf("%w. TRL mixes columns of the same types only: say so in a card, "+
			"a README.md that begins like that of %s, with the file of your samples", err, beside.Folder)
	}

	// Compared here, because TRL puts datasets together only if their columns are of the same
	// types.
	if !reflect.DeepEqual(own.features(), other.features()) {
		return nil, fmt.Errorf("its card has other columns than that of %s, and TRL mixes columns of "+
			"the same types only: copy dataset_info with its features from there to the head of its "+
			"README.md", beside.Folder)
	}

	// The file is needed here, too: its samples are counted and its hash goes into the origin.
	path := other.trainFile()
	if path == "" {
		return nil, errors.New("its card names no file for the split train: want configs, " +
			"data_files with split and path")
	}

	return &Source{Name: filepath.Base(folder), Folder: folder, file: filepath.Join(folder, path)}, nil
}

// card is the head of a folder's README.md, as far as the library datasets reads it.
type card struct {
	Configs []struct {
		Files []struct {
			Split string `yaml:"split"`
			Path  string `yaml:"path"`
		} `yaml:"data_files"`
	} `yaml:"configs"`
	Info []struct {
		Features []map[string]any `yaml:"features"`
	} `yaml:"dataset_info"`
}

func readCard(folder string) (c card, err error) {
	text, err := disk.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		return c, err
	}

	_, head, _ := strings.Cut(string(text), "---\n")
	head, _, ok := strings.Cut(head, "\n---")

	if err = yamltext.Decode([]byte(head), &c); err != nil || !ok {
		return c, fmt.Errorf("the README.md of %s has no head of YAML", folder)
	}
	return c, nil
}

// features returns the columns and their types, whatever their order.
func (c card) features() map[string]map[string]any {
	all := map[string]map[string]any{}

	for _, info := range c.Info {
		for _, f := range info.Features {
			all[fmt.Sprint(f["name"])] = f
		}
	}

	return all
}

func (c card) trainFile() string {
	for _, config := range c.Configs {
		for _, f := range config.Files {
			if f.Split == "train" {
				return f.Path
			}
		}
	}

	return ""
}
