package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"toolevo/mcts/store"
)

// A dictionary that could not be written, as on a disk that is full for a moment, is written with the
// next call.
func TestDictionaryIsTriedAgain(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()

	s, err := store.Open(ctx, filepath.Join(dir, "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	note := func(name string) error { return s.SetMeta(ctx, name, name) }
	if err := note("before"); err != nil {
		t.Fatal(err)
	}

	alter(t, dir, `CREATE TRIGGER full BEFORE INSERT ON meta WHEN NEW.key = 'dictionary' BEGIN SELECT RAISE(ABORT, 'full'); END`)
	p := policy(t, s, &echo{text: strings.Repeat("a text of some length ", 500)})
	failed := 0

	for seed := range uint64(20) {
		if _, err := p.Propose(ctx, request("0", 2*seed)); err != nil {
			failed++
		}
	}

	if failed == 0 {
		t.Fatal("no call completed the dictionary")
	}

	alter(t, dir, `DROP TRIGGER full`)

	if _, err := p.Propose(ctx, request("1", 0)); err != nil {
		t.Fatal(err)
	}

	if text, err := s.Meta(ctx, "dictionary"); err != nil || len(text) != 32<<10 {
		t.Errorf("the dictionary has %d bytes, %v", len(text), err)
	}

	if problems, err := s.Check(ctx); err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}
