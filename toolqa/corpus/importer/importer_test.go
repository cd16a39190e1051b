package importer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/disk"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/internal/layout"
	"toolevo/toolqa/corpus/synth"
)

func TestUnknownDataset(t *testing.T) {
	if _, err := synth.Build(t.Context(), t.TempDir(), "tea", synth.Options{}); err == nil {
		t.Error("Build of tea succeeded")
	}

	if _, err := Import(t.Context(), t.TempDir(), "tea", t.TempDir(), Options{}); err == nil {
		t.Error("Import of tea succeeded")
	}

	if _, err := corpus.Open(t.Context(), t.TempDir(), "tea"); err == nil {
		t.Error("Open of tea succeeded")
	}
}

// importText imports a file with the given content.
func importText(t testing.TB, dir string, ds toolqa.Dataset, content string, opts Options) (Result, error) {
	t.Helper()

	from := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(from, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return Import(t.Context(), dir, ds, from, opts)
}

func TestImportPublishedCoffee(t *testing.T) {
	path := published(t, "coffee", "coffee_price.csv")

	up := filepath.Dir
	for _, from := range []string{path, up(path), up(up(path)), up(up(up(path)))} {
		dir := t.TempDir()

		done, err := Import(t.Context(), dir, toolqa.Coffee, from, Options{Tool: "test"})
		if err != nil {
			t.Fatal(err)
		}

		c := mustOpen(t, dir, toolqa.Coffee)
		if diff := cmp.Diff(done.Info, c.Info()); diff != "" {
			t.Errorf("Open's info differs from Import's (-import +open):\n%s", diff)
		}

		if done.Info.Rows != 5741 || done.Info.Source != layout.Published || done.Info.Tool != "test" {
			t.Errorf("Import = %+v, want 5741 published rows", done)
		}
		// In this file every cell is Python's str of its value, so the rows as text are the file.
		if done.Info.ContentSHA256 != done.Info.SourceSHA256 {
			t.Errorf("content %s differs from source %s", done.Info.ContentSHA256, done.Info.SourceSHA256)
		}

		want := []string{"2000-01-03", "122.25", "124.0", "116.1", "116.5", "6640", "USD"}
		if diff := cmp.Diff(want, printed(t, c)[0]); diff != "" {
			t.Errorf("first day (-want +got):\n%s", diff)
		}

		last := query(t, c, "SELECT count(*), max(High), typeof(Volume) FROM coffee_data")
		if diff := cmp.Diff([][]string{{"5741", "306.25", "integer"}}, last); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// The sample is rows of the published file as they are: cells with commas, quotes and emoji, and
// missing ones. Two of its rows are joined in one line, which pandas does not read either.
func TestImportPublishedAirbnb(t *testing.T) {
	path := published(t, "airbnb_sample", "Airbnb_Open_Data.csv")

	dir := t.TempDir()
	for want, opts := range map[string]Options{
		"Data.csv:1441: 51 columns; expected 26":                      {},
		"the file ends after 4001 rows; expected the 102599":          {SkipBad: 1},
		"Airbnb_Open_Data.csv:1441: 51 columns; expected 26; are two": {AllowShort: true},
	} {
		if _, err := Import(t.Context(), dir, toolqa.Airbnb, path, opts); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}

	done, err := Import(t.Context(), dir, toolqa.Airbnb, path, Options{AllowShort: true, SkipBad: 1})
	if err != nil {
		t.Fatal(err)
	}

	c := mustOpen(t, dir, toolqa.Airbnb)

	if done.Info.Rows != 4001 || done.Info.Skipped != 1 || len(done.Bad) != 1 {
		t.Errorf("Import = %+v", done)
	}

	rows := printed(t, c)

	want := []string{
		"1001254", "Clean & quiet apt home by the park", "80014485718", "unconfirmed", "Madaline", "Brooklyn",
		"Kensington",
		"40.64749", "-73.97237", "United States", "US", "False", "strict", "Private room", "2020.0", "$966 ", "$193 ",
		"10.0",
		"9.0", "10/19/2021", "0.21", "4.0", "6.0", "286.0",
		"Clean up and treat the home the way you'd like your home to be treated.  No smoking.", "nan",
	}
	if diff := cmp.Diff(want, rows[0]); diff != "" {
		t.Errorf("first row (-want +got):\n%s", diff)
	}

	got := query(t, c, `SELECT room_type, Construction_year, instant_bookable, host_identity_verified, last_review FROM airbnb_data WHERE id = 1002403`)
	if diff := cmp.Diff([][]string{{"Private room", "2005", "1", "NULL", "NULL"}}, got); diff != "" {
		t.Errorf("third row in SQL (-want +got):\n%s", diff)
	}
}

const coffeeHeader = "Date,Open,High,Low,Close,Volume,Currency\n"

func TestImportNormalises(t *testing.T) {
	dir := t.TempDir()

	content := "\xef\xbb\xbf" + strings.ReplaceAll(coffeeHeader+"2000-01-03,124,1e2,116.10,1e-05,007,USD\n", "\n",
		"\r\n")
	if _, err := importText(t, dir, toolqa.Coffee, content, Options{AllowShort: true}); err != nil {
		t.Fatal(err)
	}

	want := [][]string{{"2000-01-03", "124.0", "100.0", "116.1", "1e-05", "7", "USD"}}
	if diff := cmp.Diff(want, printed(t, mustOpen(t, dir, toolqa.Coffee))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImportRefusesCSV(t *testing.T) {
	const good = "2000-01-03,122.25,124.0,116.1,116.5,6640,USD\n"
	for name, tt := range map[string]struct{ content, want string }{
		"empty":            {"", "in:1: the file is empty; expected the header Date,Open"},
		"blank":            {"\n \n", "in:1: the file is empty"},
		"other columns":    {"Date,Open,Close\n", `in:1: header "Date,Open,Close"; expected Date,Open,High`},
		"other order":      {"Date,High,Open,Low,Close,Volume,Currency\n" + good, "in:1: header"},
		"extra column":     {strings.TrimSpace(coffeeHeader) + ",Note\n", "in:1: header"},
		"no rows":          {coffeeHeader, "in:1: the file ends without a row; expected at least 5741"},
		"cut between rows": {coffeeHeader + good, "in:2: the file ends after 1 rows; expected the 5741"},
		"cut in a row":     {coffeeHeader + good + "2000-01-04,116.25,12", "in:3: 3 columns; expected 7"},
		"cut in currency": {coffeeHeader + good + "2000-01-04,116.25,120.5,115.75,116.25,5492,US",
			`in:3: column Currency: "US": expected three`},
		"bad number": {coffeeHeader + good + "2000-01-04,116.25,x,115.75,116.25,5492,USD\n",
			`in:3: column High: "x": expected a number`},
		"missing":      {coffeeHeader + "2000-01-04,nan,1,1,1,5492,USD\n", `in:2: column Open: "nan": no value`},
		"missing text": {coffeeHeader + "2000-01-04,1,1,1,1,5492,\n", `in:2: column Currency: "": no value`},
		"not finite":   {coffeeHeader + "2000-01-04,inf,1,1,1,5492,USD\n", `in:2: column Open: "inf"`},
		"not a float":  {coffeeHeader + "2000-01-04,0x10,1,1,1,5492,USD\n", `in:2: column Open: "0x10"`},
		"bad volume": {coffeeHeader + "2000-01-04,1,1,1,1,5.5,USD\n",
			`in:2: column Volume: "5.5": expected a whole number`},
		"bad date": {coffeeHeader + "2000-02-30,1,1,1,1,5,USD\n",
			`in:2: column Date: "2000-02-30": expected a date`},
		"order of days": {coffeeHeader + good + good,
			`in:3: column Date: "2000-01-03": expected more than 2000-01-03`},
		"open quote": {coffeeHeader + good + "2000-01-04,\"1,1,1,1,5,USD\n2000-01-05,1,1,1,1,5,USD\n",
			"in:3: a quote begins a cell here and is not closed"},
		"open quote later": {coffeeHeader + "2000-01-03,\"1\n\",1,\"1,1,5,USD\n", "in:3: a quote begins a cell here"},
		"stray quote": {coffeeHeader + "2000-01-03,1\"2,1,1,1,5,USD\n",
			`in:2: column Open: "1\"2": expected a number`},
		"binary": {"\x00\x01\x02", "in:1: header"},
		"not UTF-8": {coffeeHeader + "2000-01-03,1,1,1,1,5,US\xff\n",
			"in:2: column Currency: \"US\\xff\": not UTF-8"},
		"line of the fault": {coffeeHeader + "\n\n2000-01-03,1,1,1,1,5,usd\n", "in:4: column Currency"},
		"line, mixed ends": {"Date,Open,High,Low,Close,Volume,Currency\r\n2000-01-03,1,1,1,1,5,USD\r" +
			"2000-01-04,1,1,1,1,5,USD\n2000-01-05,1\n", "in:4: 2 columns"},
		"line after newline": {coffeeHeader + "2000-01-03,\"\n\n1\",1,1,1,5,USD\n", "in:2: column Open"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()

			_, err := importText(t, dir, toolqa.Coffee, tt.content, Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}

			if left := leftBehind(t, dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestImportFindsNothing(t *testing.T) {
	_, err := Import(t.Context(), t.TempDir(), toolqa.Coffee, filepath.Join(t.TempDir(), "none"), Options{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "coffee_price.csv") {
		t.Errorf("error %v", err)
	}

	_, err = Import(t.Context(), t.TempDir(), toolqa.Coffee, t.TempDir(), Options{})
	if err == nil || !strings.Contains(err.Error(), "no coffee_price.csv in ") {
		t.Errorf("error %v", err)
	}
}

// TestImportDuringABuild has another process replace the folder of the corpora: an import into the
// folder that it discards would be lost. Where that folder is a link, what it leads to is replaced.
func TestImportDuringABuild(t *testing.T) {
	for _, linked := range []bool{false, true} {
		dir := t.TempDir()

		folder := filepath.Join(dir, "corpus")
		if linked {
			folder = filepath.Join(t.TempDir(), "elsewhere")
		}

		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}

		if linked {
			if err := os.Symlink(folder, filepath.Join(dir, "corpus")); err != nil {
				t.Fatal(err)
			}
		}

		_, release, err := disk.ClaimFolder(folder)
		if err != nil {
			t.Fatal(err)
		}

		const rows = coffeeHeader + "2000-01-03,1,1,1,1,5,USD\n"
		opts := Options{AllowShort: true}
		if _, err := importText(t, dir, toolqa.Coffee, rows, opts); err == nil ||
			!strings.Contains(err.Error(), "another process is writing it") {
			t.Errorf("linked %v, during a build: error %v", linked, err)
		}

		if err := release(); err != nil {
			t.Fatal(err)
		}

		if _, err := importText(t, dir, toolqa.Coffee, rows, opts); err != nil {
			t.Errorf("linked %v, after it: %v", linked, err)
		}

		if left, err := os.ReadDir(filepath.Dir(folder)); err != nil || len(left) != 1 {
			t.Errorf("linked %v: left %v, %v", linked, left, err)
		}
	}
}

func TestFailedImportKeepsTheOldCorpus(t *testing.T) {
	dir := t.TempDir()

	want := mustBuild(t, dir, toolqa.Coffee, synth.Options{Seed: 1, Rows: 10})
	if _, err := importText(t, dir, toolqa.Coffee, coffeeHeader+"2000-01-03,1\n", Options{}); err == nil {
		t.Fatal("a truncated file was imported")
	}

	if diff := cmp.Diff(want, mustOpen(t, dir, toolqa.Coffee).Info()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImportAllowsShort(t *testing.T) {
	for content, want := range map[string]string{
		coffeeHeader: "in:1: the file ends without a row; expected at least 1;",
		coffeeHeader + "2000-01-03,122.25,124.0,116.1,116.5,6640,USD\n": "",
	} {
		done, err := importText(t, t.TempDir(), toolqa.Coffee, content, Options{AllowShort: true})
		if want == "" && (err != nil || done.Info.Rows != 1) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v, %v, want %q", done, err, want)
		}
	}
}

// TestSkipBad shows which rows are left out: never more than the line where a quote is not closed.
func TestSkipBad(t *testing.T) {
	row := func(day string) string { return "2000-01-" + day + ",1,1,1,1,5,USD\n" }
	for name, tt := range map[string]struct {
		content string
		skip    int
		days    string // that are imported; "" for an error
		bad     []string
	}{
		"none":     {row("03") + row("04"), 0, "03 04", nil},
		"too many": {row("03") + "x\ny\n" + row("04"), 1, "", []string{"in:4: 1 columns", "after 1 bad rows"}},
		"columns":  {row("03") + "x\n" + row("04"), 1, "03 04", []string{"in:3: 1 columns"}},
		"cell":     {"2000-01-03,1,1,1,1,5,\"U\nS\"\n" + row("04"), 3, "04", []string{"in:2: column Currency"}},
		"order":    {row("05") + row("04") + row("06"), 1, "05 06", []string{"in:3: column Date"}},
		"open quote": {row("03") + "2000-01-04,\"1,1,1,1,5,USD\n" + row("05") + row("06"), 1, "03 05 06",
			[]string{"in:3: a quote begins"}},
		"joined rows": {
			row("03") + "2000-01-04,\"1,1,1,1,5,USD\n" + row("05") + "2000-01-06,1,1,1,1,5,\"USD\"\n", 1, "03 05 06",
			[]string{"in:3: 2 columns"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()

			done, err := importText(t, dir, toolqa.Coffee, coffeeHeader+tt.content,
				Options{AllowShort: true, SkipBad: tt.skip})
			if tt.days == "" {
				for _, want := range tt.bad {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("error %v, want one with %q", err, want)
					}
				}

				return
			}

			if err != nil {
				t.Fatal(err)
			}

			var days []string
			for _, cells := range printed(t, mustOpen(t, dir, toolqa.Coffee)) {
				days = append(days, cells[0][8:])
			}

			if got := strings.Join(days, " "); got != tt.days {
				t.Errorf("days %s, want %s", got, tt.days)
			}

			if len(done.Bad) != len(tt.bad) || done.Info.Skipped != len(tt.bad) {
				t.Fatalf("Import = %+v, want %d bad rows", done, len(tt.bad))
			}

			for i, want := range tt.bad {
				if !strings.Contains(done.Bad[i].Error(), want) {
					t.Errorf("bad row %v, want one with %q", done.Bad[i], want)
				}
			}
		})
	}
}

func TestSkippedRowsCountForTheSize(t *testing.T) {
	content, err := os.ReadFile(published(t, "coffee", "coffee_price.csv"))
	if err != nil {
		t.Fatal(err)
	}

	broken := strings.Replace(string(content), "2010-03-02,", "2010-03-02;", 1)

	done, err := importText(t, t.TempDir(), toolqa.Coffee, broken, Options{SkipBad: 1})
	if err != nil || done.Info.Rows != 5740 || done.Info.Skipped != 1 {
		t.Errorf("Import = %+v, %v", done, err)
	}
}

func TestImportAgain(t *testing.T) {
	dir := t.TempDir()
	const rows = "2000-01-03,1,1,1,1,5,USD\nbad\n"

	opts := Options{AllowShort: true, SkipBad: 1}
	for i, step := range []struct {
		content   string
		opts      Options
		unchanged bool
		wrong     bool
	}{
		{rows, opts, false, false},
		{rows, opts, true, false},
		{rows + "\n", opts, false, false},                     // another file
		{rows + "\n", Options{AllowShort: true}, false, true}, // which has a bad row
		{rows + "\n", Options{SkipBad: 1}, false, true},       // and is short
		{rows + "\n", Options{AllowShort: true, SkipBad: 2}, true, false},
	} {
		done, err := importText(t, dir, toolqa.Coffee, coffeeHeader+step.content, step.opts)
		if (err != nil) != step.wrong || done.Unchanged != step.unchanged {
			t.Errorf("step %d: %+v, %v", i, done, err)
		}

		if err == nil && (done.Info.Rows != 1 || done.Info.Skipped != 1) {
			t.Errorf("step %d: %+v", i, done.Info)
		}
	}

	mustBuild(t, dir, toolqa.Coffee, synth.Options{Rows: 3})

	if done, err := importText(t, dir, toolqa.Coffee, coffeeHeader+rows, opts); err != nil || done.Unchanged {
		t.Errorf("after a build: %+v, %v", done, err)
	}
}

// What was imported with AllowShort because something was missing is not taken for the whole later.
func TestStrictImportAfterShort(t *testing.T) {
	agenda := strings.Repeat(`{"event":"e","start_time":"9:00 AM","end_time":"2 PM","location":"l","person":"p","date":"2022/09/31","id":"agenda-0000"}`+"\n", 10_000)

	days := strings.Builder{}
	for i := range layout.Schemas()[toolqa.Coffee].Rows {
		fmt.Fprintf(&days, "%d-%02d-%02d,1,1,1,1,5,USD\n", 2000+i/336, 1+i/28%12, 1+i%28)
	}

	for _, tt := range []struct {
		dataset    toolqa.Dataset
		name, text string
		want       string // in the error of the strict import; "" when nothing was missing
	}{
		{toolqa.Agenda, "agenda_events.jsonl", agenda, "no " + agendaTexts},
		{toolqa.SciREX, scirexSections, `{"id": "scirex-0000", "content": "x"}`,
			"allow-short imports the passages alone"},
		{toolqa.SciREX, "dev.jsonl", scirexPaperLine(1, "1.5"), "expected the 438"},
		{toolqa.Coffee, "coffee_price.csv", coffeeHeader + "2000-01-03,1,1,1,1,5,USD\n", "expected the 5741"},
		{toolqa.Coffee, "coffee_price.csv", coffeeHeader + days.String(), ""},
	} {
		from, dir := t.TempDir(), t.TempDir()
		writeFiles(t, from, map[string]string{tt.name: tt.text})

		done, err := Import(t.Context(), dir, tt.dataset, from, Options{AllowShort: true})
		if err != nil || done.Info.Short != (tt.want != "") {
			t.Errorf("%s: %+v, %v", tt.name, done, err)
		}

		there, err := corpus.Open(t.Context(), dir, tt.dataset)
		if err != nil {
			t.Fatal(err)
		}

		if info := there.Info(); info != done.Info || there.Close() != nil {
			t.Errorf("%s: the file says %+v, want %+v", tt.name, info, done.Info)
		}

		again, err := Import(t.Context(), dir, tt.dataset, from, Options{})
		if tt.want == "" && (err != nil || !again.Unchanged) ||
			tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: the strict import: %+v, %v, want %q", tt.name, again, err, tt.want)
		}
	}
}

// TestFilesThatNeverEnd refuses pipes that nobody writes to, and devices, before it opens them.
func TestFilesThatNeverEnd(t *testing.T) {
	folder := t.TempDir()

	pipe := filepath.Join(folder, "coffee_price.csv")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}

	for from, want := range map[string]string{pipe: "not a pipe", folder: "not a pipe", "/dev/zero": "not a device"} {
		_, err := Import(t.Context(), t.TempDir(), toolqa.Coffee, from, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("from %s: error %v, want %q", from, err, want)
		}
	}

	dir := t.TempDir()

	path := layout.Path(dir, toolqa.Coffee)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), syscall.Mkfifo(path, 0o644)); err != nil {
		t.Fatal(err)
	}

	if _, err := corpus.Open(t.Context(), dir, toolqa.Coffee); err == nil ||
		!strings.Contains(err.Error(), "not a pipe") {
		t.Errorf("a pipe for a corpus: error %v", err)
	}
}
