// Package toolapi describes API versions as data. A version is the names and signatures under which tools are exposed:
// one is what prompts show, others are what a server enforces once its APIs have moved on (ToolEvo, section 4 and
// appendix B.1).
//
// # Words
//
// A tool is one capability. The base is the version that defines the tools, by its own names and signatures. An [API]
// is what a version exposes a tool as: a name, parameters, the [Adapter] values between its signature and the tool's,
// what it answers when arguments do not fit, and the example that the deprecation notice gives. A [Version] is the
// ordered list of its APIs, and the versions whose names it answers with a deprecation notice.
//
// # Adapters
//
// Adapters are data, they compose, and they go both ways. Lowering runs them first to last and turns a deployed call
// into the tool's call, or into an [ArgError]: what the agent reads about a call that does not fit. Lifting runs them
// last to first and turns a tool's call into what a caller that knows the version would send.
//
//	rename       {Query: keyword}                                another name
//	ignored      {parameter: return_num, value: 3}               must be there, has no effect
//	numbered     {item: column, to: column_name, beside: [...]}  column1, column2, … instead of one list in a text
//	flag         {parameter: ReturnResult}                       must be true
//	bracketed    {parameter: NodeInfos, fields: [...]}           FirstNode[x], SecondNode[y] instead of two parameters
//	prefix       {parameter: SQL, text: "This is the SQL code:"} the text must begin so
//
// # Guarantees
//
//   - Lower(Lift(c)) = c for every call c of a tool that the version can express. Lift says so when it cannot: a name
//     that ends in a blank cannot stand in brackets.
//   - Versions are immutable and safe for concurrent use.
//   - A version that loads is whole: it exposes every tool exactly once, its adapters lead from its parameters to the
//     tool's and back, and the example of every notice lowers without an error.
//
// # Caveats
//
// Published notices may have defects: an example or a name is missing, a parameter is misspelt. A file has them beside
// the corrected texts, and [Deprecation.PublishedNotice] shows them.
package toolapi
