// Package corpus opens the data the questions are about for the tools. Package importer makes a
// corpus of the published files, and package synth invents one in their format.
//
// # Format
//
// A corpus is one SQLite file for each dataset, DIR/corpus/DATASET.sqlite, written once and
// read-only from then on. This is version 3 of the format:
//
//   - meta: key and value, both text: format (the version), dataset, source (published or
//     synthetic), source_sha256 (of the published file; of several, of a line for each with its
//     hash), content_sha256, rows, skipped (bad rows of the published files that were left out),
//     short (true when less was imported than is published), seed (of a synthetic corpus), tool
//     (the program that wrote it).
//   - contents: position, name, rows, sha256: a line for each table of data. The hash is that of
//     the rows as CSV text with a header, in the order of the published file. Times of day are in
//     it as they are published, all else as the tools print it. content_sha256 is the hash of the
//     only table; of several tables, of a line for each, "NAME SHA256".
//   - The typed table, under the name it has in the benchmark (agenda_data, airbnb_data,
//     coffee_data, flights_data, yelp_data), with indexes for the benchmark's queries: the rows in
//     the order of the published file, numbers as numbers, a missing value as NULL, a time of day
//     on 24 hours. Spaces in the names of columns are underscores.
//   - cells: the columns of the typed table as the table tools print them, each in a dictionary:
//     position, name, stored, width, words (the distinct cells, sorted by their bytes, each as its
//     length, a varint, and its bytes), codes (for every row the number of its word, in width
//     bytes, 1, 2 or 4, little-endian). With stored 1 it is the column as it is published, where
//     that differs: "9:00 AM".
//   - documents (agenda, scirex): id, name, content: the passages for retrieval.
//   - The other tables of scirex and dblp are described beside their declarations, in scirex.go and
//     dblp.go of internal/layout.
//   - Behind the database, where SQLite does not look: the XXH3 of each MiB of it, and a footer
//     (blocks.go there).
//
// # What the tools print
//
// The published tools read the files with pandas and print every cell as Python does. So a number
// in a column of floats, or of whole numbers of which some are missing, prints as "124.0", a
// Boolean as "True", a missing value as "nan" (in texts and objects from JSON "None"), an object as
// Python's repr of a dict, and a time of day as "09:00:00".
//
// A CSV file is read as pandas reads it: a byte-order mark and lines without text are skipped,
// a line ends in any of the three ways, a quote within a cell that does not begin with one is a
// quote. But a quote that is never closed, and a row with more or fewer cells than columns, are
// errors, which name the line; so is a missing value where the published file has none.
//
// # Guarantees
//
//   - A [Corpus] is immutable and safe for concurrent use. While it is open nothing of this program
//     replaces its file ([Claim]), as later connections would read the new one.
//   - A file is complete or absent: it is written under a temporary name, synced, and then renamed.
//   - The same seed and size give the same rows, and so the same content_sha256.
//   - [Open] refuses a file of another format version, and one of which any byte is not as it was
//     written, whatever its times say: two gigabytes that are in memory take it a second.
//   - Building and importing hold in memory the distinct cells of each column, not the rows. Codes
//     are spilled to a file beside the corpus, and indexes are sorted in SQLite's temporary folder
//     (SQLITE_TMPDIR, or /var/tmp): flights at the published size needs 1 GB there and 2.2 GB for
//     the corpus.
//
// # In memory
//
// A [Table] is columns of dictionary codes, each read when it is first asked for. The words of a
// dictionary are sorted, so that every comparison of strings is a comparison of codes with two
// bounds. The rows of each word can be looked up.
//
// # Caveats
//
// The prices of the published coffee file are not always consistent (on some days the close lies
// outside low..high); they are imported as they are. pandas' own parser of decimal numbers is off
// by one unit in the last place now and then; this one never is.
package corpus
