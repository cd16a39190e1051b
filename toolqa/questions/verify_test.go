package questions

import (
	"math/rand/v2"
	"testing"

	"toolevo/toolqa/corpus/synth"

	"toolevo/envs/score"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// TestSecondOpinionsOnCoffee finds every answer a second time, by the query instead of the rule.
func TestSecondOpinionsOnCoffee(t *testing.T) {
	dir := t.TempDir()
	if _, err := synth.Build(t.Context(), dir, toolqa.Coffee, synth.Options{Seed: 1, Tool: "test"}); err != nil {
		t.Fatal(err)
	}

	c, err := corpus.Open(t.Context(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	view, err := Load(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}

	for _, d := range toolqa.Difficulties() {
		qs, err := Generate(rand.New(rand.NewPCG(1, 2)), view, d, Options{Counts: Counts{Train: 200, Test: 100}})
		if err != nil {
			t.Fatal(err)
		}

		for i := range qs {
			qs[i].Corpus = c.Info().ContentSHA256
		}

		if err := Write(dir, qs); err != nil {
			t.Fatal(err)
		}
	}

	v, err := Verify(t.Context(), dir, c, score.Strict, func(int, int) {})
	if err != nil || v.Recomputed != 600 || len(v.Problems) > 0 || len(v.Missing) > 0 {
		t.Errorf("%+v, %v, want all 600 answers found again", v, err)
	}

	// What is wrong is found: an answer, a question in two splits, one that nobody understands.
	wrong := []toolqa.Question{
		{ID: "a", Text: "What was the volume of coffee on 2000-01-03?", Answer: "-1"},
		{ID: "b", Text: "What was the volume of coffee on 2000-01-03?", Answer: "-1"},
		{ID: "c", Text: "How is the coffee?", Answer: "good"},
		{ID: "d", Text: "What was the volume of coffee on 1900-01-01?", Answer: "1"},
	}
	for i := range wrong {
		q := &wrong[i]
		q.Dataset, q.Difficulty, q.Split, q.Source, q.Corpus = toolqa.Coffee, toolqa.Easy, toolqa.Train,
			toolqa.Generated, c.Info().ContentSHA256
	}

	if err := Write(dir, wrong); err != nil {
		t.Fatal(err)
	}

	if v, err = Verify(t.Context(), dir, c, score.Strict, func(int, int) {}); err != nil || len(v.Problems) < 5 {
		t.Errorf("%q, %v, want two wrong answers, a repeated question, one of no template and one without an answer",
			v.Problems, err)
	}
}
