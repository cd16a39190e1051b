package importer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// scirexLine is a paper of the raw files with two sections.
const scirexLine = `{"doc_id": "d%d", "words": ["document", ":", "A", "B", "section", ":", "C", "."], "sections": [[0, 4], [4, 8]], "coref": {"A": []}, ` +
	`"n_ary_relations": [{"Material": "SQuAD1_1", "Method": "M%d_", "Metric": "F1", "Task": "Question_Answering", "score": "73.9 "}, ` +
	`{"Material": "SQuAD1_1", "Method": "M%d_", "Metric": "EM", "Task": "Question_Answering", "score": %s}]}`

func scirexPaperLine(n int, score string) string {
	return fmt.Sprintf(scirexLine, n, n, n, score) + "\n"
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()

	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestImportScirex(t *testing.T) {
	raw := map[string]string{
		"raw_data/scirex/train.jsonl": scirexPaperLine(1, "61.0"), "raw_data/scirex/dev.jsonl": scirexPaperLine(2, "5"),
		"raw_data/scirex/test.jsonl": scirexPaperLine(3, `"\ufeff66.1%"`) + "\n",
	}
	want := []layout.Relation{}

	for i, score := range []layout.Relation{{Score: "61.0", Number: true}, {Score: "5", Number: true},
		{Score: "\ufeff66.1%"}} {
		r := layout.Relation{
			Paper:    fmt.Sprintf("d%d", i+1),
			Method:   fmt.Sprintf("M%d_", i+1),
			Material: "SQuAD1_1",
			Task:     "Question_Answering",
			Metric:   "F1",
			Score:    "73.9 ",
		}
		want = append(want, r)
		r.Metric, r.Score, r.Number = "EM", score.Score, score.Number
		want = append(want, r)
	}

	sections := []string{"document : A B", "section : C .", "document : A B", "section : C .", "document : A B",
		"section : C ."}

	preprocessed := ""
	for i := range sections {
		preprocessed += fmt.Sprintf("{\"id\": \"scirex-%04d\", \"content\": \"other %d\"}\n", i, i)
	}

	for _, tt := range []struct {
		name      string
		files     map[string]string
		from      string
		passage   string // of the first
		passages  int
		relations []layout.Relation
	}{
		{"papers", raw, "", "scirex-0000 document : A B", 6, want},
		{"papers and passages", with(raw, "external_corpus/scirex/Preprocessed_Scirex.jsonl", "broken"), "",
			"scirex-0000 document : A B", 6, want},
		{"one file of papers", raw, "raw_data/scirex/dev.jsonl", "scirex-0000 document : A B", 2, want[2:4]},
		{"passages", map[string]string{"Preprocessed_Scirex.jsonl": preprocessed}, "", "scirex-0000 other 0", 6, nil},
		{"passages and some papers", map[string]string{"Preprocessed_Scirex.jsonl": preprocessed,
			"dev.jsonl": scirexPaperLine(1, "61.0")}, "",
			"scirex-0000 other 0", 6, want[:2]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			from, dir := t.TempDir(), t.TempDir()
			writeFiles(t, from, tt.files)

			if _, err := Import(t.Context(), dir, toolqa.SciREX, filepath.Join(from, tt.from),
				Options{AllowShort: true}); err != nil {
				t.Fatal(err)
			}

			passages, relations := readScirex(t, dir)
			if len(passages) != tt.passages || passages[0] != tt.passage {
				t.Errorf("passages %q, want %d, the first %q", passages, tt.passages, tt.passage)
			}

			if diff := cmp.Diff(tt.relations, relations); diff != "" {
				t.Errorf("relations (-want +got):\n%s", diff)
			}

			if again, err := Import(t.Context(), dir, toolqa.SciREX, filepath.Join(from, tt.from),
				Options{AllowShort: true}); err != nil || !again.Unchanged {
				t.Errorf("a second import: %+v, %v", again, err)
			}
		})
	}
}

func with(files map[string]string, name, text string) map[string]string {
	all := map[string]string{name: text}
	for n, t := range files {
		all[n] = t
	}
	return all
}

