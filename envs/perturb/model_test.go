package perturb

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/kept"
)

// writer answers with a function of the request and of how often it was asked so.
type writer struct {
	mu     sync.Mutex
	asked  map[string]int
	seeds  map[uint64]bool
	answer func(request string, times int) (string, error)
}

// Write implements [kept.Writer].
func (w *writer) Write(_ context.Context, _, request string, seed uint64) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.asked == nil {
		w.asked, w.seeds = map[string]int{}, map[uint64]bool{}
	}

	question, _, _ := strings.Cut(request, "\n")
	w.asked[question]++
	w.seeds[seed] = true
	return w.answer(request, w.asked[question])
}

func (w *writer) times() (n int) {
	for _, times := range w.asked {
		n += times
	}
	return n
}

// forgetful loses values: of most questions once, of those about Rome always.
func forgetful(request string, times int) (string, error) {
	switch {
	case times == 1 || strings.Contains(request, "Rome"):
		return "Something else?", nil
	case times == 2:
		return " \n", nil
	}

	first, _, _ := strings.Cut(request, "\n")
	return "  Tell me, " + first + "\n", nil
}

var asked = []Question{
	{"a", "What is 'x' in 2020?"}, {"b", "A map of Rome in 2020."}, {"c", "What is 'x' in 2021?"},
}

// What loses a value is asked for again, with other seeds; what no answer does justice to keeps its
// text. The next process asks the same, so that it finds what was kept.
func TestParaphraser(t *testing.T) {
	t.Parallel()

	w := &writer{answer: forgetful}

	texts, err := kept.Open(filepath.Join(t.TempDir(), "texts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = texts.Close() }()

	want := Paraphrased{
		Texts: map[string]string{
			"a": "Tell me, What is 'x' in 2020?", "b": "A map of Rome in 2020.",
			"c": "Tell me, What is 'x' in 2021?",
		},
		Kept: 1,
	}

	for _, asks := range []kept.Writer{w, nil} {
		p := &Paraphraser{Writer: texts.Writer("m", asks), Seed: 1, Workers: 2}

		got, err := p.Paraphrase(t.Context(), asked)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	}

	if w.times() != 3*mostTries || len(w.seeds) != 3*mostTries {
		t.Errorf("asked %d times with %d seeds", w.times(), len(w.seeds))
	}

	other := &Paraphraser{Writer: texts.Writer("m", nil), Seed: 2, Workers: 1}
	if _, err := other.Paraphrase(t.Context(), asked); !errors.Is(err, kept.ErrNotKept) {
		t.Errorf("another seed asks the same: %v", err)
	}

	free := &Paraphraser{Writer: &writer{answer: forgetful}, Workers: 1, Faithful: true}
	if got, err := free.Paraphrase(t.Context(), asked[1:2]); err != nil || got.Texts["b"] != "Something else?" {
		t.Errorf("as published: %+v, %v", got, err)
	}
}

// Only a text that is the question and nothing else becomes the question.
func TestParaphraserTakesTheQuestionAlone(t *testing.T) {
	t.Parallel()

	const question = "What did 'x' cost in 2020?"

	for name, test := range map[string]struct {
		reply string
		taken bool
	}{
		"the question":           {"In 2020, what was the price of 'x'?", true},
		"a request":              {"Tell me the price of 'x' in 2020.", true},
		"with its thought":       {"In 2020, <think>the year stays</think> what was the price of 'x'?", false},
		"an end of a thought":    {"The year 2020 and 'x' stay.\n</think>\nWhat was the price of 'x' in 2020?", false},
		"an answer behind it":    {"In 2020, what was the price of 'x'? It was 17.5.", false},
		"an answer in words":     {"In 2020, what was the price of 'x'? It was low.", false},
		"an introduction":        {"Sure! Here it is:\n\nIn 2020, what was the price of 'x'?", false},
		"introduced in a line":   {"Rephrased: In 2020, what was the price of 'x'?", false},
		"two variants":           {"What was the price of 'x' in 2020? Or: in 2020, how much was 'x'?", false},
		"a list":                 {"- What was the price of 'x' in 2020?\n- How much was 'x' in 2020?", false},
		"a remark in a new line": {"In 2020, what was the price of 'x'?\n(I kept the year.)", false},
		"a value of its own":     {"What was the price of 'x' in 2020, or of 'y'?", false},
	} {
		w := &writer{answer: func(string, int) (string, error) { return test.reply, nil }}
		p := &Paraphraser{Writer: w, Workers: 1}

		got, err := p.Paraphrase(t.Context(), []Question{{"a", question}})
		if want := (Paraphrased{Texts: map[string]string{"a": test.reply}}); test.taken {
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
			}
		} else if got.Texts["a"] != question || got.Kept != 1 || w.times() != mostTries || err != nil {
			t.Errorf("%s: %+v after %d tries, %v: want it refused", name, got, w.times(), err)
		}
	}
}

// A failure of ours is no paraphrase, and names the question.
func TestParaphraserFails(t *testing.T) {
	t.Parallel()

	down := errors.New("the server is down")
	p := &Paraphraser{Workers: 1, Writer: &writer{
		answer: func(request string, times int) (string, error) {
			if strings.Contains(request, "Rome") {
				return "", down
			}
			return request, nil
		},
	}}

	if _, err := p.Paraphrase(t.Context(), asked); !errors.Is(err, down) || !strings.Contains(err.Error(), "b:") {
		t.Errorf("error %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	w := &writer{answer: forgetful}
	p.Writer = w

	if _, err := p.Paraphrase(ctx, asked); !errors.Is(err, context.Canceled) || w.times() > 0 {
		t.Errorf("%v, asked %d times", err, w.times())
	}
}
