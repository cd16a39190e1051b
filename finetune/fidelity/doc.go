// Package fidelity measures how like real APIs a simulator answers (MirrorAPI, Guo et al., 2025,
// section 3.1): how alike the texts are, how alike their embeddings, and what a judge makes of
// them.
//
// # Words
//
// A [Case] is a call that a real API answered, and a simulator's answer to it. A split is a part of
// the test set: calls of APIs that the simulator was not trained on, which succeed or fail, and
// calls of those with many, some or few samples. A [Row] has the measures of one simulator on one
// split. A rating is the judge's: 1 to 10, and about the documentation and the request, not about
// likeness.
//
// # Measures
//
// BLEU-4 is NLTK's sentence BLEU with smoothing method 3, over characters, as LLaMA-Factory
// measures it; beside it the same over words. The cosine is that of any embedding model. A
// case keeps when its answer succeeds or fails as the real one does, by MirrorAPI's string rules:
// the rule that the judge is compared with.
//
// # Guarantees
//
//   - An answer is compared as the object of error and response that it is, without the mechanism
//     that a simulator explains first; what is no such object is compared as it was written.
//   - A judgement that cannot be read is asked for again and then lost. It is in no mean, and the
//     report counts it.
//   - A measure that fails is an error, never a low score.
//   - What a model wrote is kept before it is used, so that interrupted work resumes where it
//     stopped.
//
// # Caveats
//
// The paper does not say how texts were cut into tokens for BLEU. Characters are what its model
// card's evaluation does.
package fidelity
