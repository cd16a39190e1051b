// Package attack tries to break out of an engine, to test whether it holds.
//
// # Words
//
// An [Attack] is a program that an engine must contain: it tries to read a file, to reach the
// network, to leave a process behind, to use up the machine, to change what the next program shows.
// A wall is what it tries to get through. A [Finding] is the result. A breach is a finding that is
// not contained.
//
// The [Bait] is what the host lays out for the attacks: a secret in its environment, in its memory
// and in an open descriptor, a folder of files, listeners, and a process of its own that does
// nothing.
//
// # Guarantees
//
// The verdict does not depend on what the attack reports: after each one the host checks whether
// the bait was touched, whether a process stayed behind, and whether a harmless program still shows
// what it showed before.
//
// An attack that gets through does no harm: what it signals, writes and connects to is the bait or
// the engine, what it multiplies it multiplies a few times, and system calls that would change the
// machine are made with arguments that the kernel refuses. So the list can be run against an engine
// that does not hold.
//
// # Caveats
//
// If all attacks are contained, the engine works as designed on this machine. That does not prove
// that nothing can get out: the attacks do not cover flaws of the kernel or of the interpreter's
// machine code, nor timing side channels.
//
// Each file in the folder snippets is an attack: its first lines say which wall, which form, which
// ends, and what it does. Adding an attack is adding a file.
package attack
