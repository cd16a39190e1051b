// Package recorded reads calls of APIs as they were recorded with their answers, and says what
// became of each.
//
// # Words
//
// A [Call] is a request and the answer to it, an object of error and response. Its [Class] says
// whether it succeeded, and how it failed if not: the string rules of MirrorAPI's Appendix D (Guo
// et al., 2025), which stand in classes.yaml.
//
// # Guarantees
//
//   - The same answer has the same class, whatever API gave it.
//   - A file that is not what it should be is an error that names the file and the entry.
//
// # Caveats
//
// The published rules look for the digits 401, 403 and 404 anywhere, so a price of 404 is an error.
// Here a code is one only beside a word such as "status" or "error", unless [Published] is asked.
// The words of the rules stand as they are in both: a response that speaks of a connection is one
// of a failed connection.
package recorded
