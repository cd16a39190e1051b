package questions

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolevo/toolqa/corpus/importer"
	"toolevo/toolqa/corpus/synth"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// sharedData returns a path below the published data, or skips the test where there is none.
func sharedData(t testing.TB, parts ...string) string {
	t.Helper()

	root := os.Getenv("TOOLEVO_SHARED_DATA")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}

		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}

			parent := filepath.Dir(dir)
			if parent == dir {
				t.Fatal("no go.mod above the working directory")
			}

			dir = parent
		}

		root = filepath.Join(dir, "..", "shared", "data")
	}

	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
	}
	return path
}

// syntheticCorpus is a corpus with its questions, which all tests share: nothing changes either.
type syntheticCorpus struct {
	corpus    *corpus.Corpus
	questions func() ([]toolqa.Question, error)
}

// syntheticCorpora are functions that build, when they are first called, the corpora of a folder
// that TestMain removes.
var syntheticCorpora = struct {
	sync.Mutex
	folder string
	known  map[string]func() (*syntheticCorpus, error)
}{known: map[string]func() (*syntheticCorpus, error){}}

// synthetic builds a corpus and opens it, once for all tests.
func synthetic(t testing.TB, ds toolqa.Dataset, opts synth.Options) *corpus.Corpus {
	t.Helper()
	return sharedCorpus(t, ds, opts).corpus
}

func sharedCorpus(t testing.TB, ds toolqa.Dataset, opts synth.Options) *syntheticCorpus {
	t.Helper()

	all := &syntheticCorpora
	all.Lock()
	if all.folder == "" {
		folder, err := os.MkdirTemp("", "questions-test-")
		if err != nil {
			t.Fatal(err)
		}

		all.folder = folder
	}

	key := fmt.Sprintf("%s-%d-%d%s", ds, opts.Seed, opts.Rows, opts.Scale)

	dir := filepath.Join(all.folder, key)
	if all.known[key] == nil {
		all.known[key] = sync.OnceValues(func() (*syntheticCorpus, error) { return buildShared(dir, ds, opts) })
	}

	build := all.known[key]
	all.Unlock()

	c, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// program is toolevo, built once, without the race detector, below the folder of the corpora.
var program = sync.OnceValues(func() (string, error) {
	file := filepath.Join(syntheticCorpora.folder, "toolevo")
	if text, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", file, "toolevo/cmd/toolevo").
		CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, text)
	}

	return file, nil
})

// buildShared outlives the test that first wants the corpus. The program makes the corpus with its
// index, which this process only reads, in a quarter of the time that it takes under the race
// detector.
func buildShared(dir string, ds toolqa.Dataset, opts synth.Options) (*syntheticCorpus, error) {
	toolevo, err := program()
	if err != nil {
		return nil, err
	}

	args := []string{"data", "build", "--data", dir, "--dataset", string(ds), "--seed", fmt.Sprint(opts.Seed),
		"--rows", fmt.Sprint(opts.Rows), "--scale", string(cmp.Or(opts.Scale, synth.Full)), "--progress", "none"}

	if text, err := exec.Command(toolevo, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("toolevo %s: %w\n%s", strings.Join(args, " "), err, text)
	}

	c, err := corpus.Open(context.Background(), dir, ds)
	if err != nil {
		return nil, err
	}
	return &syntheticCorpus{c, sync.OnceValues(func() ([]toolqa.Question, error) { return generateAll(c) })}, nil
}

// removeSyntheticCorpora ends what the tests shared.
func removeSyntheticCorpora() error {
	var faults []error

	for _, build := range syntheticCorpora.known {
		if c, err := build(); err == nil {
			faults = append(faults, c.corpus.Close())
		}
	}

	return errors.Join(append(faults, os.RemoveAll(syntheticCorpora.folder))...)
}

// imported imports a corpus from published files and opens it.
func imported(t testing.TB, ds toolqa.Dataset, from string, opts importer.Options) *corpus.Corpus {
	t.Helper()
	dir := t.TempDir()

	opts.Tool = "test"
	if _, err := importer.Import(t.Context(), dir, ds, from, opts); err != nil {
		t.Fatal(err)
	}
	return mustOpen(t, dir, ds)
}

// tableFile is a corpus of rows that have only some columns of the published file; the others are
// filled up. A cell that is nan is missing.
func tableFile(t testing.TB, ds toolqa.Dataset, columns []string, rows [][]string) *corpus.Corpus {
	t.Helper()

	schema, err := corpus.SchemaOf(ds)
	if err != nil {
		t.Fatal(err)
	}

	filler := map[string]string{"integer": "1", "real": "1.0", "bool": "False", "date": "2022-01-01", "text": "-"}
	names := make([]string, len(schema.Columns))
	lines := make([][]string, 1, len(rows)+1)

	for i, c := range schema.Columns {
		names[i] = c.Name
	}

	lines[0] = names
	for _, row := range rows {
		line := make([]string, len(names))
		for i, c := range schema.Columns {
			switch j := slices.Index(columns, c.Name); {
			case j >= 0 && row[j] != "nan":
				line[i] = row[j]
			case !c.Optional:
				line[i] = filler[fmt.Sprint(c.Kind)]
			}
		}

		lines = append(lines, line)
	}

	path := filepath.Join(t.TempDir(), schema.File)

	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}

	if err := errors.Join(csv.NewWriter(f).WriteAll(lines), f.Close()); err != nil {
		t.Fatal(err)
	}
	return imported(t, ds, path, importer.Options{AllowShort: true})
}

