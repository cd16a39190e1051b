// Package sandbox defines the [Engine], which runs model-written programs and keeps them from
// harming the host. The packages below it implement the engines, their walls, and attacks on both;
// package engines chooses an engine.
//
// # Engines
//
// An engine runs one [Program] under [Limits]. There are:
//
//   - forkserver: a python3 that has imported what programs often need, and forks for each of them
//   - bwrap: the same inside bubblewrap
//   - unsafe: the same without walls
//
// They differ in speed and in what keeps a program from harming its host, not in what a program
// shows; package toolqa/pytool/pytooltest holds them to that. SECURITY.md says what each engine
// protects against.
//
// A run keeps to one engine and one version of Python, as its [Stamp] says: the texts of exceptions
// and the modules depend on it.
//
// # What a program sees
//
// CPython, as if started for the program alone: its __main__ is fresh, its folder is "/", standard
// input is empty, and what goes to standard error is lost. It can import the standard library and
// the modules that [Stamp.Modules] names. It can write no file, start no process or thread, and
// reach no network; attempts raise Python's usual exceptions. At its end, atexit functions are
// called.
//
// The hash seed is fixed, and the generators of random and numpy.random, numpy's default_rng
// included, begin with [Program.Seed], in every engine.
package sandbox
