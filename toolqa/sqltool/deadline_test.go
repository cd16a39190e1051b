package sqltool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"toolevo/envs"
	"toolevo/envs/sandbox/worker"
)

// ones is an endless series of rows.
const ones = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) "

// repeated returns n times a text, numbered where it says %d.
func repeated(n int, text, sep string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(text, "%d", fmt.Sprint(i))
	}
	return strings.Join(parts, sep)
}

// slow are statements that run forever or for very long. Many of them do so within a step of
// SQLite, in which it does not look at the deadline.
var slow = []struct{ what, sql string }{
	{"endless recursion", ones + "SELECT max(i) FROM n"},
	{"endless recursion without duplicates", "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i+1 FROM n) SELECT " +
		"max(i) FROM n"},
	{"endless queue of long rows", "WITH RECURSIVE n(i, t) AS (SELECT 1, printf('%.*c', 250000, 'a') UNION ALL " +
		"SELECT i+1, t FROM n UNION ALL SELECT i+2, t FROM n) SELECT max(i) FROM n"},
	{"join of 10^14 rows", "SELECT count(*) FROM coffee.coffee_data" + letters(20)},
	{"sort of 20 million rows", "SELECT i FROM (" + ones + "SELECT i FROM n LIMIT 20000000) ORDER BY -i"},
	{"sort of long rows", "SELECT i FROM (" + ones + "SELECT i, printf('%.*c', 9000, i) t FROM n LIMIT 2000000) " +
		"ORDER BY t, -i"},
	{"10 million groups", "SELECT count(*) FROM (SELECT i%9999991 g, count(*) FROM (" + ones +
		"SELECT i FROM n LIMIT 20000000) GROUP BY g)"},
	{"20 million distinct values", "SELECT count(DISTINCT i*7) FROM (" + ones + "SELECT i FROM n LIMIT 20000000)"},
	{"window over 20 million rows", "SELECT max(s) FROM (SELECT sum(i) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED " +
		"PRECEDING AND UNBOUNDED FOLLOWING) s FROM (" + ones + "SELECT i FROM n LIMIT 20000000))"},
	{"window of texts", "SELECT max(length(s)) FROM (SELECT group_concat(i) OVER (ORDER BY i ROWS 20000 " +
		"PRECEDING) s FROM (" + ones + "SELECT i FROM n LIMIT 20000000))"},
	{"UNION of 18 million rows", "SELECT count(*) FROM (SELECT i FROM (" + ones + "SELECT i FROM n LIMIT 9000000) " +
		"UNION SELECT -i FROM (" + ones + "SELECT i FROM n LIMIT 9000000))"},
	{"IN of 20 million values", "SELECT count(*) FROM coffee_data WHERE Volume IN (SELECT i*3 FROM (" + ones +
		"SELECT i FROM n LIMIT 20000000))"},
	{"LIKE in long texts", "SELECT " + repeated(400, "a LIKE '%'||b||%d", ",") + texts8000},
	{"GLOB in long texts", "SELECT " + repeated(400, "a GLOB '*'||replace(b,'_','?')||%d", ",") + texts8000},
	{"INSTR in long texts", "SELECT " + repeated(450, "instr(c||'%d',d||'%d')", ",") + texts8000},
	{"REPLACE in long texts", "SELECT " + repeated(400, "length(replace(c||'%d',d||'%d',''))", ",") + texts8000},
	{"TRIM of long texts", "SELECT " + repeated(450, "length(trim(a||'%d',e))", ",") + texts8000},
	{"REGEXP in long texts", "SELECT " + repeated(250, "substr(a,%d) REGEXP '(a?){30}(a|b)*c{40}'", ",") + texts8000},
	{"numbers of 250,000 digits", "SELECT " + repeated(490, "t+t+t+t+t+t+t+%d", ",") +
		" FROM (SELECT printf('%.*c', 250000, '7') t)"},
	{"functions of long texts", "SELECT " + repeated(350, "length(REVERSE(LPAD(t,240000,'x%d')))", ",") +
		" FROM (SELECT printf('%.*c', 100000, 'a') t)"},
	{"printf of long texts", ones + "SELECT max(length(printf('%250000d', i))) FROM n"},
	{"function of each row", ones + "SELECT max(LENGTH(REPEAT('ab', 60000 + i % 2))) FROM n"},
	{"date function of each row", ones + "SELECT max(date('2000-01-01', '+' || i % 100000 || ' days')) FROM n"},
	{"long rows", "SELECT printf('%250000d', i) FROM (" + ones + "SELECT i FROM n)"},
	{"preparing a join with many conditions", "SELECT count(*) FROM " + repeated(60, "coffee_data t%d", ",") +
		" WHERE " + repeated(59, "t%d.Date=t59.Date", " AND ") + " AND (" +
		repeated(150, "t1.Open=%d AND t2.Low=t3.Low", " OR ") + ") AND (" +
		repeated(150, "t4.Open=%d AND t5.Low=t6.Low", " OR ") + ")"},
	{"translating", "SELECT 1" + strings.Repeat(" + INTERVAL 1", 1200) + " DAY"},
	{"translating remainders", "SELECT CASE WHEN 1 THEN 1 END" + strings.Repeat("%(a%1)", 2300)},
	{"translating calls", "SELECT " + strings.Repeat("cast(", 2300) + "1" + strings.Repeat(")", 2300)},
}

