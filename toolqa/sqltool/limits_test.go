package sqltool

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"toolevo/envs"
	"toolevo/envs/sandbox/worker"
	"toolevo/toolqa"
)

// No function panics, whatever its arguments, or makes more than a few times the longest text.
func TestExtremeArguments(t *testing.T) {
	long := strings.Repeat("7é", 5000)
	few := []any{nil, int64(math.MaxInt64), int64(math.MinInt64), -1e308, "9999-12-31", "year", "\xff", long}
	many := append([]any{int64(0), int64(-1), 1e308, 5e-324, math.Inf(1), math.Inf(-1), "", "-", "%",
		"2022-01-14 09:00:00", "%Y-%m-%d %T"}, few...)

	for name, f := range functionsOf(&patterns{}) {
		for n := f.least; n <= min(f.most, 3); n++ {
			values := many
			if n == 3 {
				values = few
			}

			args := make([]any, n)
			for i := range int(math.Pow(float64(len(values)), float64(n))) {
				null := false

				for at, rest := 0, i; at < n; at, rest = at+1, rest/len(values) {
					args[at] = values[rest%len(values)]
					null = null || args[at] == nil
				}

				if null && !f.null {
					continue
				}

				v, err := f.call(append([]any(nil), args...))
				if s, ok := v.(string); ok && err == nil && len(s) > 8*maxText {
					t.Errorf("%s of %d arguments, number %d: a text of %d bytes", name, n, i, len(s))
				}
			}
		}
	}
}

// A statement that takes too much is stopped, says so, and is remembered: another day it might be
// just within the limit.
func TestLargeStatementsAreRemembered(t *testing.T) {
	const sorted = ones + "SELECT count(*) n FROM (SELECT i, printf('%2000d', i) t FROM n LIMIT 4000) GROUP BY t " +
		"ORDER BY -i LIMIT 1"
	for _, tt := range []struct {
		opts       Options
		sql, want  string
		remembered bool
	}{
		{Options{MaxSpill: 1 << 20}, sorted, "The SQL command took more than 1 MiB for sorting and grouping and " +
			"was stopped. Please modify it.", true},
		{Options{MaxSpill: 10 << 20}, sorted, "n: 1", true},
		{Options{MaxSpill: 1 << 30}, sorted, "n: 1", false},
		{Options{MaxMemory: 100_000}, "SELECT length(printf('%250000d', 1)) AS n",
			"The SQL command took more than 100000 bytes of memory and was stopped. Please modify it.", true},
		{Options{MaxMemory: 400_000}, "SELECT length(printf('%250000d', 1)) AS n", "n: 250000", true},
		{Options{MaxMemory: 4 << 20}, "SELECT length(printf('%250000d', 1)) AS n", "n: 250000", false},
	} {
		m := &memory{results: map[string]envs.Result{}}
		tt.opts.Timeout = 10 * time.Minute

		in := interpreter(t, tt.opts, small(t)).WithMemory(m)
		if got := query(t, in, tt.sql); got.Observation != tt.want || (len(m.results) == 1) != tt.remembered {
			t.Errorf("%+v: %q, %d remembered; want %q, remembered %v", tt.opts, got.Observation, len(m.results),
				tt.want, tt.remembered)
		}
	}
}

// A statement that nobody waits for any more ends, whether its caller or the tool is told to.
func TestCancelled(t *testing.T) {
	in := interpreter(t, Options{Timeout: time.Hour, Conns: 1}, small(t))
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)

		go func() {
			_, _, err := in.Call(ctx, toolqa.Session{}, envs.Args{{Name: "SQL", Value: ones + "SELECT max(i) FROM n"}})
			done <- err
		}()

		cancel()

		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatalf("%v", err)
		}

		unharmed(t, in, "a cancelled statement")
	}

	in = interpreter(t, Options{Conns: 1}, small(t))
	if err := errors.Join(in.Close(), in.Close()); err != nil {
		t.Fatal(err)
	}

	if _, _, err := in.Call(t.Context(), toolqa.Session{}, envs.Args{{Name: "SQL", Value: "SELECT 1"}}); !errors.Is(err,
		worker.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// Who is to blame for an error of SQLite.
func TestProblems(t *testing.T) {
	nomem := sqlite3.Error{Code: sqlite3.ErrNomem}

	for _, tt := range []struct {
		budget budget
		err    error
		want   problem
	}{
		{budget{}, sqlite3.Error{Code: sqlite3.ErrCorrupt}, damaged},
		{budget{}, fmt.Errorf("read: %w", sqlite3.Error{Code: sqlite3.ErrIoErr}), damaged},
		{budget{}, sqlite3.Error{Code: sqlite3.ErrFull}, damaged},
		{budget{}, nomem, large},
		{budget{}, fmt.Errorf("%w: %w", errPrepare, nomem), wrong}, // the program was too long
		{budget{over: true}, sqlite3.Error{Code: sqlite3.ErrError}, large},
		{budget{}, sqlite3.Error{Code: sqlite3.ErrError}, wrong},
		{budget{}, sqlite3.Error{Code: sqlite3.ErrTooBig}, wrong},
		{budget{}, sqlite3.Error{Code: sqlite3.ErrAuth}, wrong},
		{budget{}, errCut, cut},
		{budget{}, nil, none},
	} {
		c := &conn{budget: &tt.budget}
		if got := c.problem(tt.err); got != tt.want {
			t.Errorf("%#v: %v, want %v", tt.err, got, tt.want)
		}
	}
}
