// Package statistics says how far accuracies can be trusted: intervals, paired tests, corrections for many tests, and
// the figures of repeated attempts. It knows numbers only, neither policies nor questions.
//
// # Words
//
// A success is a question answered correctly, a trial one that was measured. A stratum is a part of the benchmark
// that weighs as much as any other, however many questions it has (a dataset); a cluster is what rises and falls
// together (the questions of one template).
//
// # Guarantees
//
//   - Nothing is random but [Bootstrap] and [RelativeChange], which draw from the source they are given: the same
//     source, the same interval.
//   - Every test is two-sided.
//
// # Caveats
//
// Questions of one template are not independent. [Wilson] and the McNemar tests treat them as if they were, and are
// too sure of themselves where a few templates make up a dataset; [Bootstrap] is not, but needs several clusters in
// a stratum: one that is alone is drawn again and again, and adds no width.
package statistics
