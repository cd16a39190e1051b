package sqltool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolevo/toolqa/corpus/importer"
	"toolevo/toolqa/corpus/synth"

	"toolevo/envs"
	"toolevo/envs/memo"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

const rows = `Date,Open,High,Low,Close,Volume,Currency
2000-01-03,122.25,124.0,116.1,116.5,6640,USD
2000-01-04,116.25,120.5,115.75,116.25,5492,USD
2000-01-05,115.0,121.0,115.0,118.6,6165,USD
2000-01-06,119.0,121.4,116.5,116.85,5094,EUR
2000-02-07,99.5,121.4,98.5,99.5,10,USD
`

func small(t testing.TB) *corpus.Corpus {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "it's a folder?")

	from := filepath.Join(dir, "coffee.csv")
	if err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(from, []byte(rows), 0o666)); err != nil {
		t.Fatal(err)
	}

	if _, err := importer.Import(t.Context(), dir, toolqa.Coffee, from,
		importer.Options{AllowShort: true, Tool: "test"}); err != nil {
		t.Fatal(err)
	}

	c, err := corpus.Open(t.Context(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// synthetic returns a corpus of the published size.
func synthetic(t testing.TB) *corpus.Corpus {
	t.Helper()

	dir := t.TempDir()
	if _, err := synth.Build(t.Context(), dir, toolqa.Coffee, synth.Options{Seed: 1, Tool: "test"}); err != nil {
		t.Fatal(err)
	}

	c, err := corpus.Open(t.Context(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func interpreter(t testing.TB, opts Options, corpora ...*corpus.Corpus) *Interpreter {
	t.Helper()

	in, err := New(t.Context(), opts, corpora...)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})

	return in
}

func query(t testing.TB, in *Interpreter, sql any) envs.Result {
	t.Helper()

	_, r, err := in.Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "SQL", Value: sql}})
	if err != nil {
		t.Fatalf("%v: %v", sql, err)
	}
	return r
}

