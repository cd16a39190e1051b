package perturb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writer answers with a function of the request and of how often it was asked so.
type writer struct {
	mu     sync.Mutex
	asked  map[string]int
	seeds  map[uint64]bool
	answer func(request string, times int) (string, error)
}

// Write implements [Writer].
func (w *writer) Write(_ context.Context, _, request string, seed uint64) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()

	if w.asked == nil {
		w.asked, w.seeds = map[string]int{}, map[uint64]bool{}
	}

	w.asked[request]++
	w.seeds[seed] = true

	return w.answer(request, w.asked[request])
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

	return "  In other words: " + first + "\n", nil
}

var asked = []Question{
	{"a", "What is 'x' in 2020?"}, {"b", "A map of Rome in 2020."}, {"c", "What is 'x' in 2021?"},
}

// What loses a value is asked for again, with other seeds; what no answer does justice to keeps its text. Nothing is
// asked twice, also by the next process.
func TestParaphraser(t *testing.T) {
	w := &writer{answer: forgetful}
	file := filepath.Join(t.TempDir(), "new", "paraphrases.jsonl")
	p := &Paraphraser{Writer: w, Model: "openai:m", File: file, Seed: 1, Workers: 2}

	want := Paraphrased{
		Texts: map[string]string{
			"a": "In other words: What is 'x' in 2020?", "b": "A map of Rome in 2020.",
			"c": "In other words: What is 'x' in 2021?",
		},
		Asked: 3, Kept: 1,
	}

	got, err := p.Paraphrase(t.Context(), asked)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}

	if w.times() != 3*MostTries || len(w.seeds) != 3*MostTries {
		t.Errorf("asked %d times with %d seeds", w.times(), len(w.seeds))
	}

	// Somebody was killed in the middle of a line.
	whole := read(t, file)
	appendTo(t, file, `{"key": "12`)

	want.Asked = 0
	silent := &Paraphraser{Model: "openai:m", File: file, Seed: 1}

	if got, err = silent.Paraphrase(t.Context(), asked); err != nil || !cmp.Equal(want, got) {
		t.Errorf("from the file: %+v, %v", got, err)
	}

	// Another question is added to the whole lines.
	more := append(asked[:3:3], Question{"d", "Why?"})
	if got, err := p.Paraphrase(t.Context(), more); err != nil || got.Asked != 1 {
		t.Errorf("with another question: %+v, %v", got, err)
	}

	if after := read(t, file); !strings.HasPrefix(after, whole) || strings.Contains(after, `"12`) {
		t.Errorf("the file is\n%s", after)
	}
}

// Another seed, model, text or care for values is another question.
func TestParaphraserTellsApart(t *testing.T) {
	w := &writer{answer: forgetful}
	file := filepath.Join(t.TempDir(), "paraphrases.jsonl")

	for name, p := range map[string]Paraphraser{
		"one": {Model: "m"}, "another model": {Model: "n"}, "another seed": {Model: "m", Seed: 1},
		"values may be lost": {Model: "m", Faithful: true},
	} {
		p.Writer, p.File, p.Workers = w, file, 1

		if got, err := p.Paraphrase(t.Context(), asked[:1]); err != nil || got.Asked != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}

	free := &Paraphraser{Writer: &writer{answer: forgetful}, File: file, Workers: 1, Faithful: true}
	if got, err := free.Paraphrase(t.Context(), asked[1:2]); err != nil || got.Texts["b"] != "Something else?" {
		t.Errorf("as published: %+v, %v", got, err)
	}
}

// A failure of ours is no paraphrase: what was asked before it is kept.
func TestParaphraserFails(t *testing.T) {
	down := errors.New("the server is down")
	file := filepath.Join(t.TempDir(), "paraphrases.jsonl")
	p := &Paraphraser{Model: "m", File: file, Workers: 1, Writer: &writer{
		answer: func(request string, times int) (string, error) {
			if strings.Contains(request, "Rome") {
				return "", down
			}

			return request, nil
		},
	}}

	if _, err := p.Paraphrase(t.Context(), asked); !errors.Is(err, down) || !strings.Contains(err.Error(), "b") {
		t.Errorf("error %v", err)
	}

	p.Writer = nil

	if _, err := p.Paraphrase(t.Context(), asked); !errors.Is(err, ErrNotAsked) {
		t.Errorf("without anybody to ask: %v", err)
	}

	if got, err := p.Paraphrase(t.Context(), asked[:1]); err != nil || got.Asked > 0 {
		t.Errorf("what was asked: %+v, %v", got, err)
	}

	appendTo(t, file, "no record\n")

	if _, err := p.Paraphrase(t.Context(), asked[:1]); err == nil || !strings.Contains(err.Error(), "no paraphrase") {
		t.Errorf("a broken file: %v", err)
	}
}

func TestParaphraserStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	w := &writer{answer: forgetful}
	p := &Paraphraser{Writer: w, File: filepath.Join(t.TempDir(), "f"), Workers: 1}

	if _, err := p.Paraphrase(ctx, asked); !errors.Is(err, context.Canceled) || w.times() > 0 {
		t.Errorf("%v, asked %d times", err, w.times())
	}
}

func read(t *testing.T, path string) string {
	t.Helper()

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()

	if err := os.WriteFile(path, []byte(read(t, path)+text), 0o600); err != nil {
		t.Fatal(err)
	}
}
