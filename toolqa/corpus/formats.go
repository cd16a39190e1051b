package corpus

import (
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// What corpora consist of.
type (
	// Schema describes the table of a dataset.
	Schema = layout.Schema
	// Kind is the type of a column's cells.
	Kind = layout.Kind
	// Info is what a corpus file says about itself.
	Info = layout.Info
)

// The kinds of columns whose cells are not texts, and the sources of corpora.
const (
	Real      = layout.Real
	Integer   = layout.Integer
	Bool      = layout.Bool
	Published = layout.Published
	Synthetic = layout.Synthetic
)

// ErrDamaged is wrapped by the errors of files that are not as they were written.
var ErrDamaged = layout.ErrDamaged

// SchemaOf returns the schema of a dataset's table, or an error when the dataset has no table.
func SchemaOf(ds toolqa.Dataset) (Schema, error) { return layout.SchemaOf(ds) }

// Path returns the path of a dataset's corpus file below the data folder dir.
func Path(dir string, ds toolqa.Dataset) string { return layout.Path(dir, ds) }
