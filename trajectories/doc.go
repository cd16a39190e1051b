// Package trajectories turns finished search trees into rows and keeps them in Parquet (ToolEvo,
// section 3.3 and A.4: the trajectories a policy is trained on). Package export chooses among them
// and writes training data.
//
// # Words
//
// A trajectory is one stored root-to-leaf path. A [Row] is a trajectory with its lineage: run,
// question and its labels, tree, node, API versions, preset, policy, seeds, configuration hash, and
// makers. A file has those that ended with the right answer; [Ended] gives the failed ones of a
// tree, too. A [Maker] is a program that made part of a trajectory, such as the engine that ran its
// programs. The [Key] of a trajectory is a hash of its actions: two trajectories that made the same
// calls in the same order have equal keys, whatever they thought.
//
// # Guarantees
//
//   - Rows have a canonical order ([Compare]) and a schema version. The same rows give
//     byte-identical files.
//   - Files appear whole or not at all: they are written beside their place, synced, and renamed.
//   - Writing and reading are streams: memory holds one row group, not the file.
//   - The gold answer is in a row for people to read. It is in no export.
//
// # Caveats
//
// Model text that is not UTF-8 has U+FFFD in place of the broken bytes, as Parquet holds only
// UTF-8; such a trajectory is kept as a row and refused as a sample.
//
// SCHEMA.md beside this file describes every column, and the interop folder holds the programs that
// prove the files against the real readers and the real trainer.
package trajectories
