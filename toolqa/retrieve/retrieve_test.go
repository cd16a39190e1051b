package retrieve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// builtCorpus builds and opens a scirex corpus of n papers.
func builtCorpus(t testing.TB, dir string, n int) *corpus.Corpus {
	t.Helper()

	if _, err := synth.Build(t.Context(), dir, toolqa.SciREX,
		synth.Options{Seed: 3, Rows: n, Tool: "test"}); err != nil {
		t.Fatal(err)
	}

	return openCorpus(t, dir)
}

func openCorpus(t testing.TB, dir string) *corpus.Corpus {
	t.Helper()

	c, err := corpus.Open(t.Context(), dir, toolqa.SciREX)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})

	return c
}

// importedCorpus imports passages and opens them.
func importedCorpus(t testing.TB, contents ...string) *corpus.Corpus {
	t.Helper()
	dir := t.TempDir()

	var b strings.Builder
	for _, text := range contents {
		b.WriteString(`{"content": "` + text + "\"}\n")
	}

	path := filepath.Join(dir, "Preprocessed_Scirex.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}

	if _, err := importer.Import(t.Context(), dir, toolqa.SciREX, path,
		importer.Options{AllowShort: true}); err != nil {
		t.Fatal(err)
	}

	return openCorpus(t, dir)
}

func openIndex(t testing.TB, c *corpus.Corpus) *Index {
	t.Helper()

	x, err := Open(t.Context(), c, nil)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})

	return x
}

func call(t testing.TB, tool *Tool, query any) envs.Result {
	t.Helper()

	_, r, err := tool.Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "keyword", Value: query}})
	if err != nil {
		t.Fatal(err)
	}

	return r
}

func TestCall(t *testing.T) {
	c := importedCorpus(t,
		"  The Accuracy of aESIM on Quora Question Pairs is 88.01 .",
		"document : Attention Boosted Sequential Inference",
		"We evaluate on Atari 2600 Montezuma 's Revenge .",
		"Scores on SQuAD1.1 are high .",
		"Penn_Treebank__Word_Level_ has a perplexity of 52 . ",
		"Nothing of interest")
	tool := NewTool("RetrieveScirex", c, openIndex(t, c))

	none := envs.Result{
		Observation: "There is no information that can be matched in the database. Please try another query.",
		Outcome:     envs.ToolError,
	}
	for _, tt := range []struct {
		query any
		want  envs.Result
	}{
		{"accuracy AESIM", envs.Result{Observation: "The Accuracy of aESIM on Quora Question Pairs is 88.01 ."}},
		{"Penn Treebank", envs.Result{Observation: "Penn_Treebank__Word_Level_ has a perplexity of 52 ."}},
		{"SQuAD1_1 score, Quora question", envs.Result{Observation: "Scores on SQuAD1.1 are high .\n  The " +
			"Accuracy of aESIM on Quora Question Pairs is 88.01 ."}},
		{"Atari_2600_Montezuma_s_Revenge",
			envs.Result{Observation: "We evaluate on Atari 2600 Montezuma 's Revenge ."}},
		{"inferences", envs.Result{Observation: "document : Attention Boosted Sequential Inference"}},
		{"zebra", none}, {"", none}, {" \n", none}, {"the of", none}, {"\xff\xfe", none}, {"?!\"+-*^~:()", none},
		{strings.Repeat("zebra ", 100_000) + "accuracy", none}, // beyond what counts
		{envs.Number("3"), envs.Result{Observation: none.Observation, Outcome: envs.InvocationError}},
		{nil, envs.Result{Observation: none.Observation, Outcome: envs.InvocationError}},
	} {
		if got := call(t, tool, tt.query); got != tt.want {
			t.Errorf("%.40q: %+v, want %+v", tt.query, got, tt.want)
		}
	}

	if got := call(t, NewTool("RetrieveScirex", nil, nil), "accuracy"); got != none {
		t.Errorf("without a corpus: %+v", got)
	}
}

// Of passages that fit alike, those with the lowest IDs come first, however many there are.
func TestTies(t *testing.T) {
	var contents []string
	for i := range 300 {
		contents = append(contents, []string{"gated convolutions of residual networks", "attention",
			"a gated convolution"}[i%3])
	}

	x := openIndex(t, importedCorpus(t, contents...))
	for query, want := range map[string][]int{"attention": {2, 5, 8}, "residual": {1, 4, 7},
		"convolutions gated": {3, 6, 9}} {
		if got, err := x.Search(t.Context(), query, 3); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", query, got, err, want)
		}
	}
}

