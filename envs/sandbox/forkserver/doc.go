// Package forkserver is the engine that forks a warm interpreter for every program.
//
// # Words
//
// A server is a Python process that has imported what programs may import, and forks a child for
// each program. It is lent for one call at a time, and replaced when it breaks or has served its
// number of calls. In the latter case, the next one is started and warmed up beforehand.
//
// # Guarantees
//
// A program runs in a child that has seen no other program, and it ends with that child: it can
// start no process. Nor does the server see programs or what they print: it passes them on through
// a buffer that it clears, so that a child, which has a copy of the server's memory, finds nothing
// of earlier ones. The server lives behind the walls of package confine, and the child behind a
// narrower filter of system calls in addition. A child can tell its server something in two ways
// only: by what it prints and by how it ends. Both are limited, and the server ends it in time; the
// server also watches for the end of this process. A server that does not answer in time is killed.
//
// A program whose child is killed or terminated by anything but a limit, or whose server breaks,
// runs once more; the second time it is an error. Without the filter a program that is terminated
// may have done that itself, which is how it ended then.
//
// With [Options.Bwrap] the engine is called bwrap: the same, in namespaces of its own. With
// [Options.Unsafe] it is called unsafe: the same without walls, so that a program can do what the
// user can, within its limits.
//
// # Caveats
//
// Memory is the address space, of which an interpreter with numpy has used 60 to 110 MB before a
// program begins. Without the wall of system calls, what a program starts ends with it as long as
// it stays in its process group.
package forkserver
