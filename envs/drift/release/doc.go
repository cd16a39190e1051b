// Package release infers API versions from real history: of a base, which shows tools as they are,
// and of the list of tools of their next release, it makes a version. An environment that deploys
// it answers calls of before with deprecation notices and lowers those of the release to the tools
// as they are, so that a release can be trained for before it ships.
//
// # Words
//
// The base and the release are lists of tools: of an OpenAPI document, or of an MCP server. A
// tool's successor is the tool of the release that took its place. A slot is where a call has a
// value: a parameter, or a member of one that is an object. A [Change] is what was understood, and
// how sure that is; a difference that no adapter says is [NotUnderstood], and what is new is
// listed.
//
// # What is inferred
//
// Tools are the same that have one name, or else one endpoint: a method and path without the host,
// the names of parameters in it and the number of the interface. Others are matched by names,
// descriptions and parameters, where they are clearly more alike than any others. So are parameters
// and members of objects, all of a tool at once: by the types of their values, which have to fit,
// by names and descriptions. Words count more the fewer tools have them. The only one that is left
// of the parameters that calls need is the only new one whose values fit, which is half sure.
//
//	another name                       rename
//	members of an object, now or then  nested, unnested
//	item1, item2, … in place of a list enumerated
//	[7] in place of 7, "7" of 7        listed, spelled
//	needed where it was not            nullable, flipped; or none, and every call says it
//	not needed where it was            fallback, by the release's default
//	another default                    flipped: a silent change, since it refuses no call
//	a new one, needed, of one value    ignored, flag
//
// # What the version has
//
// It is never more than the tools can do, and so may be less than the release: a new option is left
// out, as the tools have nothing of it; a parameter has those values alone that both take; what the
// tool needs and no default stands for stays needed. A tool of which something that calls need has
// no adapter is in Broken, and removed in the version.
//
// # Guarantees
//
//   - The version loads beside the base, and every tool of the base is exposed or removed.
//   - Two tools have no common successor.
//   - What is inferred does not depend on the order of the list, but for the order of the version's
//     tools, and of what was added.
//   - Nothing is left out in silence: what differs is a change, is in Broken, or is listed.
//
// # Caveats
//
// What a description alone says is not understood: that a text has to begin with some words, that
// several were merged into one, or that a number is in cents now. Values that have other names are
// listed and not guessed. Of a tool that was split into two the one that is more like it is the
// successor. Below how sure nobody is asked: what is shown for confirmation is for the caller to
// say.
package release
