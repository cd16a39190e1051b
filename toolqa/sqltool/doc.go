// Package sqltool holds the tool [Interpreter], SQLInterpreter[SQL]: read-only SQL over the corpora, each under its
// published name: agenda.agenda_data, airbnb.airbnb_data, coffee.coffee_data, flights.flights_data, yelp.yelp_data.
//
// # What runs
//
// One SELECT, WITH or VALUES statement, in SQLite's dialect with what models commonly write for MySQL: backquotes,
// backslashes in texts, # comments, division that never truncates, DIV, MOD, &&, <=>, RLIKE and REGEXP, literals such as
// DATE '2022-01-14', INTERVAL n UNIT (one unit: not DAY_HOUR) in DATE_ADD and after + and -, EXTRACT, CONVERT,
// GROUP_CONCAT with DISTINCT, ORDER BY and SEPARATOR, and CAST to SIGNED, UNSIGNED, DECIMAL, DOUBLE, CHAR, DATE and the
// like (a DECIMAL keeps all its digits). The functions of MySQL for texts, numbers, dates and times are there with
// MySQL's meaning, also where SQLite has another of the same name: CONCAT of a NULL is NULL, FORMAT groups digits,
// TIMEDIFF is a time. A date of a day that is none, 2022/09/31, is NULL.
//
// Columns have their types, so MAX and ORDER BY are numeric, TRUE and FALSE are 1 and 0, and a missing value is NULL; see
// [Options.TextColumns] for the published behaviour. Spaces in the names of columns are underscores.
//
// # What the agent sees
//
// A line for each row, "column: value, column: value", values as Python prints them. No row gives the empty text. Every
// error is the published text, which does not say what was wrong.
//
// # Protection
//
// The file is opened read-only; an authorizer allows reading the published tables and calling a list of harmless
// functions, and nothing else; lengths, depths and the number of attached files are limited, and so are regular
// expressions; a deadline ends what runs too long, and caps bound what it prints. Sorting spills to a temporary file
// instead of memory, and a connection keeps a few mebibytes of each file.
//
// # Equal SQL, equal observation
//
// A statement reads neither the clock, nor the machine's time zone, nor random numbers: random, NOW and CURRENT_DATE are
// refused, and so is every call of a date function that comes to the present or to local time, however its argument was
// put together ('now', 'localtime', 'utc', 'subsec' for a time, or no time at all). What is left is the deadline; see
// [Interpreter.WithMemory].
//
// # Caveats
//
// Where MySQL compares a text with a number as numbers, a column of texts is compared as text here. Texts are equal only
// if their letters have the same case, which MySQL does not ask for; LIKE, LOCATE and regular expressions do not ask for
// it, either. Regular expressions are Go's: there are no back references. || joins texts. DIV truncates whole numbers
// only. A call of a function costs about a microsecond, so that one for each of four million rows comes to the deadline.
// A WITH cannot have the name of a table that is hidden, e.g. meta, where it is only counted.
package sqltool
