// Package silent has changes of APIs that no call of before is refused for: the call succeeds and
// means something else, or is answered otherwise (ToolMaze calls such drift implicit).
//
// # Words
//
// A [Change] is about some tools. Its arguments and answers are those of callers that know it; what
// the tool itself takes and gives is what callers of before know. As everywhere, to lift is to say
// what is the tool's in the words of the version that is deployed, and to lower is the way back.
//
//	scaled    {fields: [duration], zeros: 3}                  1.5 is 1500: a unit that is a power of ten
//	swapped   {fields: [gender], values: {female: male}}      values of an enumeration trade places
//	quoted    {fields: [members]}                             12 is "12", and "12" is 12
//	dated     {fields: [Date]}                                2023-05-17 is 17/05/2023
//	zoned     {fields: [start_time], hours: 3}                22:30 is 01:30, in another time zone
//	renamed   {field: data, as: content}                      a member of an answer has another name
//	moved     {field: data, into: details}                    it stands in an object of its own
//	reversed  {parameter: order, value: oldest_first}         the last item comes first, unless the call says so
//	paged     {parameter: limit, value: 1000, size: 2}        a list has its first items, unless the call wants more
//	withheld  {field: data, source: list_sessions, by: id}    null; another tool has it, in the item of the same id
//
// The first seven are re-encodings: bijections of values, in decimal arithmetic, wherever a member
// has the name, and for arguments of the name as well. The next two are views: the former answer is
// there for who asks for it. The last one is damage.
//
// A parameter may be a text of conditions on members (conditions), or a query of SQL on tables
// whose columns they are (sql). What a query computes cannot be converted, so that the tables
// change: the tool is handed a query that ends with a mark, and [Marked] says what of its columns.
// Who knows asks
//
//	SELECT MAX(Open) FROM (SELECT Open / 100 AS Open, * FROM coffee.coffee_data)
//
// where the query was SELECT MAX(Open) FROM coffee.coffee_data. To lower that is to find the query
// of before, so that no digit is lost; any other query that converts a column is computed as it
// says.
//
// A note is the line that says what a change is ([Change.Note]). Whether anybody reads it is for
// the environment to say; [ParseNote] is its inverse.
//
// # Guarantees
//
//   - Of a re-encoding Lower(Lift(c)) = c, and Restore(Answer(v)) = v for numbers as they are
//     usually written.
//   - A change keeps the types of a call's arguments: what fitted an API's schema still does, but
//     for the bounds of a number that is scaled, which are those of the new unit.
//   - Values are never changed in place.
//
// # Caveats
//
// Numbers that end with zeros behind the point come back without them. A change of answers is one
// of what they say as JSON, of their lines, where there are several, or of the first list or
// dictionary that stands in them as Python prints it; other text stays. What is renamed, moved or
// quoted is so in answers alone: columns of SQL keep their names and types, and no values of theirs
// trade places. Of a query that ends with a mark Lower(Lift(c)) is another one.
package silent
