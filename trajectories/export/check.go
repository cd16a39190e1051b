package export

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/mcts/policy/prompt"
	"toolevo/trajectories/internal/pq"
)

// Report is what [Lint] found in a folder.
type Report struct {
	Rows     int             `json:"rows"`     // samples that were checked, held-out ones included
	Problems []string        `json:"problems"` // with the folder or its files; none in a good export
	Findings []SampleFinding `json:"findings"` // with samples, at most 100
	Faulty   int             `json:"faulty"`   // samples with findings
}

// SampleFinding is a finding and the sample it is about, from 0.
type SampleFinding struct {
	Sample int  `json:"sample"`        // its place in the data files, from 0
	Dev    bool `json:"dev,omitempty"` // it is in the files of held-out samples
	Finding
}

// OK reports whether nothing was found.
func (r *Report) OK() bool { return len(r.Problems) == 0 && r.Faulty == 0 }

// maxFindings bounds the list of findings; Faulty counts on.
const maxFindings = 100

// Read streams the samples of an export folder from its Parquet file: those to train on, or, with
// dev, those held out.
func Read(dir string, dev bool) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		m, err := ReadManifest(dir)
		if err != nil {
			yield(Sample{}, err)
			return
		}

		if !m.Format.IsTrained() {
			yield(Sample{}, fmt.Errorf("export: %s has the format %s: no samples of trajectories",
				dir, m.Format))
			return
		}

		sets := datasets(m.Format, dev)
		m.samples(dir, sets[len(sets)-1])(yield)
	}
}

// samples streams a set of samples. An error ends them.
func (m *Manifest) samples(dir string, set dataset) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		l := m.layout()

		for rec, err := range pq.Read[record](filepath.Join(dir, set.parquet()), l.columns) {
			var s Sample
			if err == nil {
				s, err = l.read(&rec)
			}

			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// Lint checks a folder that may have been damaged, altered or filled by another program: that it
// holds what the manifest lists and nothing else, the checksums, the manifest's seal, every sample
// with the linter, and that no question is asked elsewhere, if that is known. What is wrong with
// the folder is in the report; an error means that it cannot be read.
func Lint(dir string, linter *Linter, elsewhere *Elsewhere) (*Report, error) {
	r := &Report{Problems: []string{}, Findings: []SampleFinding{}}

	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("export: lint: %w", err)
	}

	// Without a manifest there is nothing to compare the rest with.
	m, err := ReadManifest(dir)
	if err != nil {
		r.problem("%v", err)
		return r, nil
	}

	for _, entry := range entries {
		if name := entry.Name(); name != ManifestFile && !m.entries()[name] {
			r.problem("%s does not belong in this export", name)
		}
	}

	r.checkSeal(dir, m)
	r.checkSums(dir, m)

	// The linter knows what trainers read, so it has no say in documents.
	if !m.Format.IsTrained() {
		r.Rows = m.Rows + m.DevRows
		return r, nil
	}

	for i, d := range m.datasets() {
		r.checkSamples(m.samples(dir, d), m.Format, i > 0, linter, elsewhere)
	}
	return r, nil
}

func (r *Report) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// checkSeal makes sure that no byte of the manifest was changed.
func (r *Report) checkSeal(dir string, m *Manifest) {
	text, err := disk.ReadFile(filepath.Join(dir, ManifestFile))
	if err != nil {
		r.problem("%v", err)
		return
	}

	if want := envs.SHA256(strings.Replace(string(text), sealLine(m.Seal), sealLine(""),
		1)); m.Seal != want {
		r.problem("%s was altered: its seal is %q, of these values it would be %s", ManifestFile,
			m.Seal, want)
	}
}

func (r *Report) checkSums(dir string, m *Manifest) {
	for _, want := range m.Files {
		got, err := sumFile(dir, want.Name)

		switch {
		case err != nil:
			r.problem("%v", err)
		case got == want || want.Name == cardFile && isCardWithLicense(dir, want):
		default:
			r.problem("%s is not the file the manifest describes (%d bytes, want %d; checksum %s)",
				want.Name, got.Bytes, want.Bytes, got.SHA256)
		}
	}
}

// isCardWithLicense reports whether the card is the one that was written except for its licence,
// which whoever shares the samples fills in.
func isCardWithLicense(dir string, want FileSum) bool {
	card, err := disk.ReadFile(filepath.Join(dir, cardFile))
	return err == nil && envs.SHA256(unlicensed(string(card))) == want.SHA256
}

// checkSamples asks the linter about every sample of a set.
func (r *Report) checkSamples(
	samples iter.Seq2[Sample, error], format Format, dev bool, linter *Linter, elsewhere *Elsewhere,
) {
	n := 0

	for sample, err := range samples {
		if err != nil {
			r.problem("sample %d: %v", n, err)
			return
		}

		found := linter.Lint(format, &sample)

		if len(sample.Conversations) > 0 {
			question := strings.TrimPrefix(sample.Conversations[0].Value, prompt.QuestionMarker)
			if where := elsewhere.find(question); where != "" {
				found = append(found, Finding{Leak, 0, "the question is also in " + where})
			}
		}

		r.addFindings(n, dev, found)

		n++
		r.Rows++
	}
}

// addFindings adds the findings of a sample.
func (r *Report) addFindings(sample int, dev bool, found []Finding) {
	if len(found) > 0 {
		r.Faulty++
	}

	for _, f := range found {
		if len(r.Findings) < maxFindings {
			r.Findings = append(r.Findings, SampleFinding{sample, dev, f})
		}
	}
}
