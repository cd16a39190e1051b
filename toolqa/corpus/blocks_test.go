package corpus

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
	"toolevo/toolqa/corpus/synth"
)

// openUnchecked opens a file that a test has changed.
func openUnchecked(t testing.TB, dir string, ds toolqa.Dataset) *Corpus {
	t.Helper()

	c, err := open(t.Context(), dir, ds)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})

	return c
}

// TestOpenComparesContent changes one bit, and gives the file back its time: what the
// tools would read is not what was written.
const (
	blockSize  = 1 << 20 // whose hashes stand behind the database, with
	footerSize = 32      // a footer of so many bytes
)

func TestOpenComparesContent(t *testing.T) {
	dir := t.TempDir()
	mustBuild(t, dir, toolqa.Coffee, synth.Options{Seed: 7, Rows: 30_000})
	path := layout.Path(dir, toolqa.Coffee)

	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	content[blockSize+4325] ^= 1
	if err := errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, content, 0o644)); err != nil {
		t.Fatal(err)
	}

	if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}

	_, err = Open(t.Context(), dir, toolqa.Coffee)
	if !errors.Is(err, layout.ErrDamaged) || !strings.Contains(err.Error(), "block 2 of 3") ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one of damage that names the block and the file", err)
	}

	err = openUnchecked(t, dir, toolqa.Coffee).Prove(t.Context())
	if err == nil || !strings.Contains(err.Error(), "coffee_data") {
		t.Errorf("Prove returns %v, want an error that names the table", err)
	}
}

// TestEveryByteCounts changes single bits, also where SQLite keeps nothing, and in the hashes.
func TestEveryByteCounts(t *testing.T) {
	dir := t.TempDir()
	smallAgenda(t, dir)
	path := layout.Path(dir, toolqa.Agenda)

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}

	random := rand.New(rand.NewPCG(1, 2))

	places := []int{0, len(content) - 1, len(content) - footerSize, len(content) - footerSize - 1}
	for range 100 {
		places = append(places, random.IntN(len(content)))
	}

	for _, at := range places {
		changed := []byte(string(content))

		changed[at] ^= 1 << random.IntN(8)
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}

		if c, err := Open(t.Context(), dir, toolqa.Agenda); err == nil {
			t.Errorf("byte %d was changed, and the corpus opens", at)
			c.Close()
		}
	}

	for _, size := range []int{len(content) - 1, len(content) - footerSize, len(content) / 2, 100} {
		if err := os.WriteFile(path, content[:size], 0o644); err != nil {
			t.Fatal(err)
		}

		if _, err := Open(t.Context(), dir, toolqa.Agenda); !errors.Is(err, layout.ErrDamaged) {
			t.Errorf("cut to %d of %d bytes: %v", size, len(content), err)
		}
	}
}

// TestHashesStop ends the comparison with its context.
func TestHashesStop(t *testing.T) {
	dir := t.TempDir()
	smallAgenda(t, dir)
	c := mustOpen(t, dir, toolqa.Agenda)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if err := layout.CheckBlocks(ctx, c.path); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
