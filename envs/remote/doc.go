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
// openapi. What cannot be expressed is left by name, and what looks wrong in the list is noted,
// such as a tool without the parameters that its description names.
//
// [MCP] and [HTTP] are the sources there are. An MCP server is spoken to by the newest revision of
// the protocol that it knows, from 2024-11-05 to 2026-07-28, which has no sessions, over a pipe or
// streamable HTTP. Of a service over HTTP, an answer is any status below
// 400, and what the agent may have brought about: 400, 403, 404, 409, 422 and the other 4xx, which
// are [envs.ToolError] and say what the body says, but for 408, 425 and 429. 401 is one of these
// where the document asks for no secret; where it does, that is wrong or missing, which is ours and
// ends the run ([envs.IsFinal]). 408, 425, 429, 5xx and broken connections are ours: no answers. A
// call that no request can say is [envs.InvocationError].
//
// A source is a [Previewer], too: it says what it would run and send, without doing so.
//
// # Guarantees
//
//   - What a call is answered depends on the log and the call, not on the instance that happened to
//     be taken, nor on what other branches did: each answer that is given again while an instance
//     is brought somewhere is compared with the one that was recorded. Where they differ the error
//     is [Diverged]: ours, and never a reward. The instance is not used again.
//   - With a memory ([envs.Memory]) no call of a log is made a second time for its answer: a run
//     that is resumed or checked needs no instance for what it remembers.
//   - A source that cannot start instances is asked again until it can, or [Options].Patience is
//     over.
//   - An instance is used by one caller at a time, and there are never more than [Options].Most,
//     and with [Options].Ahead one more that waits.
//   - A service over HTTP is asked at the hosts of its document, and redirections lead nowhere else
//     but to those that [HTTP].Hosts names, to which no secret is sent.
//   - Secrets are read when a request is made. No result and no error shows one, also where a
//     service repeats it.
//   - A request that was not answered is sent again, until its context ends, where that is safe:
//     where nobody was there or 425 or 429 said that nothing was done, by GET, HEAD, OPTIONS,
//     TRACE, PUT and DELETE, and with an Idempotency-Key where the document has one, which no other
//     request has. Else it is an error, and the state is made anew on another instance. So is a
//     refusal of what was sent again and may have been done before. A request that is answered 500
//     four times is given up ([envs.GivenUp]).
//   - JSON is shown in one line, its members and numbers as they came; the address and the folder
//     of an instance, which no other has, are shown as the document's host and {dir}.
//   - A server's list of tools is kept no longer than the server says (ttlMs).
//   - Whatever becomes of this process, no service that it has started is left, and the next
//     process removes their folders.
//
// # Caveats
//
// An MCP server is told that its client can answer nothing: a tool that asks for its user's word
// (elicitation) or a model's (sampling) is [Asks], and no mistake of the agent. Prompts, resources
// and tasks of a server are not used, and HTTP+SSE of 2024-11-05 is not spoken. A server of before
// 2026-07-28 that ends, or says nothing, when it is asked for revisions is started twice the first
// time.
//
// That a tool only reads is the server's word. The parameters of an MCP server's tool are in
// alphabetical order, since the client library does not keep theirs.
//
// A service whose answers depend on anything but its calls is found out only when a call is made
// again.
//
// A service that runs and is never reset ([HTTP].Resettable) has nobody's state: its tools may only
// read. One that is reset has one instance ([HTTP].Most), and whoever else uses it is in the way.
//
// A wrong key that a service answers with 403 looks like a call that is forbidden. Cookies that a
// service sets are not kept. An answer of more than [HTTP].MostBytes is a ToolError that asks for
// less, also where something was done. Secrets of fewer than four characters are not hidden.
package remote