func TestQueries(t *testing.T) {
	c := small(t)

	typed, textual := interpreter(t, Options{}, c), interpreter(t, Options{TextColumns: true}, c)
	for _, tt := range []struct{ sql, typed, text string }{ // text "" means as typed
		{"SELECT Volume FROM coffee.coffee_data WHERE Date = '2000-01-04'", "Volume: 5492", ""},
		{"SELECT Volume FROM coffee.coffee_data WHERE Date = '2000-01-04';  -- done", "Volume: 5492", ""},
		{"# all\n select `Date`, High from coffee_data /* here */ where Date=\"2000-01-03\"",
			"Date: 2000-01-03, High: 124.0", wrongSQL},
		{"SELECT * FROM coffee.coffee_data LIMIT 1", "Date: 2000-01-03, Open: 122.25, High: 124.0, Low: 116.1, " +
			"Close: 116.5, Volume: 6640, Currency: USD", ""},
		{"SELECT Date FROM coffee.coffee_data WHERE Date >= '2000-01-06'", "Date: 2000-01-06\nDate: 2000-02-07", ""},
		{"SELECT Date FROM coffee.coffee_data WHERE Date > '2001'", "", ""},
		{"SELECT MAX(Volume) FROM coffee.coffee_data", "MAX(Volume): 6640", ""},
		{"SELECT MAX(Low), MIN(Low) FROM coffee.coffee_data", "MAX(Low): 116.5, MIN(Low): 98.5",
			"MAX(Low): 98.5, MIN(Low): 115.0"},
		{"SELECT Date FROM coffee.coffee_data ORDER BY Open DESC LIMIT 1", "Date: 2000-01-03", "Date: 2000-02-07"},
		{"SELECT MAX(CAST(Low AS DECIMAL(10,2))) FROM coffee.coffee_data", "MAX(CAST(Low AS DECIMAL(10,2))): 116.5",
			""},
		{"SELECT cast(Close as FLOAT) AS c FROM coffee.coffee_data LIMIT 1", "c: 116.5", ""},
		{"SELECT CAST(Open AS SIGNED) FROM coffee.coffee_data LIMIT 1", "CAST(Open AS SIGNED): 122", ""},
		{"SELECT CAST(Volume AS UNSIGNED INTEGER) v FROM coffee.coffee_data LIMIT 1", "v: 6640", ""},
		{"SELECT CAST(Date AS DATE) d FROM coffee.coffee_data LIMIT 1", "d: 2000-01-03", ""},
		{"SELECT CAST(High AS CHAR) c FROM coffee.coffee_data LIMIT 1", "c: 124.0", ""},
		{"SELECT SUM(Volume)/COUNT(*) FROM coffee.coffee_data", "SUM(Volume)/COUNT(*): 4680.2", ""},
		{"SELECT 7/2 AS a, 1 - 6/4*2 AS b, 1/0 AS c", "a: 3.5, b: -2.0, c: None", ""},
		{"SELECT ROUND((Close-Open)/Open*100, 2) AS pct FROM coffee.coffee_data WHERE Date='2000-01-03'", "pct: -4.7",
			""},
		{"SELECT CONCAT(Date, ' ', High) x, IF(Close > 100, 'high', 'low') y FROM coffee.coffee_data WHERE Volume=10",
			"x: 2000-02-07 121.4, y: low", ""},
		{"SELECT YEAR(Date) y, MONTH(Date) m, DAY(Date) d FROM coffee.coffee_data WHERE Date LIKE '2000-02%'",
			"y: 2000, m: 2, d: 7", ""},
		{"SELECT YEAR('x') a, DATEDIFF('2000-02-07', '2000-01-03 10:00:00') b, LEFT('2000-01-03', 4) c, " +
			"RIGHT('é1é', 2) d", "a: None, b: 35, c: 2000, d: 1é", ""},
		{"SELECT AVG(Close) FROM coffee.coffee_data", "AVG(Close): 113.54", ""},
		{"SELECT Date, LAG(Close) OVER (ORDER BY Date) AS prev FROM coffee.coffee_data LIMIT 2",
			"Date: 2000-01-03, prev: None\nDate: 2000-01-04, prev: 116.5", ""},
		{"WITH d AS (SELECT Date, High - Low AS r FROM coffee.coffee_data) SELECT Date FROM d ORDER BY r DESC, " +
			"Date LIMIT 1", "Date: 2000-02-07", ""},
		{"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3) SELECT i FROM n",
			"i: 1\ni: 2\ni: 3", ""},
		{"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3) SELECT COUNT(*) FROM n",
			"COUNT(*): 3", ""},
		{"WITH t AS MATERIALIZED (SELECT Date FROM coffee.coffee_data WHERE Volume > 5500) SELECT COUNT(*) FROM t",
			"COUNT(*): 2", "COUNT(*): 2"},
		{"WITH t AS (SELECT Date FROM coffee.coffee_data LIMIT 4) SELECT COUNT(*) c, (SELECT 1 FROM t LIMIT 1) " +
			"d FROM t", "c: 4, d: 1", ""},
		{"SELECT DATE('2001-02-03', '+1 day') a, datetime('2001-02-03 04:05:06', 'start of month') b, " +
			"time('04:05:06') c", "a: 2001-02-04, b: 2001-02-01 00:00:00, c: 04:05:06", ""},
		{"SELECT strftime('%Y', Date) y, strftime('%m', Date) m FROM coffee.coffee_data WHERE Volume = 10",
			"y: 2000, m: 02", ""},
		{"SELECT julianday(MAX(Date)) - julianday(MIN(Date)) d, julianday('2000-01-01') j FROM coffee.coffee_data",
			"d: 35.0, j: 2451544.5", ""},
		{"SELECT unixepoch('2000-01-01') a, unixepoch('2000-01-01', 'subsec') b, date(0, 'unixepoch') c, " +
			"date(NULL) d, date('never') e", "a: 946684800, b: 946684800.0, c: 1970-01-01, d: None, e: None", ""},
		{"SELECT timediff('2000-02-07', '2000-01-03') t", "t: 838:59:59", ""},
		{"SELECT 'now' AS a, COUNT(*) AS b FROM coffee.coffee_data WHERE Date = 'now'", "a: now, b: 0", ""},
		{"SELECT coffee_data.Date FROM coffee.coffee_data JOIN coffee.coffee_data b ON b.Open = coffee_data.Low",
			"Date: 2000-01-05", ""},
		{"SELECT `coffee_data`.`Date` FROM `coffee`.`coffee_data` WHERE Currency <> 'USD'", "Date: 2000-01-06", ""},
		{"SELECT COUNT(*) FROM Coffee.COFFEE_DATA", "COUNT(*): 5", ""},
		{"SELECT 'it''s ; fine' AS a, '/' b", "a: it's ; fine, b: /", ""},
		{"SELECT 1 \xff\xfe, CAST(x'ff' AS TEXT) b", "\uFFFD: 1, b: \uFFFD", ""},
		{"VALUES (1, NULL, 1e20, x'41')", "column1: 1, column2: None, column3: 1e+20, column4: A", ""},
	} {
		for name, in := range map[string]*Interpreter{"typed": typed, "text": textual} {
			want := tt.typed
			if name == "text" && tt.text != "" {
				want = tt.text
			}

			if got := query(t, in, tt.sql); got.Observation != want || (got.Outcome == envs.OK) != (want != wrongSQL) {
				t.Errorf("%s: %s\n got %v %q\nwant %q", name, tt.sql, got.Outcome, got.Observation, want)
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	in := interpreter(t, Options{}, small(t))
	for _, sql := range []string{
		"", " ;", "--", "hello", "SELECT", "SELECT FROM", "SELECT Nothing FROM coffee.coffee_data",
		"SELECT 1 FROM tea.tea_data",
		"SELECT ?", "SELECT 'open", "SELECT 1; SELECT 2", "SHOW TABLES", "USE coffee", "DESCRIBE coffee_data",
		"SELECT \x00 1",
		"SELECT NOW()", "SELECT random()", "SELECT CURRENT_DATE", strings.Repeat("(", 10_000),
		"SELECT " + strings.Repeat("1+", 5000) + "1", "SELECT '" + strings.Repeat("x", 1<<20) + "'",
	} {
		if got := query(t, in, sql); got.Observation != wrongSQL || got.Outcome != envs.ToolError {
			t.Errorf("%.80q: %v %q", sql, got.Outcome, got.Observation)
		}
	}

	for _, arg := range []any{nil, true, envs.Number("1"), []any{"SELECT 1"}, envs.Args{}} {
		if got := query(t, in, arg); got.Observation != wrongArguments || got.Outcome != envs.InvocationError {
			t.Errorf("%v: %v %q", arg, got.Outcome, got.Observation)
		}
	}
}

// A number in quotes is a number to what computes one, and a text is one to a number, whether
// columns are texts or not.
func TestNumbersInQuotes(t *testing.T) {
	c := small(t)
	for name, in := range map[string]*Interpreter{
		"typed": interpreter(t, Options{}, c),
		"text":  interpreter(t, Options{TextColumns: true}, c),
	} {
		for where, want := range map[string]string{
			"YEAR(Date) = 2000":                             "5",
			"YEAR(Date) = '2000'":                           "5",
			`"2000" = YEAR(coffee_data.Date)`:               "5",
			"NOT YEAR(Date) <> ' 2000 '":                    "5",
			"YEAR(Date) IN ('2000')":                        "5",
			"MONTH(Date) IN ('x', '01', 3)":                 "4",
			"MONTH(Date) NOT IN ('01', '02')":               "0",
			"YEAR(Date) < '2001'":                           "5",
			"YEAR(Date) < '2000'":                           "0",
			"DAY(Date) BETWEEN '4' AND '5'":                 "2",
			"DAY(Date) NOT BETWEEN '4' AND '5' AND 1 = '1'": "3",
			"DAY(Date) BETWEEN 4 AND '5'":                   "2",
			"EXTRACT(DAY FROM Date) = '7'":                  "1",
			"YEAR(Date) * 12 + MONTH(Date) > '24001'":       "1",
			"(YEAR(Date) - 1) = '1999'":                     "5",
			"LENGTH(Currency) = '3.0'":                      "5",
			"LEFT(Date, 4) = 2000":                          "5",
			"LEFT(Date, 4) <> YEAR(Date)":                   "0",
			"2000 > LEFT(Date, 4)":                          "0",
			"strftime('%m', Date) < 2":                      "4",
			"LEFT(Date, 4) IN (1999, 2000)":                 "5",
			"SUBSTRING(Date, 9, 2) BETWEEN 4 AND 5":         "2",
			// Texts stay texts.
			"LEFT(Date, 4) = '2000'":             "5",
			"LEFT(Date, 4) = '2000.0'":           "0",
			"YEAR(Date) IN (SELECT '2000')":      "0",
			"CONCAT(Volume, '') < '20'":          "1",
			"Date || '' < '2000-01-04'":          "1",
			"(SELECT LEFT(Date, 1) x) = '2'":     "5",
			"CASE WHEN 1 + 1 THEN '2' END = '2'": "5",
		} {
			sql := "SELECT COUNT(*) n FROM coffee.coffee_data WHERE " + where
			if got := query(t, in, sql); got.Observation != "n: "+want {
				t.Errorf("%s: %s: %q, want %s", name, where, got.Observation, want)
			}
		}

		sql := "SELECT Currency FROM coffee.coffee_data GROUP BY Currency HAVING COUNT(*) > '3' " +
			"AND AVG(Low) <= \"120\""
		if got := query(t, in, sql); got.Observation != "Currency: USD" {
			t.Errorf("%s: %s: %q", name, sql, got.Observation)
		}
	}
}

// letters returns a join of n more copies of the table.
func letters(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(", coffee.coffee_data AS " + string(rune('a'+i)))
	}
	return b.String()
}

func TestLimits(t *testing.T) {
	c := small(t)

	// What is not about time has much of it, as a machine may be busy.
	patient := Options{Timeout: 10 * time.Minute, MaxRows: 2, MaxBytes: 60}
	hasty := patient
	hasty.Timeout = 100 * time.Millisecond

	in, stopping := interpreter(t, patient, c), interpreter(t, hasty, c)
	for sql, want := range map[string]string{
		"SELECT Date FROM coffee.coffee_data": "Date: 2000-01-03\nDate: 2000-01-04\n[The output was " +
			"cut after 2 rows. Please ask for less.]",
		"SELECT Date, Open, Low FROM coffee_data": "Date: 2000-01-03, Open: 122.25, Low: 116.1\n[The " +
			"output was cut after 42 bytes. Please ask for less.]",
		"SELECT count(*) FROM coffee_data" + letters(20): "The SQL command ran longer than 100ms and was stopped. " +
			"Please modify it.",
	} {
		tool := in
		if strings.Contains(want, "ran longer") {
			tool = stopping
		}

		if got := query(t, tool, sql); got.Observation != want || got.Outcome != envs.ToolError {
			t.Errorf("%.60s: %v %q\nwant %q", sql, got.Outcome, got.Observation, want)
		}
	}

	if got := query(t, in, "SELECT Date FROM coffee_data LIMIT 2"); got.Outcome != envs.OK {
		t.Errorf("two rows: %+v", got)
	}

	if _, err := New(t.Context(), Options{MaxRows: -1}, c); err == nil {
		t.Error("a negative limit was accepted")
	}
}

func TestFailuresOfOurs(t *testing.T) {
	c := synthetic(t)
	in := interpreter(t, Options{Conns: 1}, c)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	_, _, err := in.Call(ctx, toolqa.Session{}, envs.Args{{Name: "SQL", Value: "SELECT 1"}})
	if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageTool || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}

	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	_, _, err = in.Call(ctx, toolqa.Session{}, envs.Args{{
		Name:  "SQL",
		Value: "SELECT count(*) FROM coffee_data" + letters(20),
	}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's deadline: %v", err)
	}

	// A file damaged behind our back: all pages but the first are zero.
	opened := interpreter(t, Options{Conns: 1}, c)

	bytes, err := os.ReadFile(c.Path())
	if err != nil {
		t.Fatal(err)
	}

	clear(bytes[4096:])

	if err := errors.Join(os.Chmod(c.Path(), 0o666), os.WriteFile(c.Path(), bytes, 0o666)); err != nil {
		t.Fatal(err)
	}

	_, _, err = opened.Call(t.Context(), toolqa.Session{},
		envs.Args{{Name: "SQL", Value: "SELECT MAX(Open) FROM coffee_data"}})
	if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageTool ||
		!strings.Contains(err.Error(), "SELECT MAX(Open)") {
		t.Errorf("a damaged file: %v", err)
	}

	if _, err = New(t.Context(), Options{}, c); err == nil {
		t.Error("New opened a damaged file")
	}
}

func TestConcurrent(t *testing.T) {
	in := interpreter(t, Options{Conns: 3}, small(t))

	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			sql, want := "SELECT MAX(High) m FROM coffee_data", "m: 124.0"
			if i%3 == 0 {
				sql, want = "SELECT broken", wrongSQL
			}

			_, r, err := in.Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "SQL", Value: sql}})
			if err != nil || r.Observation != want {
				t.Errorf("%s: %+v, %v", sql, r, err)
			}
		})
	}

	wg.Wait()
}

