// Package stored reads what runs hold, for every command that looks at one, and writes what they
// note about themselves: the questions, the API versions and the engines of a run, its
// trajectories and episodes, and its report.
//
// # Words
//
// What a run notes is in its database, so that it can be read without the data folder, the
// files of versions or the engine that it was made with. The rows of a collection are its correct
// trajectories; an evaluation has episodes, and a report on them.
//
// # Guarantees
//
//   - Nothing here asks a model or runs a program.
//   - A file of rows that a run ended with is never replaced by a different one, unless the run was
//     extended.
package stored
