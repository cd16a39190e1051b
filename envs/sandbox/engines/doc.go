// Package engines opens the engine that a name chooses, or the best that this machine can run.
//
// # Words
//
// An engine runs programs that a model wrote ([sandbox.Engine]); a wall is what the kernel keeps them inside with
// ([confine.Wall]). A wall that the machine does not offer is missing; the user may accept that, by its name.
//
// # Guarantees
//
//   - [Auto] takes, in this order: bwrap, forkserver, wasi. It takes one only if no wall of it is missing, or
//     each that is was accepted; what it finds nowhere it names, with what still holds and the ways on. It
//     never takes process or unsafe, and no engine with fewer walls than were asked for.
//   - What was chosen, and what is missing of it, stands in the engine's stamp.
//   - An engine that is named is opened or refused, never replaced.
//
// # Caveats
//
// bubblewrap's namespaces do what Landlock does, and more: a program sees the files that were bound and no
// others. Where bubblewrap works, auto therefore does without Landlock, and the stamp says so. bubblewrap
// works where unprivileged user namespaces do, which is found out by starting it.
package engines
