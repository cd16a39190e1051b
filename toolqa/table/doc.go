// Package table holds the three tools that work on a loaded table: [LoadDB], [FilterDB] and [GetValue].
//
// A [View] is a selection of the rows of a shared read-only table. Filters accumulate from call to call until the next
// LoadDB: each one makes a new View and leaves the one before as it was, so a search branches from any state. A View
// holds one bit for every row of its table, or a list of row numbers where that is shorter, and never a cell.
//
// # Semantics
//
// Every cell is text and every comparison one of strings, by code point, as in the published tools: "10.0" is less
// than "2". A condition is a list of pieces separated by a comma and a space, each a column, one of >=, <=, >, <, =,
// and a value. There is no quoting: a value cannot hold a comma followed by a space.
//
// The observations are the published ones, word for word. A failing FilterDB call leaves the selection as it was; see
// [FilterDB.Partial] for the published behaviour.
//
// All tools are stateless, safe for concurrent use, and return an error only when a [toolqa.Session] holds a table that
// is not of this package.
package table
