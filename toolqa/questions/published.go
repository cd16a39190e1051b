package questions

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Imported is what Import read.
type Imported struct {
	Questions []toolqa.Question // of the test split, with their published IDs and answers
	Files     []ImportedFile    // every question file found, in order of its path
}

// ImportedFile reports on one published file.
type ImportedFile struct {
	Path         string
	Dataset      toolqa.Dataset // "" when Skipped is set
	Difficulty   toolqa.Difficulty
	Questions    int
	Unrecognised []string    // IDs of questions that no template of the dataset and difficulty fits
	Duplicates   []Duplicate // questions asked before in the same file
	Renamed      []Renamed   // questions whose published ID names another dataset
	Skipped      string      // why the file was not read; "" when it was
}

// Duplicate is a question whose text stands under two IDs.
type Duplicate struct{ ID, First string }

// Renamed is a question whose ID was corrected: airbnb-hard has some that are called hard-yelp-0030, which are IDs of
// yelp-hard, too, and a run over both could not tell them apart.
type Renamed struct{ Published, ID string }

// Import reads the published question files below src, src/easy/DATASET-easy.jsonl and src/hard/DATASET-hard.jsonl, as
// the test split. Answers stay as published, as the text Python's str makes of them. Files of datasets that are not
// supported are skipped and reported. Broken JSON, a missing field or an ID used twice is an error that names the file
// and the line; so is a folder with nothing to import. Where datasets are named, the files of others are not read.
func Import(src string, only ...toolqa.Dataset) (Imported, error) {
	var in Imported
	read := 0
	for _, d := range toolqa.Difficulties() {
		folder := filepath.Join(src, string(d))
		entries, err := os.ReadDir(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Imported{}, fmt.Errorf("questions: import: %w", err)
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".jsonl")
			if !ok || e.IsDir() {
				continue
			}
			name = strings.TrimSuffix(name, "-"+string(d))
			if len(only) > 0 && !slices.Contains(only, toolqa.Dataset(cmp.Or(misnamed[name], name))) {
				continue
			}
			file := ImportedFile{Path: filepath.Join(folder, e.Name()), Difficulty: d}
			qs, err := file.read(name)
			if err != nil {
				return Imported{}, fmt.Errorf("import: %w", err)
			}
			if file.Skipped == "" {
				read++
			}
			in.Questions = append(in.Questions, qs...)
			in.Files = append(in.Files, file)
		}
	}
	if read == 0 {
		wanted := append(only, toolqa.Coffee)[0]
		return Imported{}, fmt.Errorf("questions: import: no question file of a dataset that is wanted in %s: want e.g. %s",
			src, filepath.Join("easy", string(wanted)+"-easy.jsonl"))
	}
	return in, uniqueIDs(in.Questions)
}

// Published returns the published test questions of a dataset and difficulty that were imported into the data folder dir;
// none, and no error, when none were. Generated ones, which may be damaged, are not read: they are made again.
func Published(dir string, ds toolqa.Dataset, d toolqa.Difficulty) ([]toolqa.Question, error) {
	data, err := os.ReadFile(Path(dir, ds, d, toolqa.Test))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(data, []byte(`"source":"published"`)) {
		return nil, nil
	}
	return Read(dir, ds, d, toolqa.Test)
}

// misnamed are datasets as ToolQA's own files are called; ToolQA-D's have their names.
var misnamed = map[string]string{"flight": string(toolqa.Flights), "genda": string(toolqa.Agenda)}

// read reads the file of the dataset called name and fills in the report.
func (f *ImportedFile) read(name string) ([]toolqa.Question, error) {
	ds, err := toolqa.ParseDataset(cmp.Or(misnamed[name], name))
	if err != nil {
		f.Skipped = err.Error()
		return nil, nil
	}
	f.Dataset = ds
	qs, err := readPublished(f.Path, ds, f.Difficulty)
	if err != nil {
		return nil, err
	}
	f.Questions = len(qs)
	f.rename(qs)
	first := map[string]string{}
	for _, q := range qs {
		if t, ok := Lookup(q.Template); !ok || t.Dataset != ds || t.Difficulty != f.Difficulty {
			f.Unrecognised = append(f.Unrecognised, q.ID)
		}
		if id, ok := first[q.Text]; ok {
			f.Duplicates = append(f.Duplicates, Duplicate{q.ID, id})
		} else {
			first[q.Text] = q.ID
		}
	}
	return qs, nil
}

// readPublished reads a file in the published format.
func readPublished(path string, ds toolqa.Dataset, d toolqa.Difficulty) ([]toolqa.Question, error) {
	f, err := corpus.OpenInput(path)
	if err != nil {
		return nil, fmt.Errorf("questions: %w", err)
	}
	defer f.Close()

	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("questions: %w", err)
	}
	return parseFile(path, data, ds, d, toolqa.Test, published)
}

// rename corrects the IDs that name another dataset than the file's, where the right one is free.
func (f *ImportedFile) rename(qs []toolqa.Question) {
	taken := map[string]bool{}
	for _, q := range qs {
		taken[q.ID] = true
	}
	for i := range qs {
		for _, other := range toolqa.Datasets() {
			wrong := fmt.Sprintf("%s-%s-", f.Difficulty, other)
			serial, ok := strings.CutPrefix(qs[i].ID, wrong)
			right := fmt.Sprintf("%s-%s-%s", f.Difficulty, f.Dataset, serial)
			if ok && other != f.Dataset && !taken[right] {
				f.Renamed = append(f.Renamed, Renamed{qs[i].ID, right})
				qs[i].ID, taken[right] = right, true
			}
		}
	}
}

// uniqueIDs returns an error if two questions have one ID.
func uniqueIDs(qs []toolqa.Question) error {
	seen := make(map[string]bool, len(qs))
	for _, q := range qs {
		if seen[q.ID] {
			return fmt.Errorf("questions: import: qid %q is in two files", q.ID)
		}
		seen[q.ID] = true
	}
	return nil
}
