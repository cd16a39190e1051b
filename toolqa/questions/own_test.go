package questions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
	"toolevo/toolqa/questions"
)

func own(t *testing.T, text string) ([]toolqa.Question, error) {
	t.Helper()

	path := filepath.Join(t.TempDir(), "mine.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return questions.ReadOwn(path)
}

func TestReadOwn(t *testing.T) {
	got, err := own(t, `{"qid": "1", "question": "How many?", "answer": 7, "dataset": "coffee", "note": "mine"}

{"qid": "2", "question": "Which?", "answer": "that", "dataset": "yelp", "difficulty": "hard"}
`)
	if err != nil {
		t.Fatal(err)
	}

	want := []toolqa.Question{
		{ID: "1", Dataset: toolqa.Coffee, Text: "How many?", Answer: "7", Source: toolqa.Published},
		{
			ID: "2", Dataset: toolqa.Yelp, Difficulty: toolqa.Hard, Text: "Which?", Answer: "that",
			Source: toolqa.Published,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadOwnSaysWhatIsWrong(t *testing.T) {
	const good = `{"qid": "1", "question": "?", "answer": "a", "dataset": "coffee"}` + "\n"

	for text, want := range map[string]string{
		`{"qid": "1", "question": "?", "answer": "a"}`:                                            `"dataset" is missing`,
		`{"qid": "1", "question": "?", "answer": "a", "dataset": "tea"}`:                          `"tea"`,
		`{"qid": "1", "question": "?", "answer": "a", "dataset": 1}`:                              `"dataset"`,
		`{"qid": "1", "question": "?", "answer": "a", "dataset": "yelp", "difficulty": "medium"}`: `"medium"`,
		`{"qid": "1", "question": "?", "dataset": "yelp"}`:                                        `"answer" is missing`,
		good + good:         `mine.jsonl:2: qid "1" is already`,
		good + "question 2": "mine.jsonl:2",
	} {
		if _, err := own(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want one with %s", text, err, want)
		}
	}
}
