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
	var b strings.Builder
	b.Grow(size)
	var name [64]byte
	b.WriteByte('{')
	for i, column := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.Write(pytext.AppendASCII(name[:0], column.Name()))
		b.WriteString(": ")
		if v.n == 1 {
			v.writeItems(&b, column)
			continue
		}
		b.WriteByte('[')
		v.writeItems(&b, column)
		b.WriteByte(']')
	}
	b.WriteByte('}')
	return b.String()
}

// writeItems writes the column's cell in every selected row, separated by a comma and a space. Each kind of view has its
// own loop: a call for each row, as each makes it, takes longer than the cell.
func (v *View) writeItems(b *strings.Builder, column *corpus.Vector) {
	var room [1024]byte
	buf := room[:0]
	switch {
	case v.rows != nil:
		for _, row := range v.rows {
			buf = gather(b, buf, column.Item(int(row)))
		}
	case v.bits != nil:
		for i, word := range v.bits {
			for ; word != 0; word &= word - 1 {
				buf = gather(b, buf, column.Item(i*64+bits.TrailingZeros64(word)))
			}
		}
	default:
		for row := range v.n {
			buf = gather(b, buf, column.Item(row))
		}
	}
	b.Write(bytes.TrimSuffix(buf, []byte(", ")))
}

// gather appends an item to buf, which it writes first when the item does not fit: a Builder takes longer to accept an
// item than to copy it.
func gather(b *strings.Builder, buf []byte, item string) []byte {
	if len(buf)+len(item) > cap(buf) {
		b.Write(buf)
		buf = buf[:0]
	}
	return append(buf, item...)
}
