package table

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

const noValue = "The value you are querying does not exist. Please modify it."

// maxValue is about how many bytes GetValue prints: from there on it ends the text with an
// ellipsis, whatever is open. The words of a cell's text and of its neighbours are far more than an
// environment shows.
const maxValue = 1 << 20

// GetValue is the tool GetValue[column_name]: it prints columns of the selected rows as a JSON
// object, a string for each column when one row is selected and an array when there are several.
// Column names are separated by commas; one named twice is printed once.
type GetValue struct{}

// Call prints the columns that the argument column_name names.
func (GetValue) Call(_ context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result, error) {
	list, ok := args.Text("column_name")

	view, err := viewOf(s)
	if err != nil {
		return s, envs.Result{}, envs.Fail(envs.StageTool, fmt.Sprintf("GetValue[%s]", list), err)
	}

	if view == nil {
		return s, noTable("GetValue"), nil
	}

	if !ok {
		return s, envs.Result{Observation: noValue, Outcome: envs.InvocationError}, nil
	}

	// All names before any column: if one is wrong, nothing needs to be read from the file.
	var names []string

	for name := range strings.SplitSeq(list, ",") {
		name = pytext.Strip(name)
		if !view.source.table.Has(name) {
			return s, envs.Result{Observation: noValue, Outcome: envs.ToolError}, nil
		}

		// A name that occurs twice is one key, as in a Python dict.
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}

	columns := make([]*corpus.Vector, len(names))
	for i, name := range names {
		if columns[i], err = view.source.table.Column(name); err != nil {
			return s, envs.Result{}, envs.Fail(envs.StageTool, fmt.Sprintf("GetValue[%s]", list), err)
		}
	}

	return s, envs.Result{Observation: view.json(columns)}, nil
}

// json returns the object of the given columns, in the format of Python's json.dumps.
func (v *tableView) json(columns []*corpus.Vector) string {
	size := 2
	for _, column := range columns {
		size += 2*len(column.Name()) + 8 + v.n*(column.ItemSize()+1)
	}

	selected := v.selection()

	// Room for all of it, so that nothing is moved, but no more than is ever printed.
	buf := append(make([]byte, 0, min(size, maxValue+maxValue/4)), '{')

	for i, column := range columns {
		if i > 0 {
			buf = append(buf, ", "...)
		}

		buf = pytext.AppendASCII(buf, column.Name())

		buf = append(buf, ": "...)
		if v.n > 1 {
			buf = append(buf, '[')
		}

		// As published, the cells of a cast column are numbers only in a list.
		var whole bool
		if v.n > 1 && v.cast.has(column.Name()) {
			buf, whole = appendItems(buf, selected,
				func(buf []byte, first, end int) []byte { return appendNumbers(buf, column, first, end) })
		} else {
			buf, whole = appendItems(buf, selected, column.AppendItems)
		}

		if !whole {
			return string(append(buf, " ..."...))
		}

		if v.n > 1 {
			buf = append(buf, ']')
		}
	}
	return string(append(buf, '}'))
}

// appendItems appends what add does for every run of the selected rows, without the last comma and
// space, and reports whether all of it found room.
func appendItems(buf []byte, selected *selection, add func(buf []byte, first, end int) []byte) (_ []byte, whole bool) {
	whole = true

	for first, end := range selected.runs {
		if len(buf) > maxValue {
			whole = false
			break
		}

		buf = add(buf, first, end)
	}
	return bytes.TrimSuffix(buf, []byte(", ")), whole
}

// appendNumbers appends the cells of the rows from first up to end as json.dumps prints floats,
// each with a comma and a space after it.
func appendNumbers(buf []byte, column *corpus.Vector, first, end int) []byte {
	for row := first; row < end; row++ {
		if f, ok := column.Number(row); ok {
			buf = pytext.AppendFloat(buf, f)
		} else {
			buf = append(buf, "NaN"...)
		}

		buf = append(buf, ", "...)
	}
	return buf
}
