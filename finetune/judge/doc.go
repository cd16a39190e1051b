// Package judge scores answers to ToolBench's queries: how many are solved (solvable pass rate,
// SoPR), how many are complete (final answer completeness, FAC), and which of two agents does
// better (solvable win rate, SoWR), as StableToolBench, MirrorAPI and DynamicToolBench measure
// them.
//
// # Words
//
// An [Answer] is what an agent did about a query; published answers and episodes of this program
// are the same here. A [Judge] gives a [Status] to an answer: a [Rule], which asks nobody, or a
// [Model]. SoPR takes several passes, which are repeats of the judge and not of the agent. The mean
// of scores is over groups, each of which weighs the same.
//
// # Scores
//
// A pass gives 1 for Solved, 1/2 for Unsure and 0 for Unsolved, and S_r is their mean over the
// queries; SoPR is the mean of S_r over the passes, with their population standard deviation. An
// answer that does not end with a call of Finish, is empty or gives up is Unsolved, and no judge is
// asked. Where the final answer alone leaves a model Unsure it sees the calls, too. FAC is the
// share of complete answers; an empty one is not, and no judge is asked. In a round of SoWR the
// only side that solved the query wins; with both or neither the judge prefers one, shown in random
// order, and most rounds decide.
//
// # Guarantees
//
//   - A query without an answer counts 0: the denominator is the list of queries, not that of
//     answers.
//   - A question lost to an infrastructure failure is in no score, and counted.
//   - A reply that cannot be read is asked for again, and then is a lost judgement: it is left out
//     of its pass and counted. It is never Unsolved.
//   - A model is asked the same of an answer in every run, so that what it wrote can be kept
//     (package envs/kept): a run that was cut short resumes, and repeats no call.
//   - The same texts give the same scores, whatever the number of workers.
//
// # Caveats
//
// The rule knows only what a deployed version took, so it cannot judge published answers; and it
// has no preference, so that only a side that alone solved the query wins.
package judge
