// Package toolbench reads the queries and tool documents of ToolBench as StableToolBench publishes
// them (Guo et al., 2024; MirrorAPI, 2025), and says how a model sees their APIs.
//
// # Words
//
// A [Document] describes an API, which belongs to a tool of a category: the three names are its
// [Key]. A [Query] is what a user wants, with the APIs that are offered for it, and those of them
// that are relevant. Queries come in groups, one file each: G1 offers one tool, G2 several of a
// category, G3 several of a collection. A [Collection] is queries with the documents of all APIs
// that they offer. A template is the skeleton of an API's answer: types in place of values.
//
// # Reading
//
// [Import] reads published files, and [Published.Save] keeps them in the data folder, all or
// nothing; [Open] reads them there. Errors in a file name the file, the entry and the field.
//
// # Names
//
// [CategoryName] and [Name] are the published rules. A function is called <api>_for_<tool>; the
// published code cuts such a name to 64 characters and then calls any function that begins or ends
// with what a model wrote, which may be another one. Here, a name that is too long, or that two
// documents share, ends with a hash of the document's key ([Collection.Functions]), and a call
// reaches only the function of exactly that name.
//
// # Guarantees
//
//   - Every query offers its relevant APIs, no API is offered twice, and IDs are unique in a group.
//   - Two documents of one key are equal.
//   - Names of functions are distinct, have at most 64 characters, and do not depend on the order
//     of queries.
//
// # Caveats
//
// Types are words such as NUMBER or DATE (YYYY-MM-DD). An unknown word means a text, as in the
// published code. NUMBER is a number here and an integer there. A parameter that a document names
// twice is taken once, as required if one of them is.
package toolbench
