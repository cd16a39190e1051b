// Package cluster has the units of a run done by workers on other machines, through NATS JetStream.
//
// # Words
//
// The coordinator is the process that has the run. A worker dials it, and does units. A unit is
// what one worker does at a time: the trees of a question, or some of them, or the episodes of a
// task. A unit waits in a queue until a worker takes it, and stays there until it has ended; a
// worker that says nothing for a while (Options.Patience) has lost it to another one.
//
// The log of a unit is what its workers append to it: that one has begun, the calls that it made
// and the trees that it grew (store.Row), that it left, and how the unit ended. A worker that
// begins first reads the log, and goes on where it ends: what was asked is not asked again.
//
// # Guarantees
//
//   - A log grows by one worker: every entry names the entry before it, and the server refuses one
//     that does not follow the last (compare and append). So a worker that was stopped for long,
//     or cut off, cannot add to a unit that another one has begun meanwhile ([ErrLost]). That is
//     exactly-once in effect: units may be done twice, and end once.
//   - The coordinator takes every entry into the run's database, in the order of each log. NATS is
//     never the only copy of what is finished; a queue that is lost is built again from what the
//     run lacks.
//   - A worker that dies costs the calls that it had not appended (Flush), no more.
//   - What a worker fails at is an error with its reason, never a tree. It goes to another
//     machine first, once: this one may be broken.
//   - A unit that five workers in a row began, and none added to, is given up by name.
//   - Workers need no open port.
//
// # Why a log in place of results
//
// A result that is created only if it is absent also ends a unit once, but says nothing about the
// calls before it; and large results in an object store leave the losers' objects behind. One log
// for each unit, with one rule, has neither.
//
// # Caveats
//
// The journal of the embedded server is not synced for each entry: a power cut of the coordinator
// may lose the latest ones, which are then made again. Clusters of NATS servers are not tried.
package cluster
