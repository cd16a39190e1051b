// Package pytool holds the tool [Interpreter], PythonInterpreter[Python]: it runs a program the model wrote and shows
// what a person expects to see.
//
//   - What the program prints on standard output, each call in a fresh interpreter: no variable and no module that one
//     call changed is there in the next.
//   - If it prints nothing and ends in an expression, the value of the expression, as print would show it.
//   - If it raises, the traceback that CPython shows, with the lines of the program in it, which is called "<string>".
//     Of more than 40 frames the middle is left out, and so is the middle of a line of more than 300 characters.
//   - If there is nothing to show, "You should print the variable you want to obtain the python result."
//
// A program of more than 256 KiB is not run, and shows a SyntaxError that says so.
//
// Code fences and backquotes around the program are removed. [Options.PublishedCapture] shows what the published code
// shows instead: it finds the print statements, drops or labels output by their number, shortens it, and shows an
// exception as "Type: message".
//
// # What a program sees
//
// CPython, as if started with the program alone: its __main__ is fresh, its folder is "/", standard input is empty, and
// what goes to standard error is lost. It can import the standard library and the modules that [Stamp.Modules] names,
// which [Describe] says in the words that the model reads. It can write no file, start no process or thread, and
// reach no network; an attempt is the exception that Python has for it. At its end functions of atexit are called.
//
// # Engines
//
// An [Engine] runs one program under [Limits]. There are:
//
//   - forkserver: a python3 that has imported what programs often need, and forks for each of them
//   - bwrap: the same inside bubblewrap
//   - process: a new python3 for each program
//   - wasi: CPython compiled to WebAssembly, in a process of its own
//   - unsafe: process without walls
//
// They are packages below this one, and differ in speed and in what keeps a program from harming its host, not in what
// a program shows; package pytooltest holds them to that. SECURITY.md says what each engine protects against.
//
// A run keeps to one engine and one version of Python, as far as its [Stamp]: what an exception says and which modules
// there are depend on it. The keys of an [envs.Memory] leave the stamp out, so that a memory belongs to a run.
//
// # Equal code, equal observation
//
// The hash seed is fixed. The generators of random and numpy.random, numpy's default_rng included, begin with
// [Program.Seed], the first four bytes of the SHA-256 of the program, in every engine. Where an object lies in memory
// is shown as 0x7f0000000000. Equal programs that run at the same time run once.
//
// What reads the clock, the operating system's entropy, id or the number of its process, or prints until a limit of
// time stops it, can still differ from call to call; an [envs.Memory] makes a run repeatable.
//
// The load of the machine should not decide what a program shows. Both limits of time, of the processor's and of real
// time, have one text, and by default real time is four times the other, so that a program that computes meets the
// limit that no load shifts. A program that is killed from outside, e.g. when the machine runs out of memory, runs once
// more, and then is an error and no observation.
package pytool
