// Package stateeval reads and writes the rows of StateEval, the benchmark that StateGen's authors published, as lines
// of JSON or as the files evaluator_N.json that its programs read.
//
// # Words
//
// A [Row] is a task of the benchmark. Its evaluator is a text of JSON: the test cases, each with a program as Python
// text, what is there before it runs, its RESULT, and what the service has to hold at the end (the state oracle).
// Variables that a program declares are in init_local_str as text and in init_local_info as pairs of name and value,
// those that are loaded in init_load_info; sessions that the service begins with are in init_implicit_dict.
//
// # What becomes of our tasks
//
// A tensor is nested lists of numbers, as published; a speech is an object with "is_speech" and its history as
// "transitions". The task itself stands in metadata_json, by which a row of ours is read back as the task that it was.
//
// # Caveats
//
//   - A published program is Python text, which is not translated: a row without a task of ours can be described and
//     measured, and not played. Neither the sessions' identifiers nor the library of voices, which published programs
//     take from their own service, are in a row.
//   - The history of our speeches also names their texts; a published evaluator compares it with its own, so that
//     voice rows of ours suit our services alone. Rows of sessions and tensors hold nothing but published forms.
//   - Identifiers and checksums that the session service made are left out of results, as comparisons leave them out.
package stateeval
