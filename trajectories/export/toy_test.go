package export

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"toolevo/trajectories/atif"
	"toolevo/trajectories/internal/synth"
)

// The toys are made by the recipe in CONTRIBUTING.md alone: nothing but a value each. Here they are
// removed at the end.
func registerToys(t *testing.T) (samples, papers Format) {
	samples, papers = "toy-opening", "toy-ids"

	register(form{
		format: samples,
		words: words{
			Summary: "a question and the first action, where it is not faulty",
			About:   "One sample is how one trajectory begins.",
			Told: map[Trainer]instructions{
				LlamaFactory: {
					Command: "llamafactory-cli train", Lines: yaml.MapSlice{{Key: "stage", Value: "sft"}},
					Loss: "It falls on the action.",
				},
				TRL: {Command: "trl sft", Loss: "It falls on the completion."},
			},
		},
		trained: trained{
			shape: oneReply, dataset: "toolevo_toy",
			samples: func(w *writer, q *question) ([]candidate, error) {
				var all []candidate

				for _, row := range q.chosen {
					whole, broken, err := w.sample(row)
					if err != nil {
						return nil, err
					}

					all = append(all, candidate{sample: whole.step(0), broken: broken, row: row, step: 1})
				}
				return all, nil
			},
		},
	})
	register(form{
		format: papers,
		words:  words{Summary: "the IDs, a line each"},
		documents: documents{
			entry: "toolevo_toy.txt",
			open:  "Read %s",
			write: func(w *documentWriter, work string) error {
				var lines []string

				err := w.documents(func(d *atif.Document) error {
					lines = append(lines, d.TrajectoryID)
					return nil
				})
				if err != nil {
					return err
				}

				return os.WriteFile(filepath.Join(work, "toolevo_toy.txt"), []byte(strings.Join(lines, "\n")), 0o600)
			},
		},
	})
	t.Cleanup(func() {
		delete(forms, samples)
		delete(forms, papers)
	})

	return samples, papers
}

// A format is a registered value: with it all that is there for every other one works for it, too.
func TestToyFormats(t *testing.T) {
	samples, papers := registerToys(t)
	rows := synth.Rows(1, 4, 2)

	for _, trainer := range Trainers() {
		dir := filepath.Join(t.TempDir(), "export")

		opt := Options{Format: samples, Trainer: trainer, Shown: synth.Shown}

		m, err := Write(t.Context(), dir, synth.Sorted(rows), opt)
		if err != nil || m.Rows == 0 || m.Lint.Samples > 0 {
			t.Fatalf("%s: %+v (%v)", trainer, m, err)
		}

		for s, err := range Read(dir, false) {
			if err != nil || len(s.Conversations) != 2 {
				t.Errorf("%s: %+v (%v)", trainer, s, err)
			}
		}

		card, err := os.ReadFile(filepath.Join(dir, cardFile))
		if err != nil || !strings.Contains(string(card), "how one trajectory begins") {
			t.Errorf("%s: the card says %s (%v)", trainer, card, err)
		}

		lintsAsToy(t, dir)
	}

	dir := filepath.Join(t.TempDir(), "documents")

	m, err := WriteDocuments(t.Context(), dir, Documents{
		Rows: synth.Sorted(rows), Episodes: ofRows(synth.Sequence(nil)),
	}, Options{Format: papers, Shown: synth.Shown})
	if err != nil || m.Rows == 0 || m.Files[0].Name != "toolevo_toy.txt" {
		t.Fatalf("%+v (%v)", m, err)
	}

	lintsAsToy(t, dir)

	if _, err := ParseFormat(string(samples), Format.IsDocuments); err == nil || papers.OpenWith() != "Read %s" ||
		!strings.Contains(err.Error(), string(papers)) {
		t.Errorf("documents are %v, the error %v", FormatsThat(Format.IsDocuments), err)
	}
}

func lintsAsToy(t *testing.T, dir string) {
	t.Helper()

	linter, err := NewLinter(nil, "", 0)
	if err != nil {
		t.Fatal(err)
	}

	if report, err := Proved(dir, linter, nil); err != nil || !report.OK() {
		t.Errorf("%s: %+v (%v)", dir, report, err)
	}
}
