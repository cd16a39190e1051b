package export

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"toolevo/envs/regular"
	"toolevo/mcts/policy/prompt"
	"toolevo/trajectories/internal/jsonl"
	"toolevo/trajectories/internal/pq"
)

// Report is what [Lint] found in a folder.
type Report struct {
	Rows     int             `json:"rows"`     // samples that were checked, those held out among them
	Problems []string        `json:"problems"` // with the folder or its files; none in a good export
	Findings []SampleFinding `json:"findings"` // with samples, at most 100
	Faulty   int             `json:"faulty"`   // samples with findings
}

// SampleFinding is a finding and the sample it is about, from 0.
type SampleFinding struct {
	Sample int  `json:"sample"`        // its place in the data files, from 0
	Dev    bool `json:"dev,omitempty"` // it is in the files of those held out
	Finding
}

// OK reports whether nothing was found.
func (r *Report) OK() bool { return len(r.Problems) == 0 && r.Faulty == 0 }

// maxFindings bounds the report; Faulty goes on counting.
const maxFindings = 100

// Read streams the samples of an export folder from its Parquet file: those that are trained on, or those that are held
// out.
func Read(dir string, dev bool) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		m, err := ReadManifest(dir)
		if err != nil {
			yield(Sample{}, err)
			return
		}

		f, t := m.Format, m.Trainer
		if f == Simulator || f.IsDocuments() {
			yield(Sample{}, fmt.Errorf("export: %s has the format %s: no samples of trajectories", dir, f))
			return
		}

		sets := datasets(f, dev)
		l := layoutOf(f, t)

		for rec, err := range pq.Read[record](filepath.Join(dir, sets[len(sets)-1].parquet()), l.columns) {
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

// Lint checks a folder on disk as if it had not been written by this program: what it holds, the checksums, the
// manifest's seal, the card, dataset_info.json, that both data files hold the same samples, that the lineage and the
// manifest say of them what they are, every sample with the linter, and that no question is asked elsewhere, if that is
// known. An error is returned only when the folder cannot be read; what is wrong with it stands in the report.
func Lint(dir string, linter *Linter, elsewhere *Elsewhere) (*Report, error) {
	r := &Report{Problems: []string{}, Findings: []SampleFinding{}}

	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("export: lint: %w", err)
	}

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

	r.checkSums(dir, m)
	r.checkManifest(dir, m)

	if !m.Format.IsDocuments() {
		r.checkInfo(dir, m)
	}

	if m.Format == Simulator || m.Format.IsDocuments() { // of which the linter knows nothing
		r.Rows = m.Rows + m.DevRows
		return r, nil
	}

	// Values are compared with files that can be read.
	seen, before := newSeen(), len(r.Problems)

	for i, d := range m.datasets() {
		check := samplesCheck{r, dir, m, d, i > 0, linter, elsewhere}
		check.samples(seen)
		check.lineage(seen)
	}

	if len(r.Problems) == before {
		r.checkValues(m, seen)
	}

	return r, nil
}

func (r *Report) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// checkManifest makes sure that the manifest is written as this program writes it, and sealed.
func (r *Report) checkManifest(dir string, m *Manifest) {
	want, err := m.seal()
	if err != nil {
		r.problem("%v", err)
	} else if m.Seal != want {
		r.problem("%s was altered: its seal is %q, of these values it would be %s", ManifestFile, m.Seal, want)
	}

	have, err := os.ReadFile(filepath.Join(dir, ManifestFile))

	text, encodeErr := indented(m)
	if err := errors.Join(err, encodeErr); err != nil {
		r.problem("%v", err)
	} else if !bytes.Equal(have, text) {
		r.problem("%s is not written as it was: it differs in spelling or white space", ManifestFile)
	}
}

func (r *Report) checkSums(dir string, m *Manifest) {
	var names []string
	for _, f := range m.Files {
		names = append(names, f.Name)
	}

	if want := m.sealed(); !slices.Equal(names, want) {
		r.problem("%s has the checksums of %q, want those of %q", ManifestFile, names, want)
	}

	for _, want := range m.Files {
		got, err := sumFile(dir, want.Name)
		switch {
		case err != nil:
			r.problem("%v", err)
		case got != want && want.Name != cardFile: // to which a license may be added; see checkInfo
			r.problem("%s is not the file the manifest describes (%d bytes, want %d; checksum %s)", want.Name,
				got.Bytes, want.Bytes, got.SHA256)
		}
	}
}

