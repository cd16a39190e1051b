// Package importer reads the published files of the benchmark into corpora: CSV as pandas reads it,
// a JSON object a line, and pickled graphs, of which nothing is executed.
//
// Every row is checked. The error of a file that is truncated, or another one than was published,
// names the line and says what was expected there.
package importer
