// Package programs has the tables and figures of StateGen's paper: how complex generated programs
// are (Table I), how fast generators cover adjacent calls (figure 3), and how often policies solve
// the tasks and why not (figures 4 and 5).
//
// # Words
//
// A task passes when the episodes of all its cases do: pass@1 is the share of tasks that pass. A
// failed task is classed by its first case that fails, as package code has it: a syntax error is a
// text that is no call and no program, an execution error one that reaches no answer, a
// result error a wrong answer or wrong effects. A root cause is what RQ5 names behind them, as far
// as a rule can tell.
//
// # Guarantees
//
//   - A task that lost an episode to an infrastructure failure, or of which one case of two was not
//     played, is in no figure, and counted.
//   - The same episodes and programs give the same bytes.
//
// # Caveats
//
// Rules see what was done and not why: where they cannot tell, a cause is "undecided". Figures of
// the paper's Table I are shown beside those measured here; its tasks are other ones.
package programs
