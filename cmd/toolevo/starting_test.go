package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A run says every step of a long start before its own progress.
func TestRunSaysWhatItStartsWith(t *testing.T) {
	t.Parallel()
	var words bytes.Buffer
	a := on(&words)
	a.quietPeriod, a.open, a.attack = -1, openShared, attackedOnce

	args := []string{"collect", "--data", smallData(t), "--limit", "1", "--trees", "1", "--out",
		filepath.Join(t.TempDir(), "run")}
	if code := a.run(t.Context(), args); code != exitDone {
		t.Fatalf("exit %d: %s", code, &words)
	}

	said := strings.Split(words.String(), "\n")
	last := -1

	for _, step := range []string{"Reading corpora and questions …", "Opening the sandbox …",
		"Trying to get out of the sandbox …"} {
		i := slices.Index(said, step)
		if i <= last {
			t.Errorf("%q is not where it belongs in %q", step, said)
		}

		last = i
	}
}
