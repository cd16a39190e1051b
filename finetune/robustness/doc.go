// Package robustness says what drifting APIs and reworded questions cost agents: the tables,
// figures and run statistics of DynamicToolBench, from the episodes of evaluations, and what a
// single change of the APIs costs (ToolEvo, section 5.3).
//
// # Words
//
// A [Setting] is what was changed: nothing (the baseline), the deployed version of the APIs, or the
// words of the questions. A [Condition] is a policy that met it, and the feedback that it got for
// calls that the deployed version does not take. The pass rate is the share of the questions whose
// answer the suite's own rule takes. ToolBench's groups are its datasets, and its difficulties say
// whether a version that is deployed touches a question (exposed).
//
// A tool is refused when the deployed version does not take a call of it; it recovers when it is
// called with success later in the same episode. A call is valid when the deployed version takes
// it.
//
// A [Factor] is what alone changes in a version (package drift): names, parameters or the form of
// answers. It is compared with the original, the version that policies are shown, deployed as it
// is. Versions of one factor are a family, of which each question meets one. Its figures are those
// of the evaluation's report: means over datasets, and paired tests on the same questions.
//
// # Guarantees
//
//   - A question without an answer has not passed. One that was lost to an infrastructure failure
//     is in no figure, and counted.
//   - A change is one of the same questions: those that both the baseline and the setting measured,
//     paired by their ID.
//   - The same episodes give the same bytes, in whatever order those of a condition come, and the
//     same report the same bytes of CSV, SVG and PNG.
//
// # Caveats
//
// Several episodes of one question are its mean. The published figures are means of several passes
// of a judge over one set of episodes, with the deviation of those passes; that says nothing about
// other questions, and is not shown here. What a factor costs is the difference of two means. Where
// questions were lost under one of them, the means are not over the same questions; the paired test
// is.
package robustness
