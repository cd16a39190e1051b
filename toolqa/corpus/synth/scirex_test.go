package synth

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/graphtest"
	"toolevo/toolqa/corpus/internal/layout"
)

// readScirex returns the names and contents of all passages, and the relations.
func readScirex(t *testing.T, dir string) (passages []string, relations []layout.Relation) {
	t.Helper()

	c := mustOpen(t, dir, toolqa.SciREX)

	var err error
	for d, err := range c.Documents(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}

		if one, err := c.Document(t.Context(), d.ID); one != d || err != nil {
			t.Errorf("document %d is %+v, %v, and %+v in the list", d.ID, one, err, d)
		}

		passages = append(passages, d.Name+" "+d.Content)
	}

	if c.DocumentCount() != len(passages) || c.Info().Rows != len(passages) {
		t.Errorf("%d passages counted, %d rows, %d there", c.DocumentCount(), c.Info().Rows, len(passages))
	}

	if _, err := c.Document(t.Context(), len(passages)+1); err == nil {
		t.Error("a document that there is not")
	}

	if relations, err = graphtest.Relations(t.Context(), c.URI()); err != nil {
		t.Fatal(err)
	}
	return passages, relations
}

// A synthetic corpus is as large as the published one, and as odd.
func TestSyntheticScirex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustBuild(t, dir, toolqa.SciREX, Options{Seed: 11})
	passages, relations := readScirex(t, dir)
	papers, tasks, names := map[string]bool{}, map[string]bool{}, map[string]bool{}
	odd := map[string]int{}

	for _, r := range relations {
		papers[r.Paper], tasks[r.Task] = true, true
		for _, name := range []string{r.Material, r.Method, r.Metric, r.Task} {
			names[name] = true
			if strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
				t.Errorf("the name %q", name)
			}
		}

		for kind, is := range map[string]bool{
			"blank behind": strings.HasSuffix(r.Score, " "), "blank before": strings.HasPrefix(r.Score, " "),
			"mark":   strings.HasPrefix(r.Score, "\ufeff"),
			"number": r.Number, "percent": strings.HasSuffix(r.Score, "%"), "k": strings.HasSuffix(r.Score, "k"),
			"m": strings.HasSuffix(r.Score, "m"),
			"M": strings.HasSuffix(r.Score, "M"), "±": strings.Contains(r.Score, "±"),
			"thousands": strings.Contains(r.Score, ","),
		} {
			if is {
				odd[kind]++
			}
		}
	}

	if len(passages) < 5_000 || len(passages) > 12_000 || len(relations) < 1_800 || len(relations) > 2_500 ||
		len(papers) > layout.SciREXPapers || len(papers) < 400 || len(tasks) < 25 {
		t.Errorf("%d passages, %d relations of %d papers, %d tasks", len(passages), len(relations), len(papers),
			len(tasks))
	}

	for _, kind := range []string{"blank behind", "blank before", "mark", "number", "percent", "k", "m", "M", "±",
		"thousands"} {
		if odd[kind] == 0 {
			t.Errorf("no score with %s", kind)
		}
	}

	ends := 0

	for name := range names {
		if strings.HasSuffix(name, "_") || strings.HasPrefix(name, "_") || strings.Contains(name, "___") {
			ends++
		}
	}

	if ends < 50 {
		t.Errorf("%d odd names of %d", ends, len(names))
	}

	longest := slices.MaxFunc(passages,
		func(a, b string) int { return len(strings.Fields(a)) - len(strings.Fields(b)) })
	if n := len(strings.Fields(longest)); n > 340 { // three of them are shown whole
		t.Errorf("a passage of %d words: %s", n, longest)
	}
}

// Every relation is stated by a passage: its method, its material and its score stand in one, as
// they are written there.
func TestSyntheticScirexStatesItsRelations(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 100} {
		dir := t.TempDir()
		mustBuild(t, dir, toolqa.SciREX, Options{Seed: uint64(n), Rows: n})
		passages, relations := readScirex(t, dir)

		spelled := make([]string, len(passages))
		for i, p := range passages {
			spelled[i] = scirexName(p)
		}

		for _, r := range relations {
			score := scirexName(strings.Trim(r.Score, " \ufeff"))
			if r.Number {
				score = strings.TrimSuffix(score, "_0")
			}

			board := false
			stated := false

			for i, p := range spelled {
				if !strings.Contains(p, "_"+r.Method+"_") || !strings.Contains(p, "_"+r.Material+"_") ||
					!strings.Contains(p, "_"+score) {
					continue
				}

				if strings.Contains(passages[i], "Leaderboard") {
					board = true
				} else {
					stated = true
				}
			}

			if !stated || !board {
				t.Errorf("%d papers: %+v is stated %v, on a leaderboard %v", n, r, stated, board)
			}
		}
	}
}

// The forms of all metrics are known.
func TestScirexForms(t *testing.T) {
	s := newScirexSynth(rand.New(rand.NewPCG(1, 2)), 10)
	for _, task := range s.tasks {
		for _, m := range task.metrics {
			if score, _ := s.score(m); strings.Trim(score, "0123456789.,%±kmM") != "" || score == "" {
				t.Errorf("%s: a score %q", task.name, score)
			}
		}
	}
}
