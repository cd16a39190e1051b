// Package mirror makes the training data of models that stand in for APIs out of recorded calls, as
// MirrorAPI did (Guo et al., 2025, section 2 and appendices A to D).
//
// # Words
//
// A [Pair] is a call with the document of its API. Its [Kind] says where it is from: recorded at a
// real API, taken from a cache of calls, or written by a model after real ones (augmented). A
// rationale is how the API of a pair works, as a model explains it that sees the answer to one that
// will not; with one, a pair is also a sample of the mode cot. A [Split] is a part of the test set:
// of APIs that are not trained on at all (ood), or of those with the most, a medium number or the
// fewest pairs (id).
//
// # Steps
//
// What is of no use is dropped: calls of unknown APIs, failures that no request caused,
// repetitions. A [Model] may then drop pairs that do not follow their document, and write more
// pairs. The test set is drawn. A model may explain pairs that are trained on. [Data.Write] writes
// a folder that LLaMA-Factory reads, and what was dropped and why.
//
// Before there are calls, a model may write requests to send to APIs ([Model.Requests]), one of
// each to see which work ([Model.Reach]), and queries for agents that take several
// ([Model.Queries]). Models say which queries can be solved ([CheckSolvable]). Once agents have
// played them, a [Trajectory] says whether the APIs in it worked.
//
// # Guarantees
//
//   - The same calls, options and texts give the same bytes, in whatever order the calls come.
//   - No API of a split ood_… is trained on, in any file, and every API of a split id_… is.
//   - No pair is in a test file and a training file.
//   - A model's text that cannot be read costs the pair that it is about, and is counted. A server
//     that fails is an error.
//
// # Caveats
//
// Published sizes are upper bounds: of few calls, a tenth of the APIs, and of the pairs of an id
// split, is drawn at most.
package mirror
