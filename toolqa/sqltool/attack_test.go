package sqltool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs"
	"toolevo/envs/memo"
	"toolevo/envs/sandbox/worker"
	"toolevo/toolqa/corpus"
)

// refused are statements that must never do what they try. The tool has one text for all of them.
var refused = []struct{ tries, sql string }{
	{"to open another file", "ATTACH 'evil.db' AS evil"},
	{"to open another file", "ATTACH DATABASE 'file:evil.db?mode=rwc' AS evil"},
	{"to open another file by a table's name", "SELECT * FROM \"file:evil.db\".x"},
	{"to close a file", "DETACH coffee"},
	{"to write a copy", "VACUUM INTO 'evil.db'"},
	{"to write a copy", "VACUUM coffee INTO 'evil.db'"},
	{"to write", "INSERT INTO coffee.coffee_data VALUES (1,1,1,1,1,1,1)"},
	{"to write", "REPLACE INTO coffee.coffee_data VALUES (1,1,1,1,1,1,1)"},
	{"to write", "UPDATE coffee.coffee_data SET Open=1 RETURNING Open"},
	{"to write", "DELETE FROM coffee.coffee_data"},
	{"to write after a WITH", "WITH x AS (SELECT 1) DELETE FROM coffee.coffee_data"},
	{"to write after a WITH", "WITH x AS (SELECT 1) INSERT INTO coffee.coffee_data SELECT 1,1,1,1,1,1,1"},
	{"to write after a WITH", "WITH x AS (SELECT 1) UPDATE coffee.coffee_data SET Open = 1"},
	{"to write after a WITH", "WITH x AS (SELECT 1) REPLACE INTO coffee.coffee_data SELECT 1,1,1,1,1,1,1"},
	{"to change the schema", "DROP TABLE coffee.coffee_data"},
	{"to change the schema", "ALTER TABLE coffee.coffee_data ADD x"},
	{"to change the schema", "CREATE TABLE x (y)"},
	{"to change the schema", "CREATE TEMP TABLE x (y)"},
	{"to change the schema", "CREATE TEMP TRIGGER x AFTER INSERT ON coffee_data BEGIN SELECT 1; END"},
	{"to change the schema", "CREATE VIRTUAL TABLE temp.x USING fts3(y)"},
	{"to change the schema", "CREATE INDEX coffee.x ON coffee_data (Open)"},
	{"to rebuild", "REINDEX"}, {"to rebuild", "ANALYZE"}, {"to rebuild", "VACUUM"},
	{"to hold a lock", "BEGIN EXCLUSIVE"}, {"to hold a lock", "SAVEPOINT x"}, {"to end a transaction", "COMMIT"},
	{"to end a transaction", "RELEASE x"},
	{"to lift a wall", "PRAGMA query_only=0"}, {"to lift a wall", "PRAGMA writable_schema=1"},
	{"to lift a wall", "PRAGMA trusted_schema=1"},
	{"to lift a wall", "PRAGMA coffee.journal_mode=DELETE"}, {"to lift a wall", "PRAGMA temp_store=MEMORY"},
	{"to lift a wall", "PRAGMA cache_size=-9999999"},
	{"to lift a wall", "PRAGMA temp_store_directory='/'"}, {"to starve the process", "PRAGMA hard_heap_limit=1"},
	{"to starve the process", "PRAGMA soft_heap_limit=1"},
	{"to read a setting", "PRAGMA database_list"}, {"to read a setting", "PRAGMA coffee.page_count"},
	{"to read a setting", "SELECT @@version"},
	{"to see its program", "EXPLAIN SELECT 1"}, {"to see its program", "EXPLAIN QUERY PLAN SELECT 1"},
	{"to see its program", "SELECT * FROM bytecode('SELECT 1')"},

	{"a second statement", "SELECT 1; DROP TABLE coffee.coffee_data"},
	{"a second statement", "SELECT 1; SELECT 2"},
	{"a second statement behind a comment", "SELECT 1 -- \n; DELETE FROM coffee.coffee_data"},
	{"a second statement behind a comment", "SELECT 1 /* ; */; DELETE FROM coffee.coffee_data"},
	{"a second statement behind a MySQL comment", "SELECT 1 # '\n; DELETE FROM coffee.coffee_data #'"},
	{"a second statement behind an escaped quote", `SELECT 'a\\'; DELETE FROM coffee.coffee_data; --'`},
	{"a second statement behind an escaped quote", `SELECT "a\"; DELETE FROM coffee.coffee_data; --`},
	{"a second statement behind a NUL", "SELECT 1\x00; DELETE FROM coffee.coffee_data"},
	{"a second statement behind our marks", "SELECT 1/*:*/:*/; DELETE FROM coffee.coffee_data"},
	{"a parameter", "SELECT ?"}, {"a parameter", "SELECT ?1"}, {"a parameter", "SELECT :a"},
	{"a parameter", "SELECT @a"}, {"a parameter", "SELECT $a"},

	{"to load code", "SELECT load_extension('/tmp/x.so')"}, {"to load code", "SELECT load_extension('/tmp/x.so', 'f')"},
	{"to call a pointer", "SELECT fts3_tokenizer('simple')"},
	{"to call a pointer", "SELECT fts3_tokenizer('x', x'4141414141414141')"},
	{"to read a file", "SELECT readfile('/etc/passwd')"}, {"to read a file", "SELECT LOAD_FILE('/etc/passwd')"},
	{"to read a file", "SELECT * FROM zipfile('x.zip')"},
	{"to read a file", "SELECT * FROM fsdir('/')"}, {"to read a file", "SELECT * FROM csv('/etc/passwd')"},
	{"to read a file", "LOAD DATA INFILE '/etc/passwd' INTO TABLE coffee_data"},
	{"to write a file", "SELECT writefile('evil.db', 'x')"},
	{"to write a file", "SELECT Open INTO OUTFILE 'evil.db' FROM coffee_data"},
	{"to start a program", "SELECT edit('x')"},
	{"to write to the log", "SELECT sqlite_log(1, 'x')"}, {"to wait", "SELECT SLEEP(10)"},
	{"to wait", "SELECT BENCHMARK(1000000000, 1+1)"},
	{"to read the clock", "SELECT NOW()"}, {"to read the clock", "SELECT CURRENT_TIMESTAMP"},
	{"to read the clock", "SELECT SYSDATE()"},
	{"to draw at random", "SELECT random()"}, {"to draw at random", "SELECT RAND()"},
	{"to draw at random", "SELECT UUID()"},
	{"to know the machine", "SELECT sqlite_version()"}, {"to know the machine", "SELECT sqlite_source_id()"},
	{"to know the machine", "SELECT sqlite_compileoption_get(0)"},
	{"to know the machine", "SELECT VERSION()"}, {"to know the machine", "SELECT USER()"},
	{"to know what ran before", "SELECT total_changes()"}, {"to know what ran before", "SELECT last_insert_rowid()"},
	{"a function of an extension", "SELECT json('[1]')"}, {"a function of an extension", "SELECT '[1]' -> 0"},
	{"a function of an extension", "SELECT rtreecheck('x')"},
	{"a function of an extension", "SELECT rtreenode(2, x'00')"},
	{"a function of an extension", "SELECT matchinfo(Date) FROM coffee_data"},
	{"a function of an extension", "SELECT Date MATCH 'x' FROM coffee_data"},

	{"a hidden table", "SELECT * FROM sqlite_master"}, {"a hidden table", "SELECT sql FROM coffee.sqlite_schema"},
	{"a hidden table", "SELECT * FROM temp.sqlite_schema"},
	{"a hidden table in brackets", "SELECT count(*) FROM [sqlite_master]"},
	{"a hidden table in quotes", "SELECT count(*) FROM 'sqlite_master'"},
	{"a hidden table in quotes", "SELECT count(*) FROM \"flights\".\"sqlite_schema\""},
	{"a hidden table of ours", "SELECT * FROM coffee.meta"}, {"a hidden table of ours", "SELECT 1 FROM meta"},
	{"a hidden table of ours", "SELECT count(*) FROM Meta"},
	{"a hidden table of ours", "SELECT words FROM coffee.cells"},
	{"a hidden table of ours", "SELECT count(*) FROM main.meta"},
	{"a hidden table inside", "SELECT EXISTS (SELECT 1 FROM meta)"},
	{"a hidden table inside", "WITH t AS MATERIALIZED (SELECT 1 FROM meta) SELECT count(*) FROM t"},
	{"a hidden table inside", "SELECT 1 FROM coffee_data WHERE Open IN meta"},
	{"a hidden table inside", "SELECT 1 FROM coffee_data, meta"},
	{"a hidden table inside", "SELECT 1 UNION SELECT count(*) FROM meta"},
	{"a table of SQLite", "SELECT * FROM pragma_table_info('coffee_data')"},
	{"a table of SQLite", "SELECT count(*) FROM pragma_database_list"},
	{"a table of SQLite", "SELECT count(*) FROM pragma_module_list"},
	{"a table of SQLite", "SELECT count(*) FROM dbstat"}, {"a table of SQLite", "SELECT * FROM sqlite_dbpage"},
	{"a table of SQLite", "SELECT * FROM sqlite_stmt"},
	{"a table of SQLite", "SELECT count(*) FROM fts3tokenize('simple', 'a b')"},
	{"a table of SQLite", "SELECT count(*) FROM json_each('[1]')"},
	{"a table of SQLite", "SELECT count(*) FROM json_tree"},
	{"a table of SQLite", "SELECT * FROM generate_series(1, 9)"},
	{"a table of SQLite", "SELECT count(*) FROM carray(1, 2)"},
	{"a table of MySQL", "SELECT * FROM information_schema.tables"}, {"a table of MySQL", "SELECT * FROM mysql.user"},
	{"a table of MySQL", "SHOW DATABASES"},

	{"a blob of a gigabyte", "SELECT length(zeroblob(1000000000))"},
	{"a blob of a gigabyte", "SELECT hex(randomblob(1000000000))"},
	{"a text of a gigabyte", "SELECT length(printf('%1000000000d', 1))"},
	{"a text of a gigabyte", "SELECT length(printf('%.*c', 1000000000, 'x'))"},
	{"a text of a gigabyte", "SELECT REPEAT('x', 1000000000)"},
	{"a text of a gigabyte", "SELECT LPAD('x', 1000000000, 'yz')"},
	{"a text of a gigabyte", "SELECT SPACE(1000000000)"},
	{"a text that doubles", "SELECT length(" + strings.Repeat("replace(", 40) + "'a'" +
		strings.Repeat(",'a','aa')", 40) + ")"},
	{"a text that doubles", "SELECT length(" + strings.Repeat("CONCAT(t,t,", 60) + "t" + strings.Repeat(")", 60) +
		") FROM (SELECT printf('%.*c', 200000, 'x') t)"},
	{"a text that doubles", ones + "SELECT length(group_concat(printf('%1000d', i))) FROM (SELECT i FROM n " +
		"LIMIT 1000)"},
	{"a text that doubles", ones + "SELECT length(GROUP_CONCAT(DISTINCT i SEPARATOR ', ')) FROM (SELECT i FROM n " +
		"LIMIT 100000)"},
	{"a long statement", "SELECT '" + strings.Repeat("x", maxSQL) + "'"},
	{"a deep statement", "SELECT " + strings.Repeat("(", 8000) + "1" + strings.Repeat(")", 8000)},
	{"a deep statement", "SELECT " + strings.Repeat("(SELECT ", 1000) + "1" + strings.Repeat(")", 1000)},
	{"a deep statement", "SELECT " + strings.Repeat("1+", 5000) + "1"},
	{"a deep statement", "SELECT " + strings.Repeat("- ", 5000) + "1"},
	{"many columns", "SELECT " + repeated(600, "%d", ",")},
	{"many columns of SELECT *", "SELECT * FROM coffee_data" + letters(26) + ", " +
		repeated(50, "coffee_data t%d", ",")},
	{"many arguments", "SELECT max(" + repeated(51, "%d", ",") + ")"},
	{"many UNIONs", repeated(60, "SELECT %d", " UNION ALL ")},
	{"names that double", fan(8, 8)}, {"names that double", fan(30, 2)},
	{"many tables", "SELECT count(*) FROM " + repeated(80, "coffee_data t%d", ",")},
	{"a costly LIKE", "SELECT 'a' LIKE '" + strings.Repeat("%a", 600) + "'"},
	{"a costly TRIM", ones + "SELECT trim(printf('%.*c', 200000, 'a'), group_concat(char(300+i), '') || 'a') FROM " +
		"(SELECT i FROM n LIMIT 50000)"},
	{"a costly REGEXP", "SELECT printf('%.*c', 16000, 'a') REGEXP '(a?){300}(a|b)*c'"},
	{"a costly REGEXP", "SELECT 'a' REGEXP '((a{30}){30}){30}'"},
}

