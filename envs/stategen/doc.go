// Package stategen generates executable tasks of several calls over stateful services, with oracles
// that need no model and no judge (StateGen, sections III and IV).
//
// # Words
//
// A [Domain] is a service with its tools and the rules by which they can be called: session, tensor
// and voice are packages below this one. A [Schema] is what is known of a program while it grows,
// the paper's state schema S: its variables, the service behind them, and which transition touched
// each last. A transition is a call of a tool, or an edit of a local variable, which does not
// count. A [Pair] is a transition and the one that last touched something it consumes, "NONE" for
// what was there from the start; a [Book] counts them over all programs, the paper's ν. A
// [Selector] chooses the next transition by those counts (Algorithm 1).
//
// A [Program] is the result: variables, what the service has at the start, statements, at most one
// branch, and a result on every path, the paper's RESULT. It is data: [Program.Run] runs it against
// anything that answers calls. A [Case] is a program with values for its variables, and what it has
// to lead to; a program with a branch has a second case, in which the condition is flipped. A
// [Task] is a program with its cases and an instruction.
//
// Programs are for a set of APIs: the domain's own, or the paper's ([Paper]), which StateEval has.
// A program that others wrote in Python keeps that text; its statements are what it was seen to do.
//
// # Values
//
// A value is what JSON can say, as in [envs.Arg]. What JSON cannot say, such as the numbers of a
// tensor, stays in the service; programs, agents and tools pass it by a handle, a text like
// "tensor_3".
//
// # Guarantees
//
//   - The same domain, seed and book give the same tasks, byte for byte.
//   - Every path of a program has exactly the wanted number of calls, and no call twice with the
//     same arguments.
//   - A reference program passes its own cases, or there is no task.
//   - A program that tests nothing is rejected: its condition does not compare two constants, its
//     result on every path comes from a call, and the results of its two branches differ.
//   - No step of a domain's programs is idle: without it a program fails, or leads to something
//     else.
//
// # Differences
//
// Readers of programs made by the published rules found calls that had no effect. So here every
// edit of a local object is written on every path, not on one of two; lists that nothing used are
// results; several tensors are a result as a list, not as one sum; no condition is about the rank
// or the dtype of a tensor, which no call changes, or about a voice that the user named; and a
// constant that is a number in a text is flipped to the next number.
//
// # Caveats
//
// Only one generator may use a [Book] at a time: programs depend on those before them.
package stategen
