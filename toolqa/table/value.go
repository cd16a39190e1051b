package table

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

const noValue = "The value you are querying does not exist. Please modify it."

// GetValue is the tool GetValue[column_name]: it prints columns of the selected rows as a JSON object, a string for
// each column when one row is selected and an array when there are several. Column names are separated by commas; one
// named twice is printed once.
type GetValue struct{}

// Call prints the columns that the argument column_name names.
func (GetValue) Call(_ context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result, error) {
	list, ok := args.Text("column_name")
	if !ok {
		return s, envs.Result{Observation: noValue, Outcome: envs.InvocationError}, nil
	}
	view, err := viewOf(s)
	if err != nil {
		return s, envs.Result{}, envs.Fail(envs.StageTool, fmt.Sprintf("GetValue[%s]", list), err)
	}
	if view == nil {
		return s, noTable("GetValue"), nil
	}
	var columns []*corpus.Vector
	for name := range strings.SplitSeq(list, ",") {
		column := view.table.Column(pytext.Strip(name))
		if column == nil {
			return s, envs.Result{Observation: noValue, Outcome: envs.ToolError}, nil
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	return s, envs.Result{Observation: view.json(columns)}, nil
}

// json returns the object of the given columns, in the format of Python's json.dumps.
func (v *View) json(columns []*corpus.Vector) string {
	size := 2
	for _, column := range columns {
		size += 2*len(column.Name()) + 8 + v.n*(column.ItemSize()+1)
	}
	buf := append(make([]byte, 0, size), '{')
	for i, column := range columns {
		if i > 0 {
			buf = append(buf, ", "...)
		}
		buf = pytext.AppendASCII(buf, column.Name())
		buf = append(buf, ": "...)
		if v.n == 1 {
			buf = v.appendItems(buf, column)
			continue
		}
		buf = append(buf, '[')
		buf = v.appendItems(buf, column)
		buf = append(buf, ']')
	}
	return string(append(buf, '}'))
}

// appendItems appends the column's cell in every selected row, separated by a comma and a space, a run of neighbouring
// rows at a time.
func (v *View) appendItems(buf []byte, column *corpus.Vector) []byte {
	switch {
	case v.rows != nil:
		for _, row := range v.rows {
			buf = append(buf, column.Item(int(row))...)
		}
	case v.bits != nil:
		for i, word := range v.bits {
			for word != 0 {
				first := bits.TrailingZeros64(word)
				length := bits.TrailingZeros64(^(word >> first))
				buf = column.AppendItems(buf, i*64+first, i*64+first+length)
				word &^= (1<<length - 1) << first
			}
		}
	default:
		buf = column.AppendItems(buf, 0, v.n)
	}
	return bytes.TrimSuffix(buf, []byte(", "))
}
