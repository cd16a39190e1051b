// Package session makes StateGen's session service a domain of package stategen: clients keep
// sessions under a source and a type, and find, change and delete them.
//
// # Words
//
// A session is an object of id, source, type, checksum and data. A program holds copies of
// sessions: local ones, which are variables of its user, and the elements of lists that the service
// returned. An edit changes a copy and is no call; a copy with edits that the service does not know
// yet is pending until it is written, by add_session or update_session.
//
// # Rules
//
// Programs may do less than the service can. They read only if there is something to find, and
// never what they read or wrote by the call before, nor with the source and type of what they
// deleted; they write what is pending or was never written; and they delete what exists, but not
// the last session before the last call. An edit may copy a text from another session. What a
// program wrote it neither changes nor deletes again, unless a path is so long that nothing else is
// left. At most one of several copies of a session is pending, and nothing else of that session
// changes until it is written.
//
// Nothing that a program does is lost: every edit is written before its path ends, and the lists
// that no statement has used are its result. A result is never a list with an element that the
// program changed: it would not be clear whether the list is meant as it was.
//
// # Guarantees
//
//   - A candidate runs: the schema runs every statement on the service itself.
//   - A path of any number of calls can continue, and returns something that a call found.
//   - The service is a pure function of its calls, including ids. States are immutable.
//
// # Caveats
//
// Checksums and ids differ from those of the service that StateGen used. Ids ascend in the order of
// adding, as there.
package session
