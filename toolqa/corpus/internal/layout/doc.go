// Package layout says what a corpus file consists of: the schemas of the typed tables and their
// cells, the side tables, what a file says about itself, and the hashes of contents and of bytes.
// [Write] makes such a file, which is complete or absent. Package corpus describes the format and
// reads it.
package layout
