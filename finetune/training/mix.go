package training

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/trajectories/export"
)

// addSources sets the arguments that say what is trained.
func (p *Plan) addSources(o Options) error {
	switch {
	case p.Recipe.Trainer == export.TRL:
		if o.GPUs > 0 { // else what accelerate_config says, or as many as there are
			p.arguments = p.arguments.with(argProcesses, o.GPUs)
		}

		p.mixForTRL()
	case len(p.Sources) == 1:
		p.arguments = p.arguments.with("dataset_dir", p.Sources[0].Folder).
			with("dataset", p.Sources[0].Name)
	default:
		return p.mixForLlamaFactory()
	}

	return nil
}

// mixForLlamaFactory puts the datasets of all sources into one dataset_info.json. LLaMA-Factory's
// default, concat, joins their samples, and the trainer shuffles them. Samples of a source that
// needs more are drawn again (num_samples), so that shares are exact and no sample is lost. Of the
// strategies that interleave, interleave_under loses samples, interleave_over draws shares that are
// right only on average, and interleave_once ends up with the samples as they are, whatever the
// weights; and interleave_probs wants as many datasets evaluated as trained.
func (p *Plan) mixForLlamaFactory() error {
	var trained, held []string
	all := map[string]map[string]any{}

	for _, s := range p.Sources {
		if err := s.addEntries(all); err != nil {
			return err
		}

		for _, d := range s.datasets {
			trained = append(trained, d.name)

			if dev := s.devOf(d); dev != "" {
				held = append(held, dev)
			}
		}
	}

	if held != nil {
		p.warn("Samples that the exports hold out are not trained. They are evaluated with "+
			"--set eval_dataset=%s --set eval_strategy=epoch.", strings.Join(held, ","))
	}

	text, err := json.MarshalIndent(all, "", "  ")
	p.files[export.DatasetInfoFile] = append(text, '\n')
	p.arguments = p.arguments.with("dataset_dir", ".").with("dataset", strings.Join(trained, ","))
	return err
}

// addEntries adds the entries of the source to others, all under another name if one is taken, and
// sets in them how many samples an epoch has.
func (s *Source) addEntries(all map[string]map[string]any) (err error) {
	// A dataset that is no export has its one entry already; an export's may also list its held-out
	// samples.
	if s.entries == nil {
		if s.entries, err = readEntries(s.Folder); err != nil {
			return err
		}
	}

	// One suffix for all entries, because devOf derives the name of held-out samples from that of
	// the trained ones.
	suffix := ""
	for n := 2; hasAny(all, s.entries, suffix); n++ {
		suffix = fmt.Sprintf("_%d", n)
	}

	for name, entry := range s.entries {
		all[name+suffix] = entry
	}

	var names []string

	for i, d := range s.datasets {
		entry := s.entries[d.name]
		if entry == nil {
			return fmt.Errorf("%s of %s has no entry %s", export.DatasetInfoFile, s.Folder, d.name)
		}

		// Without num_samples LLaMA-Factory takes each sample once, which is what most datasets
		// need. An entry that has it counts as that many already.
		if rows := s.rowsOf(d); rows != d.rows {
			entry[numSamplesKey] = rows
		}

		s.datasets[i].name += suffix
		names = append(names, s.datasets[i].name)
	}

	s.Name, s.suffix = strings.Join(names, ","), suffix
	return nil
}

// devOf returns the name of the samples that an export holds out of a dataset, or "". Those of a
// simulator are sets of their own.
func (s *Source) devOf(d dataset) string {
	name := strings.TrimSuffix(d.name, s.suffix) + "_dev"
	if s.Manifest == nil || s.Manifest.DevRows == 0 || s.entries[name] == nil {
		return ""
	}
	return name + s.suffix
}

// rowsOf returns how many samples of one of its datasets an epoch has.
func (s *Source) rowsOf(d dataset) int {
	return max(int(math.Round(float64(d.rows)*float64(s.Trained)/float64(s.Rows))), d.rows)
}

func hasAny(all, entries map[string]map[string]any, suffix string) bool {
	for name := range entries {
		if _, ok := all[name+suffix]; ok {
			return true
		}
	}

	return false
}

// mixForTRL names the folders of all sources and their shares.
func (p *Plan) mixForTRL() {
	// TRL reads a mixture by another argument than a single dataset, whose held-out split it can
	// evaluate.
	if len(p.Sources) == 1 {
		p.arguments = p.arguments.with("dataset_name", p.Sources[0].Folder)
		return
	}

	var all []yaml.MapSlice
	held := false

	for _, s := range p.Sources {
		d := yaml.MapSlice{{Key: "path", Value: s.Folder}}
		if s.Weight > 0 {
			// TRL puts fractions in proportion, so weights need not add up to 1.
			d = append(d, yaml.MapItem{Key: "fraction", Value: s.Weight})
		}

		if s.Trained < s.Rows {
			p.warn("By these weights TRL trains the first %d samples of %s and leaves out %d: "+
				"it repeats none of the others.", s.Trained, s.Folder, s.Rows-s.Trained)
		}

		all = append(all, d)
		held = held || s.Manifest != nil && s.Manifest.DevRows > 0
	}

	if held {
		p.warn("TRL evaluates no samples of a mixture that the exports hold out: evaluate the " +
			"checkpoints.")
	}

	p.arguments = p.arguments.with("datasets", all)
}
