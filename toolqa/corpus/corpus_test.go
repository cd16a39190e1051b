package corpus

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
)

// publishedCoffee returns the path of the published file, or skips the test.
func publishedCoffee(t *testing.T) string {
	t.Helper()
	root := os.Getenv("TOOLEVO_SHARED_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data") // ../shared/data from the repository root
	}
	path := filepath.Join(root, "toolqa", "corpus", "coffee", "coffee_price.csv")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the published coffee corpus is not there: %v", err)
	}
	return path
}

func mustOpen(t *testing.T, dir string) *Corpus {
	t.Helper()
	c, err := Open(t.Context(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestImportPublished(t *testing.T) {
	path := publishedCoffee(t)
	for _, from := range []string{path, filepath.Dir(path), filepath.Dir(filepath.Dir(path)), filepath.Dir(filepath.Dir(filepath.Dir(path)))} {
		dir := t.TempDir()
		info, err := Import(t.Context(), dir, toolqa.Coffee, from, "test")
		if err != nil {
			t.Fatal(err)
		}
		c := mustOpen(t, dir)
		if diff := cmp.Diff(info, c.Info()); diff != "" {
			t.Errorf("Open's info differs from Import's (-import +open):\n%s", diff)
		}
		if info.Rows != 5741 || info.Source != Published {
			t.Errorf("Import = %+v, want 5741 published rows", info)
		}
		// In this file every cell is Python's str of its value, so the rows as text are the file.
		if info.ContentSHA256 != info.SourceSHA256 {
			t.Errorf("content %s differs from source %s", info.ContentSHA256, info.SourceSHA256)
		}
		first := CoffeeDay{
			Date: "2000-01-03", Open: 122.25, High: 124, Low: 116.1, Close: 116.5, Volume: 6640, OpenText: "122.25",
			HighText: "124.0", LowText: "116.1", CloseText: "116.5", VolumeText: "6640", Currency: "USD",
		}
		if diff := cmp.Diff(first, c.CoffeeRows()[0]); diff != "" {
			t.Errorf("first day (-want +got):\n%s", diff)
		}
	}
}

const header = "Date,Open,High,Low,Close,Volume,Currency\n"

func TestImportNormalises(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "in.csv")
	content := "\xef\xbb\xbf" + strings.ReplaceAll(header+"2000-01-03,124,1e2,116.10,1e-05,007,USD\n", "\n", "\r\n")
	if err := os.WriteFile(from, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), dir, toolqa.Coffee, from, "test", AllowShort); err != nil {
		t.Fatal(err)
	}
	got := mustOpen(t, dir).CoffeeRows()[0]
	want := CoffeeDay{
		Date: "2000-01-03", Open: 124, High: 100, Low: 116.1, Close: 1e-5, Volume: 7, OpenText: "124.0", HighText: "100.0",
		LowText: "116.1", CloseText: "1e-05", VolumeText: "7", Currency: "USD",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImportRefuses(t *testing.T) {
	const good = "2000-01-03,122.25,124.0,116.1,116.5,6640,USD\n"
	for name, tt := range map[string]struct{ content, want string }{
		"empty":             {"", "in.csv:1: the file is empty; expected the header Date,Open"},
		"other columns":     {"Date,Open,Close\n", `in.csv:1: header "Date,Open,Close"; expected Date,Open,High`},
		"other order":       {"Date,High,Open,Low,Close,Volume,Currency\n" + good, "in.csv:1: header"},
		"extra column":      {strings.TrimSpace(header) + ",Note\n", "in.csv:1: header"},
		"no rows":           {header, "in.csv:1: a header and no rows; expected at least 5741"},
		"cut between rows":  {header + good, "in.csv:2: the file ends after 1 rows; expected the 5741"},
		"cut in a row":      {header + good + "2000-01-04,116.25,12", "in.csv:3: 3 columns; expected 7"},
		"cut in currency":   {header + good + "2000-01-04,116.25,120.5,115.75,116.25,5492,US", `in.csv:3: column Currency: "US": expected three`},
		"bad number":        {header + good + "2000-01-04,116.25,x,115.75,116.25,5492,USD\n", `in.csv:3: column High: "x": expected a number`},
		"not finite":        {header + "2000-01-04,nan,1,1,1,5492,USD\n", `in.csv:2: column Open: "nan"`},
		"bad volume":        {header + "2000-01-04,1,1,1,1,5.5,USD\n", `in.csv:2: column Volume: "5.5": expected a whole number`},
		"bad date":          {header + "2000-02-30,1,1,1,1,5,USD\n", `in.csv:2: column Date: "2000-02-30": expected a date`},
		"order of days":     {header + good + good, `in.csv:3: column Date: "2000-01-03": expected a day after 2000-01-03`},
		"quote":             {header + "2000-01-03,\"1,1,1,1,5,USD\n", "in.csv: "},
		"binary":            {"\x00\x01\x02", "in.csv:1: header"},
		"line of the fault": {header + "\n\n2000-01-03,1,1,1,1,5,usd\n", "in.csv:4: column Currency"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			from := filepath.Join(dir, "in.csv")
			if err := os.WriteFile(from, []byte(tt.content), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := Import(t.Context(), dir, toolqa.Coffee, from, "test")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "corpus", "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "corpus", ".*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		_, err := Import(t.Context(), t.TempDir(), toolqa.Coffee, filepath.Join(t.TempDir(), "none"), "test")
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "coffee_price.csv") {
			t.Errorf("error %v", err)
		}
		_, err = Import(t.Context(), t.TempDir(), toolqa.Coffee, t.TempDir(), "test")
		if err == nil || !strings.Contains(err.Error(), "no coffee_price.csv in ") {
			t.Errorf("error %v", err)
		}
	})
}

func TestFailedImportKeepsTheOldCorpus(t *testing.T) {
	dir := t.TempDir()
	want, err := Build(t.Context(), dir, toolqa.Coffee, 1, 10, "test")
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(bad, []byte(header+"2000-01-03,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), dir, toolqa.Coffee, bad, "test"); err == nil {
		t.Fatal("a truncated file was imported")
	}
	if diff := cmp.Diff(want, mustOpen(t, dir).Info()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBuild(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	a, err := Build(t.Context(), one, toolqa.Coffee, 7, 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	b, err := Build(t.Context(), two, toolqa.Coffee, 7, 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("the same seed gave different corpora (-first +second):\n%s", diff)
	}
	if a.Rows != 5741 || a.Source != Synthetic || a.Seed != 7 {
		t.Errorf("Build = %+v", a)
	}
	other, err := Build(t.Context(), two, toolqa.Coffee, 8, 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	if other.ContentSHA256 == a.ContentSHA256 {
		t.Error("two seeds gave the same rows")
	}
	whole := 0
	for _, d := range mustOpen(t, one).CoffeeRows() {
		day, err := time.Parse(time.DateOnly, d.Date)
		if wd := day.Weekday(); err != nil || wd == time.Saturday || wd == time.Sunday {
			t.Fatalf("%s is a %v (%v)", d.Date, wd, err)
		}
		if d.Low > min(d.Open, d.Close) || d.High < max(d.Open, d.Close) || d.Low < 5 || d.High > 2000 || d.Volume < 0 || d.Currency != "USD" {
			t.Fatalf("implausible day %+v", d)
		}
		if strings.HasSuffix(d.OpenText, ".0") {
			whole++
		}
	}
	if whole == 0 {
		t.Error(`no price ends in ".0"`)
	}
	for _, rows := range []int{-1, maxRows + 1} {
		if _, err := Build(t.Context(), one, toolqa.Coffee, 7, rows, "test"); err == nil {
			t.Errorf("Build of %d rows succeeded", rows)
		}
	}
}

// TestTypedTable shows that both tables of the file say the same.
func TestTypedTable(t *testing.T) {
	dir := t.TempDir()
	if _, err := Build(t.Context(), dir, toolqa.Coffee, 7, 300, "test"); err != nil {
		t.Fatal(err)
	}
	c := mustOpen(t, dir)
	db, err := sql.Open("sqlite3", c.URI())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT Date, Open, High, Low, Close, Volume, Currency FROM coffee_data ORDER BY rowid")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []CoffeeDay
	for rows.Next() {
		var d CoffeeDay
		if err := rows.Scan(&d.Date, &d.Open, &d.High, &d.Low, &d.Close, &d.Volume, &d.Currency); err != nil {
			t.Fatal(err)
		}
		got = append(got, d)
	}
	want := c.CoffeeRows()
	for i := range want {
		want[i].OpenText, want[i].HighText, want[i].LowText, want[i].CloseText, want[i].VolumeText = "", "", "", "", ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-text +typed):\n%s", diff)
	}
}

func TestOpenRefuses(t *testing.T) {
	good := t.TempDir()
	if _, err := Build(t.Context(), good, toolqa.Coffee, 7, 500, "test"); err != nil {
		t.Fatal(err)
	}
	bytes, err := os.ReadFile(Path(good, toolqa.Coffee))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		content []byte
		change  string // an SQL statement
		want    string
	}{
		"missing":         {nil, "", "run `toolevo data build` or `toolevo data import`"},
		"empty":           {[]byte{}, "", "not a SQLite file"},
		"text":            {[]byte(strings.Repeat("Date,Open\n", 50)), "", "not a SQLite file"},
		"truncated":       {bytes[:len(bytes)/2], "", "truncated"},
		"other version":   {bytes, "UPDATE meta SET value='99' WHERE key='format'", `format version "99"; this program reads version 1`},
		"other dataset":   {bytes, "UPDATE meta SET value='yelp' WHERE key='dataset'", `the file holds dataset "yelp"`},
		"other database":  {bytes, "DROP TABLE meta", "not a toolevo corpus"},
		"changed row":     {bytes, "UPDATE coffee_data_text SET Open='1.0' WHERE rowid=5", "damaged"},
		"missing row":     {bytes, "DELETE FROM coffee_data_text WHERE rowid=5", "damaged: the 499 rows are not the 500"},
		"missing table":   {bytes, "DROP TABLE coffee_data_text", "no such table"},
		"other columns":   {bytes, "ALTER TABLE coffee_data_text RENAME COLUMN Open TO Opening", "columns [Date Opening"},
		"nonsense number": {bytes, "UPDATE meta SET value='many' WHERE key='rows'", "meta rows"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := Path(dir, toolqa.Coffee)
			if tt.content != nil {
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, tt.content, 0o666)); err != nil {
					t.Fatal(err)
				}
			}
			if tt.change != "" {
				change(t, path, tt.change)
			}
			_, err := Open(t.Context(), dir, toolqa.Coffee)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "coffee.sqlite") {
				t.Errorf("error %v, want one with %q and the path", err, tt.want)
			}
			if got := errors.Is(err, fs.ErrNotExist); got != (name == "missing") {
				t.Errorf("errors.Is(%v, fs.ErrNotExist) = %v", err, got)
			}
		})
	}
}

func change(t *testing.T, path, stmt string) {
	t.Helper()
	db, err := sql.Open("sqlite3", dsn(path, "mode=rw"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(stmt); err != nil {
		t.Fatal(err)
	}
}

func TestOpenOddPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20é")
	if _, err := Build(t.Context(), dir, toolqa.Coffee, 7, 5, "test"); err != nil {
		t.Fatal(err)
	}
	if n := mustOpen(t, dir).Table().Rows(); n != 5 {
		t.Errorf("%d rows", n)
	}
	all, err := OpenAll(t.Context(), dir)
	if err != nil || len(all) != 1 {
		t.Errorf("OpenAll = %v, %v", all, err)
	}
	if all, err := OpenAll(t.Context(), t.TempDir()); err != nil || len(all) != 0 {
		t.Errorf("OpenAll of an empty folder = %v, %v", all, err)
	}
}

func TestBuildStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := Build(ctx, dir, toolqa.Coffee, 7, 0, "test"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(Path(dir, toolqa.Coffee)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a cancelled build left a corpus: %v", err)
	}
}

func TestUnknownDataset(t *testing.T) {
	if _, err := Build(t.Context(), t.TempDir(), "tea", 1, 1, ""); err == nil {
		t.Error("Build of tea succeeded")
	}
	if _, err := Open(t.Context(), t.TempDir(), "tea"); err == nil {
		t.Error("Open of tea succeeded")
	}
}

func TestImportAllowsShort(t *testing.T) {
	from := filepath.Join(t.TempDir(), "in.csv")
	for content, want := range map[string]string{
		header: "in.csv:1: a header and no rows; expected at least 1;",
		header + "2000-01-03,122.25,124.0,116.1,116.5,6640,USD\n": "",
	} {
		if err := os.WriteFile(from, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		info, err := Import(t.Context(), t.TempDir(), toolqa.Coffee, from, "test", AllowShort)
		if want == "" && (err != nil || info.Rows != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v, %v, want %q", info, err, want)
		}
	}
}

// TestLeftovers shows that what a killed program left is removed, and nothing else.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "corpus")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * time.Hour)
	for name, at := range map[string]time.Time{
		".coffee.sqlite.123": old, ".coffee.sqlite.456": time.Now(), ".coffee.sqlite.bak": old, ".tea.sqlite.123": old,
		"coffee.sqlite.123": old, ".coffee.sqlite.": old,
	} {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o666), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Build(t.Context(), dir, toolqa.Coffee, 1, 5, "test"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := []string{".coffee.sqlite.", ".coffee.sqlite.456", ".coffee.sqlite.bak", ".tea.sqlite.123", "coffee.sqlite", "coffee.sqlite.123"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