// BM25 prefers rare words, more of them, and short passages.
func TestRanking(t *testing.T) {
	contents := []string{
		"score score score", "score of a rare method", "a method", "rare",
		"rare method score and a great number of other words that say nothing about it , one after the other , " +
			"for a whole line",
	}
	for range 50 {
		contents = append(contents, "score on a dataset with a method")
	}

	x := openIndex(t, importedCorpus(t, contents...))
	for query, want := range map[string][]int{"rare": {4, 2, 5}, "rare method score": {2, 5}, "method": {3}} {
		if got, err := x.Search(t.Context(), query, 3); err != nil || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%s: %v, %v, want %v", query, got, err, want)
		}
	}
}

// An index is made once, and belongs to one content of the corpus.
func TestOpenMakesTheIndexOnce(t *testing.T) {
	dir := t.TempDir()
	c := builtCorpus(t, dir, 8)
	done := 0

	progress := func(n, total int) {
		if done++; n != done || total != c.DocumentCount() {
			t.Errorf("%d of %d after %d passages of %d", n, total, done, c.DocumentCount())
		}
	}
	if err := Prepare(t.Context(), c, progress); err != nil {
		t.Fatal(err)
	}

	if done != c.DocumentCount() {
		t.Errorf("progress ends at %d of %d", done, c.DocumentCount())
	}

	x, err := Open(t.Context(), c, func(int, int) { t.Error("the index is made again") })
	if err != nil {
		t.Fatal(err)
	}

	if err := x.Close(); err != nil {
		t.Error(err)
	}

	folder := filepath.Join(dir, "corpus", "scirex.bleve")

	old := filepath.Join(folder, ".making-12345")
	if err := os.Mkdir(old, 0o777); err != nil {
		t.Fatal(err)
	}

	other := builtCorpus(t, dir, 9)
	if err := Prepare(t.Context(), other, nil); err != nil {
		t.Fatal(err)
	}

	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(indexPath(other)) {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// The words that were counted while the index was made are those that its analyzer finds.
func TestWordsAreCounted(t *testing.T) {
	c := builtCorpus(t, t.TempDir(), 5)

	m, err := newMapping()
	if err != nil {
		t.Fatal(err)
	}

	want := 0

	for d, err := range c.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}

		want += len(m.AnalyzerNamed(analyzerName).Analyze([]byte(d.Content)))
	}

	if got := openIndex(t, c).about.Words; got != want || want == 0 {
		t.Errorf("%d words were counted, want %d", got, want)
	}
}

