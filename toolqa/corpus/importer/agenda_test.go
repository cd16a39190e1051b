package importer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// writeAgenda writes files of the agenda below a folder: their paths and contents.
func writeAgenda(t testing.TB, files map[string]string) string {
	t.Helper()

	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestImportAgendaWithPassages(t *testing.T) {
	const table, texts = "agenda_events.jsonl", "agenda_descriptions_merged.jsonl"
	row := `{"event":"e","start_time":"9:00 AM","end_time":"2 PM","location":"l","person":"p","date":"2022/09/31","id":"agenda-0000"}` + "\n"
	passage := func(text string) string {
		line, err := json.Marshal(map[string]string{"event": text, "more": "ignored"})
		if err != nil {
			t.Fatal(err)
		}
		return string(line) + "\n"
	}
	want := []corpus.Document{
		{ID: 1, Name: texts + ":1", Content: "p has e."},
		{ID: 2, Name: texts + ":3", Content: "p is\n\"there\"."},
	}

	both := passage("p has e.") + "\n" + passage("p is\n\"there\".")
	for name, files := range map[string]map[string]string{
		"one folder":        {table: row, texts: both},
		"folder of dataset": {"agenda/" + table: row, "corpus/agenda/" + texts: both},
		"as published":      {"raw_data/agenda/" + table: row, "external_corpus/agenda/" + texts: both},
	} {
		t.Run(name, func(t *testing.T) {
			dir, from := t.TempDir(), writeAgenda(t, files)
			if name == "one folder" {
				from = filepath.Join(from, table)
			}

			done, err := Import(t.Context(), dir, toolqa.Agenda, from, Options{AllowShort: true})
			if err != nil {
				t.Fatal(err)
			}

			c := mustOpen(t, dir, toolqa.Agenda)
			if diff := cmp.Diff(want, documentsOf(t, c)); diff != "" || done.Info.Rows != 1 {
				t.Errorf("%d rows, passages (-want +got):\n%s", done.Info.Rows, diff)
			}

			if again, err := Import(t.Context(), dir, toolqa.Agenda, from,
				Options{AllowShort: true}); err != nil || !again.Unchanged {
				t.Errorf("a second import: %+v, %v", again, err)
			}
		})
	}

	for name, tt := range map[string]struct {
		files map[string]string
		opts  Options
		want  string // in the error; "" for none
	}{
		"no passages":       {map[string]string{table: row}, Options{}, "no " + texts + " beside"},
		"none, and allowed": {map[string]string{table: row}, Options{AllowShort: true}, ""},
		"too few": {map[string]string{table: strings.Repeat(row, 10_000), texts: both}, Options{},
			texts + ":3: the file ends after 2 rows; expected the 10000"},
		"too few, and bad rows in the table": {
			map[string]string{
				table: strings.Repeat(row, 9_999) + "bad\n",
				texts: strings.Repeat(both, 4_999) + passage("p"),
			}, Options{SkipBad: 1}, "the file ends after 9999 rows; expected the 10000"},
		"no text": {map[string]string{table: row, texts: `{"event": 3}`}, Options{AllowShort: true},
			texts + `:1: no text as "event"`},
		"no text, left out": {map[string]string{table: row, texts: `{"event": 3}` + "\n" + both},
			Options{AllowShort: true, SkipBad: 1}, ""},
		"empty": {map[string]string{table: row, texts: ""}, Options{AllowShort: true},
			"the file ends without a row"},
		"no table": {map[string]string{texts: both}, Options{AllowShort: true}, "no " + table},
		"broken off": {map[string]string{table: row, texts: both + `{"event": "p`},
			Options{AllowShort: true}, texts + ":4: not JSON"},
		"a line that is bad": {map[string]string{table: row, texts: `["event"]`}, Options{AllowShort: true},
			texts + ":1: a JSON list"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Import(t.Context(), t.TempDir(), toolqa.Agenda, writeAgenda(t, tt.files), tt.opts)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