// texts8000 are texts of thousands of characters that are nearly found in each other.
const texts8000 = " FROM (SELECT printf('%.*c', 8000, 'a') a, 'a' || replace(printf('%.*c', 900, 'a'), 'a', '_') " +
	"|| 'b' b," +
	" printf('%.*c', 16000, 'a') c, printf('%.*c', 500, 'a') || 'b' d, printf('%.*c', 900, 'b') || 'a' e)"

// TestDeadline shows that a statement ends at its deadline whatever it does, and that the next
// runs. It looks at the processor time of this process and of the children that have ended, of
// which a busy machine gives no more. With TOOLEVO_SQL_DEADLINE=1 it prints how long each took, and
// asks for 50 ms, on a machine that does nothing else.
func TestDeadline(t *testing.T) {
	const deadline = 100 * time.Millisecond
	most := 10 * deadline

	exact := os.Getenv("TOOLEVO_SQL_DEADLINE") != ""
	if exact {
		most = deadline + 50*time.Millisecond
	}

	in := interpreter(t, Options{Timeout: deadline, Conns: 1}, synthetic(t))
	table := tabwriter.NewWriter(t.Output(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "statement\tended after\tobservation")

	for _, tt := range slow {
		start, used := time.Now(), processorTime(t)
		got := query(t, in, tt.sql)

		took := processorTime(t) - used
		if exact {
			took = time.Since(start)
		}

		fmt.Fprintf(table, "%s\t%v\t%.40q\n", tt.what, took.Round(time.Millisecond), got.Observation)

		if took > most {
			t.Errorf("%s: ended after %v", tt.what, took)
		}

		unharmed(t, in, tt.what)
	}

	if exact {
		table.Flush()
	}
}

// processorTime is what this process and its children that have ended have used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()

	var sum time.Duration

	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if err := syscall.Getrusage(who, &r); err != nil {
			t.Fatal(err)
		}

		sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	return sum
}

// TestAggregatesWithoutMemory ends statements while SQLite asks for the state of an aggregate: it
// is refused, and must do without.
func TestAggregatesWithoutMemory(t *testing.T) {
	for _, tt := range []struct {
		call   string
		memory int64 // SQLite can prepare the statement in it, and not run it
	}{{"STD(i+%d)", 250_000}, {"GROUP_CONCAT(DISTINCT i+%d SEPARATOR ',')", 500_000}} {
		sql := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 20000) SELECT " +
			repeated(200, tt.call, ",") + " FROM n GROUP BY i"

		for why, o := range map[string]Options{
			"The SQL command ran longer than": {Timeout: 60 * time.Millisecond, Conns: 1},
			"The SQL command took more than":  {Timeout: time.Minute, MaxMemory: tt.memory, Conns: 1},
		} {
			in := interpreter(t, o)
			for range 3 {
				if got := query(t, in, sql); !strings.HasPrefix(got.Observation, why) {
					t.Errorf("%s: %v %.200q, want %q", tt.call, got.Outcome, got.Observation, why)
				}
			}
		}
	}
}

// TestCancelledAtOnce cancels statements when they may not have begun: none goes on.
func TestCancelledAtOnce(t *testing.T) {
	in := interpreter(t, Options{Timeout: 10 * time.Minute, Conns: 1})
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()

		if _, _, _, err := in.run(ctx, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT "+
			"MAX(i) FROM n"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
}

// Close waits for a statement that runs, which ends at its deadline.
func TestCloseWaits(t *testing.T) {
	in := interpreter(t, Options{Timeout: 100 * time.Millisecond, Conns: 3})
	began, done := make(chan struct{}), make(chan envs.Result, 1)

	go func() {
		close(began)

		v, _, _, err := in.run(t.Context(), ones+"SELECT max(i) FROM n")
		if err != nil && !errors.Is(err, worker.ErrClosed) || err == nil && v.Problem != late {
			t.Errorf("%+v, %v", v, err)
		}

		done <- envs.Result{}
	}()

	<-began

	if err := errors.Join(in.Close(), in.Close()); err != nil {
		t.Error(err)
	}

	<-done
}
