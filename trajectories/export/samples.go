package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/trajectories/internal/pq"
)

// writeData writes the samples of the questions, and their lineage.
func (w *writer) writeData(work string, questions iter.Seq2[*question, error]) error {
	sets := datasets(w.opt.Format, w.opt.Selection.Dev > 0)
	return w.withFiles(work, sets, nil, func(files []*sampleFiles) error {
		for q, err := range questions {
			if err != nil {
				return err
			}

			dev := w.isDev(q)

			into := files[0]
			if dev {
				into = files[1]
			}

			written, err := w.writeQuestion(q, into)
			if err != nil {
				return err
			}

			w.count(written, dev)
		}

		w.manifest.Labels = files[0].labels
		return nil
	})
}

// count counts the samples of a question.
func (w *writer) count(samples int, dev bool) {
	if samples == 0 {
		return
	}

	m := &w.manifest
	if dev {
		m.DevRows += samples
		m.DevQuestions++
	} else {
		m.Rows += samples
		m.Questions++
	}
}

// isDev reports whether a question's samples are held out, in whatever run.
func (w *writer) isDev(q *question) bool {
	return w.heldOut[envs.QuestionKey(q.chosen[0].Question)]
}

// heldOut returns which questions are held out: their share, and at least one if there are several.
// Each question's place depends on itself and the seed alone, so that with some questions more or
// fewer nearly the same ones are held out.
func (s Selection) heldOut(asked map[string]bool) map[string]bool {
	if s.Dev == 0 {
		return nil
	}

	place := func(question string) float64 { return envs.Random(s.Seed, question).Float64() }

	ordered := slices.SortedFunc(maps.Keys(asked), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
	n := int(math.Round(s.Dev * float64(len(ordered))))

	held := map[string]bool{}
	for _, question := range ordered[:min(max(n, 1), max(len(ordered)-1, 0))] {
		held[question] = true
	}
	return held
}

// sampleFiles are the files of a set of samples.
type sampleFiles struct {
	parquet *pq.Writer[record]
	jsonl   io.Writer
	lineage *json.Encoder
	labels  Labels // of KTO
}

// withFiles opens the files of the sets and calls use. When that returns without error, they are
// closed and whole.
func (w *writer) withFiles(work string, sets []dataset, open []*sampleFiles, use func([]*sampleFiles) error) error {
	if len(sets) == 0 {
		return use(open)
	}
	return disk.WriteFile(filepath.Join(work, sets[0].parquet()), func(pw io.Writer) error {
		return disk.WriteFile(filepath.Join(work, sets[0].jsonl()), func(jw io.Writer) error {
			return disk.WriteFile(filepath.Join(work, sets[0].lineage), func(lw io.Writer) error {
				parquet, err := pq.NewWriter[record](pw, w.layout.columns, nil)
				if err != nil {
					return err
				}

				files := append(open, &sampleFiles{parquet: parquet, jsonl: jw, lineage: disk.NewLineEncoder(lw)})
				return errors.Join(w.withFiles(work, sets[1:], files, use), parquet.Close())
			})
		})
	})
}

// writeQuestion writes the samples of a question that the linter does not fault, and returns how
// many.
func (w *writer) writeQuestion(q *question, files *sampleFiles) (written int, err error) {
	all, err := w.form.samples(w, q)
	if err != nil {
		return 0, err
	}

	once := distinct(all)
	w.manifest.Selected.Repeated += len(all) - len(once)

	for i := range once {
		c := &once[i]

		// A sample that is a whole trajectory was linted before the selection.
		if !w.form.whole {
			if found := w.linter.Lint(w.opt.Format, &c.sample); len(found) > 0 {
				w.dropSample(c, found)
				continue
			}
		}

		if err := w.writeSample(c, files); err != nil {
			return written, fmt.Errorf("write the sample of %s: %w", c.row.Name(), err)
		}

		written++
	}
	return written, nil
}

func (w *writer) dropSample(c *candidate, found []Finding) {
	report := &w.manifest.Lint
	if report.SamplesByRule == nil {
		report.SamplesByRule = map[Rule]int{}
	}

	report.Samples++
	report.SamplesByRule[found[0].Rule]++

	name := c.row.Name()
	if c.step > 0 {
		name += fmt.Sprintf(", action %d", c.step)
	}

	w.report(name, found)
}

func (w *writer) writeSample(c *candidate, files *sampleFiles) error {
	shown, err := w.shown.get(c.row)
	if err != nil {
		return err
	}

	m := &w.manifest
	m.Lint.Sanitized += c.broken

	// Other formats leave unreadable turns out.
	switch {
	case w.form.whole && w.form.skipped == "":
		m.Unreadable += countUnreadable(c.row)
	case w.form.whole:
		m.SkippedUnreadable += countUnreadable(c.row)
	}

	w.runs.add(c.row, shown)

	chars, tokens := w.linter.Length(w.opt.Format, &c.sample)
	m.Lengths.add(chars, tokens)

	m.Calls = m.Calls || c.sample.hasCalls()

	if w.form.labels {
		files.labels.add(&c.sample)
	}

	rec := w.layout.write(&c.sample)
	if w.opt.Arguments == ArgumentText {
		rec.quoteArguments()
	}

	// Columns that no sample fills are left out in the end.
	w.weighs = w.weighs || rec.hasWeights()
	m.ToolCalls = m.ToolCalls || rec.hasToolCalls()

	if err := files.parquet.Write(&rec); err != nil {
		return err
	}

	line, err := pq.AppendJSON(nil, &rec, w.layout.columns)
	if err != nil {
		return err
	}

	if _, err := files.jsonl.Write(append(line, '\n')); err != nil {
		return err
	}
	return files.lineage.Encode(lineageOf(c, shown.Origin, chars, tokens))
}

// writeJSON writes a value to a file as JSON.
func writeJSON(path string, v any) error {
	text, err := indented(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	return disk.Write(path, text)
}

// indented returns a value in the JSON of an export's files.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := disk.NewLineEncoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

func sumFile(dir, name string) (FileSum, error) {
	sum, size, err := disk.Sum(filepath.Join(dir, name))
	if err != nil {
		return FileSum{}, fmt.Errorf("sum %s: %w", name, err)
	}
	return FileSum{Name: name, Bytes: size, SHA256: sum}, nil
}