// fan returns a statement in which each name stands for so many of the one before.
func fan(levels, width int) string {
	var b strings.Builder
	b.WriteString("WITH a0(x) AS (SELECT 1)")

	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, ", a%d(x) AS NOT MATERIALIZED (SELECT b0.x FROM %s)", i,
			repeated(width, fmt.Sprintf("a%d b%%d", i-1), ","))
	}

	fmt.Fprintf(&b, " SELECT count(*) FROM a%d", levels)
	return b.String()
}

// greedy are statements that want much of something. Why is how the text of each begins; any text
// will do where it is empty.
var greedy = []struct{ tries, sql, why string }{
	{"values that are all kept", "SELECT " + repeated(450, "length(printf('%250000d',%d))", ","),
		"The SQL command took more than 64 MiB of memory"},
	{"values that are all kept", "SELECT " + repeated(9, "max("+repeated(45, "length(printf('%250000d',%d))", ",")+")",
		","), "The SQL command took more than 64 MiB of memory"},
	{"a wide row", "SELECT " + repeated(490, "t", ",") + " FROM (SELECT printf('%250000d', 1) t)",
		"The SQL command took more than 64 MiB of memory"},
	{"many aggregates of long texts", "SELECT length(" + repeated(400, "group_concat(t||%d)", "),length(") +
		") FROM (SELECT printf('%200000d', 1) t)", "The SQL command took more than 64 MiB of memory"},
	{"many sets", ones + "SELECT " + repeated(240, "length(GROUP_CONCAT(DISTINCT printf('%999d',i+%d) SEPARATOR ''))",
		",") + " FROM (SELECT i FROM n LIMIT 250)", "The SQL command took more than 64 MiB of memory"},
	{"a UNION of many", repeated(50, "SELECT Date||Open||%d FROM coffee_data", " UNION "), ""},
	{"windows of long texts", "SELECT " + repeated(30, "max(t||%d) OVER (ORDER BY Low+%d)", ",") + " FROM (" + ones +
		"SELECT i Low, printf('%50000d', i) t FROM n LIMIT 1000)", ""},
	{"calls with many long arguments", "SELECT " + repeated(140, "FIELD("+repeated(49, "t", ",")+",1)", ",") +
		" FROM (SELECT printf('%250000d', 1) t)", ""},
	{"a sort of many rows", "SELECT i FROM (" + ones + "SELECT i FROM n LIMIT 20000000) ORDER BY -i",
		"The SQL command took more than 16 MiB for sorting and grouping"},
	{"a sort of long rows", "SELECT i FROM (" + ones + "SELECT i, printf('%.*c', 9000, i) t FROM n LIMIT 2000000) " +
		"ORDER BY t, -i", "The SQL command took more than 16 MiB for sorting and grouping"},
	{"a queue of long rows", "WITH RECURSIVE n(i, t) AS (SELECT 1, printf('%250000d', 1) UNION ALL SELECT i+1, t " +
		"FROM n UNION ALL SELECT i+2, t FROM n) SELECT max(i) FROM n", "The SQL command took more than 16 MiB for " +
		"sorting and grouping"},
	{"a set of long rows", "SELECT count(DISTINCT printf('%90000d', i)) FROM (" + ones + "SELECT i FROM n LIMIT 20000)",
		"The SQL command took more than 16 MiB for sorting and grouping"},
	{"all rows there are", ones + "SELECT i FROM n", "1: 1"},
	{"a costly LIKE", "SELECT printf('%.*c', 250000, 'a') LIKE '%" + strings.Repeat("_", 500) + "b'", ""},
	{"a costly GLOB", "SELECT printf('%.*c', 250000, 'a') GLOB '*[" + strings.Repeat("b", 500) + "]*'", ""},
	{"a costly INSTR", "SELECT instr(t, t || 'b') FROM (SELECT printf('%.*c', 100000, 'a') t)", ""},
	{"a costly REPLACE", "SELECT replace(t, t || 'b', '') FROM (SELECT printf('%.*c', 100000, 'a') t)", ""},
	{"long rows", "SELECT printf('%250000d', i) FROM (" + ones + "SELECT i FROM n)", ""},
}

