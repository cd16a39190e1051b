package corpus

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
)

// published returns the path of a published file, or skips the test.
func published(t testing.TB, parts ...string) string {
	t.Helper()

	root := os.Getenv("TOOLEVO_SHARED_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data") // ../shared/data from the repository root
	}

	path := filepath.Join(append([]string{root, "toolqa", "corpus"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the published file is not there: %v", err)
	}

	return path
}

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

func mustBuild(t testing.TB, dir string, ds toolqa.Dataset, opts BuildOptions) Info {
	t.Helper()

	info, err := Build(t.Context(), dir, ds, opts)
	if err != nil {
		t.Fatal(err)
	}

	return info
}

// printed returns the rows of a corpus as the tools print them.
func printed(t testing.TB, c *Corpus) [][]string {
	t.Helper()

	rows := make([][]string, c.Table().Rows())
	for _, name := range c.Table().Columns() {
		v, err := c.Table().Column(name)
		if err != nil {
			t.Fatal(err)
		}

		for row := range rows {
			rows[row] = append(rows[row], v.Text(row))
		}
	}

	return rows
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

	db, err := sql.Open("sqlite3", dsn(path, "mode=rw"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	if _, err := db.Exec(stmt, args...); err != nil {
		t.Fatal(err)
	}
}

func TestBuildCoffee(t *testing.T) {
	dir := t.TempDir()
	info := mustBuild(t, dir, toolqa.Coffee, BuildOptions{Seed: 7, Tool: "test"})

	c := mustOpen(t, dir, toolqa.Coffee)
	if diff := cmp.Diff(info, c.Info()); diff != "" {
		t.Errorf("(-built +opened):\n%s", diff)
	}

	if info.Rows != 5741 || info.Source != Synthetic || info.Seed != 7 || info.Tool != "test" ||
		info.SourceSHA256 != info.ContentSHA256 {
		t.Errorf("Build = %+v", info)
	}

	whole := 0

	for _, row := range printed(t, c) {
		day, err := time.Parse(time.DateOnly, row[0])
		if wd := day.Weekday(); err != nil || wd == time.Saturday || wd == time.Sunday {
			t.Fatalf("%s is a %v (%v)", row[0], wd, err)
		}

		var prices [5]float64
		for i := range prices {
			if prices[i], err = strconv.ParseFloat(row[1+i], 64); err != nil {
				t.Fatal(err)
			}
		}

		opening, high, low, closing := prices[0], prices[1], prices[2], prices[3]
		if low > min(opening, closing) || high < max(opening, closing) || low < 5 || high > 2000 || prices[4] < 0 ||
			row[6] != "USD" {
			t.Fatalf("implausible day %v", row)
		}

		if strings.HasSuffix(row[1], ".0") {
			whole++
		}
	}

	if whole == 0 {
		t.Error(`no price ends in ".0"`)
	}
}

// TestBuildIsDeterministic is about every dataset that can be built.
func TestBuildIsDeterministic(t *testing.T) {
	for ds := range generators() {
		t.Run(string(ds), func(t *testing.T) {
			t.Parallel()
			one, two := t.TempDir(), t.TempDir()
			opts := BuildOptions{Seed: 7, Rows: 60, Tool: "test"}

			a, b := mustBuild(t, one, ds, opts), mustBuild(t, two, ds, opts)
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("the same seed gave different corpora (-first +second):\n%s", diff)
			}

			for _, dir := range []string{one, two} {
				if err := mustOpen(t, dir, ds).Verify(t.Context()); err != nil {
					t.Error(err)
				}
			}

			opts.Seed++
			if other := mustBuild(t, two, ds, opts); other.ContentSHA256 == a.ContentSHA256 {
				t.Error("two seeds gave the same rows")
			}
		})
	}
}

func TestBuildSizes(t *testing.T) {
	dir := t.TempDir()
	for name, opts := range map[string]BuildOptions{
		"negative": {Rows: -1}, "too many": {Rows: 1_000_001}, "scale": {Scale: "tiny"},
	} {
		if _, err := Build(t.Context(), dir, toolqa.Coffee, opts); err == nil {
			t.Errorf("%s: Build succeeded", name)
		}
	}

	for ds, g := range generators() {
		if g.demo < 1 || g.demo > g.full || g.full > g.most {
			t.Errorf("%s: demo %d, full %d, most %d", ds, g.demo, g.full, g.most)
		}

		if schema, err := SchemaOf(ds); err == nil && g.full != schema.Rows {
			t.Errorf("%s: %d rows are built at full scale; the published file has %d", ds, g.full, schema.Rows)
		}
	}
}

func TestProgress(t *testing.T) {
	var told []int
	opts := BuildOptions{Rows: 5000, Progress: func(done, total int) {
		if total != work {
			t.Errorf("of %d", total)
		}

		told = append(told, done)
	}}
	mustBuild(t, t.TempDir(), toolqa.Coffee, opts)

	for i, done := range told {
		if i > 0 && done <= told[i-1] {
			t.Errorf("%d is told after %d", done, told[i-1])
		}
	}

	if len(told) < 10 || told[len(told)-1] != work {
		t.Errorf("told %v", told)
	}
}

// TestOpenOddPath also shows that a column is still there after Close, and that no other can be read.
func TestOpenOddPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20é")
	mustBuild(t, dir, toolqa.Coffee, BuildOptions{Rows: 5})

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

func TestOpenRefuses(t *testing.T) {
	good := t.TempDir()
	mustBuild(t, good, toolqa.Coffee, BuildOptions{Seed: 7, Rows: 500})

	bytes, err := os.ReadFile(Path(good, toolqa.Coffee))
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
			"format version \"1\"; this program reads version 2: run `toolevo data build`"},
		"other version": {bytes, "UPDATE meta SET value='99' WHERE key='format'",
			`format version "99"; this program reads version 2`},
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

			path := Path(dir, toolqa.Coffee)
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

func TestUnknownDataset(t *testing.T) {
	if _, err := Build(t.Context(), t.TempDir(), "tea", BuildOptions{}); err == nil {
		t.Error("Build of tea succeeded")
	}

	if _, err := Import(t.Context(), t.TempDir(), "tea", t.TempDir(), ImportOptions{}); err == nil {
		t.Error("Import of tea succeeded")
	}

	if _, err := Open(t.Context(), t.TempDir(), "tea"); err == nil {
		t.Error("Open of tea succeeded")
	}
}

func TestBuildStops(t *testing.T) {
	for _, after := range []int{0, 100, rowsWork, rowsWork + columnsWork} {
		ctx, cancel := context.WithCancel(t.Context())
		dir := t.TempDir()

		opts := BuildOptions{Rows: 20_000, Progress: func(done, _ int) {
			if done >= after {
				cancel()
			}
		}}
		if _, err := Build(ctx, dir, toolqa.Coffee, opts); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d: error %v", after, err)
		}

		if left := leftBehind(t, dir); len(left) > 0 {
			t.Errorf("after %d: a cancelled build left %v", after, left)
		}

		cancel()
	}
}
