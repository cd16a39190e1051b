package corpus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/importer"
	"toolevo/toolqa/corpus/synth"
)

// What the writer makes of cells, invented ones and those of published files, is one thing: the
// typed tables, the columns as the tools print them, the indexes and all hashes agree.
func TestMadeCorporaAreProved(t *testing.T) {
	t.Parallel()

	for _, ds := range toolqa.Datasets() {
		t.Run(string(ds), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()

			if _, err := synth.Build(t.Context(), dir, ds, synth.Options{Seed: 5, Rows: 400}); err != nil {
				t.Fatal(err)
			}

			proved(t, dir, ds)
		})
	}

	// Cells that pandas reads in its own way: a byte-order mark, quotes, missing values, empty
	// lines.
	for ds, file := range map[toolqa.Dataset]string{
		toolqa.Coffee: "\ufeffDate,Open,High,Low,Close,Volume,Currency\r\n" +
			"2000-01-03,122.25,124.0,116.1,116.5,6640,USD\r\n" +
			"\r\n2000-01-04,116.25,120.5,115.75,\"116.25\",5492,USD\r\n2000-01-05,1e2,1,0.1,7,0,USD\r\n",
		toolqa.Agenda: `{"id": "0", "event": "A", "person": "Bö", "date": "2022/01/16", "start_time": "9:00 AM", ` +
			`"end_time": "1:30 PM", "location": "here"}` + "\n" +
			`{"id": "1", "event": "A\n\u2028", "person": "None", "date": "2022/01/17", "start_time": "12:00 AM", ` +
			`"end_time": "12:00 PM", "location": ""}` + "\n",
	} {
		dir, from := t.TempDir(), filepath.Join(t.TempDir(), map[toolqa.Dataset]string{
			toolqa.Coffee: "coffee_price.csv", toolqa.Agenda: "agenda_events.jsonl",
		}[ds])

		if err := os.WriteFile(from, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}

		if _, err := importer.Import(t.Context(), dir, ds, from, importer.Options{AllowShort: true}); err != nil {
			t.Error(err)
			continue
		}

		proved(t, dir, ds)
	}
}

// The published coffee file, where it is there.
func TestPublishedCorpusIsProved(t *testing.T) {
	from := filepath.Join(os.Getenv("TOOLEVO_SHARED_DATA"), "toolqa", "corpus", "coffee", "coffee_price.csv")
	if _, err := os.Stat(from); err != nil {
		t.Skipf("the published file is not there: %v", err)
	}

	dir := t.TempDir()

	done, err := importer.Import(t.Context(), dir, toolqa.Coffee, from, importer.Options{})
	if err != nil || strings.TrimSpace(done.Info.ContentSHA256) == "" {
		t.Fatal(done, err)
	}

	proved(t, dir, toolqa.Coffee)
}

func proved(t *testing.T, dir string, ds toolqa.Dataset) {
	t.Helper()

	c, err := corpus.Open(t.Context(), dir, ds)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	if err := c.Prove(t.Context()); err != nil {
		t.Errorf("%s: %v", ds, err)
	}
}
