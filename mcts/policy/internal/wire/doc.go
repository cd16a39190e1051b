// Package wire is how the backends beside it reach their servers over HTTP: what is the same whatever the protocol.
//
// # Words
//
// A link is the way to one server. An answer is the whole of what a server sent back to one request. Secrets are the
// key and the credentials of an address, in every spelling in which they can come back.
//
// # Guarantees
//
//   - A request ends when its context does, or when the link's timeout has passed, the reading of the answer included.
//     The error is the context's own in the first case, and a [server.Fault] in all others.
//   - Nothing secret occurs in an address, a fault, or anything below a fault, and no link prints any.
//   - Redirects are not followed: a redirected POST would carry the key to wherever the answer says, or lose its body.
//   - Answers are read up to a bound.
//   - The proxies of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) are used, never for this machine itself.
//
// # Caveats
//
// A key shorter than four characters is none that protects anything, and is not hidden.
package wire
