// Package pq maps Go structs onto Parquet columns and back.
//
// A [Column] names one column of T, says what it means, and knows how to put a field into an Arrow builder and how to
// get it back; a table is a slice of columns. [Writer] streams values into a file, [Read] streams them out.
//
// # Guarantees
//
//   - The same values give the same bytes: no clock, no host, a fixed created_by.
//   - Memory is bounded by one row group: at most 1,000 rows, cut earlier at about 32 MiB of text.
//   - Files are read alike by pyarrow, pandas, Polars, DuckDB and Hugging Face datasets: the schema root is
//     REQUIRED (arrow v15 writes REPEATED unless told, which strict readers refuse or misread), data pages
//     are of version 1, there is no stored Arrow schema, and everything inside a list is optional (v15 is
//     only known good there).
//
// # Caveats
//
// Only what rows and samples need is here: text, integers, floats, booleans, structs of those, and lists of structs. A
// value inside a list that is null where the column is not optional is an error when it is read.
package pq
