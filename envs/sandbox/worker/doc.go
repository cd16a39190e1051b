// Package worker runs child processes that answer requests, and ends those that do not.
//
// # Words
//
// A [Child] is a process that reads requests from its standard input and writes answers to its
// standard output. Each is a frame: four bytes of length, big-endian, and as many bytes. A [Pool]
// has a number of children: it starts each when it is first needed, lends it for one call at a
// time, and replaces one that cannot be used any more. A [Standby] starts them all beforehand. In
// a scratch folder a child may make files; it is emptied after each call.
//
// A child may be this very program, started again behind the walls of package confine ([Self]). A
// package that serves in one calls [Serve] when it is initialised: nothing else of the program runs
// in the child.
//
// # Guarantees
//
//   - A call ends in time: a child that has not answered at the deadline, which is later on a busy
//     machine if [Limits].Stretch says so, is killed, with its process group. So is one whose files
//     grow beyond the cap of its call, at most 20 ms later.
//   - If a child dies, its call is made once more in another one. The second death is the call's
//     error.
//   - A child ends with this process, and leaves no file: if this process is killed, the next
//     program on this host that makes a scratch folder removes those that are left.
//
// # Caveats
//
// The size of a scratch folder is that of the files that have a name in it. Without both walls, a
// child can remove the name of a file that it has open, and only the limit on file sizes holds.
package worker
