// Package release infers API versions from real history: from a base, which shows tools as they
// are, and the list of tools of their next release, it makes a version. An environment that deploys
// it answers old calls with deprecation notices and lowers those of the release to the tools as
// they are, so that a policy can train for a release before it ships.
//
// # Words
//
// The base and the release are lists of tools: of an OpenAPI document, or of an MCP server. A
// tool's successor is the tool of the release that took its place. A slot is where a call has a
// value: a parameter, or a member of one that is an object. A [Change] is a difference that was
// understood, with how sure that is; a difference that no adapter expresses is [NotUnderstood], and
// what is new is listed.
//
// # What is inferred
//
// Tools are the same if they have one name, or else one endpoint: a method and path without the
// host, the names of parameters in it and the number of the interface. Others are matched by names,
// descriptions and parameters, if they are clearly more alike than any others. So are parameters
// and members of objects, all of a tool at once: by the types of their values, which have to fit,
// by names and descriptions. The fewer tools have a word, the more it counts. If one required
// parameter is left, and one new parameter whose values fit, they are taken for the same, which is
// half sure.
//
//	another name                       rename
//	members of an object, now or then  nested, unnested
//	item1, item2, … in place of a list enumerated
//	[7] in place of 7, "7" of 7        listed, spelled
//	required now                       nullable, flipped; or none, and every call says it
//	no longer required                 fallback, by the release's default
//	another default                    flipped: a silent change, since it refuses no call
//	a new one, needed, of one value    ignored, flag
//
// # What the version has
//
// It never does more than the tools can, and so may do less than the release: a new option is left
// out, as the tools do not have it; a parameter has only the types and enumerated values that both
// take, and no default that the tool does not take; what the tool requires, and no default
// replaces, stays required. Bounds, patterns and formats of one type are those of the release: the
// tool may refuse what they allow. A tool is in Broken, and removed in the version, if something
// that calls require has no adapter.
//
// # Guarantees
//
//   - The version loads beside the base, and every tool of the base is exposed or removed.
//   - Two tools have no common successor.
//   - What is inferred does not depend on the order of the list, except for the order of the
//     version's tools, and of what was added.
//   - Nothing is left out silently: what differs is a change, is in Broken, or is listed.
//
// # Caveats
//
// What only a description says is not understood: that a text has to begin with some words, that
// several were merged into one, or that a number is in cents now. Values that have other names are
// listed and not guessed. If a tool was split into two, the more similar one is the successor. The
// caller decides how unsure a change has to be to need confirmation.
package release
