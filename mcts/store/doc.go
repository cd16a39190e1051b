// Package store keeps a run on disk, in one SQLite database that survives kill -9. Every model call
// is in it before the search uses its result.
//
// # Words
//
// The log holds the model calls, each keyed by question, tree, node path and number of samples
// drawn there before, and the tool results that are not a pure function of the corpus (what a
// Python program printed). Because the search is deterministic, a tree is a fold over the log:
// growing it again asks the log instead of the model, up to the point where the log ends. Finished
// trees are stored besides, as node rows, for export and viewing.
//
// # Format
//
//	meta       key, value                       format version, run id, notes of the caller, dictionary, seal
//	questions  id, name                         the numbers by which the other tables know questions
//	calls      question, tree, path, first -> n, seed, history, proposals
//	tools      key -> result
//	trees      question, tree -> record
//
// Each row but those of questions ends with a hash of all of it, which is compared whenever the row
// is read. The history of a call is a hash of what the policy was shown (envs.History.Hash).
// Proposals, results and records are columns of the fields of mcts.Proposal, envs.Result and
// mcts.TreeRecord, compressed with S2, and once the run has one with a dictionary made of its first
// rows. The seal says how many rows there were when the run was closed.
//
// A run of another format is not read (disk.FormatError).
//
// # Guarantees
//
//   - A write has returned only when it is committed. Writes that wait at the same time share one
//     commit.
//   - Nothing is written twice: a second call under the same key is an error, not an overwrite.
//   - A call found under its key with another seed or history is an error: the log belongs to
//     another search, or to a program that shows the model something else (ErrHistory). With
//     another sample count it is an answer as far as it goes, and only the rest is asked for.
//   - What is not as it was written is an error (ErrDamaged): a row with another hash, a tree that
//     no search can have grown, tables of another program, rows missing since the run was closed, a
//     missing database. To find rows that went missing from a run that was killed, Intact checks
//     SQLite's own structures.
//   - Memory does not grow with the number of questions.
//
// # Caveats
//
// The journal is a WAL without an fsync for each commit: a crash of the process loses nothing, a
// crash of the machine may lose the latest calls, which are then simply made again. One process
// writes (see Lock); others may read meanwhile. Hashes detect rot and accidents, not tampering:
// anyone who can write the file can also recompute the hashes.
package store
