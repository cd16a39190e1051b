// Package process is the engine that starts a new python3 for every program, about 10 ms on a small machine, and 60 ms
// more for one that imports numpy.
//
// The interpreter stands behind the same walls as the fork server's children: the launcher of package confine
// starts it, and it puts on the narrower filter of system calls before the program begins. What is left of
// its process group is killed after every call.
//
// With [Options.Unsafe] the engine is called unsafe and has no walls. It limits time, memory and output, and starts
// the program with an empty environment. That stops a careless program but not a hostile one, which can read any file
// and reach any network that this user can, leave the process group by setsid, and outlive the call.
package process
