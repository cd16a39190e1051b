// Package virtual answers calls of ToolBench's APIs in their place (StableToolBench; MirrorAPI,
// sections 3 and 4).
//
// # Words
//
// A simulator is a language model, or a script, that answers for an API. A [Mode] is how a model is
// asked: sft gets the document and the request, cot explains how the API works before it answers,
// few-shot sees earlier answers of the API. A reply is the text that a model wrote; an answer is
// what was read from it.
//
// # A call
//
// [APIs.Answer] gets a call whose arguments fit the document of its API: the environment that
// deploys a version has checked them, and translated them into the document's own, under which they
// are kept. A model is shown the document that the call was made against, and the call as callers
// of the version write it. In this order:
//
//	the cache has an answer                 it is given
//	a real backend has a good answer        it is given, and kept
//	the simulator answers                   it is given, and kept if it passes Check
//	no reply of three can be read           a failure on this side
//	the simulator's server fails            a failure on this side
//	there is no simulator                   a failure on this side: nothing was recorded
//
// # Guarantees
//
//   - Of equal calls at the same time, one is made.
//   - What the cache has is JSON, has no error, and was whole when it was put there; it says where
//     it came from.
//   - Once the cache has a good answer to a call, the call has that answer, in every process that
//     uses the cache, whichever of them was first.
//   - A process that is killed leaves its cache readable.
//
// # Caveats
//
// The cache tells versions apart although the arguments do not: a version has its own documents. An
// answer that says that something failed is not kept, as in StableToolBench's check; whoever needs
// the same failure twice, such as a run that is resumed, has to remember it. The rules of that
// check are about words: a response about parsing counts as a failure to parse.
package virtual
