// Package stateeval reads and writes the rows of StateEval, the benchmark that StateGen's authors
// published, as JSON or as the files evaluator_N.json that its programs read.
//
// # Words
//
// A [Row] is a task of the benchmark. Its evaluator is a text of JSON: the test cases, each with a
// program as Python text, what is there before it runs, its RESULT, and what the service has to
// hold at the end (the state oracle). Variables that a program declares are in init_local_str as
// text and in init_local_info as pairs of name and value, those that are loaded in init_load_info;
// sessions that the service begins with are in init_implicit_dict. A [Form] is that of one
// published evaluator.
//
// # What becomes of rows
//
// A row of ours has its task in metadata_json, by which it is read back. The program of any other
// row runs in a sandbox over the paper's services ([Play]). Where it comes to what the row says,
// its calls become the statements of a task: those of the first case where the variables are as
// that one has them, those of the second one else. What a program took from a result is bound to
// it; what it computed is a literal. The program itself stays beside them.
//
// # What becomes of our tasks
//
// A speech is an object with its transitions and "is_speech"; tensors are encoded, or nested lists.
// Voice tasks are those of the paper's service first ([Adapt]): durations and voices are the
// benchmark's, and constants that a condition compares with them are found anew, so that a task may
// lose its second case, or come to nothing.
//
// # Caveats
//
//   - A program that runs differently under other answers, as one that tries something and goes on
//     where it fails, is a task by what it did.
//   - Identifiers and checksums that the session service made are left out of results, as
//     comparisons leave them out.
//   - Tensors of other dtypes than float32 have their name and are computed in float32.
package stateeval
