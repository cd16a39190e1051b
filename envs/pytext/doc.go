// Package pytext has Python's text conventions, which the benchmark's wire format consists of:
// observations, answers and gold answers were written by Python's str, repr, json, float, strip and
// lower, and an environment has to agree with them to the letter.
//
// # Words
//
// A value is what JSON can express, as in [envs.Arg]: nil, bool, [envs.Number], string, []any, and
// [envs.Args] for an object. A function that takes a value panics on any other Go value, where
// Python raises a TypeError.
//
// # Guarantees
//
// The functions agree with CPython 3.11; the tests compare them with the python3 of the machine.
// [Decode] says what is wrong with a text in the words of Python 3.8 to 3.12. The package has no
// state, and every function takes any bytes.
//
// # Caveats
//
//   - A [envs.Number] keeps its digits: [AppendJSON] writes 2.50 where Python writes 2.5. [Str] and
//     [Repr] print the number it denotes. Integers have no limit of 4300 digits.
//   - Text in Go is UTF-8: an escape of half a surrogate pair decodes to U+FFFD, and a byte that is
//     not UTF-8 is printed as U+FFFD.
//   - JSON nested deeper than [MaxDepth] is an error with the text of Python's RecursionError,
//     whatever the depth of the stack.
//   - What is a letter, a digit or printable depends on the version of Unicode: 15 in Go 1.26, 14
//     in Python 3.11.
package pytext
