// Package inspectlog writes evaluations as logs of inspect_ai, which `inspect view` opens and
// read_eval_log reads.
//
// # Words
//
// A log is one row of an evaluation's report: a policy under an API version on the questions of a
// dataset and a difficulty. A sample of it is a question, an epoch one of its episodes. The scores
// are those of the two matchers, official and strict.
//
// # Guarantees
//
//   - The same evaluation gives the same bytes. A log's date is that of its run.
//   - Episodes stream: memory holds one, and a summary of each of a row.
//   - Messages are those of the ATIF document of the episode: calls are tool calls, thoughts are
//     reasoning, and what no call could be read in is text, answered by a message of the user.
//
// # Caveats
//
// The gold answer is a sample's target, as inspect_ai wants one: logs are for people, not
// for training. A sample's transcript has its replies, calls, limits and scores in their order,
// all at the time at which the run began, since no episode records when it did what. Prompt tokens
// and tools of the model's API are missing.
package inspectlog
