package kept

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// counter writes how often it was asked.
type counter struct{ asked int }

func (c *counter) Write(_ context.Context, instructions, request string, _ uint64) (string, error) {
	if request == "down" {
		return "", errors.New("the server is down")
	}

	c.asked++
	return strings.Repeat(instructions+"\n", c.asked), nil
}

// What was written once is not asked for again, also by the next process; a failure is not kept.
func TestWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "texts.jsonl")
	model := &counter{}

	write := func(texts *Texts, name, request string, seed uint64) string {
		t.Helper()

		text, err := texts.Writer(name, model).Write(t.Context(), "x", request, seed)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}

	texts, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}

	first := write(texts, "m", "a", 1)
	write(texts, "m", "a", 1)
	write(texts, "m", "a", 2)
	write(texts, "n", "a", 1)

	if _, err := texts.Writer("m", model).Write(t.Context(), "x", "down", 1); err == nil {
		t.Error("a failure of the server is none")
	}

	if model.asked != 3 || texts.Len() != 3 {
		t.Errorf("the model was asked %d times and %d texts are kept, want 3", model.asked, texts.Len())
	}

	if err := texts.Close(); err != nil {
		t.Fatal(err)
	}

	// The process was killed while it wrote a line.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := f.WriteString(`{"key":"k","te`); err != nil {
		t.Fatal(err)
	}

	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	if texts, err = Open(path); err != nil {
		t.Fatal(err)
	}

	if again := write(texts, "m", "a", 1); again != first || model.asked != 3 {
		t.Errorf("asked %d times, the text is %q, want %q", model.asked, again, first)
	}

	write(texts, "m", "b", 1) // the rest of the line is no part of its key

	if err := texts.Close(); err != nil {
		t.Fatal(err)
	}

	if texts, err = Open(path); err != nil || texts.Len() != 4 {
		t.Fatalf("%v, %d texts, want 4", err, texts.Len())
	}

	if err := texts.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestOpenDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "texts.jsonl")
	if err := os.WriteFile(path, []byte("{\"key\":\"k\",\"text\":\"t\"}\nrot\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "line 2 is damaged") {
		t.Errorf("error %v, want the line", err)
	}
}

func TestEach(t *testing.T) {
	var (
		seen  [50]bool
		calls []int
	)

	err := Each(t.Context(), len(seen), 4, func(done, total int) {
		if total != len(seen) {
			t.Errorf("%d of %d", done, total)
		}

		calls = append(calls, done)
	}, func(_ context.Context, i int) error {
		seen[i] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	for i := range seen {
		if !seen[i] || calls[i] != i+1 {
			t.Errorf("%d: %v, call %d", i, seen[i], calls[i])
		}
	}

	wrong, done := errors.New("no"), 0

	err = Each(t.Context(), 10, 1, func(int, int) { done++ }, func(_ context.Context, i int) error {
		if i == 2 {
			return wrong
		}
		return nil
	})
	if !errors.Is(err, wrong) || done != 2 {
		t.Errorf("error %v after %d, want the one of the third", err, done)
	}
}
