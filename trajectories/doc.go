// Package trajectories turns finished search trees into rows, keeps them in Parquet, chooses among them, and exports
// them for supervised fine-tuning (ToolEvo, section 3.3 and A.4: the trajectories a policy is trained on).
//
// # Words
//
// A trajectory is one stored root-to-leaf path. A [Row] is a trajectory that ended with the right answer,
// with its lineage: run, question and its labels, tree, node, API versions, preset, policy, seeds,
// configuration hash, and makers. A [Maker] is a program that made part of it, such as what ran its programs.
// Its key is a hash of what it did, so two trajectories that made the same calls in the same order have equal
// keys, whatever they thought. An export is a folder that a trainer reads. A [Sample] is one row as the
// trainer reads it. A [Finding] is a defect that the [Linter] found in a sample.
//
// # Guarantees
//
//   - Rows have a canonical order ([Compare]) and a schema version. The same rows give byte-identical files.
//   - Files appear whole or not at all: they are written beside their place, synced, and renamed.
//   - Writing, reading, selecting and exporting are streams: memory holds one row group or one question, not the file.
//   - A selection depends, for each question, on that question's rows, the options and the seed, never on the other
//     questions.
//   - Every exported sample has passed the linter, so LLaMA-Factory keeps every one of them and truncates none that the
//     cutoff allowed. What was dropped is counted by reason.
//   - The gold answer is in a row for people to read. It is in no export.
//
// # Caveats
//
// Model text that is not UTF-8 has U+FFFD in place of the broken bytes, for Parquet holds only UTF-8; such a trajectory
// is kept as a row and refused as a sample. Token counts are those of LLaMA-Factory 0.9.5 for the templates
// [Templates] lists, with byte-level BPE tokenizers.
//
// SCHEMA.md beside this file describes every column, and the interop folder holds the programs that prove the files
// against the real readers and the real trainer.
package trajectories
