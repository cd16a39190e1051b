package pq

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// noID marks a node of a schema without a number.
const noID = -1

// optional reports whether values of a column at a position may be missing in Parquet's schema, as
// all structs and lists may, and all within them.
func (c *Column) optional(at position) bool {
	return at.def > 0 || c.Optional || c.Kind == Struct || c.Kind == List
}

// nodes returns the schema of the columns at a position.
func nodes(columns []Column, at position) schema.FieldList {
	fields := make(schema.FieldList, len(columns))
	for i := range columns {
		fields[i] = columns[i].node(at)
	}
	return fields
}

// node returns the schema of a column at a position. An element of a list is as optional as the
// list is.
func (c *Column) node(at position) (node schema.Node) {
	repetition := parquet.Repetitions.Required
	if c.optional(at) {
		repetition = parquet.Repetitions.Optional
	}

	if c.Fields != nil {
		within := nodes(c.Fields, at.within(c.Name, 1, 0))
		node = schema.Must(schema.NewGroupNode(c.Name, repetition, within, noID))
	} else {
		leaf := leaves[c.Kind]
		if c.element != nil {
			leaf = leaves[c.element.Kind]
		}

		node = schema.Must(schema.NewPrimitiveNodeLogical(c.Name, repetition,
			leaf.logical, leaf.physical, 0, noID))
	}

	if c.Kind == List {
		node = schema.Must(schema.ListOfWithName(c.Name, node, repetition, noID))
	}
	return node
}

// leaves maps kinds without fields to Parquet's types. List is that of an element stored as JSON:
// readers that know the logical type decode it.
var leaves = map[Kind]struct {
	physical parquet.Type
	logical  schema.LogicalType
}{
	Text:  {parquet.Types.ByteArray, schema.StringLogicalType{}},
	List:  {parquet.Types.ByteArray, schema.JSONLogicalType{}},
	Int:   {parquet.Types.Int64, schema.NewIntLogicalType(64, true)},
	Uint:  {parquet.Types.Int64, schema.NewIntLogicalType(64, false)},
	Float: {parquet.Types.Double, schema.NoLogicalType{}},
	Bool:  {parquet.Types.Boolean, schema.NoLogicalType{}},
}
