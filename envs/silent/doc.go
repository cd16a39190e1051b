// Package silent has API changes that reject no former call: the call succeeds, but it means
// something else or gets another kind of answer (ToolMaze calls such drift implicit).
//
// # Words
//
// A [Change] affects some tools. Callers that know it use its arguments and answers; former callers
// know those of the tool itself. As everywhere, to lift is to translate from the tool to the
// version that is deployed, and to lower is the way back.
//
//	scaled    {fields: [duration], zeros: 3}                  1.5 is 1500: a unit that is a power of ten
//	swapped   {fields: [gender], values: {female: male}}      values of an enumeration trade places
//	quoted    {fields: [members]}                             12 is "12", and "12" is 12
//	dated     {fields: [Date]}                                2023-05-17 is 17/05/2023
//	zoned     {fields: [start_time], hours: 3}                22:30 is 01:30, in another time zone
//	renamed   {field: data, as: content}                      a member of an answer has another name
//	moved     {field: data, into: details}                    it is in an object of its own
//	reversed  {parameter: order, value: oldest_first}         the last item comes first, unless the call says so
//	paged     {parameter: limit, value: 1000, size: 2}        a list has its first items, unless the call wants more
//	withheld  {field: data, source: list_sessions, by: id}    null; another tool has it, in the item of the same id
//
// The first seven are re-encodings: bijections of values, in decimal arithmetic, wherever a member
// or an argument has the name. The next two are views: callers get the former answer if they ask
// for it. The last one is damage.
//
// A parameter may be a text of conditions on members (conditions), or an SQL query on tables whose
// columns they are (sql). What a query computes cannot be converted, so the tables change: the tool
// gets a query that ends with a mark, and [Marked] says how its columns change. A caller that knows
// asks
//
//	SELECT MAX(Open) FROM (SELECT Open / 100 AS Open, * FROM coffee.coffee_data)
//
// where the query was SELECT MAX(Open) FROM coffee.coffee_data. To lower it is to find the former
// query, so that no digit is lost; any other query that converts a column is computed as written.
//
// A note is the line that says what a change is ([Change.Note]). The environment decides whether
// anybody reads it; [ParseNote] is its inverse.
//
// # Guarantees
//
//   - For a re-encoding, Lower(Lift(c)) = c, and Restore(Answer(v)) = v for numbers as they are
//     usually written.
//   - A change keeps the types of a call's arguments: what fitted an API's schema still does,
//     except that the bounds of a scaled number are those of the new unit.
//   - Values are never changed in place.
//
// # Caveats
//
// On the way back a number or a time may be written in another way: trailing zeros after a decimal
// point are lost, .5 is 0.5, and 9:00 AM is 09:00:00. In answers, a change affects what they say as
// JSON, or their lines if there are several, or the first list or dictionary in them as Python
// prints it; other text stays. Members are renamed, moved and quoted in answers only: columns of
// SQL keep their names and types, and their values do not trade places. For a query that ends with
// a mark, Lower(Lift(c)) is another query.
package silent
