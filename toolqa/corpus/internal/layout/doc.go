// Package layout says what a corpus file consists of: the schemas of the typed tables and their cells, the side tables,
// what a file says of itself, and the hashes of contents and of bytes. Package corpus describes the format; it reads
// what package write writes.
package layout
