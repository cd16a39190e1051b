// Package serve is the session service of package session as a web server.
//
// Under the base version it has the routes that the documents of the tools tell:
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
//	200  with the result as JSON, or with an empty body where there is none
//	400  the arguments do not fit, or are not such as the service takes
//	404  no such session, or no such route
//	410  what was there under another version; the error is the notice about what to use instead
//	413  the body has more than MaxBody bytes
//	500  our failure
//
// Every answer but 200 has an object with the reason under error, except what net/http itself
// answers: 404 and 405 to paths and methods that no route has.
//
// # Guarantees
//
//   - A request is answered by one call at most, which goes through the version's adapters.
//   - [Server] is safe for concurrent use: calls happen one after the other.
//   - No page of a foreign site in a browser on this machine calls anything; see package envs/wire.
//
// # Caveats
//
// Sessions are in memory, without a limit on how many.
package serve
