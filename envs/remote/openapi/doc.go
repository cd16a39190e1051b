// Package openapi makes tools of an OpenAPI document: an operation is a tool with types, and a call
// of it is an HTTP request.
//
// # Words
//
// A [Toolset] is what a document offers: its tools, and what is left, each with the [Cause] why it
// is no tool. A [Tool] is an API of a base version and the [Operation] that its calls are requests
// of. A note says where a tool differs from the document.
//
// # Names
//
// A tool is named after the operationId, or else after method and path, with at most 64 letters,
// digits, _ and -. Operations that would have the same name end in a hash of method and path, so
// that names do not depend on which operations are chosen. Parameters are named alike; one that
// another has taken is called after its place, too: id_query. A call has the names of the tool, a
// request those of the document.
//
// # Parameters
//
// They are those of the path, the query, the headers and the cookies, in the order of the document,
// and then those of the body: its members, where it is an object that says nothing beside them and
// no name is taken, or else one, body. References are replaced by what they lead to, and members
// that are read-only are left out.
//
// # Descriptions
//
// A tool is described by its summary and its description, which end with the last sentence that
// fits into the bound ([Options]), or with an ellipsis.
//
// [NewArguments] makes parameters of any function's JSON Schema by the same rules.
//
// # Requests
//
// Values are written in the styles of OpenAPI, form, simple, label, matrix, spaceDelimited,
// pipeDelimited and deepObject. Where a style says nothing of a value in a value, that is JSON, or
// in a deepObject another pair of brackets: filter[tags][0]. A null outside of a JSON body is left
// out, and so is an empty list or object.
//
// Secrets have the names of the document's security schemes. They are asked for when a request is
// made, and are in nothing that is kept.
//
// # Guarantees
//
//   - Every operation that was chosen is a tool or is left with its cause.
//   - A call that the document allows is one that the tool takes: schemas are only made looser, but
//     for values that no request can say, such as an empty text in a path.
//   - What a call has that no request can say is an [ErrArgument]: the caller's mistake.
//   - The tools are whole: [Toolset.Base] is a version that loads.
//   - A request goes to the server of its operation: no argument changes the host, or leaves the
//     path.
//   - Of two equal documents, in JSON or YAML, the tools are equal but for how numbers are spelled.
//   - Loading reads no file and asks no server. Texts, operations, references and the schemas of a
//     tool are bounded.
//
// # Caveats
//
// A schema that refers to itself, or that is large, is cut to its type, which a note says. Of
// several schemas any may fit, not only one (oneOf); not, if, contains, discriminators and patterns
// that Go cannot read are not checked. Characters are escaped whether or not allowReserved is set.
// Bodies are JSON or a form; callbacks are not awaited. Swagger 2.0 has to be converted first.
//
// kin-openapi, which judges this package in its tests, does not load the documents: it refuses all
// of one for a single reference that is external or broken, and takes minutes for some of a few
// megabytes.
package openapi
