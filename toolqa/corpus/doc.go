// Package corpus holds the data the questions are about: it imports the published files or builds a synthetic corpus
// in their format, and opens either for the tools.
//
// # Format
//
// A corpus is one SQLite file for each dataset, DIR/corpus/DATASET.sqlite, written once and read-only from then on:
//
//   - TABLE (e.g. coffee_data): the typed table, in the order of the published file. Prices are REAL, volumes INTEGER,
//     dates and names TEXT.
//   - TABLE_text (e.g. coffee_data_text): the same rows with every column as TEXT, each cell as the published tools
//     print it: a price is Python's str of the float, "124.0" and not "124". In the published coffee file that is also
//     the cell as it is written.
//   - meta: key and value, both text: format (the version of this format), dataset, source (published or synthetic),
//     source_sha256 (of the published file, or of the CSV text of the synthetic rows), content_sha256 (of the rows as
//     CSV text, whatever file they came from), rows, seed (of a synthetic corpus), tool (the program that wrote it).
//
// # Guarantees
//
//   - A [Corpus] is immutable and safe for concurrent use.
//   - A file is complete or absent: it is written under a temporary name, synced, and then renamed.
//   - The same seed and size give the same rows, and so the same content_sha256.
//   - [Open] refuses a file that is truncated, of another format version, or whose rows do not match content_sha256.
//
// # In memory
//
// A [Table] is columns of dictionary codes. The words of a dictionary are sorted, so that every comparison of strings
// is a comparison of codes with two bounds, and a filter touches four bytes a row.
//
// # Caveats
//
// Open reads all rows of a dataset into memory. The prices of the published coffee file are not always consistent (on
// some days the close lies outside low..high); they are imported as they are.
package corpus
