// Package tabulate turns rows into tables: it groups them, adds them up, says how far a rate can be
// trusted, compares groups on the same questions, and writes the result for a terminal, as
// Markdown, CSV, LaTeX, JSON and HTML, and as a [Figure]: shares with their intervals, as bars or
// as lines, in panels side by side. A [File] of tables or figures goes into an output folder.
//
// # Words
//
// A [Table] says what is counted: the keys that rows are grouped by, and columns, each of which is
// a figure of a group. A [Row] has the figures of one group by name. A [View] says how rows are
// shown: which figures, which keys begin a line and which head a column. Tables and views are
// described in YAML. A stratum is a part of the rows that weighs as much as any other, however many
// rows it has (a dataset); a cluster is trials that rise and fall together (the questions of one
// template).
//
// # Guarantees
//
//   - There is one interval, that of [RateOf]. Simulated, it covers the true rate in at least 93 %
//     of the samples of 5 to 40 templates, whatever the rate and however alike the questions of a
//     template are. [DifferenceOf] combines two of them for the same questions under two
//     conditions: of 5 to 200 questions it covers the true difference in at least 95 % of the
//     samples, whatever the chances, and simulated in at least 93 % with several tries of each.
//   - The same figure gives the same bytes of SVG and PNG. Its colours can be told apart by
//     everybody (Okabe and Ito).
//   - Every test is two-sided, and nothing is random.
//   - A figure without data is missing: it is never 0.
//
// # Caveats
//
// An interval speaks of templates like those that were asked. With five of them it is wide, and
// rightly so. The paired tests treat questions as independent, and are too sure of themselves where
// a few templates make up a dataset.
package tabulate