func FuzzTokenize(f *testing.F) {
	for _, seed := range []string{"SELECT 'a''b' \"c\" `d` [e] -- f\n/* g */ # h", "CAST(x AS DECIMAL(1,2))/2", "'",
		"/*", "é\xff",
		"GROUP_CONCAT(DISTINCT x ORDER BY y SEPARATOR 'a\\'b')", "x + INTERVAL 1 DAY - INTERVAL (2) WEEK",
		"CONVERT(f(a, b), SIGNED)", "EXTRACT(YEAR FROM x)", "'a\\'; 'b", "coffee . coffee_data"} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, sql string) {
		var b strings.Builder
		for _, tok := range tokenize(sql) {
			b.WriteString(tok.text)
		}

		if b.String() != sql {
			t.Errorf("the tokens of %q join to %q", sql, b.String())
		}

		out, err := translate("SELECT "+sql, map[string]string{"coffee_data": "coffee"})
		if err != nil {
			return
		}

		if strings.Contains(out, "\x00") {
			t.Errorf("translate(%q) = %q", sql, out)
		}

		if s, err := parse("SELECT " + sql); err != nil {
			t.Error(err)
		} else if s.edits = make([]edit, len(s.tokens)); !strings.Contains(s.String(), "*/") &&
			untranslate(out) != s.String() && !strings.Contains(s.String(), "/*") {
			t.Errorf("translate(%q) = %q, and back %q", sql, out, untranslate(out))
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"1", "CAST(Low AS DECIMAL(3,1))/2 FROM coffee_data", "date('now')", "1; DROP TABLE x",
		"STR_TO_DATE('9:05 PM', '%h:%i %p')",
		"DATE_FORMAT(Date + INTERVAL 1 MONTH, '%D %f') FROM coffee_data", "LPAD(Volume, 9, 'x'), TRUNCATE(Open, " +
			"-1), FORMAT(Low, 2) FROM coffee.coffee_data", "'a' REGEXP '(a|b)*'"} {
		f.Add(seed)
	}

	in := interpreter(f, Options{Timeout: 200 * time.Millisecond}, small(f))
	f.Fuzz(func(t *testing.T, sql string) {
		if _, _, err := in.Call(t.Context(), toolqa.Session{},
			envs.Args{{Name: "SQL", Value: "SELECT " + sql}}); err != nil {
			t.Error(err)
		}
	})
}

