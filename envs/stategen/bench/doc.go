// Package bench is the generated tasks of package stategen as a suite: agents call the tools of a
// service turn by turn, and are right by what they answer and by what their calls have left. Or
// models answer with a program, once for all cases of a generated task (environment.codec: python);
// package code says how that goes.
//
// # Tasks
//
// A task is a case of a generated task: its program with values for the variables. Its ID is that
// of the generated task and the path of the case, e.g. "session-7-00042/if"; the label program has
// what both cases of a program share. Its dataset is the domain. It is branching where the program
// has a branch, else linear. The question is the instruction and the values of the variables, which
// an agent needs to act and to decide.
//
// # A step
//
// A call is checked against the deployed version first. What the tool returns is the observation,
// as JSON; what the service refuses is a tool error. The service of a task has the tools of one
// domain: a prompt can show those alone (prompt.tools).
//
// # Reward
//
// An answer is right when it means what RESULT of the reference program means, and the calls have
// left in the service what the reference leaves. The answer is read as JSON, then as Python writes
// values, then as a text; a handle in it stands for an object of the agent's own run. The reference
// is run when the first answer comes, and gives the same oracle as when the task was generated:
// `toolevo tasks verify` says so.
//
// # Versions
//
// p_c is the tools of all domains. p_s_in and p_s_ood are made from it by the operators of package
// drift, with fixed seeds. Files of versions and factors are deployed as for any suite.
//
// # Guarantees
//
//   - Tasks come by domain, in alphabetical order, branching ones first, then as their file has
//     them.
//   - Tools and rewards are pure functions of a task and of the calls.
package bench
