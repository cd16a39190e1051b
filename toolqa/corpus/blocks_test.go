package corpus

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"toolevo/toolqa"
)

// openUnchecked opens a file that a test has changed.
func openUnchecked(t testing.TB, dir string, ds toolqa.Dataset) *Corpus {
	t.Helper()

	c, err := OpenUnchecked(t.Context(), dir, ds)
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
func TestOpenComparesContent(t *testing.T) {
	dir := t.TempDir()
	mustBuild(t, dir, toolqa.Coffee, BuildOptions{Seed: 7, Rows: 30_000})
	path := Path(dir, toolqa.Coffee)

	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	content[blockSize+4321] ^= 1
	if err := errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, content, 0o644)); err != nil {
		t.Fatal(err)
	}

	if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}

	_, err = Open(t.Context(), dir, toolqa.Coffee)
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "block 2 of 3") ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one of damage that names the block and the file", err)
	}

	err = openUnchecked(t, dir, toolqa.Coffee).Verify(t.Context())
	if err == nil || !strings.Contains(err.Error(), "coffee_data") {
		t.Errorf("Verify returns %v, want an error that names the table", err)
	}
}

// TestEveryByteCounts changes single bits, also where SQLite keeps nothing, and in the hashes.
func TestEveryByteCounts(t *testing.T) {
	dir := t.TempDir()
	smallAgenda(t, dir)
	path := Path(dir, toolqa.Agenda)

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}

	random := rand.New(rand.NewPCG(1, 2))

	places := []int{0, len(content) - 1, len(content) - footerSize, len(content) - footerSize - 1}
	for range 60 {
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

		if _, err := Open(t.Context(), dir, toolqa.Agenda); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut to %d of %d bytes: %v", size, len(content), err)
		}
	}
}

// TestImportReplacesDamage imports again what was damaged, and what an older program wrote.
func TestImportReplacesDamage(t *testing.T) {
	dir := t.TempDir()

	first, err := Import(t.Context(), dir, toolqa.DBLP, pickles, ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}

	path := Path(dir, toolqa.DBLP)

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	hashes := int(blockCount(int64(len(content))))*8 + footerSize

	for name, cut := range map[string]int{"without hashes": hashes, "cut": 1} {
		if err := errors.Join(os.Chmod(path, 0o644),
			os.WriteFile(path, content[:len(content)-cut], 0o644)); err != nil {
			t.Fatal(err)
		}

		if _, err := Open(t.Context(), dir, toolqa.DBLP); err == nil ||
			!strings.Contains(err.Error(), "older toolevo") {
			t.Errorf("%s: error %v, want one that says what may be wrong", name, err)
		}

		again, err := Import(t.Context(), dir, toolqa.DBLP, pickles, ImportOptions{})
		if err != nil || again.Unchanged || again.Info != first.Info {
			t.Errorf("%s: imported again: %+v, %v", name, again, err)
		}

		if got, _ := os.ReadFile(path); string(got) != string(content) {
			t.Errorf("%s: imported again, the file is another one", name)
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

	if err := c.checkBlocks(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestFullDisk fills a database to the brim: what SQLite says of it is what the system says of a full disk.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "full.sqlite")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}

	db, err := create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()

	for _, stmt := range []string{
		"PRAGMA max_page_count = 3", "CREATE TABLE t (b BLOB)", "INSERT INTO t VALUES (zeroblob(1000000))",
	} {
		err = errors.Join(err, db.exec(t.Context(), stmt))
	}

	full := diskError(path, err)

	var failed *fs.PathError
	if !errors.As(full, &failed) || failed.Path != path || !errors.Is(full, syscall.ENOSPC) {
		t.Errorf("%v becomes %v (%[2]T), want an error of the file system", err, full)
	}

	if other := errors.New("other"); diskError(path, other) != other {
		t.Error("another error is changed")
	}
}
