// Package pytool holds the tool [Interpreter], PythonInterpreter[Python]: it runs a program the model wrote and shows
// what a person expects to see.
//
//   - What the program prints, each call in a fresh interpreter: no variable, file or module survives a call.
//   - If it prints nothing and ends in an expression, the value of the expression, as print would show it.
//   - If it raises, a last line "Type: message".
//   - If there is nothing to show, "You should print the variable you want to obtain the python result."
//
// Code fences and backquotes around the program are removed. [Options.PublishedCapture] shows what the published code
// shows instead: it finds the print statements, drops or labels output by their number, and shortens it.
//
// # Engines
//
// An [Engine] runs one program under [Limits]. [Process] is the engine of this package: a new python3 for each call,
// about 10 ms on a small machine and 60 ms more for a program that imports numpy. It starts python3 with -S, and gives it
// the module search path found once at the start, so numpy and other modules installed with that interpreter (but not
// in a user's home) can be imported at no cost to the programs that do not.
//
// # Equal code, equal observation
//
// The hash seed is fixed, and so are the random and numpy.random generators of a program whose text names them. What
// reads the clock, the operating system's entropy or the name of its folder, or prints until a limit of time stops it,
// can still differ from call to call; a [toolqa.Memory] makes a run repeatable. Equal programs that run at the same time
// run once.
//
// The load of the machine should not decide what a program shows. Both limits of time, of the processor's and of real
// time, have one text, and by default real time is four times the other, so that a program that computes meets the
// limit that no load shifts. A program that is killed from outside, e.g. when the machine runs out of memory, runs once
// more, and then is an error and no observation; one that kills itself by SIGKILL looks the same.
//
// # Caveats
//
// The engine Process limits time, memory and output, starts from an empty environment in an empty folder, and kills
// its process group after every call. That stops a careless program. It does not stop a hostile one: it can read any
// file and reach any network this process can, can write files outside its folder (each up to a limit) where this user
// may, can leave its process group by setsid and outlive the call until its processor time is used up, can read the
// environment of this process through /proc, and can fork more processes, each with limits of its own. Run it in a
// container, or as a user with nothing to lose, when the model is not trusted.
package pytool
