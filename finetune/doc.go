// Package finetune measures what a checkpoint does when the APIs drift: episodes of a policy on a
// split, under several deployed API versions, and a report of accuracies with their uncertainty,
// written as text, Markdown, CSV and LaTeX.
//
// # Words
//
// An [Episode] is one run without a tree: the policy acts until the task ends or the turns are used
// up, greedily unless a question has several, its repeats. A [Controller] may let it act again
// where a chain of turns led to no answer. A [Cell] is what one figure of the report is about: a
// policy, a deployed API version or a family of versions of which each question meets one, a
// dataset and a difficulty. A question is lost when its episode failed after all attempts for a
// reason that says nothing about the policy.
//
// # Guarantees
//
//   - A lost question is never counted as wrong: it is in no accuracy, and the report counts the
//     lost ones.
//   - Every model call is logged before it is used, so an interrupted evaluation continues where it
//     stopped.
//   - The report does not depend on the number of workers.
package finetune
