// Package wire is the HTTP client shared by the backends: everything that does not depend on the
// protocol.
//
// # Words
//
// A link is the connection to one server. A reply is a response that fulfils a request; an answer
// is any other response. Secrets are the key, the credentials and the query of an address, except
// an api-version, and those parts of headers that came from the environment, in every spelling in
// which they can come back.
//
// # Guarantees
//
//   - A request ends when its context does, or when the link's timeout has passed, the reading of
//     the answer included. The error is the context's own in the first case, and a [server.Fault]
//     in all others.
//   - No secret occurs in an address, a fault, or anything below a fault, nor in what a link
//     prints.
//   - Redirects are not followed: a redirected POST would carry the key to wherever the answer
//     says, or lose its body.
//   - Replies are read piece by piece, up to a bound on their bytes after decompression; they end
//     with their context, too. A [Document] builds only what is asked for, and loses no character.
//   - Whatever a server sent is shortened in a fault, and a line without control characters.
//   - The proxies of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) are used, never for this
//     machine itself.
//
// # Caveats
//
// A key of fewer than four characters is not hidden: it protects nothing.
package wire
