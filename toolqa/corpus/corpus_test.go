package corpus

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs/sqlite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
	"toolevo/toolqa/corpus/synth"
)

// mustOpen opens a corpus that the test's end closes.
func mustOpen(t testing.TB, dir string, ds toolqa.Dataset) *Corpus {
	t.Helper()

	c, err := Open(t.Context(), dir, ds)
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

func mustBuild(t testing.TB, dir string, ds toolqa.Dataset, opts synth.Options) layout.Info {
	t.Helper()

	info, err := synth.Build(t.Context(), dir, ds, opts)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// query returns the rows of a query over the file, each cell as SQLite prints it, NULL as "NULL".
func query(t testing.TB, c *Corpus, stmt string) [][]string {
	t.Helper()

	db, err := sql.Open("sqlite3", c.URI())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	rows, err := db.Query(stmt)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()

	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string

	for rows.Next() {
		cells, slots, row := make([]sql.NullString, len(names)), make([]any, len(names)), make([]string, len(names))
		for i := range slots {
			slots[i] = &cells[i]
		}

		if err := rows.Scan(slots...); err != nil {
			t.Fatal(err)
		}

		for i, cell := range cells {
			if row[i] = "NULL"; cell.Valid {
				row[i] = cell.String
			}
		}

		all = append(all, row)
	}

	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// leftBehind lists what is in the folder of the corpus files.
func leftBehind(t testing.TB, dir string) []string {
	t.Helper()

	entries, err := os.ReadDir(filepath.Join(dir, "corpus"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}

	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func change(t testing.TB, path, stmt string, args ...any) {
	t.Helper()

	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}

	db, err := sql.Open("sqlite3", sqlite.Address(path, "mode=rw"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	if _, err := db.Exec(stmt, args...); err != nil {
		t.Fatal(err)
	}
}

// TestOpenOddPath also shows that a column is still there after Close, and that no other can be
// read.
func TestOpenOddPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20é")
	mustBuild(t, dir, toolqa.Coffee, synth.Options{Rows: 5})

	c, err := Open(t.Context(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}

	date, err := c.Table().Column("Date")
	if err != nil || date.Len() != 5 {
		t.Errorf("Date: %v, %v", date, err)
	}

	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	if again, err := c.Table().Column("Date"); again != date || err != nil {
		t.Errorf("Date after Close: %v, %v", again, err)
	}

	if _, err := c.Table().Column("Open"); err == nil {
		t.Error("a column was read from a closed file")
	}
}

// Who replaces a corpus and who reads it keep each other out: connections that a reader opens later
// would read the new file.
func TestClaim(t *testing.T) {
	dir := t.TempDir()
	mustBuild(t, dir, toolqa.Coffee, synth.Options{Rows: 5})

	c, err := Open(t.Context(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}

	other, err := Open(t.Context(), dir, toolqa.Coffee) // readers do not mind each other
	if err != nil {
		t.Fatal(err)
	}

	_, err = Claim(dir, toolqa.Coffee)
	if err == nil || !strings.Contains(err.Error(), "end that first") {
		t.Errorf("a corpus that is read is claimed: %v", err)
	}

	if err := errors.Join(c.Close(), other.Close()); err != nil {
		t.Fatal(err)
	}

	claim, err := Claim(dir, toolqa.Coffee, toolqa.Flights)
	if err != nil {
		t.Fatal(err)
	}

	_, err = Open(t.Context(), dir, toolqa.Coffee)
	if err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("a claimed corpus opens: %v", err)
	}

	if err := claim.Close(); err != nil {
		t.Error(err)
	}

	mustOpen(t, dir, toolqa.Coffee)
}

func TestOpenRefuses(t *testing.T) {
	good := t.TempDir()
	mustBuild(t, good, toolqa.Coffee, synth.Options{Seed: 7, Rows: 500})

	bytes, err := os.ReadFile(layout.Path(good, toolqa.Coffee))
	if err != nil {
		t.Fatal(err)
	}

	for name, tt := range map[string]struct {
		content []byte
		change  string // an SQL statement
		want    string
	}{
		"missing":   {nil, "", "run `toolevo data build` or `toolevo data import`"},
		"empty":     {[]byte{}, "", "not a SQLite file"},
		"text":      {[]byte(strings.Repeat("Date,Open\n", 50)), "", "not a SQLite file"},
		"truncated": {bytes[:len(bytes)/2], "", "truncated"},
		"old version": {bytes, "UPDATE meta SET value='1' WHERE key='format'",
			"in format 1; this version reads format 3"},
		"other version": {bytes, "UPDATE meta SET value='99' WHERE key='format'",
			"in format 99; this version reads format 3"},
		"other dataset":   {bytes, "UPDATE meta SET value='yelp' WHERE key='dataset'", `the file holds dataset "yelp"`},
		"other database":  {bytes, "DROP TABLE meta", "not a toolevo corpus"},
		"other content":   {bytes, "UPDATE meta SET value='0' WHERE key='content_sha256'", "damaged"},
		"other rows":      {bytes, "UPDATE meta SET value='499' WHERE key='rows'", "damaged"},
		"no contents":     {bytes, "DROP TABLE contents", "no such table"},
		"other tables":    {bytes, "UPDATE contents SET name='tea_data'", "tables [tea_data]; expected [coffee_data]"},
		"no cells":        {bytes, "DROP TABLE cells", "no such table"},
		"missing column":  {bytes, "DELETE FROM cells WHERE name='Open'", "columns [Date High"},
		"nonsense number": {bytes, "UPDATE meta SET value='many' WHERE key='rows'", "meta rows"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()

			path := layout.Path(dir, toolqa.Coffee)
			if tt.content != nil {
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777),
					os.WriteFile(path, tt.content, 0o666)); err != nil {
					t.Fatal(err)
				}
			}

			if tt.change != "" {
				change(t, path, tt.change)
			}

			_, err := Open(t.Context(), dir, toolqa.Coffee)
			if err == nil || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), "coffee.sqlite") {
				t.Errorf("error %v, want one with %q and the path", err, tt.want)
			}

			if got := errors.Is(err, fs.ErrNotExist); got != (name == "missing") {
				t.Errorf("errors.Is(%v, fs.ErrNotExist) = %v", err, got)
			}
		})
	}
}
