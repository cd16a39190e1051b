// Package serve makes the session service of package session a web server.
//
// Under the base version it has the routes in the documents of the tools:
//
//	GET    /api/sessions/{source}/{type}                       list_sessions
//	POST   /api/sessions/{source}/{type}                       add_session; the body is the data
//	GET    /api/sessions/{source}/{type}/query?field=&value=   query_sessions
//	GET    /api/sessions/{source}/{type}/{id}                  get_session
//	PUT    /api/sessions/{source}/{type}/{id}                  update_session; the body is the data
//	DELETE /api/sessions/{source}/{type}/{id}                  delete_session
//
// Under another version an API that changed, called NAME there, is POST /api/NAME, and the body is
// an object of its parameters; one that did not change keeps its route.
//
//	200  with the result as JSON, or an empty body
//	400  the arguments do not fit, or the service does not take them
//	404  no such session, or no such route
//	410  another version has this; the error is the notice about what to use instead
//	413  the body has more than MaxBody bytes
//	500  the server failed
//
// Every answer but 200 has an object with the reason under error, except those of net/http itself:
// 404 and 405 to paths and methods without a route.
//
// # Guarantees
//
//   - A request makes one call at most, which goes through the version's adapters.
//   - [Server] is safe for concurrent use: calls happen one after another.
//   - A web page of another site, in a browser on this machine, cannot call anything; see package
//     envs/wire.
//
// # Caveats
//
// Sessions are in memory, up to 64 MiB of them.
package serve
