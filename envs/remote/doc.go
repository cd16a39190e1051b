// Package remote plays tools that live elsewhere: a user's own services and servers.
//
// A search goes back and forth in its tree, and a service does not. So a state of the environment
// is a [Log] of the calls on the way to it, and a [Service] brings an instance of the tools to
// where a log ends: it takes one that is there, makes the missing calls on one that is on the way,
// or starts a fresh one and makes all calls again.
//
// # Words
//
// A [Source] starts instances. An [Instance] is the tools with a state of their own, which nobody
// else changes. A tool reads only if no call of it changes that state: its calls are not part of a
// log. What services cannot repeat, such as times and random names, is masked ([Mask]) in
// comparisons and in what the agent reads.
//
// A [Toolset] is the list of an MCP server ([ToolsOf]) as tools with types, by the rules of package
// openapi. What cannot be expressed is left by name, and what looks wrong in the list is noted,
// such as a tool without the parameters that its description names.
//
// The sources are [MCP] and [HTTP]. An MCP server is spoken to in the newest revision of the
// protocol that it knows, from 2024-11-05 to 2026-07-28, which has no sessions, over a pipe or
// streamable HTTP. A service over HTTP answers with any status below 400, and with what the agent
// may have caused: 400, 403, 404, 409, 422 and the other 4xx except 408, 425 and 429. These are
// [envs.ToolError], with the text of the body. 401 is one of them if the document asks for no
// secret; if it does, the secret is wrong or missing, which is a failure and ends the run
// ([envs.IsFinal]). 408, 425, 429, 5xx and broken connections are failures, not answers. A call
// that no request can express is [envs.InvocationError].
//
// A source is a [Previewer], too: it says what it would run and send, without doing so.
//
// # Guarantees
//
//   - The answer of a call depends on the log and the call, not on the instance that happened to be
//     taken, nor on other branches: when calls are made again, each answer is compared with the
//     recorded one. If they differ, the error is [Diverged], a failure and never a reward, and the
//     instance is not used again.
//   - With a memory ([envs.Memory]) no call of a log is made a second time for its answer: a run
//     that is resumed or checked needs no instance for what it remembers.
//   - A source that cannot start an instance is asked again until it can, or until
//     [Options].Patience is over, unless only its user can mend that ([envs.IsFinal]).
//   - An instance is used by one caller at a time, and there are never more than [Options].Most,
//     and with [Options].Ahead one more that waits.
//   - A service over HTTP is asked at the hosts of its document. Redirections lead only to these
//     and to [HTTP].Hosts, which no secret is sent to.
//   - Secrets are read when a request is made or a program is started, which is not done without
//     them. No result and no error shows one, even if a service repeats it.
//   - A request without an answer is sent again, until its context ends, if that is safe: if nobody
//     was there or 425 or 429 said that nothing was done, for GET, HEAD, OPTIONS, TRACE, PUT and
//     DELETE, and with an Idempotency-Key of its own if the document has one. Otherwise it is an
//     error, and the state is made anew on another instance. So is a refusal of what was sent again
//     and may have been done before. A request that is answered 500 four times, or by three
//     instances if it is not safe, is given up ([envs.GivenUp]).
//   - JSON is shown in one line, its members and numbers as they came; the address and the folder
//     of an instance, which no other has, are shown as the document's host and {dir}.
//   - A server's list of tools is kept no longer than the server says (ttlMs).
//   - Whatever happens to this process, no service that it has started is left running, and the
//     next process removes their folders.
//
// # Caveats
//
// An MCP server is told that its client can answer nothing: a tool that asks for its user's word
// (elicitation) or a model's (sampling) is [Asks], and not a mistake of the agent. Prompts,
// resources and tasks of a server are not used, and HTTP+SSE of 2024-11-05 is not spoken. A server
// older than 2026-07-28 that ends, or says nothing, when it is asked for revisions is started twice
// the first time.
//
// Whether a tool only reads is the server's word. The parameters of an MCP server's tool are in
// alphabetical order, since the client library does not keep theirs.
//
// A service whose answers depend on anything but its calls is found out only when a call is made
// again.
//
// A running service that is never reset ([HTTP].Resettable) has a state that anybody may change:
// its tools may only read. What others do there ([Options].Shared), all branches find. One that is
// reset has one instance ([HTTP].Most), and nobody else may use it meanwhile.
//
// A wrong key that a service answers with 403 looks like a forbidden call. Cookies that a service
// sets are not kept. An answer of more than [HTTP].MostBytes, of an MCP server of more than 1 MiB,
// is a ToolError that asks for less, even if something was done. Secrets of fewer than four
// characters are not hidden.
package remote
