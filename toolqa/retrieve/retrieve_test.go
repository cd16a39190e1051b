package retrieve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
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
	"toolevo/toolqa/corpus/graphtest"
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
	if _, err := Open(t.Context(), c, progress); err != nil {
		t.Fatal(err)
	}

	if done != c.DocumentCount() {
		t.Errorf("progress ends at %d of %d", done, c.DocumentCount())
	}

	if _, err := Open(t.Context(), c, func(int, int) { t.Error("the index is made again") }); err != nil {
		t.Fatal(err)
	}

	folder := filepath.Join(dir, "corpus", "scirex.words")

	old := filepath.Join(folder, ".making-12345")
	if err := os.WriteFile(old, nil, 0o666); err != nil {
		t.Fatal(err)
	}

	other := builtCorpus(t, dir, 9)
	openIndex(t, other)

	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(indexPath(other)) {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// Words are stems in lower case; a name is in parts, and what says nothing is left out.
func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"The Accuracy of aESIM, 88.01": "accuraci aesim 88 01",
		"SQuAD1_1 isn't Alice’s":       "squad1 1 isn t alic s",
		"Zürich – Straße 東京":           "zürich straße 東 京",
		" ?! \n":                       "",
	} {
		if got := strings.Join(wordsOf(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The scores of two passages, by hand. Of N = 2 passages of 2 and 4 words, 3 on average, "rare" is
// in one, whose rarity is ln(1 + 1.5/1.5) = 0.6931, and "method" in both, ln(1 + 0.5/2.5) = 0.1823.
// The first has both once, of length 2/3: 0.6931² · 1.2 / (1 + 1.2 · (0.25 + 0.75 · 2/3)) = 0.3034
// and 0.1823² · 1.2 / 1.9 = 0.0210, together twice, since it has both words. The second has
// "method" four times, of frequency √4 and length 4/3: 0.1823² · 2 · 1.2 / (2 + 1.2 · 1.25) =
// 0.0228.
func TestScores(t *testing.T) {
	x := openIndex(t, importedCorpus(t, "rare method", "method method method method"))
	scores, shared := make([]float64, 2), make([]int, 2)

	for _, word := range wordsOf("a rare method") {
		x.add(word, scores, shared)
	}

	if !slices.Equal(shared, []int{2, 1}) || math.Abs(scores[0]-0.3244) > 1e-4 || math.Abs(scores[1]-0.0228) > 1e-4 {
		t.Errorf("scores %v of %v words", scores, shared)
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

		})
	}

	group.Wait()

	entries, err := os.ReadDir(filepath.Join(dir, "corpus", "scirex.words"))
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

	entries, err := os.ReadDir(filepath.Join(dir, "corpus", "scirex.words"))
	if !errors.Is(err, fs.ErrNotExist) || len(entries) != 0 {
		t.Errorf("left are %v, %v", entries, err)
	}

	openIndex(t, c)
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

	relations, err := graphtest.Relations(t.Context(), c.URI())
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

	relations, err := graphtest.Relations(b.Context(), c.URI())
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
	openIndex(b, c)

	for b.Loop() {
		openIndex(b, c)
	}
}

// An index that is cut, or of which one bit is another, is refused by its name and with what to do.
func TestOpenRefusesChanges(t *testing.T) {
	c := importedCorpus(t, "gated convolutions", "attention", "a gated convolution")
	openIndex(t, c)

	whole, err := os.ReadFile(indexPath(c))
	if err != nil {
		t.Fatal(err)
	}

	refused := func(what string, content []byte) {
		if err := os.WriteFile(indexPath(c), content, 0o644); err != nil {
			t.Fatal(err)
		}

		_, err := Open(t.Context(), c, nil)
		for _, err := range []error{err, Verify(t.Context(), c)} {
			if !errors.Is(err, corpus.ErrDamaged) || !strings.Contains(err.Error(), indexPath(c)) ||
				!strings.Contains(err.Error(), "made again") {
				t.Errorf("%s: error %v", what, err)
			}
		}
	}

	for at := range whole {
		wrong := slices.Clone(whole)
		wrong[at] ^= 1
		refused(fmt.Sprintf("byte %d is another", at), wrong)
		refused(fmt.Sprintf("cut at byte %d", at), whole[:at])
	}

	if err := os.WriteFile(indexPath(c), whole, 0o644); err != nil {
		t.Fatal(err)
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
