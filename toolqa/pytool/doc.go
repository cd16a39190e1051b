// Package pytool holds the tool [Interpreter], PythonInterpreter[Python]: it runs a program the
// model wrote and shows what a person expects to see.
//
//   - What the program prints on standard output, each call in a fresh interpreter: no variable and
//     no module that one call changed is there in the next.
//   - If it prints nothing and ends in an expression, the value of the expression, as print would
//     show it.
//   - If it raises, the traceback that CPython shows, with the lines of the program in it, which is
//     called "<string>". Of more than 40 frames the middle is left out, and so is the middle of a
//     line of more than 300 characters.
//   - If there is nothing to show, "You should print the variable you want to obtain the python
//     result."
//
// A program of more than 256 KiB is not run, and shows a SyntaxError that says so.
//
// Code fences and backquotes around the program are removed. [Options.PublishedCapture] shows what
// the published code shows instead: it finds the print statements, drops or labels output by their
// number, shortens it, and shows an exception as "Type: message".
//
// Package envs/sandbox holds the engines that run the program, and says what a program sees there.
// [Describe] names the modules that it can import, in the words that the model reads. Package
// pytooltest holds every engine to the same observations.
//
// # Equal code, equal observation
//
// Random numbers begin with the first four bytes of the SHA-256 of the program
// ([sandbox.Program.Seed]). Addresses of objects are shown as 0x7f0000000000. Equal
// programs that run at the same time run once.
//
// What reads the clock, the operating system's entropy, id or the number of its process, or prints
// until a limit of time stops it, can still differ from call to call; an [envs.Memory] makes a run
// repeatable. Its keys leave the engine's [sandbox.Stamp] out, so that a memory belongs to a run.
//
// The load of the machine should not decide what a program shows. Both limits of time, of the
// processor's and of real time, have one text, and by default real time is four times the other, so
// that a program that computes meets the limit that no load shifts. A program that is killed from
// outside, e.g. when the machine runs out of memory, runs once more, and then is an error and no
// observation.
package pytool
