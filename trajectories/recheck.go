package trajectories

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"toolevo/trajectories/internal/pq"
)

// ExportReport is what [LintExport] found in a folder.
type ExportReport struct {
	Rows     int             `json:"rows"`     // samples that were checked
	Problems []string        `json:"problems"` // with the folder or its files; none in a good export
	Findings []SampleFinding `json:"findings"` // with samples, at most 100
	Faulty   int             `json:"faulty"`   // samples with findings
}

// SampleFinding is a finding and the sample it is about, from 0.
type SampleFinding struct {
	Sample int `json:"sample"` // its place in the data files, from 0
	Finding
}

// OK reports whether nothing was found.
func (r *ExportReport) OK() bool { return len(r.Problems) == 0 && r.Faulty == 0 }

// maxFindings bounds the report; Faulty goes on counting.
const maxFindings = 100

// ReadExport streams the samples of an export folder from its Parquet file.
func ReadExport(dir string) iter.Seq2[Sample, error] {
	return pq.Read(filepath.Join(dir, ParquetFile), sampleColumns)
}

// LintExport checks a folder on disk as if it had not been written by this program: what it holds, the checksums, the
// manifest's seal, dataset_info.json, that both data files hold the same samples, that the lineage and the manifest say
// of them what they are, and every sample with the linter. An error is returned only when the folder cannot be read;
// what is wrong with it stands in the report.
func LintExport(dir string, linter *Linter) (*ExportReport, error) {
	r := &ExportReport{Problems: []string{}, Findings: []SampleFinding{}}

	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("trajectories: lint export: %w", err)
	}

	for _, entry := range entries {
		if !isExportFile(entry.Name()) {
			r.problem("%s does not belong in an export", entry.Name())
		}
	}

	m, err := ReadManifest(dir)
	if err != nil {
		r.problem("%v", err)

		m = &Manifest{Rows: -1}
	}

	r.checkSums(dir, m)
	r.checkInfo(dir)

	if m.Rows >= 0 {
		r.checkManifest(dir, m)
	}

	// Values are compared with files that can be read.
	seen, before := newSeen(), len(r.Problems)
	r.checkSamples(dir, linter, seen)
	r.checkLineage(dir, seen)

	if m.Rows >= 0 && len(r.Problems) == before {
		r.checkValues(m, seen)
	}

	return r, nil
}

