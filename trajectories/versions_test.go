package trajectories

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolevo/envs/disk"
	"toolevo/trajectories/internal/pq"
)

// writeStored writes rows as a file has them, whatever is wrong with them.
func writeStored(t *testing.T, columns []pq.Column, rows ...Row) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "rows.parquet")

	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	w, err := pq.NewWriter[Row](f, columns, nil)
	if err != nil {
		t.Fatal(err)
	}

	for i := range rows {
		if err := w.Write(&rows[i]); err != nil {
			t.Fatal(err)
		}
	}

	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReadFileEndsAtAnotherVersion holds that a row of another version of the schema is an error,
// after which nothing comes.
func TestReadFileEndsAtAnotherVersion(t *testing.T) {
	row := func(version int) Row { return Row{SchemaVersion: version, RunID: "r", Software: "0.0.9"} }

	for _, version := range []int{SchemaVersion - 1, SchemaVersion + 1} {
		path := writeStored(t, rowColumns(), row(SchemaVersion), row(version), row(SchemaVersion))
		read, errs := readAll(path)

		if read != 1 || len(errs) != 1 || !isOfFormat(errs[0], version) {
			t.Errorf("%d rows, then %v", read, errs)
		}
	}
}

// A file that lacks columns is of another version where it says so, and else damaged.
func TestReadFileOfOtherColumns(t *testing.T) {
	columns := slices.DeleteFunc(slices.Clone(rowColumns()), func(c pq.Column) bool { return c.Name == "labels" })

	for _, version := range []int{4, SchemaVersion} {
		path := writeStored(t, columns, Row{SchemaVersion: version, RunID: "r", Software: "0.0.9"})
		read, errs := readAll(path)

		if read != 0 || len(errs) != 1 || isOfFormat(errs[0], version) != (version == 4) ||
			errors.Is(errs[0], disk.ErrDamaged) != (version == SchemaVersion) {
			t.Errorf("version %d: %d rows, then %v", version, read, errs)
		}
	}
}

func readAll(path string) (read int, errs []error) {
	for _, err := range ReadFile(path) {
		if err != nil {
			errs = append(errs, err)
		} else {
			read++
		}
	}

	return read, errs
}

func isOfFormat(err error, version int) bool {
	e, ok := errors.AsType[*disk.FormatError](err)
	return ok && e.Format == version && e.Want == SchemaVersion && e.Software == "0.0.9"
}
