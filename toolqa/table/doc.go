// Package table holds the three tools that work on a loaded table: [LoadDB], [FilterDB] and
// [GetValue].
//
// A view is a selection of the rows of a shared read-only table. Filters accumulate from call to
// call until the next LoadDB: each one makes a new view and leaves the one before as it was, so a
// search branches from any state. A view never holds a cell. It holds row numbers or a bit for
// every row while these take little space, and otherwise its filters, from which it selects the
// rows again when they are asked for; the selections used last are kept.
//
// # Semantics
//
// Every cell is text and every comparison one of strings, by code point, as in the published tools:
// "10.0" is less than "2". The published exceptions hold:
//
//   - Distance, latitude, longitude, lat and long are compared as numbers when the value is one. A
//     missing cell is then unlike every number.
//   - start_time and end_time are compared with the value on 24 hours: "9:00 AM" is "09:00:00".
//   - categories=VALUE selects the cells that contain the value.
//
// A condition is a list of pieces separated by a comma and a space, each a column, one of >=, <=,
// >, <, =, and a value. There is no quoting. A piece without an operator continues the value of an
// equality before it, so that "NAME=Bright, Quiet room, neighbourhood=Astoria" has two pieces; so
// does one whose column does not exist, when the longer value is a cell of the column.
//
// The observations are the published ones, word for word. A failing FilterDB call leaves the
// selection as it was. The fields of [FilterDB] restore what the published code does otherwise.
//
// LoadDB reads nothing: a column is read when a filter or GetValue first names it. What GetValue
// prints ends after about a mebibyte, with " ..." in place of the rest.
//
// All tools are stateless and safe for concurrent use. They return an error when a corpus file is
// damaged, or when a [toolqa.Session] holds a table that is not of this package.
package table
