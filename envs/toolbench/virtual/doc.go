// Package virtual answers calls of ToolBench's APIs in their place (StableToolBench; MirrorAPI, sections 3 and 4).
//
// # Words
//
// A simulator is a language model, or a script, that answers for an API. A [Mode] is how a model is asked: sft gets the
// document and the request, cot explains how the API works before it answers, few-shot sees what the API answered to
// others. A reply is the text that a model wrote; an answer is what was read from it.
package virtual
