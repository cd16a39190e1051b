// Package mirror makes the training data of models that stand in for APIs out of recorded calls, as
// MirrorAPI did (Guo et al., 2025, section 2 and appendices A to D).
//
// # Words
//
// A [Pair] is a call with the document of its API. Its [Kind] says where it is from: recorded at a
// real API, taken from a cache of calls, or written by a model after real ones (augmented). A
// rationale explains how the API of a pair works; a model that sees the answer writes it for one
// that will not. With a rationale, a pair is also a sample of the mode cot. A [Split] is a part of
// the test set: of APIs that are not trained on at all (ood), or of those with the most, a medium
// number or the fewest pairs (id).
//
// # Steps
//
// Useless calls are dropped: those of unknown APIs, failures that no request caused, repetitions. A
// [Model] may then drop pairs that do not follow their document. The test set is drawn. Models may
// write more pairs like those that are trained on, and explain some of these. [Data.Write] writes a
// folder that LLaMA-Factory reads, and a report on what was dropped and why.
//
// Before any calls are recorded, a model may write requests to send to APIs ([Model.Requests]), one
// for each API to see which work ([Model.Reach]), and queries for agents that take several APIs
// ([Model.Queries]). Models judge which queries can be solved ([CheckSolvable]). Once agents have
// played them, a [Trajectory] says whether its APIs worked.
//
// # Guarantees
//
//   - The same calls, options and texts give the same bytes, in whatever order the calls come.
//   - No API of a split ood_… is trained on, in any file, and every API of a split id_… is.
//   - No pair is in a test file and a training file.
//   - If a model's text cannot be read, the pair that it is about is lost, and counted. A failing
//     server is an error.
//
// # Caveats
//
// Published sizes are upper bounds: with few calls, at most a tenth of the APIs, and of the pairs
// of an id split, is drawn.
package mirror
