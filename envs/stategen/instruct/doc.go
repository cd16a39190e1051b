// Package instruct puts programs of package stategen into words (StateGen, III-E): by templates, or
// by two models that negotiate.
//
// # Words
//
// An instruction has two parts: what the names of a program mean, and what to do. It names every
// variable that a program begins with, but shows none of their values. Values in the program
// itself, such as the order of dimensions, are stated.
//
// [Instruct] needs no model. It begins with an aim, drawn from what the program does. Its sentences
// are templates in the folder words, a file for each domain: a wording is drawn for each statement,
// and results get a name only if "the result" would not be clear. [Negotiator] has a writer and a
// reviewer, who see the program and go back and forth until the reviewer accepts.
//
// # Guarantees
//
//   - The same task and seed give the same instruction.
//   - No instruction shows a hidden value, and each names all variables: [Check] looks at every
//     one, whoever wrote it.
//   - A negotiated instruction is used only if the reviewer accepted its last draft.
//
// # Caveats
//
// A hidden value that is a single word or a number counts as shown if it is quoted or in one
// sentence with its variable: elsewhere it may be a word like any other.
package instruct