// inside is set to a folder in the process in which TestAttacks does its work.
const inside = "TOOLEVO_SQL_ATTACKED"

// TestAttacks runs what must never work in a process of its own: in an empty folder, with an empty
// one for temporary files, neither of which may have anything in it afterwards.
func TestAttacks(t *testing.T) {
	if os.Getenv(inside) != "" {
		attacked(t)
		return
	}

	dir := t.TempDir()

	work, temp := filepath.Join(dir, "work"), filepath.Join(dir, "temp")
	if err := errors.Join(os.Mkdir(work, 0o777), os.Mkdir(temp, 0o777)); err != nil {
		t.Fatal(err)
	}

	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAttacks$",
		"-test.v="+fmt.Sprint(testing.Verbose()))

	cmd.Env = append(os.Environ(), inside+"="+dir, "SQLITE_TMPDIR="+temp)

	cmd.Dir = work
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}

	for _, empty := range []string{work, temp} {
		if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
			t.Errorf("a statement left %v in %s (%v)", left, empty, err)
		}
	}
}

func attacked(t *testing.T) {
	corpora := five(t)
	files := func() map[string]string {
		all := map[string]string{}

		for _, c := range corpora {
			content, err := os.ReadFile(c.Path())
			if err != nil {
				t.Fatal(err)
			}

			all[c.Path()] = string(content)
		}
		return all
	}
	before := files()

	for _, textColumns := range []bool{false, true} {
		in := interpreter(t, Options{Timeout: time.Hour, Conns: 1, TextColumns: textColumns}, corpora...)
		for _, tt := range refused {
			if got := query(t, in, tt.sql); got.Outcome != envs.ToolError || got.Observation != wrongSQL {
				t.Errorf("%s: %.200s: %v %.200q", tt.tries, tt.sql, got.Outcome, got.Observation)
			}

			unharmed(t, in, tt.sql)
		}
	}

	attackedWithoutGuard(t, corpora)
	attackedGreedily(t, corpora)
	attackedByFamilies(t, corpora)

	for path, content := range files() {
		if content != before[path] {
			t.Errorf("a corpus file changed: %s", path)
		}
	}
}

