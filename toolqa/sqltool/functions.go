package sqltool

import (
	"fmt"
	"maps"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// function is a function of MySQL that SQLite lacks, or has with another meaning. It depends on its
// arguments only.
type function struct {
	least, most int // how many arguments it takes

	// null says that the function is called with NULLs. The value of all others is NULL if one of
	// the arguments is.
	null bool

	call func(args []any) (any, error) // of and to SQL values; an error is one of the statement
}

// The numbers of arguments of a function.
func takes(n int, call func(args []any) any) function { return takesTo(n, n, call) }

func takesTo(least, most int, call func(args []any) any) function {
	return function{least: least, most: most, call: func(args []any) (any, error) { return call(args), nil }}
}

// many is how many arguments a function may have at most (see limits).
const many = 50

// functionsOf returns the functions of a connection, by their names in lower case.
func functionsOf(p *patterns) map[string]function {
	all := map[string]function{}
	for _, group := range []map[string]function{numberFunctions(), textFunctions(), dateParts(), dateArithmetic(),
		p.functions(), {"compare_values": takes(2, compareValues)}} {
		maps.Copy(all, group)
	}

	return all
}

// registerFunctions adds the functions of MySQL to a connection.
func registerFunctions(c *sqlite3.SQLiteConn) error {
	for name, f := range functionsOf(&patterns{}) {
		call := func(args ...any) (any, error) {
			if len(args) < f.least || len(args) > f.most {
				return nil, fmt.Errorf("sqltool: %s with %d arguments", name, len(args))
			}

			for _, arg := range sqlValues(args) {
				if arg == nil && !f.null {
					return nil, nil
				}
			}

			return f.call(args)
		}
		if err := c.RegisterFunc(name, call, true); err != nil {
			return fmt.Errorf("register %s: %w", name, err)
		}
	}

	return nil
}

// native lists the functions of SQLite that a statement may call: those whose value depends on
// nothing but their arguments.
const native = `
	abs avg char char_length coalesce concat_ws count glob group_concat hex if ifnull iif instr length like likelihood likely
	lower ltrim max median min nullif octet_length printf quote replace round rtrim sign string_agg substr substring sum
	total trim typeof unicode unlikely upper
	cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
`

// allowed returns the names of all functions that a statement may call, in lower case.
func allowed() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(native + "concat_distinct") {
		set[name] = true
	}

	for name := range spreads {
		set[name] = true
	}

	for name := range dateFunctions {
		set[name] = true
	}

	for name := range functionsOf(nil) {
		set[name] = true
	}
	return set
}