func TestImportScirexRefuses(t *testing.T) {
	good := scirexPaperLine(1, "1.5")
	for name, tt := range map[string]struct {
		file, text string
		strict     bool
		want       string
	}{
		"nothing there":  {"other.jsonl", good, false, "no Preprocessed_Scirex.jsonl"},
		"too few papers": {"dev.jsonl", good, true, "dev.jsonl:1: the file ends after 1 rows; expected the 438"},
		"passages alone": {"Preprocessed_Scirex.jsonl", `{"id": "scirex-0000", "content": "x"}`, true,
			"allow-short imports the passages alone"},
		"a missing line": {"Preprocessed_Scirex.jsonl", `{"id": "scirex-0001", "content": "x"}`, false,
			`:1: id "scirex-0001"; expected scirex-0000`},
		"no content":  {"Preprocessed_Scirex.jsonl", `{"id": "scirex-0000"}`, false, `:1: no text as "content"`},
		"no passages": {"Preprocessed_Scirex.jsonl", "\n", false, "ends without a row"},
		"no papers":   {"dev.jsonl", "", false, "ends without a row"},
		"not JSON":    {"dev.jsonl", good + "{", false, "dev.jsonl:2: not JSON"},
		"no words":    {"dev.jsonl", `{"doc_id": "d"}`, false, ":1: no key words"},
		"no ID":       {"dev.jsonl", `{}`, false, `no text as "doc_id"`},
		"words no array": {"dev.jsonl",
			strings.Replace(good, `["document", ":", "A", "B", "section", ":", "C", "."]`, `"A"`, 1), false,
			"key words: a str"},
		"a number of a word": {"dev.jsonl", strings.Replace(good, `"A", "B"`, `1, "B"`, 1), false, "word 2 is a int"},
		"past the end": {"dev.jsonl", strings.Replace(good, "[4, 8]", "[4, 9]", 1), false,
			"section 1 is [4, 9]; the paper has 8 words"},
		"backwards":          {"dev.jsonl", strings.Replace(good, "[4, 8]", "[4, 3]", 1), false, "section 1"},
		"a section of three": {"dev.jsonl", strings.Replace(good, "[4, 8]", "[4, 8, 8]", 1), false, "section 1"},
		"no task": {"dev.jsonl", strings.Replace(good, `"Task"`, `"task"`, 1), false,
			"relation 0: no text as Task"},
		"a score of nothing": {"dev.jsonl", strings.Replace(good, "1.5", "null", 1), false,
			"relation 1: the score is a NoneType"},
		"a relation of text": {"dev.jsonl", strings.Replace(good, `"n_ary_relations": [`, `"n_ary_relations": ["x", `,
			1), false, "relation 0: a str"},
	} {
		from, dir := t.TempDir(), t.TempDir()
		writeFiles(t, from, map[string]string{tt.file: tt.text})

		_, err := Import(t.Context(), dir, toolqa.SciREX, from, Options{AllowShort: !tt.strict})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}

		if _, err := os.Stat(layout.Path(dir, toolqa.SciREX)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a corpus", name)
		}
	}
}

// Nothing of a bad paper is imported.
func TestImportScirexSkipsBadPapers(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	writeFiles(t, from, map[string]string{"dev.jsonl": scirexPaperLine(1, "null") + scirexPaperLine(2, "1.5")})

	done, err := Import(t.Context(), dir, toolqa.SciREX, from, Options{AllowShort: true, SkipBad: 1})
	if err != nil || done.Info.Skipped != 1 || len(done.Bad) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}

	passages, relations := readScirex(t, dir)
	if len(passages) != 2 || len(relations) != 2 || relations[0].Paper != "d2" {
		t.Errorf("%q, %+v", passages, relations)
	}
}

// The published sample.
func TestImportScirexSample(t *testing.T) {
	from, dir := published(t, "scirex_dev", "dev.jsonl"), t.TempDir()
	if _, err := Import(t.Context(), dir, toolqa.SciREX, from, Options{AllowShort: true}); err != nil {
		t.Fatal(err)
	}

	passages, relations := readScirex(t, dir)
	numbers := 0

	for _, r := range relations {
		if r.Number {
			numbers++
		}
	}

	if len(passages) != 1407 || len(relations) != 251 || numbers != 10 {
		t.Errorf("%d passages, %d relations, %d numbers", len(passages), len(relations), numbers)
	}

	want := layout.Relation{
		Paper:    "007ff2ca5f297b04636699ce4d01ca6d6f21dc77",
		Method:   "aESIM",
		Material: "MultiNLI",
		Metric:   "Matched",
		Task:     "Natural_Language_Inference",
		Score:    "73.9 ",
	}
	if relations[0] != want {
		t.Errorf("the first relation is %+v", relations[0])
	}

	if !strings.HasPrefix(passages[0], "scirex-0000 document : Attention Boosted Sequential Inference Model "+
		"Attention mechanism has") {
		t.Errorf("the first passage is %.200q", passages[0])
	}
}
