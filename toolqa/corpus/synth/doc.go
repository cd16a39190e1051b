// Package synth invents corpora: the columns, order and value formats of the published files, with
// values drawn from a seed. The same seed and size always give the same content, and the oddities
// of the published files occur in it about as often as there.
//
// # Worlds
//
// A file of the folder worlds describes a corpus. It is a mapping of
//
//   - first: variables that are set once;
//   - tables: lists of records that are drawn once, each with its count, and with its columns in
//     the order in which they are evaluated. A row whose accept does not hold is drawn again;
//   - row: the variables of a row in the order in which they are evaluated, among them the
//     columns of the table. One that was not reached yet has its value of the row before;
//   - absent: the shares of missing values by column;
//   - repeated: the share of rows, the last ones, that repeat earlier ones;
//   - and lists and mappings of words, under any other name.
//
// A bare text in first, tables and row is an expression. A quoted one, and any text among the
// words, may have expressions in braces, which are evaluated each time that it is drawn.
//
// # Expressions
//
// Expressions are written like those of Go. The variables index and rows are the number of a row
// and how many there are; missing is the lack of a value, and what is computed from it is missing,
// too. Fields are r.name or r[name].
//
//   - when(c, a, b), or(a, b, …): b where c does not hold; the first that is not missing
//   - min, max, floor, abs, round(x, digits), exp, log, pow, sqrt, sin, cos, asin
//   - chance(p), between(low, high) of whole numbers, uniform(low, high), normal() within three
//     deviations, exponential()
//   - pick(list): an item, by the weight of its records; of a mapping to numbers a name, by its
//     number
//   - either(weight, value, …), some(n, list) of different items, unique(kind, value) that was
//     not drawn before, letters(alphabet, n), fake(name) of gofakeit
//   - at(list, i), find(list, field, value), len(list), repeat(n, value), join(list, separator)
//   - upper, lower, capital of each word, trim, left(s, n), replace(s, old, new), has(s, part),
//     format as of fmt, fixed(x, digits)
//   - day("2006-01-02"): a date as a number; date(day, layout), clock(minutes, layout),
//     hhmm(minutes)
//   - object(keys, value): a dict as Python prints it; value is evaluated for each key
//
// What depends on more than the row before, the networks of dblp and the leaderboards of scirex,
// are programs that draw their texts from such a file.
package synth
