package questions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"toolevo/toolqa/corpus/synth"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/disk"
	"toolevo/envs/score"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

func TestWriteRead(t *testing.T) {
	c := syntheticCoffee(t, 300)
	dir := t.TempDir()
	qs := generate(t, 1, c, toolqa.Hard, Counts{Train: 20, Dev: 5, Test: 13}, nil)

	qs[0].Answer = `<"é"> & a\b` + "\u2028"
	for range 2 { // the second time the files are replaced
		if err := Write(dir, qs); err != nil {
			t.Fatal(err)
		}
	}
	var back []toolqa.Question

	for _, s := range []toolqa.Split{toolqa.Test, toolqa.Dev, toolqa.Train} {
		part, err := Read(dir, toolqa.Coffee, toolqa.Hard, s)
		if err != nil {
			t.Fatal(err)
		}

		back = append(back, part...)
	}

	if diff := cmp.Diff(qs, back); diff != "" {
		t.Errorf("questions (-written +read):\n%s", diff)
	}

	files, err := filepath.Glob(filepath.Join(dir, "questions", "*", "*"))
	if err != nil || len(files) != 3 {
		t.Errorf("files %v, %v, want three and no leftovers", files, err)
	}

	if _, err := os.Stat(filepath.Join(dir, "questions", "train", "coffee-hard.jsonl")); err != nil {
		t.Error(err)
	}

	if _, err := Read(dir, toolqa.Coffee, toolqa.Easy, toolqa.Dev); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading a missing file: error %v", err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()

	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestParseRecord(t *testing.T) {
	const ask = `{"qid": "q", "question": "NaN \" NaN?", "answer": `
	for _, tt := range []struct{ answer, want string }{
		{`"122.25"`, "122.25"}, {`""`, ""}, {`"NaN"`, "NaN"}, {`12`, "12"}, {`-3`, "-3"}, {`-0`, "0"}, {`2.50`, "2.5"},
		{`4.0`, "4.0"}, {`-0.0`, "-0.0"}, {`1e3`, "1000.0"}, {`1e-7`, "1e-07"}, {`1e999`, "inf"}, {`NaN`, "nan"},
		{`-Infinity`, "-inf"},
		{`Infinity`, "inf"}, {`null`, "None"}, {`true`, "True"}, {`false`, "False"}, {`"caf\u00e9"`, "café"},
		{`123456789012345678901234567890`, "123456789012345678901234567890"},
	} {
		r, err := parseRecord([]byte(ask+tt.answer+"}"), published)
		if want := (record{
			ID:       "q",
			Question: `NaN " NaN?`,
			Answer:   tt.want,
			Source:   toolqa.Published,
		}); err != nil || r != want {
			t.Errorf("answer %s: %+v, %v, want %+v", tt.answer, r, err, want)
		}
	}

	for line, want := range map[string]string{
		`{"qid": "q", "question": "?"`:                            "Expecting ',' delimiter",
		`{"qid": "q", "question": "?"}`:                           `"answer" is missing`,
		`{"question": "?", "answer": 1}`:                          `"qid" is missing`,
		`{"qid": "q", "question": "", "answer": 1}`:               `"question" is missing or empty`,
		`{"qid": 7, "question": "?", "answer": 1}`:                "qid",
		`{"qid": "q", "question": "?", "answer": ["a"]}`:          "not [",
		`{"qid": "q", "question": "?", "answer": 1} {}`:           "Extra data",
		`{"qid": "q", "question": "?", "answer": 1}, `:            "Extra data",
		`qid,question,answer`:                                     "want a JSON object",
		`{"qid": "q", "question": "?", "answer": {}}`:             "not {}",
		`{"QID": "q", "question": "?", "answer": 1}`:              `"qid" is missing`,
		"{\"qid\": \"q\", \"question\": \"a\tb\", \"answer\": 1}": "Invalid control character at",
		`["q", "?", 1]`: "not a list",
		"{\"qid\": \"q\", \"question\": \"a\nb\", \"answer\": \"unescaped\"": "want a JSON object",
	} {
		if _, err := parseRecord([]byte(line), published); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("line %s: error %v, want one that says %q", line, err, want)
		}
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(`{"qid": "q", "question": "?", "answer": NaN}`))
	f.Add([]byte(`{"qid": "q", "question": "\"?", "answer": -0.50e1, "template": "t"}`))
	f.Add([]byte(`{"answer":-Infinity`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseRecord(line, written)
		if err == nil && (r.ID == "" || r.Question == "") {
			t.Errorf("parseRecord(%q) = %+v", line, r)
		}
	})
}

