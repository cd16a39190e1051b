package sqltool

import (
	"strings"

	"github.com/mattn/go-sqlite3"
)

// limits bound what a statement can ask for (sqlite3_limit).
var limits = map[int]int{
	sqlite3.SQLITE_LIMIT_ATTACHED:            0,
	sqlite3.SQLITE_LIMIT_LENGTH:              1 << 20, // of a text or a row
	sqlite3.SQLITE_LIMIT_SQL_LENGTH:          1 << 17,
	sqlite3.SQLITE_LIMIT_COLUMN:              500,
	sqlite3.SQLITE_LIMIT_EXPR_DEPTH:          200,
	sqlite3.SQLITE_LIMIT_COMPOUND_SELECT:     50,
	sqlite3.SQLITE_LIMIT_VDBE_OP:             250_000,
	sqlite3.SQLITE_LIMIT_FUNCTION_ARG:        100,
	sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
	sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER:     0,
	sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
}

// recursive is SQLITE_RECURSIVE, which the driver does not name.
const recursive = 33

// functions lists the SQL functions a statement may call: those whose value depends on nothing but their arguments.
var functions = func() map[string]bool {
	const names = `
		abs avg ceil ceiling char char_length coalesce concat concat_ws count format floor glob group_concat hex if ifnull
		iif instr length like likelihood likely lower ltrim max median min mod nullif octet_length pi pow power printf
		quote replace round rtrim sign sqrt string_agg substr substring sum total trim trunc typeof unicode unlikely upper
		cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
		date datetime julianday strftime time timediff unixepoch
		year month day dayofmonth datediff left right`
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}()

// authorizer returns the callback SQLite asks about every step of a statement it prepares. Visible maps the tables that
// may be read to their schemas, all in lower case. Names may arrive as the statement writes them, and without a schema
// when it names none.
func authorizer(visible map[string]string) func(op int, arg1, arg2, schema string) int {
	return func(op int, arg1, arg2, schema string) int {
		ok := false
		switch op {
		case sqlite3.SQLITE_SELECT, recursive:
			ok = true
		case sqlite3.SQLITE_READ:
			var in string
			in, ok = visible[strings.ToLower(arg1)]
			ok = ok && (schema == "" || strings.EqualFold(schema, in))
		case sqlite3.SQLITE_FUNCTION:
			ok = functions[strings.ToLower(arg2)]
		}
		if !ok {
			return sqlite3.SQLITE_DENY
		}
		return sqlite3.SQLITE_OK
	}
}
