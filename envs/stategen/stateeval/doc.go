// Package stateeval reads and writes the rows of StateEval, the benchmark that StateGen's authors
// published, as JSON or as the files evaluator_N.json that its programs read.
//
// # Words
//
// A [Row] is a task of the benchmark. Its evaluator is JSON text: the test cases, each with a
// program as Python text, what exists before it runs, its RESULT, and what the service has to hold
// at the end (the state oracle). Variables that a program declares are in init_local_str as text
// and in init_local_info as pairs of name and value, those that are loaded in init_load_info; the
// sessions that the service has at the start are in init_implicit_dict. A [Form] is the format of
// one published evaluator.
//
// # From rows to tasks
//
// An exported row has its task in metadata_json, and is read back from it. The program of any other
// row runs in a sandbox over the paper's services ([Play]). If it does what the row says, its calls
// become the statements of a task: those of the first case if the variables have the values of that
// case, else those of the second. What a program took from a result is bound to it; what it
// computed is a literal. The task keeps the program as well.
//
// # From tasks to rows
//
// A speech is an object with its transitions and "is_speech"; tensors are encoded, or nested lists.
// Voice tasks are first adapted to the paper's service ([Adapt]): durations and voices are the
// benchmark's, and constants that a condition compares with them are found anew, so that a task may
// lose its second case, or be impossible.
//
// # Caveats
//
//   - A program that would behave differently with other answers, e.g. one that tries something and
//     continues if it fails, becomes a task of what it did.
//   - Identifiers and checksums that the session service made are left out of results, as
//     comparisons leave them out.
//   - Tensors of other dtypes than float32 have their name and are computed in float32.
package stateeval
