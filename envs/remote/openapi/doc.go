// Package openapi makes tools of an OpenAPI document: an operation is a tool with types, and a call
// of it is an HTTP request.
//
// # Words
//
// A [Toolset] is what a document offers: its tools, and what is left out, each with the [Cause] why
// it is not a tool. A [Tool] is an API of a base version and the [Operation] that its calls are
// requests of. A note says where a tool differs from the document.
//
// # Names
//
// A tool is named after the operationId, or else after method and path, with at most 64 letters,
// digits, _ and -. Operations that would have the same name end in a hash of method and path, so
// names do not depend on the choice of operations. Parameters are named in the same way; a name
// that is taken gets the place as well: id_query. A call has the names of the tool, a request those
// of the document.
//
// # Parameters
//
// They are those of the path, the query, the headers and the cookies, in the order of the document,
// and then those of the body: its members, if it is an object without further keywords and none of
// their names is taken, or else one parameter, body. References are replaced by their targets, and
// read-only members are left out.
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
// pipeDelimited and deepObject. A value inside a value that a style does not cover is written as
// JSON, or in a deepObject with another pair of brackets: filter[tags][0]. Outside of a JSON body,
// null is left out, and so is an empty list or object.
//
// Secrets have the names of the document's security schemes. They are asked for when a request is
// made, and are kept nowhere.
//
// # Guarantees
//
//   - Every chosen operation is a tool, or is left out with its cause.
//   - The tool takes every call that the document allows: schemas are only made looser, except for
//     values that no request can express, such as an empty text in a path.
//   - A call that no request can express is an [ErrArgument]: the caller's mistake.
//   - The tools are complete: [Toolset.Base] is a version that loads.
//   - A request goes to the server of its operation: no argument changes the host, or leaves the
//     path.
//   - Equal documents in JSON and YAML give equal tools, except for the spelling of numbers.
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
// kin-openapi, which judges this package in its tests, does not load the documents: it refuses a
// whole document for a single external or broken reference, and takes minutes for some of a few
// megabytes.
package openapi