// checkInfo compares what is written for trainers and people with what it is written from.
func (r *Report) checkInfo(dir string, m *Manifest) {
	if m.Format != Simulator {
		card, err := regular.ReadFile(filepath.Join(dir, cardFile))
		if err != nil {
			r.problem("%v", err)
		} else if withoutLicense(string(card)) != m.card() {
			r.problem("%s does not say what %s does, but for a license", cardFile, ManifestFile)
		}
	}

	var info map[string]datasetEntry
	if err := readJSON(filepath.Join(dir, DatasetInfoFile), &info); err != nil {
		r.problem("%v", err)
		return
	}

	if want := m.datasetInfo(); !reflect.DeepEqual(info, want) {
		r.problem("%s says %v, want %v", DatasetInfoFile, info, want)
	}
}

// samplesCheck checks a set of samples.
type samplesCheck struct {
	*Report
	dir       string
	manifest  *Manifest
	set       dataset
	dev       bool
	linter    *Linter
	elsewhere *Elsewhere
}

// samples goes through both data files side by side.
func (c *samplesCheck) samples(seen *seen) {
	next, stop := iter.Pull2(jsonl.Lines(filepath.Join(c.dir, c.set.jsonl())))
	defer stop()

	f, t := c.manifest.Format, c.manifest.Trainer
	l := layoutOf(f, t)
	n := 0
	seen.begin()

	for rec, err := range pq.Read[record](filepath.Join(c.dir, c.set.parquet()), l.columns) {
		if err != nil {
			c.problem("%v", err)
			return
		}

		line, err, ok := next()
		switch {
		case !ok:
			c.problem("%s ends before sample %d", c.set.jsonl(), n)
			return
		case err != nil:
			c.problem("%v", err)
			return
		}

		want, err := pq.AppendJSON(nil, &rec, l.columns)
		if err != nil || !bytes.Equal(bytes.TrimSuffix(line, []byte("\n")), want) {
			c.problem("sample %d differs between %s and %s", n, c.set.parquet(), c.set.jsonl())
		}

		sample, err := l.read(&rec)
		if err != nil {
			c.problem("sample %d of %s: %v", n, c.set.parquet(), err)
		}

		seen.sample(f, &sample, c.linter)
		c.find(n, c.lint(f, &sample))

		n++
		c.Rows++
	}

	if _, err, ok := next(); ok {
		c.problem("%s goes on after sample %d (%v)", c.set.jsonl(), n, err)
	}
}

// lint returns what is wrong with a sample, its question among it.
func (c *samplesCheck) lint(f Format, s *Sample) []Finding {
	found := c.linter.Lint(f, s)

	if len(s.Conversations) > 0 {
		question := strings.TrimPrefix(s.Conversations[0].Value, prompt.QuestionMarker)
		if where := c.elsewhere.find(question); where != "" {
			found = append(found, Finding{Leak, 0, "the question is also in " + where})
		}
	}

	return found
}

// find takes note of what was found of a sample.
func (c *samplesCheck) find(sample int, found []Finding) {
	if len(found) > 0 {
		c.Faulty++
	}

	for _, f := range found {
		if len(c.Findings) < maxFindings {
			c.Findings = append(c.Findings, SampleFinding{sample, c.dev, f})
		}
	}
}

// lineage compares the lines of the lineage with the samples.
func (c *samplesCheck) lineage(seen *seen) {
	lines := 0

	for line, err := range jsonl.Lines(filepath.Join(c.dir, c.set.lineage)) {
		if err != nil {
			c.problem("%v", err)
			return
		}

		var l Lineage
		if err := jsonl.Decode(line, &l); err != nil {
			c.problem("%s, line %d: %v", c.set.lineage, lines+1, err)
			return
		}

		if lines < len(seen.samples) {
			if what := seen.line(lines, &l); what != "" {
				c.problem("%s, line %d: %s", c.set.lineage, lines+1, what)
			}
		}
		lines++
	}

	if lines != len(seen.samples) {
		c.problem("%s holds %d lines for %d samples", c.set.lineage, lines, len(seen.samples))
	}
}
