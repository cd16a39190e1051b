// Package score compares a final answer with the gold answer.
//
// # Words
//
// [Official] reproduces ToolQA's own matcher exactly, including its faults: use it to compare with
// the paper's scores. [Strict] is the one to trust: it decides what is worth training on.
//
// # How they differ
//
// Official compares as numbers first; when that fails it deletes case, punctuation and articles
// from both texts, and with them signs and decimal points. So it takes -10.0 for 10.0, 1.5 for 15,
// 6.9% for 69%, 20:31 for 2031 and "a" for an empty answer, and it refuses "90.2 minutes" for 90.2,
// and a list in another order.
//
// Strict keeps signs and decimal points, and forgives units that one side leaves out, the order of
// a list, and forms of one character or one day. It forgives case, articles and other punctuation
// as Official does. The form of the gold answer decides how an answer is read.
//
// # Guarantees
//
// Both matchers take any bytes and accept equal answers, except that for Official, as for the
// published code, no number equals a NaN (it then compares the texts). Official is symmetric.
// Neither allocates for the usual short answer.
//
// # Caveats
//
// Strict does not convert: 0.14 is not 14%, 20:31 is not 20:31:00, 60 minutes is not 1 hour. In a
// gold answer a comma between one to three digits and exactly three digits, without a space, groups
// thousands: "100,200" is a number and "100, 200" a list. A number with a leading zero is a code (a
// postal code, a time), compared as text. If the gold answer has no unit, Strict does not know
// which would be right: it accepts 3 hours for 3, but never 3% for 3, so that a share does not pass
// for a price. So 83.9% is wrong if a table says 83.9.
package score
