// Package session is the session service of StateGen as a domain of package stategen: clients keep
// sessions under a source and a type, and find, change and delete them.
//
// # Words
//
// A session is an object of id, source, type, checksum and data. A program holds copies of
// sessions: local ones, which are variables of its user, and the elements of lists that the service
// returned. An edit changes a copy and is no call; a copy with edits that the service does not know
// yet is pending, and a write, which is add_session or update_session, settles it.
//
// # Rules
//
// What the service can do is not all that a program may do. Programs read only where there is
// something to find, and never what they read or wrote by the call before, nor by the source and
// type of what they deleted; they write what is pending or was never written; and they delete what
// exists, but not the last session before the last call. An edit may take over what another session
// has. What a program wrote it neither changes nor deletes again, unless a path is so long that
// nothing else is left. Of several copies of one session at most one is pending, and nothing else
// of that session changes until it is written.
//
// Nothing that a program does is lost: every edit is written before its path ends, and what no
// statement has used of the lists that it read is its result. A result is never a list of which the
// program changed an element: it would not be clear whether the list is meant as it was.
//
// # Guarantees
//
//   - A candidate runs: the schema has the service itself behind it, and every call of it has been
//     made there.
//   - A path of any number of calls can go on, and returns something that a call found.
//   - The service is a pure function of its calls, ids included. States are immutable.
//
// # Caveats
//
// Checksums and ids are our own, and not those of the service that StateGen took. Ids ascend in the
// order of adding, as there.
package session
