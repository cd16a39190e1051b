// Package sqltool holds the tool [Interpreter], SQLInterpreter[SQL]: read-only SQL over the corpora, each under its
// published name, e.g. coffee.coffee_data.
//
// # What runs
//
// One SELECT, WITH or VALUES statement, in SQLite's dialect with what models commonly write for MySQL: backquotes,
// CONCAT, IF, YEAR, MONTH, DAY, DATEDIFF, LEFT, RIGHT, division that never truncates, and CAST to SIGNED, UNSIGNED,
// DECIMAL, DOUBLE, CHAR, DATE and the like (a DECIMAL keeps all its digits). Columns have their types, so MAX and
// ORDER BY are numeric; see [Options.TextColumns] for the published behaviour.
//
// # What the agent sees
//
// A line for each row, "column: value, column: value", values as Python prints them. No row gives the empty text. Every
// error is the published text, which does not say what was wrong.
//
// # Protection
//
// The file is opened read-only; an authorizer allows reading the published tables and calling a list of harmless
// functions, and nothing else; lengths, depths and the number of attached files are limited; a deadline ends what runs
// too long, and caps bound what it prints. Sorting spills to a temporary file instead of memory.
//
// # Equal SQL, equal observation
//
// A statement reads neither the clock, nor the machine's time zone, nor random numbers: random and CURRENT_DATE are
// refused, and so is every call of a date function that comes to the present or to local time, however its argument was
// put together ('now', 'localtime', 'utc', 'subsec' for a time, or no time at all). What is left is the deadline; see
// [Interpreter.WithMemory].
//
// # Caveats
//
// MySQL's CONCAT of a NULL is NULL, here it is the rest. DATE_ADD, INTERVAL, DATE_FORMAT and STR_TO_DATE are not
// understood. A WITH cannot have the name of a table that is hidden, e.g. meta, where it is only counted.
package sqltool
