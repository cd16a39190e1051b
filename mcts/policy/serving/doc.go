// Package serving opens the policies that a configuration names: scripted ones, and models on
// servers, which also write what is no action ([Writer]). It says where servers are and how hard
// they are driven, what a model is sent, whether a server is of any use before a run begins, and
// how it is doing during the run.
//
// # Words
//
// A source is where a list of servers is read again and again while a policy is in use, which asks
// those that are listed. A policy is named KIND:NAME. The prompt is what a model is shown before
// the question; what it is sent is that in the form that its server wants.
//
// # Guarantees
//
//   - Nothing calls home by itself: the default server is this machine.
//   - A key is sent only to servers of its own kind, and is in no command that is printed, unless
//     it stands in the command that lists the servers.
//   - No configuration names a command that is run.
package serving
