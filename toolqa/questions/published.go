package questions

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/toolqa"
)

// Imported is what Import read.
type Imported struct {
	Questions []toolqa.Question // of one split, with their published IDs and answers
	Files     []ImportedFile    // every question file found, in order of its path
}

// ImportedFile reports on one published file.
type ImportedFile struct {
	Path         string            `json:"path"`                   // the published file
	Dataset      toolqa.Dataset    `json:"dataset,omitempty"`      // e.g. "coffee"; missing where the file was left out
	Difficulty   toolqa.Difficulty `json:"difficulty,omitempty"`   // "easy" or "hard"
	Questions    int               `json:"questions"`              // in the file
	Unrecognised []string          `json:"unrecognised,omitempty"` // IDs of questions that fit no template
	// questions with the text of another one in the file: "ID asks what ID asks", sometimes "with
	// another answer"
	Duplicates []string `json:"duplicates,omitempty"`
	// "ID is ID here": airbnb-hard has some that are called hard-yelp-0030, which are IDs of
	// yelp-hard, too, and a run over both could not tell them apart
	Renamed []string `json:"renamed,omitempty"`
	Shared  []string `json:"shared,omitempty"`  // "ID is ID of test"; filled in by the caller ([FindShared])
	Skipped string   `json:"skipped,omitempty"` // why the file was left out
}

// Import reads the published question files below src as one split: src/easy/DATASET-easy.jsonl and
// src/hard/DATASET-hard.jsonl, or in folders called toolqa_easy and toolqa_hard, as ToolQA's
// corrected release has them. Answers stay as published, as the text Python's str makes of them.
// Files of datasets that are not supported are skipped and reported. Broken JSON, a missing field
// or an ID used twice is an error that names the file and the line; so is a folder with nothing to
// import. Where datasets are named, the files of others are not read.
func Import(src string, split toolqa.Split, only ...toolqa.Dataset) (Imported, error) {
	var in Imported
	read := 0

	for _, folder := range publishedFolders() {
		d := toolqa.Difficulty(strings.TrimPrefix(folder, corrected))
		folder = filepath.Join(src, folder)

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

			// Also by the names that ToolQA's own files have for two datasets.
			name = strings.TrimSuffix(name, "-"+string(d))
			if len(only) > 0 && !slices.Contains(only, toolqa.Dataset(cmp.Or(misnamed[name], name))) {
				continue
			}

			file := ImportedFile{Path: filepath.Join(folder, e.Name()), Difficulty: d}

			qs, err := file.read(name, split)
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
		// The example is of a dataset that was asked for, if any was.
		wanted := append(only, toolqa.Coffee)[0]
		return Imported{}, fmt.Errorf("questions: import: no question file in %s: want e.g. %s",
			src, filepath.Join("easy", string(wanted)+"-easy.jsonl"))
	}

	// Each file has been checked by itself, but a run may ask the questions of several.
	return in, uniqueIDs(in.Questions)
}

// corrected is how the folders of ToolQA's corrected release begin.
const corrected = "toolqa_"

// publishedFolders returns the names of folders with question files.
func publishedFolders() []string {
	var names []string
	for _, d := range toolqa.Difficulties() {
		names = append(names, string(d), corrected+string(d))
	}
	return names
}

// Published returns the published questions of a split, dataset and difficulty that were imported
// into the data folder dir; none, and no error, when none were. Generated ones, which may be
// damaged, are not read: they are made again.
func Published(dir string, ds toolqa.Dataset, d toolqa.Difficulty, s toolqa.Split) ([]toolqa.Question, error) {
	data, err := os.ReadFile(Path(dir, ds, d, s))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(data, []byte(`"source":"published"`)) {
		return nil, nil
	}
	return Read(dir, ds, d, s)
}

// Shared is a published question that is asked in two splits.
type Shared struct {
	Question toolqa.Question // as it was asked about
	Other    toolqa.Question // of another split, equal to it
}

// FindShared returns which of some published questions the other published splits below dir ask,
// too.
func FindShared(dir string, qs []toolqa.Question) ([]Shared, error) {
	type file struct {
		ds toolqa.Dataset
		d  toolqa.Difficulty
		s  toolqa.Split
	}
	others := map[file]map[string]toolqa.Question{}
	var shared []Shared

	for _, q := range qs {
		// Every other split: which of the two will be trained on is not known here.
		for _, s := range toolqa.Splits() {
			if s == q.Split {
				continue
			}

			// Each file is read once. Only published ones count: RemoveShared removes the others.
			f := file{q.Dataset, q.Difficulty, s}
			if others[f] == nil {
				published, err := Published(dir, f.ds, f.d, f.s)
				if err != nil {
					return nil, err
				}

				others[f] = map[string]toolqa.Question{}
				for _, other := range published {
					others[f][envs.QuestionKey(other.Text)] = other
				}
			}

			if other, ok := others[f][envs.QuestionKey(q.Text)]; ok {
				shared = append(shared, Shared{q, other})
			}
		}
	}

	return shared, nil
}

// misnamed are datasets as ToolQA's own files are called; ToolQA-D's have their names.
var misnamed = map[string]string{"flight": string(toolqa.Flights), "genda": string(toolqa.Agenda)}

// read reads the file of the dataset called name and fills in the report.
func (f *ImportedFile) read(name string, split toolqa.Split) ([]toolqa.Question, error) {
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

	// Before anything is reported, so that the reports have the IDs that are kept.
	f.Questions = len(qs)
	f.rename(qs)

	first := map[string]toolqa.Question{}

	for i, q := range qs {
		qs[i].Split = split

		// Imported all the same: it can be asked and graded, but nobody can recompute its answer.
		if t, ok := lookup(q.Template); !ok || t.dataset != ds || t.difficulty != f.Difficulty {
			f.Unrecognised = append(f.Unrecognised, q.ID)
		}

		key := envs.QuestionKey(q.Text)
		if before, ok := first[key]; ok {
			duplicate := q.ID + " asks what " + before.ID + " asks"
			if q.Answer != before.Answer {
				duplicate += ", with another answer"
			}

			f.Duplicates = append(f.Duplicates, duplicate)
		} else {
			first[key] = q
		}
	}

	return qs, nil
}

// readPublished reads a file in the published format, as of the test split.
func readPublished(path string, ds toolqa.Dataset, d toolqa.Difficulty) ([]toolqa.Question, error) {
	data, err := disk.ReadJSON(path)
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
				f.Renamed = append(f.Renamed, qs[i].ID+" is "+right+" here")
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
