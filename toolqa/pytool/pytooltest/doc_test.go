// Package pytooltest holds every engine to what packages sandbox and pytool promise, and to the
// same observations. It consists of tests.
//
// A check runs all of it: the snippets, programs that each show one rule of what is shown, in both
// captures; the samples, 200 programs of the kind that models write for ToolQA; and what must hold
// when a program is stopped, refused or given up. Where the same engine comes in several forms, a
// part of it is enough for all but one.
//
// Both lists are files in testdata, with the observations behind the programs, to be read by
// people:
//
//	=== title [numpy]
//	the program
//	--- ok
//	what is shown
//	--- published error
//	what is shown under the published capture, and that it counts as an error
//
// The words in brackets say what a program needs: a module beside the standard library, or "python
// 3.11" or later. "go test -update" in this package writes the observations again;
// TOOLEVO_TEST_PYTHON can name an interpreter that has all modules.
//
// # Versions of Python
//
// Observations are compared by their normal form, which takes from them what differs between
// versions of Python and has no meaning: the frames of the standard library in tracebacks, the
// wording of errors of syntax, how often a line was repeated, and the suggestions behind a message.
package pytooltest
