// Package bench makes the generated tasks of package stategen a suite: agents call the tools of a
// service turn by turn, and are graded by their answers and by what their calls leave in the
// service. Or models answer with a program, once for all cases of a generated task
// (environment.codec: python), see package code.
//
// # Tasks
//
// A task is a case of a generated task: its program with values for the variables. Its ID is that
// of the generated task and the path of the case, e.g. "session-7-00042/if"; the label program has
// the part that both cases share. Its dataset is the domain, and its difficulty is branching if the
// program has a branch, else linear. The question is the instruction and the values of the
// variables, which an agent needs to act and to decide.
//
// # A step
//
// A call is checked against the deployed version first. The observation is what the tool returns,
// as JSON; a refusal of the service is a tool error. The service of a task has the tools of one
// domain: a prompt can show only those (prompt.tools).
//
// # Reward
//
// An answer is right if it means what RESULT of the reference program means, and the calls have
// left in the service what the reference leaves. The answer is read as JSON, then as Python writes
// values, then as a text; a handle in it is an object of the agent's own run. The reference is run
// when the first answer comes, and gives the same oracle as when the task was generated: `toolevo
// tasks verify` checks that.
//
// # Versions
//
// p_c has the tools of all domains. The operators of package drift make p_s_in and p_s_ood from it,
// with fixed seeds. Files of versions and factors are deployed as for any suite.
//
// # Guarantees
//
//   - Tasks are sorted by domain, in alphabetical order, branching ones first, then as in their
//     file.
//   - Tools and rewards are pure functions of a task and of the calls.
package bench
