// Package adaptation measures how agents meet APIs that have moved on, beside whether they answer right: what they do
// about deprecation notices, how they call the new tools, what they write down about them, and what drift costs.
//
// # Words
//
// A [Sample] is an episode and the version that it met. A [Row] has the measures of all samples of a policy and an API
// version, or a family of versions. A new tool is a deployed API whose name the prompt does not have. A tool recovers
// when it is called with success after its notice. [trajectories.RepeatedFailures] says when a turn
// repeats a failure. The [Truth] of a description is whether the deployed version has what it
// describes. The cost of drift is what the same questions take beyond what they take under the
// version of the prompt.
//
// # Guarantees
//
//   - The measures are read off the episodes: no policy, no model and no environment takes part.
//   - Lost questions are counted, and in no other measure.
//   - Rows are in the order in which their samples came first.
//
// # Caveats
//
// A description that names no parameters says nothing false about them. That a tool recovered does not mean that its
// result was what the question needed.
package adaptation
