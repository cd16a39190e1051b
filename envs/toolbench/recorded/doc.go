// Package recorded reads calls of APIs that were recorded with their answers, and classifies them.
//
// # Words
//
// A [Call] is a request and the answer to it, an object of error and response. Its [Class] says
// whether it succeeded, and how it failed if not, by the string rules of MirrorAPI's Appendix D
// (Guo et al., 2025), which are in classes.yaml.
//
// # Guarantees
//
//   - The same answer has the same class, whatever API gave it.
//   - A file that is not what it should be is an error that names the file and the entry.
//
// # Caveats
//
// The published rules look for the digits 401, 403 and 404 anywhere, so a price of 404 is an error.
// Here a code counts only beside a word such as "status" or "error", unless [Published] is asked.
// The words of the rules are the same in both: a response that speaks of a connection counts as a
// failed connection.
package recorded
