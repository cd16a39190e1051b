// Package app offers what toolevo does as functions: a job goes in, a result comes out. A front end
// such as the command line turns what its users want into a job, and shows the result.
//
// # Words
//
// A job is a struct that says what is wanted; its zero values are the defaults. What a job has
// besides its settings changes no figure: where a run goes, how many workers there are, who sees
// the progress. A [Host] is the program around a job. A [Settings] has the layers of a
// configuration.
//
//   - [Collect], [Evaluate], [Analyze], [Ablate] and [EvaluateDrift] make runs or resume them; with
//     a [Plan] they only say what such a run would be.
//   - [Export] and [Lint] write training data and look at it, [Check] proves a run or an export.
//
// # Errors
//
// An error has a kind, which package console knows: the usage was wrong, the result is bad, the
// infrastructure gave up, or the job was interrupted. One that says what to change names options of
// a job between ‹ and ›, in lower case with dashes: ‹run-id› is the field ID of a [RunJob]. A front
// end shows them as its users write them. A [StoppedError] is the end of a run that can be resumed.
//
// # Guarantees
//
// Nothing here prints or reads flags. Several jobs may run at the same time unless they write to
// the same folder, which is rejected.
package app