// memory is an envs.Memory.
type memory struct {
	results map[string]envs.Result
}

func (m *memory) Recall(_ context.Context, key string) (envs.Result, bool, error) {
	r, ok := m.results[key]
	return r, ok, nil
}

func (m *memory) Remember(_ context.Context, key string, r envs.Result) error {
	m.results[key] = r
	return nil
}

// What a slow statement gave is what it gives forever: the deadline must not make a run
// unrepeatable.
func TestSlowStatementsAreRemembered(t *testing.T) {
	const slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
	args := func(sql string) envs.Args { return envs.Args{{Name: "SQL", Value: sql}} }
	m := &memory{results: map[string]envs.Result{}}
	in := interpreter(t, Options{Timeout: 50 * time.Millisecond}, small(t)).WithMemory(m)

	_, stopped, err := in.Call(context.Background(), toolqa.Session{}, args(slow))
	if err != nil || len(m.results) != 1 || stopped.Outcome != envs.ToolError {
		t.Fatalf("%+v, %v; %d results remembered", stopped, err, len(m.results))
	}

	for key := range m.results {
		m.results[key] = envs.Result{Observation: "as it was then"}
	}

	if _, r, err := in.Call(context.Background(), toolqa.Session{}, args(slow)); r.Observation != "as it was then" ||
		err != nil {
		t.Errorf("%+v, %v: the statement ran again", r, err)
	}

	for _, opts := range []Options{
		{Timeout: 60 * time.Millisecond}, {Timeout: 50 * time.Millisecond, MaxRows: 7},
		{Timeout: 50 * time.Millisecond, MaxBytes: 7},
	} {
		other := interpreter(t, opts, small(t)).WithMemory(m)
		if _, r, err := other.Call(context.Background(), toolqa.Session{},
			args(slow)); r.Observation == "as it was then" || err != nil {
			t.Errorf("%+v: %+v, %v: remembered of a tool with other limits", opts, r, err)
		}
	}
}