// Several that open at once all get the whole index.
func TestOpenAtOnce(t *testing.T) {
	dir := t.TempDir()
	builtCorpus(t, dir, 8)
	var group sync.WaitGroup

	for range 4 {
		c := openCorpus(t, dir)

		group.Go(func() {
			x, err := Open(t.Context(), c, nil)
			if err != nil {
				t.Error(err)
				return
			}

			if ids, err := x.Search(t.Context(), "leaderboard", 3); err != nil || len(ids) != 3 {
				t.Errorf("found %v, %v", ids, err)
			}

			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}

	group.Wait()

	entries, err := os.ReadDir(filepath.Join(dir, "corpus", "scirex.bleve"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

func TestCancelledWhileTheIndexIsMade(t *testing.T) {
	dir := t.TempDir()
	c := builtCorpus(t, dir, 5)
	ctx, cancel := context.WithCancel(t.Context())

	_, err := Open(ctx, c, func(done, _ int) {
		if done == 10 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}

	entries, err := os.ReadDir(filepath.Join(dir, "corpus", "scirex.bleve"))
	if err != nil || len(entries) != 0 {
		t.Errorf("left are %v, %v", entries, err)
	}

	openIndex(t, c)
}

func TestDamagedIndex(t *testing.T) {
	for _, name := range []string{aboutFile, "index_meta.json", "store/root.bolt", "store/000000000002.zap"} {
		c := builtCorpus(t, t.TempDir(), 5)
		if err := Prepare(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}

		path := filepath.Join(indexPath(c), name)
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}

		if err := os.Truncate(path, 3); err != nil {
			t.Fatal(err)
		}

		if _, err := Open(t.Context(), c, nil); err == nil || !strings.Contains(err.Error(), indexPath(c)) ||
			!strings.Contains(err.Error(), "made again") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestConcurrentCalls(t *testing.T) {
	c := builtCorpus(t, t.TempDir(), 12)
	tool := NewTool("RetrieveScirex", c, openIndex(t, c))
	queries := []string{"attention weights", "accuracy on ImageNet", "leaderboard", "datasets of the method",
		"perplexity"}

	want := make([]envs.Result, len(queries))
	for i, q := range queries {
		want[i] = call(t, tool, q)
	}

	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 20 {
				n := (worker + i) % len(queries)

				_, got, err := tool.Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "keyword", Value: queries[n]}})
				if err != nil || got != want[n] {
					t.Errorf("%s: %+v, %v, want %+v", queries[n], got, err, want[n])
				}
			}
		})
	}

	group.Wait()
}

// Two indexes of the same passages, made apart, give the same answers.
func TestIndexesAgree(t *testing.T) {
	a, b := openIndex(t, builtCorpus(t, t.TempDir(), 16)), openIndex(t, builtCorpus(t, t.TempDir(), 16))
	c := builtCorpus(t, t.TempDir(), 16)

	relations, err := c.Relations(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	for _, r := range relations {
		query := "Which " + r.Metric + " does the method " + r.Method + " reach on the dataset " + r.Material +
			" for the task " + r.Task + " in all of its experiments?"
		x, err := a.Search(t.Context(), query, 3)

		y, err2 := b.Search(t.Context(), query, 3)
		if err != nil || err2 != nil || !slices.Equal(x, y) {
			t.Errorf("%s: %v, %v and %v, %v", query, x, err, y, err2)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	c := builtCorpus(b, b.TempDir(), 600)

	relations, err := c.Relations(b.Context())
	if err != nil {
		b.Fatal(err)
	}

	tool := NewTool("RetrieveScirex", c, openIndex(b, c))
	b.ReportMetric(float64(c.DocumentCount()), "passages")

	for i := 0; b.Loop(); i++ {
		r := relations[i%len(relations)]
		call(b, tool, r.Metric+" score of the "+r.Method+" method on "+r.Material+" dataset for "+r.Task+" task")
	}
}

// The agenda has the passages that most questions look for.
func BenchmarkAgenda(b *testing.B) {
	dir := b.TempDir()
	if _, err := synth.Build(b.Context(), dir, toolqa.Agenda, synth.Options{}); err != nil {
		b.Fatal(err)
	}

	c, err := corpus.Open(b.Context(), dir, toolqa.Agenda)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()

	tool := NewTool("RetrieveAgenda", c, openIndex(b, c))
	for i := 0; b.Loop(); i++ {
		d, err := c.Document(b.Context(), 1+i%c.DocumentCount())
		if err != nil {
			b.Fatal(err)
		}

		call(b, tool, strings.Join(strings.Fields(d.Content)[:6], " "))
	}
}

func BenchmarkOpen(b *testing.B) {
	c := builtCorpus(b, b.TempDir(), 600)
	if err := Prepare(b.Context(), c, nil); err != nil {
		b.Fatal(err)
	}

	for b.Loop() {
		x, err := Open(b.Context(), c, nil)
		if err != nil {
			b.Fatal(err)
		}

		x.Close()
	}
}

// TestOpenRefusesChanges changes one bit of every file of an index. Package bleve would read what is there.
func TestOpenRefusesChanges(t *testing.T) {
	c := importedCorpus(t, "gated convolutions", "attention", "a gated convolution")
	openIndex(t, c)

	changed := 0

	err := filepath.WalkDir(indexPath(c), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}

		content, err := os.ReadFile(path)
		if err != nil || len(content) == 0 {
			return err
		}

		for _, at := range []int{0, len(content) / 2, len(content) - 1} {
			wrong := slices.Clone(content)

			wrong[at] ^= 1
			if err := os.WriteFile(path, wrong, 0o644); err != nil {
				return err
			}

			if x, err := Open(t.Context(), c, nil); !errors.Is(err, corpus.ErrDamaged) {
				t.Errorf("%s, byte %d changed: error %v", entry.Name(), at, err)
				x.Close()
			}

			if err := Verify(t.Context(), c); !errors.Is(err, corpus.ErrDamaged) {
				t.Errorf("%s, byte %d changed: Verify returns %v", entry.Name(), at, err)
			}
			changed++
		}

		return os.WriteFile(path, content, 0o644)
	})
	if err != nil || changed < 9 {
		t.Errorf("%d changes, %v", changed, err)
	}

	if err := Verify(t.Context(), c); err != nil {
		t.Error(err)
	}
}

// counted counts the searches of a ranking that depends on the corpus alone.
type counted struct {
	Searcher
	searches int
}

func (c *counted) Search(ctx context.Context, query string, k int) ([]int, error) {
	c.searches++
	return c.Searcher.Search(ctx, query, k)
}

// What was asked lately is not searched for again, and what is kept is bounded.
func TestRecentQueries(t *testing.T) {
	c := importedCorpus(t, "Attention weights are learned.", "Nothing of interest")
	search := &counted{Searcher: openIndex(t, c)}
	tool := NewTool("RetrieveScirex", c, search)

	first := call(t, tool, "attention weights")
	if again := call(t, tool.WithMemory(nil), "attention weights"); search.searches != 1 || again != first {
		t.Errorf("%d searches for one query, %v, then %v", search.searches, first, again)
	}

	for i := range 3 * recentResults {
		call(t, tool, fmt.Sprint("query ", i))
	}

	before := search.searches
	if call(t, tool, "attention weights"); search.searches != before+1 {
		t.Error("a result is kept for ever")
	}
}
