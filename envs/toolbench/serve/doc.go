// Package serve serves the functions of ToolBench under API versions to clients that know nothing
// of this program: over StableToolBench's protocol, and as an MCP server.
//
// # The protocol of StableToolBench
//
// POST /virtual takes an object of category, tool_name, api_name and tool_input, which is an
// object, or a text that holds one; and, of this server's own, version. api_name is the published
// name of an API, or the name of a function in the version. The answer is an object of error and
// response; a call succeeded if error is empty.
//
//	200  every call, whatever the API answers; error says why a call does not fit
//	400  the body is not such an object, or names an unknown version
//	401  the key is missing or wrong
//	413  the body is too large
//	502  a failure on this side: of the model or cache behind the API, or a call that is not
//	     recorded and has no simulator
//
// StableToolBench's own client spells the names of tools, APIs and parameters in lower case, with
// underscores, and is_id for id: each is accepted if it is clear what is meant. A spelling that
// two parameters of a function share is refused with both names. Toolevo-Standardised-Names, a
// header of the answer, says how many arguments were spelled otherwise than in the document; the
// body is the same either way.
//
// The key is that of the header Authorization (Bearer), or toolbench_key. A response is sent whole:
// the member strip, which asks a server of real APIs to shorten it, is ignored. chat_with_user,
// which is not an API, is answered with a fixed text.
//
// # MCP
//
// /mcp is the streamable HTTP transport for the first version, /mcp/VERSION for any. Every function
// is a tool with its JSON Schema; the result of a call is the text that /virtual answers, marked as
// an error if it has one. [Server.Stdio] serves the same over a pipe. A function whose document
// says GET is annotated as one that only reads; others have no annotation. The server speaks the
// revisions of the protocol from 2024-11-05 to 2026-07-28.
//
// GET /metrics is for Prometheus.
//
// # Guarantees
//
//   - A body is read only as far as the limit, and only so many calls run at the same time; the
//     others wait.
//   - No page of a foreign site in a browser on this machine calls anything; see package envs/wire.
package serve
