// Package training fine-tunes a model on exports and other datasets, with LLaMA-Factory.
//
// # Words
//
// A [Recipe] says how a kind of model is trained: LLaMA-Factory's arguments, the format of the
// exports that they suit, and how many samples make an update. A [Plan] is a recipe for its
// [Source]s, one model and one machine: everything that LLaMA-Factory reads. A training happens in
// a folder of its own, and is whatever is in it:
//
//	train.yaml        LLaMA-Factory's arguments
//	dataset_info.json of a mixture: its datasets, with absolute names of files
//	train.log         what LLaMA-Factory printed, in all attempts
//	weights/          its output: the last weights, and a [Checkpoint] for every time it saved
//	merged/           checkpoints of adapters, merged into their base model
//	dev/              evaluations of checkpoints, by which one is chosen
//	model             a link to the weights that are to be served
//
// # Guarantees
//
//   - A mixture loses no sample under LLaMA-Factory, whatever the weights. TRL leaves out those
//     that exceed a share.
//   - An interrupted training resumes from its last whole checkpoint; one that was being written is
//     removed. That of a reward model begins anew.
//   - A folder holds one training: a plan that differs from the one that began there is rejected.
//   - The weights that the link points to are whole, and an origin beside them (package checkpoint)
//     says what they were trained on.
//
// # Caveats
//
// Optimizer states, which are many times larger than weights, are kept for the newest checkpoint
// only (with load_best_model_at_end for the best one, too), and for none once the training is over.
// A recipe that saves weights alone (save_only_model) begins anew after an interruption.
package training
