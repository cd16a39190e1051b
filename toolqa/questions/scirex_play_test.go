package questions

import (
	"path/filepath"
	"strings"
	"testing"

	"toolevo/toolqa/corpus/importer"
	"toolevo/toolqa/corpus/synth"

	"toolevo/envs/score"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

func scirexOptions(seed uint64) synth.Options { return synth.Options{Seed: seed} }

// syntheticScirex builds a corpus of the published size.
func syntheticScirex(t testing.TB, seed uint64) *corpus.Corpus {
	t.Helper()
	return synthetic(t, toolqa.SciREX, scirexOptions(seed))
}

func TestScirexSecondOpinions(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		c := syntheticScirex(t, seed)
		answers := answersOf(t, c, allQuestions(t, toolqa.SciREX, scirexOptions(seed)))
		wantAnswers(t, toolqa.SciREX, answers, 30)

		several := 0

		for answer := range answers["scirex-hard/datasets"] {
			if strings.Contains(answer, ", ") {
				several++
			}
		}

		if several < 20 {
			t.Errorf("seed %d: %d different answers of several datasets", seed, several)
		}
	}
}

func TestReaderSolvesScirex(t *testing.T) {
	t.Parallel()
	c := syntheticScirex(t, 2)
	view := mustLoad(t, c)
	w := newWorld(t, c)
	w.wantShare("p_c", drawEach(t, view, 10), 0.95)

	for _, api := range apiVersions[1:] {
		w.wantShare(api, drawEach(t, view, 5), 0.95)
	}
}

// TestPublishedScirexGold compares rules and published answers where the sample holds the papers.
func TestPublishedScirexGold(t *testing.T) {
	from := sharedData(t, "toolqa", "corpus", "scirex_dev", "dev.jsonl")
	view := mustLoad(t, imported(t, toolqa.SciREX, from, importer.Options{AllowShort: true}))
	agree, differ := map[string]int{}, map[string]int{}

	for _, d := range toolqa.Difficulties() {
		path := sharedData(t, "toolqa", "questions", string(d), "scirex-"+string(d)+".jsonl")

		qs, err := readPublished(path, toolqa.SciREX, d)
		if err != nil {
			t.Fatal(err)
		}

		for _, q := range qs {
			m, ok := recognise(q.Text)
			if !ok {
				t.Fatalf("%s: %q is not recognised", filepath.Base(path), q.Text)
			}

			answer, err := officialAnswer(m, view)
			switch {
			case isNoAnswer(err): // in another paper
			case err != nil:
				t.Fatal(err)
			case score.Strict(q.Answer, answer):
				agree[m.template.Name]++
			default:
				differ[m.template.Name]++

				t.Logf("%q: %q, published is %q", q.Text, answer, q.Answer)
			}
		}
	}

	t.Log(agree, differ)

	if agree["scirex-easy/score"] < 10 || differ["scirex-easy/score"] > 0 || differ["scirex-hard/metrics"] > 0 {
		t.Errorf("agree %v, differ %v", agree, differ)
	}
}
