// Package report writes what evaluations and collections found as one HTML page for people: it
// opens from disk, needs no network and no script, fits a phone, and prints.
//
// # Words
//
// A Page is the contents of a report. Its figures are those of finetune.Report, and those of the
// packages facts and robustness: nothing is computed here. Its tables are those of package
// tabulate, which draws an interval as a line with a dot at the estimate, on an axis from 0 to 100
// percent.
//
// # Guarantees
//
//   - What models, tools and users wrote is shown as text, invisible characters as escapes.
//   - The same contents give the same bytes.
//
// # Caveats
//
// What is drawn is part of the page and has no file of its own: `analyze` and `eval compare
// --format latex` make those for a paper. Changes of one factor are drawn only when every policy
// was measured under the original, too.
package report
