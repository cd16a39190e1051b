package table

import (
	"strings"

	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// separator separates the pieces of a condition.
const separator = ", "

// piece is one comparison of a condition. Its operator is empty if the text has none.
type piece struct{ column, operator, value string }

// parsePiece splits a piece at its first operator.
func parsePiece(text string) piece {
	at := strings.IndexAny(text, "<>=")
	if at < 0 {
		return piece{}
	}

	end := at + 1
	if text[at] != '=' && strings.HasPrefix(text[end:], "=") {
		end++
	}
	return piece{pytext.Strip(text[:at]), text[at:end], pytext.Strip(text[end:])}
}

// operators in the order in which the published code searches a piece for them.
var operators = [...]string{">=", "<=", ">", "<", "="}

// parsePublished splits a piece as the published code does: it takes the operators in their order,
// and a second occurrence ends the value: "a=b=c" compares a with b.
func parsePublished(text string) piece {
	for _, op := range operators {
		column, rest, found := strings.Cut(text, op)
		if !found {
			continue
		}

		value, _, _ := strings.Cut(rest, op)
		return piece{pytext.Strip(column), op, pytext.Strip(value)}
	}
	return piece{}
}

// cut returns the first piece of a condition, its text, and what follows the separator after it.
func cut(t *corpus.Table, condition string) (p piece, text, rest string, more bool, err error) {
	end := through(condition, 0)

	p = parsePiece(condition[:end])
	if p.operator == "=" {
		if end, err = valueEnd(t, p, condition, end); err != nil {
			return piece{}, condition[:end], "", false, err
		}

		p = parsePiece(condition[:end])
	}

	text, rest = condition[:end], condition[end:]
	rest, more = strings.CutPrefix(rest, separator)
	return p, text, rest, more, nil
}

// through returns where the part that starts at from ends: at the next separator, or at the end.
func through(condition string, from int) int {
	if i := strings.Index(condition[from:], separator); i >= 0 {
		return from + i
	}
	return len(condition)
}

// valueEnd returns where the value of an equality ends, whose first part ends at end. The parts
// after it that have no operator belong to it. Those whose column does not exist may: up to where
// the value is a cell of the column.
func valueEnd(t *corpus.Table, p piece, condition string, end int) (int, error) {
	column, err := t.Column(p.column)
	if err != nil || column == nil {
		return end, err
	}

	certain, doubtful := true, end
	for at := end; at < len(condition); {
		next := through(condition, at+len(separator))
		switch q := parsePiece(condition[at+len(separator) : next]); {
		case q.operator == "":
		case t.Has(q.column):
			return doubtful, nil
		default:
			certain = false
		}

		if certain {
			doubtful = next
		} else if lo, hi := column.Bounds(parsePiece(condition[:next]).value); hi > lo {
			doubtful = next
		}

		at = next
	}
	return doubtful, nil
}