func (r *ExportReport) problem(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// checkManifest makes sure that the manifest is written as this program writes it, and sealed.
func (r *ExportReport) checkManifest(dir string, m *Manifest) {
	if m.Version < 3 {
		if m.Seal != "" {
			r.problem("%s has a seal, which its version %d has not", ManifestFile, m.Version)
		}

		return
	}

	want, err := m.seal()
	if err != nil {
		r.problem("%v", err)
	} else if m.Seal != want {
		r.problem("%s was altered: its seal is %q, of these values it would be %s", ManifestFile, m.Seal, want)
	}

	have, err := os.ReadFile(filepath.Join(dir, ManifestFile))

	text, encodeErr := m.encode()
	if err := errors.Join(err, encodeErr); err != nil {
		r.problem("%v", err)
	} else if !bytes.Equal(have, text) {
		r.problem("%s is not written as it was: it differs in spelling or white space", ManifestFile)
	}
}

func (r *ExportReport) checkSums(dir string, m *Manifest) {
	var names []string
	for _, f := range m.Files {
		names = append(names, f.Name)
	}

	if m.Rows >= 0 && !slices.Equal(names, sealedFiles()) {
		r.problem("%s has the checksums of %q, want those of %q", ManifestFile, names, sealedFiles())
	}

	for _, want := range m.Files {
		got, err := sumFile(dir, want.Name)
		switch {
		case err != nil:
			r.problem("%v", err)
		case got != want:
			r.problem("%s is not the file the manifest describes (%d bytes, want %d; checksum %s)", want.Name,
				got.Bytes, want.Bytes, got.SHA256)
		}
	}
}

func (r *ExportReport) checkInfo(dir string) {
	var info map[string]datasetEntry
	if err := readJSON(filepath.Join(dir, DatasetInfoFile), &info); err != nil {
		r.problem("%v", err)
		return
	}

	if want := datasetInfo(); !reflect.DeepEqual(info, want) {
		r.problem("%s says %v, want %v", DatasetInfoFile, info, want)
	}
}

// checkSamples goes through both data files side by side.
func (r *ExportReport) checkSamples(dir string, linter *Linter, seen *seen) {
	next, stop := iter.Pull2(readJSONL(filepath.Join(dir, JSONLFile)))
	defer stop()

	for sample, err := range ReadExport(dir) {
		if err != nil {
			r.problem("%v", err)
			return
		}

		other, err, ok := next()
		switch {
		case !ok:
			r.problem("%s ends before sample %d", JSONLFile, r.Rows)
			return
		case err != nil:
			r.problem("%v", err)
			return
		case !reflect.DeepEqual(sample, other):
			r.problem("sample %d differs between %s and %s", r.Rows, ParquetFile, JSONLFile)
		}

		seen.sample(&sample, linter)

		found := linter.Lint(&sample)
		if len(found) > 0 {
			r.Faulty++
		}

		for _, f := range found {
			if len(r.Findings) < maxFindings {
				r.Findings = append(r.Findings, SampleFinding{r.Rows, f})
			}
		}
		r.Rows++
	}

	if _, err, ok := next(); ok {
		r.problem("%s goes on after sample %d (%v)", JSONLFile, r.Rows, err)
	}
}

func (r *ExportReport) checkLineage(dir string, seen *seen) {
	lines := 0

	for line, err := range readLines(filepath.Join(dir, LineageFile)) {
		if err != nil {
			r.problem("%v", err)
			return
		}

		var l Lineage
		if err := strictUnmarshal(line, &l); err != nil {
			r.problem("%s, line %d: %v", LineageFile, lines+1, err)
			return
		}

		if lines < len(seen.samples) {
			if what := seen.line(lines, &l); what != "" {
				r.problem("%s, line %d: %s", LineageFile, lines+1, what)
			}
		}
		lines++
	}

	if lines != r.Rows {
		r.problem("%s holds %d lines for %d samples", LineageFile, lines, r.Rows)
	}
}

// readJSONL streams the samples of a JSONL file. A null, a missing or an unknown key is an error.
func readJSONL(path string) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		n := 0
		for line, err := range readLines(path) {
			n++

			var s Sample
			if err == nil {
				s, err = decodeSample(line)
			}

			if err != nil {
				yield(Sample{}, fmt.Errorf("%s, line %d: %w", path, n, err))
				return
			}

			if !yield(s, nil) {
				return
			}
		}
	}
}

func decodeSample(line []byte) (Sample, error) {
	var raw struct {
		System        *string `json:"system"`
		Conversations []struct {
			From  *string `json:"from"`
			Value *string `json:"value"`
		} `json:"conversations"`
	}
	if err := strictUnmarshal(line, &raw); err != nil {
		return Sample{}, err
	}

	if raw.System == nil || raw.Conversations == nil {
		return Sample{}, errors.New("system or conversations is null or missing")
	}

	s := Sample{System: *raw.System, Conversations: make([]Message, len(raw.Conversations))}
	for i, m := range raw.Conversations {
		if m.From == nil || m.Value == nil {
			return Sample{}, fmt.Errorf("message %d: from or value is null or missing", i)
		}

		s.Conversations[i] = Message{*m.From, *m.Value}
	}

	return s, nil
}

func strictUnmarshal(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()

	if err := d.Decode(v); err != nil {
		return err
	}

	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value on the line")
	}

	return nil
}

// readLines streams the lines of a file, which may be of any length.
func readLines(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()

		in := bufio.NewReaderSize(f, 1<<16)
		for {
			line, err := in.ReadBytes('\n')
			if len(line) > 0 && !yield(line, nil) {
				return
			}

			if err == io.EOF {
				return
			}

			if err != nil {
				yield(nil, fmt.Errorf("read %s: %w", path, err))
				return
			}
		}
	}
}