const goodLine = `{"qid": "easy-coffee-0000", "question": "What was the opening price of coffee on 2001-12-06?", "answer": 42.75}` + "\n"

// A file of the published form that is not UTF-8 is refused with its line.
func TestImportRefusesOtherText(t *testing.T) {
	for text, want := range map[string]error{
		goodLine + "caf\xe9": disk.ErrNotUTF8, goodLine + `{"qid": "\ud83d"}`: disk.ErrHalf,
	} {
		src := t.TempDir()
		path := filepath.Join(src, "easy", "coffee-easy.jsonl")
		writeFile(t, path, text)

		if _, err := Import(src, toolqa.Test); !errors.Is(err, want) || !strings.Contains(err.Error(), path+":2:") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestImport(t *testing.T) {
	src := t.TempDir()
	writeFile(t, filepath.Join(src, "easy", "coffee-easy.jsonl"), "\xef\xbb\xbf"+goodLine+"\r\n"+
		strings.Replace(goodLine, "0000", "0001", 1)+
		`{"qid": "easy-coffee-0002", "question": "How was the coffee?", "answer": "good"}`)
	writeFile(t, filepath.Join(src, "easy", "tea-easy.jsonl"), "not even JSON")
	writeFile(t, filepath.Join(src, "easy", "README.md"), "text")
	writeFile(t, filepath.Join(src, "hard", "coffee-hard.jsonl"),
		`{"qid": "hard-coffee-0000", "question": "What was the opening price of coffee on 2001-12-06?", "answer": 7}`)

	got, err := Import(src, toolqa.Test)
	if err != nil {
		t.Fatal(err)
	}

	ask := func(id, template, text, answer string) toolqa.Question {
		d, _, _ := strings.Cut(id, "-")
		return toolqa.Question{
			ID:         id,
			Dataset:    toolqa.Coffee,
			Difficulty: toolqa.Difficulty(d),
			Split:      toolqa.Test,
			Template:   template,
			Text:       text,
			Answer:     answer,
			Source:     toolqa.Published,
		}
	}
	const text = "What was the opening price of coffee on 2001-12-06?"

	want := Imported{
		Questions: []toolqa.Question{
			ask("easy-coffee-0000", "coffee-easy/open", text, "42.75"),
			ask("easy-coffee-0001", "coffee-easy/open", text, "42.75"),
			ask("easy-coffee-0002", "", "How was the coffee?", "good"),
			ask("hard-coffee-0000", "coffee-easy/open", text, "7"),
		},
		Files: []ImportedFile{
			{
				Path:         filepath.Join(src, "easy", "coffee-easy.jsonl"),
				Dataset:      toolqa.Coffee,
				Difficulty:   toolqa.Easy,
				Questions:    3,
				Unrecognised: []string{"easy-coffee-0002"},
				Duplicates:   []string{"easy-coffee-0001 asks what easy-coffee-0000 asks"},
			},
			{
				Path:       filepath.Join(src, "easy", "tea-easy.jsonl"),
				Difficulty: toolqa.Easy,
				Skipped:    got.Files[1].Skipped,
			},
			{
				Path:         filepath.Join(src, "hard", "coffee-hard.jsonl"),
				Dataset:      toolqa.Coffee,
				Difficulty:   toolqa.Hard,
				Questions:    1,
				Unrecognised: []string{"hard-coffee-0000"},
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Import (-want +got):\n%s", diff)
	}

	if !strings.Contains(got.Files[1].Skipped, `"tea"`) {
		t.Errorf("the reason to skip tea is %q", got.Files[1].Skipped)
	}
}

// The folders of ToolQA's corrected release; a question asked twice with two answers; what two
// splits share.
func TestImportOfTwoSplits(t *testing.T) {
	dir, test, train := t.TempDir(), t.TempDir(), t.TempDir()
	line := func(id, date, answer string) string {
		return fmt.Sprintf(`{"qid": %q, "question": "What was the volume of coffee on %s?", "answer": %q}`+"\n", id,
			date, answer)
	}
	writeFile(t, filepath.Join(test, "toolqa_hard", "coffee-hard.jsonl"), line("hard-coffee-0000", "2001-12-06", "1"))
	writeFile(t, filepath.Join(test, "toolqa_easy", "coffee-easy.jsonl"), line("easy-coffee-0000", "2001-12-06", "1"))
	writeFile(t, filepath.Join(train, "easy", "coffee-easy.jsonl"), line("easy-coffee-train-0000", "2001-12-07", "2")+
		line("easy-coffee-train-0001", "2001-12-06", "1")+line("easy-coffee-train-0002", "2001-12-07", "3"))

	var shared []string

	for _, from := range []struct {
		folder string
		split  toolqa.Split
	}{{test, toolqa.Test}, {train, toolqa.Train}, {test, toolqa.Test}} {
		in, err := Import(from.folder, from.split)
		if err != nil {
			t.Fatal(err)
		}

		if got := in.Questions[0].Split; got != from.split {
			t.Errorf("questions of %s became those of %s", from.split, got)
		}

		if want := []string{"easy-coffee-train-0002 asks what easy-coffee-train-0000 asks, " +
			"with another answer"}; from.split == toolqa.Train && !cmp.Equal(want, in.Files[0].Duplicates) {
			t.Errorf("duplicates %v, want %v", in.Files[0].Duplicates, want)
		}

		if err := Write(dir, in.Questions); err != nil {
			t.Fatal(err)
		}

		found, err := FindShared(dir, in.Questions)
		if err != nil {
			t.Fatal(err)
		}

		for _, s := range found {
			shared = append(shared, fmt.Sprintf("%s of %s is %s of %s", s.Question.ID, s.Question.Split, s.Other.ID,
				s.Other.Split))
		}
	}

	want := []string{"easy-coffee-train-0001 of train is easy-coffee-0000 of test",
		"easy-coffee-0000 of test is easy-coffee-train-0001 of train"}
	if diff := cmp.Diff(want, shared); diff != "" {
		t.Errorf("shared (-want +got):\n%s", diff)
	}
}

// Two pairs of ToolQA's questions have one text and two answers.
func TestPublishedDuplicates(t *testing.T) {
	in, err := Import(sharedData(t, "toolqa", "questions"), toolqa.Test)
	if err != nil {
		t.Fatal(err)
	}
	var differ []string

	for _, f := range in.Files {
		for _, d := range f.Duplicates {
			if strings.HasSuffix(d, "another answer") {
				differ = append(differ, d)
			}
		}
	}

	want := []string{"hard-scirex-0060 asks what hard-scirex-0046 asks, with another answer",
		"hard-scirex-0064 asks what hard-scirex-0014 asks, with another answer"}
	if diff := cmp.Diff(want, differ); diff != "" {
		t.Errorf("duplicates with two answers (-want +got):\n%s", diff)
	}
}

func TestImportErrors(t *testing.T) {
	hard := strings.Replace(goodLine, "2001", "2002", 1)
	for _, tt := range []struct{ name, easy, hard, want string }{
		{"broken JSON", goodLine + `{"qid": "easy-`, "", "coffee-easy.jsonl:2: "},
		{"no answer", goodLine + "\n" + `{"qid": "x", "question": "?"}`, "",
			`coffee-easy.jsonl:3: field "answer" is missing or null`},
		{"an ID twice in a file", goodLine + hard, "",
			`coffee-easy.jsonl:2: qid "easy-coffee-0000" is already that of line 1`},
		{"an ID in two files", goodLine, hard, `qid "easy-coffee-0000" is in two files`},
		{"nothing", "", "", "no question file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := t.TempDir()
			if tt.easy != "" {
				writeFile(t, filepath.Join(src, "easy", "coffee-easy.jsonl"), tt.easy)
			}

			if tt.hard != "" {
				writeFile(t, filepath.Join(src, "hard", "coffee-hard.jsonl"), tt.hard)
			}

			if _, err := Import(src, toolqa.Test); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

func TestPublishedAnswersAgree(t *testing.T) {
	c := mustLoad(t, publishedCoffee(t))

	in, err := Import(sharedData(t, "toolqa", "questions"), toolqa.Test)
	if err != nil {
		t.Fatal(err)
	}

	for _, f := range in.Files {
		if f.Dataset == toolqa.Coffee && (len(f.Unrecognised) > 0 || len(f.Duplicates) > 0) {
			t.Errorf("%s: unrecognised %v, duplicates %v", f.Path, f.Unrecognised, f.Duplicates)
		}
	}

	for _, match := range []func(string, string) bool{score.Official, score.Strict} {
		coffee := slices.DeleteFunc(slices.Clone(in.Questions),
			func(q toolqa.Question) bool { return q.Dataset != toolqa.Coffee })

		got, err := CheckGold(coffee, c, match)
		if want := (GoldReport{Questions: 100, Recognised: 100, Right: 100, Official: 100}); err != nil ||
			!cmp.Equal(want, got) {
			t.Errorf("CheckGold = %+v, %v, want %+v", got, err, want)
		}
	}

	for _, q := range in.Questions {
		if m, ok := recognise(q.Text); !ok || m.template.Name != q.Template {
			t.Errorf("%s: it is read as %v, the file says %s", q.ID, m.template, q.Template)
		}
	}
}

func TestCheckGoldReportsDisagreements(t *testing.T) {
	ask := func(id, text, answer string) toolqa.Question {
		return toolqa.Question{ID: id, Dataset: toolqa.Coffee, Text: text, Answer: answer, Source: toolqa.Published}
	}
	const span = "What was the coffee price range from 2000-01-03 to 2000-01-06?"
	qs := []toolqa.Question{
		ask("right", "What was the volume of coffee on 2000-01-04?", "5492"),
		ask("wrong", "What was the volume of coffee on 2000-01-04?", "5493"),
		ask("faulty", span, "124.0 USD"),
		ask("corrected", span, "9.0 USD"),
		ask("unknown", "What was the volume of tea on 2000-01-04?", "1"),
		ask("no day", "What was the volume of coffee on 2000-01-08?", "1"),
	}
	got, err := CheckGold(qs, smallCoffee(t), score.Official)

	want := GoldReport{
		Questions:    6,
		Recognised:   5,
		Right:        2,
		Official:     2,
		Unrecognised: []string{"unknown"},
		Disagreements: []Disagreement{
			{
				ID:       "wrong",
				Template: "coffee-easy/volume",
				Question: qs[1].Text,
				Answer:   "5493",
				Right:    "5492",
				Official: "5492",
			},
			{
				ID:             "faulty",
				Template:       "coffee-hard/range",
				Question:       span,
				Answer:         "124.0 USD",
				Right:          "9.0 USD",
				Official:       "124.0 USD",
				OfficialAgrees: true,
			},
			{
				ID:       "no day",
				Template: "coffee-easy/volume",
				Question: qs[5].Text,
				Answer:   "1",
				Problem:  "the corpus holds no answer",
			},
		},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("CheckGold: %v (-want +got):\n%s", err, diff)
	}

	if _, err := CheckGold([]toolqa.Question{{Dataset: "tea"}}, smallCoffee(t), score.Official); err == nil {
		t.Error("a question about another dataset is checked")
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if _, err := synth.Build(t.Context(), dir, toolqa.Coffee,
		synth.Options{Seed: 1, Rows: 200, Tool: "test"}); err != nil {
		t.Fatal(err)
	}

	opened, err := corpus.Open(t.Context(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}

	c, err := Load(t.Context(), opened)
	if err != nil {
		t.Fatal(err)
	}

	date, err := opened.Table().Column("Date")
	if err != nil {
		t.Fatal(err)
	}

	open, err := opened.Table().Column("Open")
	if err != nil {
		t.Fatal(err)
	}

	m, _ := recognise("What was the opening price of coffee on " + date.Text(0) + "?")
	if got, err := rightAnswer(m, c); err != nil || got != open.Text(0) {
		t.Errorf("the opening price of %s is %q, %v, want the cell %q", date.Text(0), got, err, open.Text(0))
	}
}

// TestImportRefusesPipes does not wait for questions that nobody writes.
func TestImportRefusesPipes(t *testing.T) {
	src := t.TempDir()
	writeFile(t, filepath.Join(src, "easy", "README"), "")

	if err := syscall.Mkfifo(filepath.Join(src, "easy", "coffee-easy.jsonl"), 0o644); err != nil {
		t.Fatal(err)
	}

	if _, err := Import(src, toolqa.Test); err == nil ||
		!strings.Contains(err.Error(), "coffee-easy.jsonl: want a regular file, not a pipe") {
		t.Errorf("error %v", err)
	}
}