// attackedGreedily runs the greedy statements, and asks that the memory of their children stays
// within its limits.
func attackedGreedily(t *testing.T, corpora []*corpus.Corpus) {
	in := interpreter(t, Options{Timeout: time.Hour, Conns: 1, MaxSpill: 16 << 20, MaxRows: 1000}, corpora...)

	for _, tt := range greedy {
		got := query(t, in, tt.sql)
		if tt.why != "" && (got.Outcome != envs.ToolError || !strings.HasPrefix(got.Observation, tt.why) &&
			!strings.Contains(got.Observation, "was cut")) {
			t.Errorf("%s: %.200s: %v %.200q", tt.tries, tt.sql, got.Outcome, got.Observation)
		}

		unharmed(t, in, tt.sql)
		t.Logf("%s: %.80s", tt.tries, got.Observation)
	}

	if err := in.Close(); err != nil {
		t.Fatal(err)
	}

	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		t.Fatal(err)
	}
	// SQLite has 64 MiB at most, and Go 128 MiB: rows and arguments on their way, and what is not
	// yet collected. The race detector keeps up to four bytes more for each of Go's.
	allowed := int64(64+128+64) << 20
	if underRaceDetector() {
		allowed += 4 * 128 << 20
	}

	if most := used.Maxrss << 10; most > allowed {
		t.Errorf("a child had %d MiB, allowed are %d", most>>20, allowed>>20)
	} else {
		t.Logf("a child had %d MiB at most", most>>20)
	}
}

