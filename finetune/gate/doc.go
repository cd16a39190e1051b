// Package gate decides whether the next release of somebody's APIs may go out, by what it does to
// a policy: it compares tasks that were played under the current version and under the next one.
//
// # Words
//
// A [Task] is lost if fewer of its tries are right under the next version, and won if more are. It
// is equal by construction if the tools that it used are the same in both versions, and are called
// alike: then it is not played a second time. The loss is the share of tries that are right under
// the current version less that under the next one, as a mean over tasks. The limit is the
// smallest loss that is too much. A [Change] is one thing that happened to a tool; it costs the
// lost tasks that used the tool. A try that failed has no verdict, since the failure was a
// service's and not the policy's.
//
// # Verdicts
//
//	red         the loss is at least the limit, and its interval above 0; or nothing could be
//	            measured: a version without tools, no tasks, a changed tool that no task used
//	green       the interval is below the limit, or nothing that the tasks use changed
//	undecided   neither: more tasks would decide, and the report says how many
//	unmeasured  tries failed, and what they would have shown could turn the verdict
//
// A changed tool that no task used is red because nobody knows what its change does. It may be
// allowed by name. A tool that only the next version has cannot have been used by any task: it is
// listed, but does not count.
//
// # Guarantees
//
//   - The interval is that of [tabulate.DifferenceOf], which has the true loss in at least 95 of
//     100 samples of tasks, and is never a point: of 60 tasks without a loss it reaches 6 %.
//   - Tasks that are equal by construction are among those of the loss and of its interval. Their
//     own loss is known to be 0, but the tasks are a sample of what the tools are used for, and so
//     is the share of them that a release leaves alone: counting only the others would measure the
//     loss of those, and taking that share as known would make the interval too narrow.
//   - Failed tries never count as wrong. Green and red hold only if they would hold whatever the
//     failed tries had shown: all of them for the next version, and all against it.
//   - The order of tasks, tools and changes does not matter. One more lost task never turns a red
//     verdict by the loss into another.
//   - Reports show foreign names and answers as text, whatever is in them: on a terminal, in
//     Markdown and in XML.
//
// # Caveats
//
// Equal by construction is what the caller says. It holds if the policy is shown the same under
// both versions until it calls a tool that changed, and draws the same tokens. A task that used
// several changed tools is charged to the changes of each, and rows of changes do not add up. The
// tries of every task count as those of the task that was tried least. That failed tries cannot
// turn a verdict that holds at both extremes was tested by every outcome of up to 90 tasks
// with one try, and by simulation with several. The number of tasks that would decide is for the
// rates that were seen: by chance, as many decide in about half of the cases. JUnit XML has a
// failure for each lost task, also where the verdict is green: whoever lets it decide is stricter
// than the gate.
package gate
