package sqltool

import (
	"errors"
	"time"
)

// room is what the functions of a connection need to know of the statement that runs: when it must end.
type room struct {
	end time.Time
}

// longArguments is how many bytes the arguments of a call have that asks whether there is time left for it: a statement
// can make many calls without looking at its deadline.
const longArguments = 1 << 12

var errNoTime = errors.New("sqltool: no time left for the call")

// begin sets when the next statement must end.
func (r *room) begin(end time.Time) { r.end = end }

// enter refuses a call with long arguments after the statement's end.
func (r *room) enter(args []any) error {
	n := 0

	for _, arg := range args {
		switch v := arg.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}

	if n >= longArguments && time.Now().After(r.end) {
		return errNoTime
	}

	return nil
}
