package export

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"toolevo/envs/disk"
)

// Simulator is the format of data that trains a model to stand in for APIs. It is made of recorded
// calls, so no trajectories can be exported in it; see [WriteInstructions].
const Simulator Format = "simulator"

func init() { register(form{format: Simulator}) }

// Instruction is a sample of one exchange in LLaMA-Factory's formatting alpaca.
type Instruction struct {
	System      string `json:"system"`
	Instruction string `json:"instruction"`
	Output      string `json:"output"`
}

// InstructionSet holds the samples of one file, NAME.jsonl.
type InstructionSet struct {
	Name    string // in dataset_info.json; begins with "train_" or "test_"
	Samples []Instruction
}

// ManifestSet is a file of samples of one exchange.
type ManifestSet struct {
	Name string `json:"name"` // in dataset_info.json; sets that begin with "train_" are trained
	Rows int    `json:"rows"` // samples
}

// The beginnings of set names.
const (
	trainSet = "train_"
	testSet  = "test_"
)

// reportFile says what became of the recorded calls.
const reportFile = "report.json"

// WriteInstructions writes samples of the format [Simulator] to a folder that LLaMA-Factory reads,
// with a report on how they were made and more files, and returns the manifest. Empty sets are left
// out. As with [Write] the folder may hold an earlier export, and a folder with a manifest is
// whole.
func WriteInstructions(dir string, sets []InstructionSet, report any, software string,
	more ...ExtraFile) (*Manifest, error) {
	m := newManifest(Options{Format: Simulator, Software: software})
	m.Selection = Selection{} // instructions are not selected from trajectories

	write := func(work string) error { return m.writeSets(work, sets, report, more) }
	if err := m.writeFolder(dir, write); err != nil {
		return nil, fmt.Errorf("export to %s: %w", dir, err)
	}
	return &m, nil
}

// JudgePrompt is the file with the prompt of a judge that is trained on the sets.
const JudgePrompt = "fac.txt"

// ExtraFile is a further file: a [JudgePrompt], or samples for another trainer, NAME.jsonl, whose
// name begins like that of a set.
type ExtraFile struct {
	Name string
	Text []byte
}

// writeSets writes the files of an export of instructions, and notes its sets in the manifest,
// which is written after them.
func (m *Manifest) writeSets(work string, sets []InstructionSet, report any, extra []ExtraFile) error {
	for _, f := range extra {
		if err := disk.Write(filepath.Join(work, f.Name), f.Text); err != nil {
			return err
		}
	}

	for _, s := range sets {
		// An empty set has no file, so dataset_info.json must not name one.
		if len(s.Samples) == 0 {
			continue
		}

		if err := s.write(filepath.Join(work, s.Name+".jsonl")); err != nil {
			return err
		}

		m.Sets = append(m.Sets, ManifestSet{s.Name, len(s.Samples)})

		// A set that is not trained counts as held out. Only trained samples have to fit a cutoff.
		if !strings.HasPrefix(s.Name, trainSet) {
			m.DevRows += len(s.Samples)
			continue
		}

		m.Rows += len(s.Samples)

		for _, sample := range s.Samples {
			m.Lengths.add(utf8.RuneCountInString(sample.System+sample.Instruction+sample.Output), 0)
		}
	}
	return errors.Join(
		writeJSON(filepath.Join(work, DatasetInfoFile), m.datasetInfo()),
		writeJSON(filepath.Join(work, reportFile), report),
	)
}

func (s *InstructionSet) write(path string) error {
	return disk.WriteFile(path, func(w io.Writer) error {
		enc := disk.NewLineEncoder(w)

		for i := range s.Samples {
			if err := enc.Encode(&s.Samples[i]); err != nil {
				return err
			}
		}

		return nil
	})
}

// instructionInfo returns the entry of a set in dataset_info.json.
func instructionInfo(name string) datasetEntry {
	return datasetEntry{
		FileName: name + ".jsonl", Formatting: "alpaca",
		Columns: map[string]string{"prompt": "instruction", "response": "output", "system": "system"},
	}
}

// isInstructionFile reports whether name may be a file of data for simulators.
func isInstructionFile(name string) bool {
	set, isSet := strings.CutSuffix(name, ".jsonl")
	return name == reportFile || name == JudgePrompt ||
		isSet && (strings.HasPrefix(set, trainSet) || strings.HasPrefix(set, testSet))
}

// Dataset names the trained sets in the form of LLaMA-Factory's argument dataset.
func (m *Manifest) Dataset() string {
	var names []string

	for _, s := range m.Sets {
		if strings.HasPrefix(s.Name, trainSet) {
			names = append(names, s.Name)
		}
	}

	return cmp.Or(strings.Join(names, ","), m.Format.Dataset())
}
