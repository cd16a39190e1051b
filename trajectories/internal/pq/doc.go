// Package pq maps Go structs onto Parquet columns and back.
//
// A [Column] names one column of a struct, and says what it means; a table is a slice of columns.
// Tables are data: [Tables] reads them from YAML, and [Bind] finds the fields of a struct for a
// table.
// [Writer] streams structs into a file, [Read] streams them out, [AppendJSON] writes one as JSON.
//
// # Guarantees
//
//   - The same values give the same bytes: no clock, no host, a fixed created_by.
//   - Memory is bounded by one row group: at most 1,000 rows, cut earlier at about 32 MiB of text.
//   - Files are read alike by pyarrow, pandas, Polars, DuckDB and Hugging Face datasets: the schema
//     root is REQUIRED (arrow writes REPEATED unless told, which strict readers refuse or misread),
//     data pages are of version 1, there is no stored Arrow schema, and everything inside a list is
//     optional (arrow is only known good there).
//
// # Caveats
//
// Only what rows and samples need is supported: text, integers, floats, booleans, structs of those,
// and lists of structs, or of values stored as JSON. These have Parquet's logical type JSON, which
// few readers know: datasets 4.7 and newer loads them as values, Polars as bytes, and datasets
// before 4.7 not at all. A null inside a list whose column is not optional is an error when it is
// read.
package pq
