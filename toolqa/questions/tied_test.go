package questions

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/disk"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// TestOpen holds which questions a run may ask over which corpus.
func TestOpen(t *testing.T) {
	ask := func(id, text string, s toolqa.Split, from string) toolqa.Question {
		source := toolqa.Generated
		if from == "" {
			source = toolqa.Published
		}
		return toolqa.Question{
			ID:         id,
			Dataset:    toolqa.Coffee,
			Difficulty: toolqa.Easy,
			Split:      s,
			Text:       text,
			Answer:     "1",
			Source:     source,
			Corpus:     from,
		}
	}
	synthetic := corpus.Info{Dataset: toolqa.Coffee, Source: corpus.Synthetic, ContentSHA256: "a"}
	published := corpus.Info{Dataset: toolqa.Coffee, Source: corpus.Published, ContentSHA256: "a"}

	test, train := ask("1", "one?", toolqa.Test, "a"), ask("2", "two?", toolqa.Train, "a")
	for name, tt := range map[string]struct {
		qs    []toolqa.Question
		info  corpus.Info
		want  string // in the error of opening the test split
		stale int
	}{
		"its own": {[]toolqa.Question{test, train}, synthetic, "", 0},
		"test of another": {[]toolqa.Question{ask("1", "one?", toolqa.Test, "b"), train}, synthetic,
			"another corpus", 1},
		"one of another": {[]toolqa.Question{test, ask("3", "three?", toolqa.Test, "b")}, synthetic,
			"question 3 was generated from another", 1},
		"train of another": {[]toolqa.Question{test, ask("2", "two?", toolqa.Train, "b")}, synthetic, "", 1},
		"published":        {[]toolqa.Question{ask("1", "one?", toolqa.Test, ""), train}, published, "", 0},
		"published on synthetic": {[]toolqa.Question{ask("1", "one?", toolqa.Test, ""), train}, synthetic,
			"published questions need the published corpus", 1},
		"shared": {[]toolqa.Question{test, ask("2", "One? ", toolqa.Train, "a")}, synthetic,
			filepath.Join("train", "coffee-easy.jsonl") + ` share the question "One? "`, 0},
		"shared, both published": {[]toolqa.Question{ask("1", "one?", toolqa.Test, ""),
			ask("2", "one?", toolqa.Train, "")}, published, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := Write(dir, tt.qs); err != nil {
				t.Fatal(err)
			}

			qs, err := Open(dir, tt.info, toolqa.Easy, toolqa.Test)
			if tt.want == "" && (err != nil || !cmp.Equal(qs, tt.qs[:1])) ||
				tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Open = %v, %v, want the error %q", qs, err, tt.want)
			}

			if stale := Stale(dir, tt.info); len(stale) != tt.stale {
				t.Errorf("Stale = %v, want %d", stale, tt.stale)
			}
		})
	}
}

func TestRemoveShared(t *testing.T) {
	dir := t.TempDir()

	ask := func(id, text string, d toolqa.Difficulty, s toolqa.Split) toolqa.Question {
		return toolqa.Question{
			ID:         id,
			Dataset:    toolqa.Coffee,
			Difficulty: d,
			Split:      s,
			Text:       text,
			Answer:     "1",
			Source:     toolqa.Generated,
		}
	}
	if err := Write(dir, []toolqa.Question{
		ask("1", "one?", toolqa.Easy, toolqa.Train), ask("2", "two?", toolqa.Easy, toolqa.Train),
		ask("3", "three?", toolqa.Easy, toolqa.Dev), ask("4", "two?", toolqa.Hard, toolqa.Train),
	}); err != nil {
		t.Fatal(err)
	}

	got, err := RemoveShared(dir, []toolqa.Question{
		ask("5", "TWO?", toolqa.Easy, toolqa.Test), ask("6", "one?", toolqa.Easy, toolqa.Train),
		ask("7", "two?", toolqa.Hard, toolqa.Train),
	})

	want := []string{Path(dir, toolqa.Coffee, toolqa.Easy, toolqa.Train)}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	left, err := filepath.Glob(filepath.Join(dir, "questions", "*", "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestWriteRemovesLeftovers(t *testing.T) {
	dir := t.TempDir()
	q := toolqa.Question{
		ID:         "1",
		Dataset:    toolqa.Coffee,
		Difficulty: toolqa.Easy,
		Split:      toolqa.Dev,
		Text:       "?",
		Answer:     "1",
		Source:     toolqa.Generated,
	}
	leftover := Path(dir, toolqa.Coffee, toolqa.Easy, toolqa.Dev) + disk.Unfinished
	writeFile(t, leftover, "cut")

	if err := Write(dir, []toolqa.Question{q}); err != nil {
		t.Fatal(err)
	}

	if left, _ := filepath.Glob(filepath.Join(dir, "questions", "dev", "*")); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}
