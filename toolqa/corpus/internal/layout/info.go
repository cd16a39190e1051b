package layout

import (
	"path/filepath"
	"strconv"

	"toolevo/toolqa"
)

// FormatVersion is the version of the file format this package writes and reads.
const FormatVersion = 3

// Source is where the rows of a corpus come from.
type Source string

// The sources.
const (
	Published Source = "published" // imported from the published file
	Synthetic Source = "synthetic" // invented, from a seed
)

// Info is what a corpus file says about itself.
type Info struct {
	Dataset toolqa.Dataset
	Source  Source
	// of the published file; of several, of the lines of their hashes; of a synthetic corpus, its
	// content
	SourceSHA256  string
	ContentSHA256 string // of the rows as CSV text with a header; of several tables, of lines of name and hash
	Rows          int    // of the table; of a dataset without one, papers (dblp) or passages (scirex)
	Skipped       int    // bad rows of the published files that were left out
	Short         bool   // less was imported than is published: only AllowShort of an import accepts that
	Seed          uint64 // of a synthetic corpus
	Tool          string // the program that wrote the file
}

// Path returns the path of a dataset's corpus file below the data folder dir.
func Path(dir string, ds toolqa.Dataset) string {
	return filepath.Join(dir, "corpus", string(ds)+".sqlite")
}

// Pairs returns the rows of the table meta.
func (i Info) Pairs() [][2]string {
	return [][2]string{
		{"format", strconv.Itoa(FormatVersion)},
		{"dataset", string(i.Dataset)},
		{"source", string(i.Source)},
		{"source_sha256", i.SourceSHA256},
		{"content_sha256", i.ContentSHA256},
		{"rows", strconv.Itoa(i.Rows)},
		{"skipped", strconv.Itoa(i.Skipped)},
		{"short", strconv.FormatBool(i.Short)},
		{"seed", strconv.FormatUint(i.Seed, 10)},
		{"tool", i.Tool},
	}
}