func mustOpen(t testing.TB, dir string, ds toolqa.Dataset) *corpus.Corpus {
	t.Helper()

	c, err := corpus.Open(t.Context(), dir, ds)
	if err != nil {
		t.Fatal(err)
	}

	closeLater(t, c.Close)
	return c
}

func closeLater(t testing.TB, close func() error) {
	t.Cleanup(func() {
		if err := close(); err != nil {
			t.Error(err)
		}
	})
}

func mustLoad(t testing.TB, c *corpus.Corpus) *Corpus {
	t.Helper()

	view, err := Load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}

	closeLater(t, view.Close)
	return view
}

// templatesOf returns the templates of both difficulties.
func templatesOf(ds toolqa.Dataset) []*Template {
	return slices.Concat(Templates(ds, toolqa.Easy), Templates(ds, toolqa.Hard))
}

// allQuestions are those of both difficulties in the paper's numbers, with those that training
// leaves out.
func allQuestions(t testing.TB, ds toolqa.Dataset, opts synth.Options) []toolqa.Question {
	t.Helper()

	qs, err := sharedCorpus(t, ds, opts).questions()
	if err != nil {
		t.Fatal(err)
	}
	return qs
}

// generateAll makes all questions about a corpus, and shows that some can be made without those
// that training leaves out.
func generateAll(c *corpus.Corpus) ([]toolqa.Question, error) {
	view, err := Load(context.Background(), c)
	if err != nil {
		return nil, err
	}
	defer view.Close()

	var all []toolqa.Question

	for _, d := range toolqa.Difficulties() {
		counts := PaperCounts(c.Dataset(), d)
		if _, err := Generate(rand.New(rand.NewPCG(9, 9)), view, d, Options{Counts: counts.Scale(0.1)}); err != nil {
			return nil, err
		}

		qs, err := Generate(rand.New(rand.NewPCG(9, 9)), view, d, Options{Counts: counts, Faulty: true})
		if err != nil {
			return nil, err
		}

		all = append(all, qs...)
	}
	return all, nil
}

// drawSome draws at most n questions of a template: a small corpus may have fewer.
func drawSome(t testing.TB, tmpl *Template, c *Corpus, n int) []toolqa.Question {
	t.Helper()

	g := shipped().newGenerator(rand.New(rand.NewPCG(uint64(len(tmpl.Name)), 9)), c)
	var qs []toolqa.Question

	for i := range n {
		q, err := g.draw(tmpl)
		if err != nil {
			t.Logf("%s: %d questions: %v", tmpl.Name, i, err)
			break
		}

		q.ID = fmt.Sprintf("%s-%d", tmpl.Name, i)
		qs = append(qs, q)
	}
	return qs
}

// drawEach draws n questions of each template of a corpus.
func drawEach(t testing.TB, c *Corpus, n int) []toolqa.Question {
	t.Helper()
	var qs []toolqa.Question

	for _, tmpl := range templatesOf(c.dataset) {
		of := drawSome(t, tmpl, c, n)
		if len(of) < n {
			t.Errorf("%s: only %d questions can be drawn, want %d", tmpl.Name, len(of), n)
		}

		qs = append(qs, of...)
	}
	return qs
}

// refusal is a plan that must not go on after the last of the results.
type refusal struct {
	name, question string
	results        []string
}

func wantRefusals(t *testing.T, refusals []refusal) {
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			plan, ok := Plan(tt.question)
			if !ok {
				t.Fatal("no plan")
			}

			for n := range tt.results {
				if _, _, err := plan(tt.results[:n]); err != nil {
					t.Fatalf("after %d results: %v", n, err)
				}
			}

			if thought, call, err := plan(tt.results); err == nil {
				t.Errorf("the plan goes on: %s %+v", thought, call)
			}
		})
	}
}

func checkThought(t testing.TB, thought string) {
	t.Helper()

	switch {
	case strings.ContainsAny(thought, "{}\n"), strings.Contains(thought, ":"):
		t.Errorf("thought %q would not read as one line of prose", thought)
	case len(thought) < 20 || !strings.HasSuffix(thought, "."):
		t.Errorf("thought %q is no sentence", thought)
	}
}

// planCalls returns the calls of a plan after each of the results.
func planCalls(t *testing.T, question string, results ...string) (calls []envs.Call) {
	t.Helper()

	plan, ok := Plan(question)
	if !ok {
		t.Fatalf("no plan for %q", question)
	}

	for n := range len(results) + 1 {
		thought, call, err := plan(results[:n])
		if err != nil {
			t.Fatalf("%q after %q: %v", question, results[:n], err)
		}

		checkThought(t, thought)

		calls = append(calls, call)
	}
	return calls
}

// benchmarkRules measures the rule of each template.
func benchmarkRules(b *testing.B, c *Corpus) {
	for _, tmpl := range templatesOf(c.dataset) {
		b.Run(tmpl.Name, func(b *testing.B) {
			var ms []match

			for _, q := range drawSome(b, tmpl, c, 10) {
				m, _ := recognise(q.Text)
				ms = append(ms, m)
			}

			for i := 0; b.Loop(); i++ {
				if _, err := rightAnswer(ms[i%len(ms)], c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
