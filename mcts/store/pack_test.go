package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/mcts/store"
)

// A dictionary that could not be written, as on a disk that is full for a moment, is written with
// the next call.
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

	for i := range uint64(20) {
		r := request(fmt.Sprint("0.", i), 2*i)
		if _, err := p.Propose(ctx, r); err != nil {
			failed++
			continue
		}

		if _, err := policy(t, s, nil).Propose(ctx, r); err != nil {
			t.Errorf("call %d was answered, and is not logged: %v", i, err)
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

// A run keeps its dictionary for good: values that were packed before it was closed are read
// afterwards, however much is added.
func TestDictionaryStays(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "run.db")
	dictionary := ""

	for session := range 3 {
		s, err := store.Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}

		// Another process opened the run before there was one.
		early, err := store.OpenReadOnly(ctx, path)
		if err != nil {
			t.Fatal(err)
		}

		p := policy(t, s, &echo{text: strings.Repeat(string(rune('a'+session))+" text ", 700)})
		for i := range uint64(20) {
			r := request("0", 2*i)
			r.Node.Path = fmt.Sprint("0.", session, ".", i)

			if _, err := p.Propose(ctx, r); err != nil {
				t.Fatal(err)
			}
		}

		text, err := s.Meta(ctx, "dictionary")
		if session > 0 && text != dictionary || err != nil || text == "" {
			t.Errorf("session %d: the dictionary is another one, %v", session, err)
		}

		dictionary = text

		if problems, err := s.Check(ctx); len(problems) > 0 || err != nil {
			t.Errorf("session %d: %q, %v", session, problems, err)
		}

		for _, reader := range []*store.Store{s, early} {
			if n, err := reader.CompletionTokens(ctx, "q", 2); n != (session+1)*20*2*3 || err != nil {
				t.Errorf("session %d: %d tokens, %v", session, n, err)
			}
		}

		if err := errors.Join(early.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