// A statement that was quick does not run again, whatever its result; one of another memory does.
func TestRecentStatements(t *testing.T) {
	// Quick is less than a tenth of the time that a statement may take.
	in := interpreter(t, Options{Timeout: 10 * time.Minute}, small(t))
	for _, sql := range []string{"SELECT MAX(High) m FROM coffee_data", "SELECT broken"} {
		first := query(t, in, sql)

		stmt, err := translate(sql, in.temporary)
		if err != nil {
			t.Fatal(err)
		}

		if kept, ok := in.recent.Get(stmt); !ok || kept != first {
			t.Errorf("%s: kept %+v, %v; want %+v", sql, kept, ok, first)
		}

		in.recent = &memo.Recent[envs.Result]{Most: recentStatements}
		in.recent.Put(stmt, envs.Result{Observation: "kept"})

		if got := query(t, in, sql); got.Observation != "kept" {
			t.Errorf("%s ran again: %+v", sql, got)
		}

		other := in.WithMemory(&memory{results: map[string]envs.Result{}})
		if got := query(t, other, sql); got != first {
			t.Errorf("%s, with another memory: %+v, want %+v", sql, got, first)
		}
	}

	const long = "SELECT printf('%9000d', 1) n"
	query(t, in, long)

	stmt, err := translate(long, in.temporary)
	if err != nil {
		t.Fatal(err)
	}

	if _, ok := in.recent.Get(stmt); ok {
		t.Error("a long result is kept")
	}
}
