// Package sqltool holds the tool [Interpreter], SQLInterpreter[SQL]: read-only SQL over the
// corpora, each under its published name: agenda.agenda_data, airbnb.airbnb_data,
// coffee.coffee_data, flights.flights_data, yelp.yelp_data.
//
// # What runs
//
// One SELECT, WITH or VALUES statement, in SQLite's dialect with what models commonly write for
// MySQL: backquotes, backslashes in texts, # comments, division that never truncates, DIV, MOD, &&,
// <=>, RLIKE and REGEXP, literals such as DATE '2022-01-14', INTERVAL n UNIT (one unit: not
// DAY_HOUR) in DATE_ADD and after + and -, EXTRACT, CONVERT, GROUP_CONCAT with DISTINCT, ORDER BY
// and SEPARATOR, and CAST to SIGNED, UNSIGNED, DECIMAL, DOUBLE, CHAR, DATE and the like (a DECIMAL
// keeps all its digits, and a text that becomes a DATETIME its form). The functions of MySQL for
// texts, numbers, dates and times have MySQL's meaning, even where SQLite has a different function
// of the same name: CONCAT of a NULL is NULL, FORMAT groups digits, TIMEDIFF is a time. An invalid
// date, such as 2022/09/31, is NULL.
//
// Columns have their types, so MAX and ORDER BY are numeric, TRUE and FALSE are 1 and 0, and a
// missing value is NULL; see [Options.TextColumns] for the published behaviour. Spaces in the names
// of columns are underscores.
//
// A statement may end with comments that say how columns of its tables are deployed
// (silent.Marked): numbers in another unit, dates that begin with the day. It is run on views, in
// which they are.
//
// # What the agent sees
//
// A line for each row, "column: value, column: value", values as Python prints them. No row gives
// the empty text. Every error is the published text, which does not say what was wrong.
//
// # Protection
//
// A statement reads the published tables, and does nothing else. There is a wall behind each wall:
//
//   - The text must be one SELECT, WITH or VALUES of at most 16 KiB.
//   - SQLite asks about every table and function that a statement names, and is allowed the
//     published tables and a list of functions whose values depend on nothing but their arguments.
//     There is no PRAGMA, ATTACH, VACUUM, extension, virtual table, schema table or parameter.
//   - The connection is read-only (query_only), its files are opened read-only, and no file can be
//     attached.
//   - SQLite runs in a child process: this very program, started again by package worker behind the
//     walls of package confine. It reads the corpora, makes files in a folder of its own, and
//     reaches nothing else.
//
// The resources of a statement are bounded, and it leaves no trace for the next one:
//
//   - Time ([Options.Timeout], 5 s): a child that has not answered by then is killed, and another
//     one started. On a machine so busy that it has not worked for half of that it has twelve times
//     as long.
//   - Memory ([Options.MaxMemory], 64 MiB): SQLite gets no more than that beside what its
//     connection keeps, 4 MiB of each file. Beside it a child has some 30 MiB, and at most a
//     gigabyte.
//   - Disk ([Options.MaxSpill], 512 MiB): sorting, grouping, DISTINCT, UNION and windows spill to
//     files in the child's folder, which is checked every 20 ms and emptied after each statement.
//     It is in SQLITE_TMPDIR, TMPDIR, /var/tmp or /tmp, the first that there is. Where that is a
//     tmpfs, it is memory.
//   - Texts and rows have at most 256 KiB, calls 50 arguments, results [Options.MaxRows] rows and
//     [Options.MaxBytes] bytes. Regular expressions refuse texts that would take them longer than
//     some 20 ms.
//
// All of it is for each statement; [Options.Conns] run at once. A statement that is stopped is the
// agent's mistake and gives an observation, and so is one that SQLite does not survive: it costs a
// child, and no other call. A file that is damaged, a disk that is full and a machine without
// memory are errors.
//
// If the machine lacks a wall, the others remain.
//
// # Equal SQL, equal observation
//
// A statement reads neither the clock, nor the machine's time zone, nor random numbers: random, NOW
// and CURRENT_DATE are refused, and so is every call of a date function that depends on the present
// or on local time, however its argument was put together ('now', 'localtime', 'utc', 'subsec' for
// a time, or no time at all). What is left are the deadline and the bounds of memory and disk; see
// [Interpreter.WithMemory].
//
// # Caveats
//
// Where MySQL compares a text with a number as numbers, so does a comparison with a call or a
// literal here, as in YEAR(Date) = '2000' and LEFT(Date, 4) >= 2000. A column of texts is compared
// as text, except with [Options.TextColumns], and so is what only an alias names, or a subquery
// returns. Texts are equal only if their letters have the same case, which MySQL does not require,
// nor do LIKE, LOCATE and regular expressions here. Regular expressions are Go's: there are no back
// references. || joins texts. DIV truncates whole numbers only. A call of a function of MySQL takes
// about a microsecond, and two where it is an aggregate, so that one for each of four million rows
// meets the deadline. A WITH cannot have the name of a table that is hidden, e.g. meta, where it is
// only counted.
package sqltool
