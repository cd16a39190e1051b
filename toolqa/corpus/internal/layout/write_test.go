package layout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFullDisk fills a database to the brim: what SQLite says of it is what the system says of a
// full disk.
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
