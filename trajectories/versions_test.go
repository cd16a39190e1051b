package trajectories

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs/durable"
	"toolevo/trajectories/internal/pq"
)

// writeStored writes rows as a file has them, whatever is wrong with them.
func writeStored(t *testing.T, rows ...stored) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "rows.parquet")

	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	w, err := pq.NewWriter[stored](f, rowColumns(), nil)
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

// TestReadFileEndsAtAnError holds that a row of a version that this program does not know, or one
// that contradicts itself, is an error, after which nothing comes.
func TestReadFileEndsAtAnError(t *testing.T) {
	row := func(version int) stored {
		return toStored(&Row{
			SchemaVersion: version, RunID: "r", QuestionID: "q",
			Labels: map[string]string{"dataset": "d"},
		})
	}
	good, contradicting := row(SchemaVersion), row(SchemaVersion)
	contradicting.Dataset = "another"

	for _, test := range []struct {
		bad    stored
		damage bool
		want   string
	}{
		{row(0), false, "has schema version 0, this program reads 1 to 4"},
		{row(SchemaVersion + 1), false, "has schema version 5, this program reads 1 to 4"},
		{contradicting, true, "the row of r: q/0/ says one thing in labels and makers"},
	} {
		path := writeStored(t, good, test.bad, good)
		read, errs := 0, []error(nil)

		for _, err := range ReadFile(path) {
			if err != nil {
				errs = append(errs, err)
				continue
			}

			read++
		}

		if read != 1 || len(errs) != 1 || !strings.Contains(errs[0].Error(), test.want) ||
			errors.Is(errs[0], durable.ErrDamaged) != test.damage {
			t.Errorf("%d rows, then %v, want %q", read, errs, test.want)
		}
	}
}
