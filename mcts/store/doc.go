// Package store is a run on disk: one SQLite database that survives kill -9, in which every model call stands before
// the search uses it.
//
// # Words
//
// The log holds the model calls, each keyed by question, tree, node path and number of samples drawn there before, and
// the tool results that are not a pure function of the corpus (what a Python program printed). Because the search is
// deterministic, a tree is a fold over the log: growing it again asks the log instead of the model, up to the point
// where the log ends. Finished trees are stored besides, as node rows, for export and viewing.
//
// # Format
//
//	meta   key, value                            format version, run id, what the user of the store notes (e.g. the questions)
//	calls  question, tree, path, first -> n, seed, proposals (JSON)
//	tools  key -> observation, outcome
//	trees  question, tree -> seed, simulations, idle, calls, samples
//	nodes  question, tree, id -> the fields of mcts.Record
//
// # Guarantees
//
//   - A write has returned only when it is committed. Writes that wait at the same time share one commit.
//   - Nothing is written twice: a second call under the same key is an error, not an overwrite.
//   - A call found under its key with another seed or sample count is an error: the log belongs to another search.
//
// # Caveats
//
// The journal is a WAL without an fsync for each commit: a crash of the process loses nothing, a crash of the machine
// may lose the latest calls, which are then simply made again. One process writes (see Lock); others may read meanwhile.
package store
