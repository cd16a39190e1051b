// Package toolapi describes API versions as data. A version is the names and signatures under which
// tools are exposed: prompts show one, and a server enforces others once its APIs have moved on
// (ToolEvo, section 4 and appendix B.1).
//
// # Words
//
// A tool is one capability. The base is the version that defines the tools, by its own names and
// signatures. An [API] is what a version exposes a tool as: a name, parameters, the [Adapter]
// values between its signature and the tool's, what it answers when arguments do not fit, and the
// example that the deprecation notice gives. A [Version] is the ordered list of its APIs, and the
// versions whose names it answers with a deprecation notice. A [Spec] is its file: [Load] reads it,
// and [Spec.Encode] writes it.
//
// # Types
//
// A parameter is a name, or a mapping of the keywords of its JSON Schema with a name; required:
// false makes it optional. The parameters of an API may also be the JSON Schema of an object, as
// models with function calling are shown them; [API.Schema] writes it again.
//
//	parameters: [keyword]                                                           any value
//	parameters: [{name: city, type: string}, {name: days, type: integer, required: false}]
//	parameters: {type: object, properties: {city: {type: string}}, required: [city]}
//
// Arguments of an API with types are checked before its adapters run. One line says what is wrong
// and names the first wrong place, unless the API has a text of its own. In a loose file, types are
// only documented: a call may have any values, as in the published code.
//
// # Adapters
//
// Adapters are data, they compose, and they go both ways. Lowering runs them first to last and
// turns a deployed call into the tool's call, or into an [ArgError]: what the agent reads about a
// call that does not fit. Lifting runs them last to first and turns a tool's call into what a
// caller that knows the version would send.
//
//	rename       {Query: keyword}                                another name
//	ignored      {parameter: return_num, value: 3}               must be there, has no effect
//	numbered     {item: column, to: column_name, beside: [...]}  column1, column2, … instead of one list in a text
//	enumerated   {item: tag, to: tags, most: 5}                  tag1, tag2, … instead of a list, with types
//	flag         {parameter: ReturnResult}                       must be true
//	bracketed    {parameter: NodeInfos, fields: [...]}           FirstNode[x], SecondNode[y] instead of two parameters
//	prefix       {parameter: SQL, text: "This is the SQL code:"} the text must begin so
//	spelled      {parameter: days, type: integer}                "3" instead of 3
//	nested       {parameter: place, members: [lat, lon]}         {"lat": …, "lon": …} instead of two parameters
//	unnested     {parameter: place, members: [lat, lon]}         two parameters instead of {"lat": …, "lon": …}
//	listed       {parameter: commits}                            ["a"] instead of "a"
//	fallback     {parameter: unit, value: kelvin}                may be left out; the tool needs it
//	nullable     {parameter: days}                               must be there; null is what leaving it out was
//	flipped      {parameter: desc, tool: false, default: true}   left out it means the opposite
//	chosen       {parameter: action, value: add}                 an API of a name that others have, too
//
// # Which tools there are
//
// A tool may be exposed by several APIs, each of which takes some of its calls: [Version.Lift]
// takes the first that can. A name may stand for several tools: their APIs have an adapter chosen
// as their first one, by whose value [Version.Called] tells calls apart, and [Shown] makes one
// document of them. A tool may be gone, and another may have its answers:
//
//	removed: [{tool: get_session, source: list_sessions, with: [source, type], by: id}]
//
// # Messages
//
// What an agent reads about a deprecated name, or about one that does not exist, is a text/template
// of the version, by default that of the base (of ToolQA-D: configs/apis/p_c.yaml). notice.go fills
// them in. Both are tried when a file is loaded.
//
//	deprecated  .Old and .New are APIs; .Signature and .Example are what to write instead
//	invalid     .APIs are those to choose from; .Last is the index of the last one
//
// # Responses
//
// A version may answer with JSON objects; package wire has their form. By default it answers with
// the text alone.
//
//	response: {state: State, message: Message}
//
// # What refuses nothing
//
// A version may have silent changes (package silent): old calls succeed, but mean something else or
// have other answers. [API.Lower] and [API.Lift] know them, and the API's description ends with
// them. A version may also have temporary faults ([Fault]).
//
//	silent: [{tools: [text_to_speech], scaled: {fields: [duration], zeros: 3}}]
//	faults: [{kind: rate-limit, share: 0.5, calls: 2}]
//
// The base has an example of what its tools answer (answer). It says which parameter is a text of
// conditions on the answer (conditions), or a query of tables with its members as columns (sql),
// and of which tool's answers (of). Operators of silent changes are drawn from these.
//
// # Guarantees
//
//   - Lower(Lift(c)) = c for every call c of a tool that the version can express. Lift returns an
//     error for any other: a name that ends in a blank cannot stand in brackets. A call that names
//     a default which a version flips comes back without it, which means the same.
//   - Versions are immutable and safe for concurrent use.
//   - A version that loads is complete: it exposes every tool that it has not removed, a call
//     belongs to one API, adapters lead from its parameters to the tool's and back, and the example
//     of every notice lowers without an error.
//
// # Caveats
//
// No API takes an argument that it does not name, whatever additionalProperties says. A pattern is
// a regular expression of Go, a format is not checked, and a reference stays within its schema. NaN
// and infinite numbers, also 1e999, fit no type but string.
//
// Published notices may have defects: a missing example or name, a misspelt parameter. A file has
// them next to the corrected texts, and [Deprecation.PublishedNotice] shows them.
package toolapi
