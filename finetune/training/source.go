package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/finetune/checkpoint"
	"toolevo/trajectories/export"
)

// Source is a part of what is trained: an export, or another dataset.
type Source struct {
	Name     string           // of the dataset
	Folder   string           // that it is in, absolute
	Manifest *export.Manifest // of an export; nil for another dataset
	SHA256   string           // of the file of another dataset
	Rows     int              // samples that it has, or that its entry takes of them
	Weight   float64          // in the mixture; 0: each sample once
	Trained  int              // samples of an epoch, some repeated if there are weights

	file     string                    // that has the samples of another dataset
	datasets []dataset                 // that LLaMA-Factory trains
	entries  map[string]map[string]any // of dataset_info.json, with absolute file names
	suffix   string                    // of their names in the mixture
}

// dataset is a file of samples that LLaMA-Factory knows by a name.
type dataset struct {
	name string
	rows int
}

// String describes the source in a line.
func (s *Source) String() string {
	mark := "sha256 " + s.SHA256
	if s.Manifest != nil {
		mark = "seal " + s.Manifest.Seal
	}

	text := fmt.Sprintf("%s of %s, %s: %d samples", s.Name, s.Folder, mark, s.Rows)
	if s.Weight > 0 {
		text += fmt.Sprintf(", weight %g, %d in an epoch", s.Weight, s.Trained)
	}
	return text
}

// origin returns the source as the trained weights name it.
func (s *Source) origin() checkpoint.Source {
	o := checkpoint.Source{Name: s.Name, Folder: s.Folder, SHA256: s.SHA256, Rows: s.Rows, Weight: s.Weight,
		Trained: s.Trained}
	if s.Manifest != nil {
		o.Export = checkpoint.ExportOf(s.Manifest)
	}

	return o
}

// openExport reads the manifest of an export.
func openExport(folder string) (*Source, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}

	m, err := export.ReadManifest(folder)
	if err != nil {
		return nil, err
	}

	s := &Source{Name: m.Dataset(), Folder: folder, Manifest: m, Rows: m.Rows, Trained: m.Rows}
	for name := range strings.SplitSeq(s.Name, ",") {
		rows := m.Rows
		isIt := func(set export.ManifestSet) bool { return set.Name == name }
		if i := slices.IndexFunc(m.Sets, isIt); i >= 0 {
			rows = m.Sets[i].Rows
		}

		s.datasets = append(s.datasets, dataset{name, rows})
	}
	return s, nil
}

// readEntries reads a folder's dataset_info.json.
func readEntries(folder string) (map[string]map[string]any, error) {
	text, err := disk.ReadFile(filepath.Join(folder, export.DatasetInfoFile))
	if err != nil {
		return nil, err
	}

	var entries map[string]map[string]any
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("decode %s of %s: %w", export.DatasetInfoFile, folder, err)
	}

	for _, e := range entries {
		if name, ok := e[fileNameKey].(string); ok && !filepath.IsAbs(name) {
			e[fileNameKey] = filepath.Join(folder, name)
		}
	}

	return entries, nil
}

// openSources opens the exports and the other datasets, and sets how many samples each has in an
// epoch.
func (r *Recipe) openSources(o Options) (all []*Source, err error) {
	if len(o.Exports) == 0 {
		return nil, errors.New("no export is named")
	}

	for _, folder := range o.Exports {
		s, err := openExport(folder)
		if err != nil {
			return nil, err
		}

		// The seal, not the folder: a copy of an export would double its weight unseen.
		same := func(t *Source) bool { return t.Manifest.Seal == s.Manifest.Seal }
		if i := slices.IndexFunc(all, same); i >= 0 {
			return nil, fmt.Errorf("%s is the same export as %s: name it once, with a larger weight "+
				"if its samples are to come more often", s.Folder, all[i].Folder)
		}

		all = append(all, s)
	}

	for _, name := range o.With {
		// Other datasets come after the exports, with which they must agree: the first one says
		// how.
		s, err := r.openOther(name, all[0])
		if err != nil {
			return nil, console.Option("with", "%s: %w", name, err)
		}

		same := func(t *Source) bool { return t.SHA256 == s.SHA256 }
		if i := slices.IndexFunc(all, same); i >= 0 {
			return nil, console.Option("with", "%s: it is the same data as %s of %s", name, all[i].Name,
				all[i].Folder)
		}

		all = append(all, s)
	}
	return all, share(all, o.Weights, r.Trainer)
}

// share sets how many samples of each source an epoch has, by the weights. LLaMA-Factory repeats
// samples of the sources that have too few, and loses none; TRL leaves out what a source has too
// much of.
func share(all []*Source, weights []float64, t export.Trainer) error {
	// Without weights the sources stay as they were opened: each sample once.
	if len(weights) == 0 {
		return nil
	}

	if len(weights) != len(all) {
		return console.Option("weights", "%d values for %d sources: want one for each, the exports first",
			len(weights), len(all))
	}

	per := 0.0 // samples for a weight of 1
	for i, s := range all {
		if w := weights[i]; w <= 0 || math.IsInf(w, 0) || math.IsNaN(w) {
			return console.Option("weights", "%g: want positive numbers", w)
		}

		s.Weight = weights[i]
		has := float64(s.Rows) / s.Weight

		// The source that has the most samples for its weight sets the scale where others are
		// repeated, the one with the fewest where they are cut.
		switch {
		case i == 0, t == export.TRL && has < per, t == export.LlamaFactory && has > per:
			per = has
		}
	}

	for _, s := range all {
		s.Trained = int(math.RoundToEven(s.Weight * per))
	}
	return nil
}
