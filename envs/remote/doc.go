// Package remote plays tools that live elsewhere: a user's own services and servers.
//
// A search goes back and forth in its tree, and a service does not. So a state of the environment
// is a [Log], what was called on the way to it, and a [Service] brings an instance of the tools to
// where a log ends: by taking one that is there, by calling on one that is on the way, or by
// starting a fresh one and making all calls again.
//
// # Words
//
// A [Source] starts instances. An [Instance] is the tools with a state of their own, which nobody
// else changes. A tool reads only if no call of it changes that state: a call of it is no part of a
// log. What services cannot repeat, such as times and random names, is masked ([Mask]), for what is
// compared and for what the agent reads.
//
// A [Toolset] is the list of an MCP server ([ToolsOf]) as tools with types, by the rules of package
// openapi. What cannot be expressed is left by name, and what looks wrong in the list is noted, such
// as a tool without the parameters that its description names.
//
// # Guarantees
//
//   - What a call is answered depends on the log and the call, not on the instance that happened to be
//     taken, nor on what other branches did: each answer that is given again while an instance is brought
//     somewhere is compared with the one that was recorded. Where they differ the error is [Diverged]:
//     ours, and never a reward. The instance is not used again.
//   - With a memory ([envs.Memory]) no call of a log is made a second time for its answer: a run that is
//     resumed or checked needs no instance for what it remembers.
//   - A source that cannot start instances is asked again until it can, or [Options].Patience is over.
//   - An instance is used by one caller at a time, and there are never more than [Options].Most.
//
// # Caveats
//
// That a tool only reads is the server's word. The parameters of an MCP server's tool are in
// alphabetical order, since the client library does not keep theirs.
//
// A service whose answers depend on anything but its calls is found out only when a call is made
// again.
package remote
