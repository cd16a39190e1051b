// Package confine starts an untrusted program behind walls. It needs no privileges: it uses only
// what any user may apply to their own processes.
//
// # Words
//
// A [Jail] is a program and what it may access. A [Wall] is one mechanism of the kernel that
// confines it. The launcher is this binary, started again ([Main]): it puts up the walls around
// itself and then becomes the program. Once started, the program gives up what it no longer needs
// by a filter of its own ([Filter]).
//
// # Guarantees
//
// These hold for the program, and for every process it starts, as root and as any other user:
//
//   - It opens only files in Read and Write, none in Hide unless Read names it, and only for what
//     they allow. It makes files only in Scratch, removes and renames none, and changes no file's
//     mode, owner, or times (Landlock, and the launcher's filter, which covers what Landlock does
//     not).
//   - It makes no connection and no socket but pairs of its own, enters no namespace, traces no
//     process, and reaches none of the kernel's parts that serve to administer a machine (the
//     launcher's filter).
//   - It has none of this process's descriptors except the three standard ones that the caller
//     gives it, no environment but Env, no terminal, and, as root, no capability except to read the
//     files in Read whoever owns them.
//   - It leaves no core dump, and gains nothing by set-user-id programs.
//   - It is killed when this process ends. Outside of bubblewrap, the processes that it starts are
//     not: each must ask to be killed with its parent (PR_SET_PDEATHSIG). With bubblewrap, a keeper
//     in between, this very binary once more, ends all of it when this process ends.
//
// Behind its own filter it also starts no process, executes no program, sends no signal (except
// SIGABRT to itself), changes no limit, gets only memory that counts against its limits or that its
// few descriptors take, and makes no system call that is not on the list. A call from code for
// another architecture kills it.
//
// With bubblewrap it does not even see files, processes, users, or network interfaces other than
// its own: what Landlock denies is not there.
//
// A machine that lacks a wall is an error that says so ([MissingError]), unless the wall is in
// Without. Then the rest stays: the launcher's filter and the limits hold without Landlock, and
// [Filter] then lets nothing be opened for writing, while reading files cannot be denied; Landlock
// holds without seccomp, and since Linux 6.12 keeps signals inside, since 6.7 TCP.
//
// # Caveats
//
//   - What is known of a file without opening it is not hidden: a program can ask whether a path
//     exists, how large the file is, and when it was changed. It can list no folder but those in
//     Read and those that hold something of Hide, nor, behind its own filter, see where a symbolic
//     link leads. The host's name, its kernel's version, its time since boot, its load and its
//     memory can be seen, and the program's process id. Bubblewrap hides most of this.
//   - The number of processes and memory are not bounded here, but by the limits that the program
//     gets (and, behind its filter, by there being no new processes and no threads).
//   - A hole in the kernel that can be reached through the calls that are left is a hole in the
//     walls; so are the side channels of processors. A virtual machine around everything helps.
//   - The kernel ends a program with the thread that started it, not with the process. Go ends a
//     thread only when a goroutine ends that is locked to it: no goroutine of a process that starts
//     jails may end between runtime.LockOSThread and UnlockOSThread.
//   - Starting a jail takes as long as this binary takes to initialize its packages. The walls
//     themselves take well below a millisecond.
//   - Filters exist for amd64 and arm64. Other systems than Linux have no walls.
package confine