func underRaceDetector() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// unguarded is what the children are called that have neither the authorizer nor the limits on
// files.
const unguarded = "sql-unguarded"

func init() {
	worker.Serve(unguarded, func(in io.Reader, out io.Writer) error {
		c, err := setUp(in)
		if err != nil {
			return err
		}

		c.RegisterAuthorizer(nil)
		c.SetLimit(sqlite3.SQLITE_LIMIT_ATTACHED, 10)
		return c.serve(in, out)
	})
}

// attackedWithoutGuard runs statements past the parser and without the authorizer: what is behind
// them holds, too.
func attackedWithoutGuard(t *testing.T, corpora []*corpus.Corpus) {
	start, err := newSetup(Options{}.withDefaults(), corpora).starter(unguarded, corpora)
	if err != nil {
		t.Fatal(err)
	}

	in := interpreter(t, Options{Conns: 1}, corpora...)
	in.pool.Close()
	in.pool = worker.NewPool(1, start)

	fails := func(sql string) {
		if v, text, _, err := in.run(t.Context(), sql); err != nil || v.Problem == none {
			t.Errorf("%s: %+v, %q, %v", sql, v, text, err)
		}
	}

	for _, sql := range []string{
		"CREATE TEMP TABLE x (y)", "INSERT INTO coffee.coffee_data (Open) VALUES (1)", // query_only
		// no file but the corpora
		"ATTACH 'evil.db' AS evil", "VACUUM INTO 'evil.db'", "VACUUM coffee INTO 'evil.db'",
		"ATTACH '/etc/passwd' AS evil", "ATTACH '/proc/self/environ' AS evil", "VACUUM INTO '/dev/shm/evil.db'",
		"SELECT load_extension('x')",
	} {
		fails(sql)
	}

	if v, _, _, err := in.run(t.Context(), "PRAGMA query_only = 0"); err != nil || v.Problem != none {
		t.Fatal(v, err)
	}
	// mode=ro
	for _, sql := range []string{"DELETE FROM coffee.coffee_data", "DROP TABLE coffee.coffee_data",
		"VACUUM coffee INTO 'evil.db'"} {
		fails(sql)
	}

	unharmed(t, in, "the guard was down")
}

// unharmed asks the tool something after a statement, and has it forget what it answered before.
func unharmed(t *testing.T, in *Interpreter, after string) {
	t.Helper()

	var got envs.Result

	for range 20 { // on a busy machine the deadline of these tests may pass before a child is heard
		in.recent = &memo.Recent[envs.Result]{Most: recentStatements}

		got = query(t, in, "SELECT COUNT(*) >= 5 AS n FROM coffee.coffee_data")
		if !strings.HasPrefix(got.Observation, "The SQL command ran longer") {
			break
		}
	}

	if got.Observation != "n: 1" {
		t.Fatalf("after %.100s: %v %q", after, got.Outcome, got.Observation)
	}
}
