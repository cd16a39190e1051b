// Package measure says how diverse and how complex programs of calls are (StateGen, RQ1 and RQ2).
//
// # Words
//
// A [Flow] is what the measures need of a program: its calls in order, the variables that each
// assigns and uses, and its branches. It comes from a [stategen.Program], or from Python text,
// which is read and never run. A variable originates in the calls whose results are in it, by an
// assignment, by an edit of a part, or as an element of a list.
//
// A binding is a pair of variables that calls assigned: the first is an origin of an argument of
// the second's call. The path depth is the longest chain of bindings on a path. Two calls are
// adjacent when one follows the other on a path; adjacent transition coverage, ATC, is the share of
// all ordered pairs of tools that are adjacent in some program.
//
// # Guarantees
//
//   - Calls of two branches are never adjacent, and never bound to each other.
//   - The measures of a program do not depend on other programs.
//
// # Differences
//
// The published analysis (interop/complexity.py runs it) counts the same calls. It follows chains
// from one branch into the other if both assign one name, and so finds longer ones; and it assumes
// that a variable is everywhere what a program assigns to it anywhere. For requests, it counts the
// answer that a program only checks, and a loop's variable, as ends of bindings.
//
// # Caveats
//
// Calls are those in the text: one in a loop counts once, however often it runs.
package measure
