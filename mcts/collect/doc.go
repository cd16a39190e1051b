// Package collect runs the search over many questions: a bounded pool of workers grows trees, every
// model call goes through the run's log, and a stopped run, even after kill -9, continues where it
// was.
//
// # Words
//
// A lane is a sequence of trees that one worker grows in order. Where a configuration ends a
// question early (mcts.Config.InTurn), what a tree may skip depends on the trees before it, so the
// trees of a question form one lane; otherwise each tree is a lane of its own. A lane is one
// conversation with the policy ([mcts.Converse]). Questions do not depend on each other, so a run
// can be given further questions and trees. A tree is unresolved when a server, a tool or the
// program failed in it after all retries.
//
// # Guarantees
//
//   - The stored trees are a function of the questions, the configuration, the seed and what the
//     policy answers: the number of workers, interruptions and the order in which things finish
//     change nothing.
//   - An unresolved tree is counted, not stored; its siblings continue, and the next run retries
//     it. In a lane, that run also regrows the trees after it, from the log where possible, because
//     what they may skip has changed.
//   - No more trees grow at once than the model has room for (Options.Room), in the order of the
//     questions. So early questions are finished by the time the last one is.
//   - An interrupted run starts no new model call. Calls in progress finish and are logged, and
//     their trees continue from the log in the next run.
//   - A replay is exact as far as the log goes, and says where it ends: what it lacks is never a
//     failure of the model, a reward, or a call.
//   - Run returns only when every goroutine it started has ended.
package collect
