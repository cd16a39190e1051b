// Package engines opens an engine by name, or the best one that this machine can run.
//
// # Words
//
// An engine runs programs that a model wrote ([sandbox.Engine]); a wall is a mechanism of the
// kernel that confines them ([confine.Wall]). A wall that the machine does not offer is missing;
// the user may accept that, by its name.
//
// # Guarantees
//
//   - [Auto] tries bwrap, then forkserver. It takes the first that has all of its walls, not
//     counting missing ones that the user accepted. If none does, the error names what is missing,
//     what still holds and what to do. It never takes unsafe, nor an engine with fewer walls than
//     were asked for.
//   - The engine's stamp records which engine was chosen and which walls it lacks.
//   - An engine chosen by name is opened or refused, never replaced.
//   - [Check] attacks an engine before a run uses it, and knows which attacks get through for lack
//     of a wall that the user accepted. [Warnings] says in words which walls are missing.
//
// # Caveats
//
// bubblewrap's namespaces do what Landlock does, and more: a program sees only the files that were
// bound. Where bubblewrap works, auto therefore does without Landlock, and the stamp says so.
// bubblewrap needs unprivileged user namespaces; starting it is how their absence is noticed.
package engines
