package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"toolevo/envs/console"
	"toolevo/envs/disk"
)

// shelved answers as a coordinator does that has a data folder.
type shelved struct {
	*dataShelf
	asked func(file string) // for a part of a file; may be nil
}

func (s shelved) Ask(ctx context.Context, question []byte) ([]byte, error) {
	var q dataQuestion
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}

	if q.File != "" && s.asked != nil {
		s.asked(q.File)
	}
	return s.answer(ctx, question)
}

// twoFolders returns a coordinator's data folder and another one, with the same files of other
// content.
func twoFolders(t *testing.T) (theirs, ours string) {
	t.Helper()
	theirs, ours = t.TempDir(), t.TempDir()

	for dir, content := range map[string]string{theirs: "theirs", ours: "ours"} {
		put(t, filepath.Join(dir, "corpus", "coffee.sqlite"), content)
		put(t, filepath.Join(dir, "an-earlier-file"), content)
	}

	put(t, filepath.Join(theirs, "questions", "lacks.jsonl"), "theirs")
	return theirs, ours
}

func put(t *testing.T, path, content string) {
	t.Helper()

	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}

	if err != nil {
		t.Fatal(err)
	}
}

// contents returns what the files of a folder have.
func contents(t *testing.T, dir string) string {
	t.Helper()

	all, err := listData(dir)
	if err != nil {
		t.Fatal(err)
	}

	var text strings.Builder

	for _, f := range all {
		content, err := os.ReadFile(filepath.Join(dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}

		fmt.Fprintln(&text, f.Path, string(content))
	}
	return text.String()
}

// A corpus that another toolevo has open stays what it is, and so does all else: what that run asks
// next would be answered from the other data.
func TestFetchOverOpenCorpus(t *testing.T) {
	t.Parallel()
	theirs, ours := twoFolders(t)
	w, from := &working{}, shelved{dataShelf: newDataShelf(theirs, nil)}
	before := contents(t, ours)

	// As an open corpus is held.
	f, err := os.Open(filepath.Join(ours, "corpus", "coffee.sqlite"))
	if err == nil {
		err = disk.Lock(f, syscall.LOCK_SH)
	}

	if err != nil {
		t.Fatal(err)
	}

	if err := w.fetchData(t.Context(), from, ours); console.KindOf(err) != console.WrongUsage ||
		!strings.Contains(err.Error(), f.Name()) {
		t.Errorf("it is fetched over: %v", err)
	}

	if after := contents(t, ours); after != before {
		t.Errorf("there is now\n%snot\n%s", after, before)
	}

	if err := disk.Release(f); err != nil {
		t.Fatal(err)
	}

	if err := w.fetchData(t.Context(), from, ours); err != nil {
		t.Error(err)
	}

	if got, want := contents(t, ours), contents(t, theirs); got != want {
		t.Errorf("fetched\n%snot\n%s", got, want)
	}

	// What is the same may be open, in a folder that nobody may change.
	if err := os.Chmod(ours, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(ours, 0o755) //nolint:errcheck // of a temporary folder

	if err := w.fetchData(t.Context(), from, ours); err != nil {
		t.Error(err)
	}
}

// Of two workers that fetch into one folder the second waits, and then has nothing to fetch.
func TestFetchAtOnce(t *testing.T) {
	t.Parallel()
	theirs, ours := twoFolders(t)

	synctest.Test(t, func(t *testing.T) {
		shelf := newDataShelf(theirs, nil)
		events, both := make(chan string, 8), make(chan error)
		said := heard{events}

		second := func() {
			w := &working{WorkJob: WorkJob{Host: Host{Progress: said}}}
			asked := func(file string) { events <- "asked for " + file }
			both <- w.fetchData(t.Context(), shelved{shelf, asked}, ours)
		}

		// The first gets its first part when the second has come as far as it can.
		first := shelved{dataShelf: shelf}
		first.asked = func(string) {
			if second != nil {
				go second()
				second = nil

				if event := <-events; !strings.HasPrefix(event, "Waiting") {
					t.Errorf("the second does not wait: %s", event)
				}
			}
		}

		go func() { both <- (&working{}).fetchData(t.Context(), first, ours) }()

		for range 2 {
			if err := <-both; err != nil {
				t.Error(err)
			}
		}

		if event := <-events; !strings.HasPrefix(event, "Fetched 0 files") {
			t.Errorf("the second then %s", event)
		}
	})

	if got, want := contents(t, ours), contents(t, theirs); got != want {
		t.Errorf("fetched\n%snot\n%s", got, want)
	}
}

// heard passes on what is said. It implements [Progress].
type heard struct{ to chan<- string }

func (h heard) Say(format string, args ...any) { h.to <- fmt.Sprintf(format, args...) }

func (heard) Step(string) (done func()) { return func() {} }

func (heard) Report(func() console.Status) (stop func()) { return func() {} }
