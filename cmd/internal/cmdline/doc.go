// Package cmdline provides what all commands share on a command line: usage lines and their
// arguments, help texts, completion, flags that mean the same everywhere, and the exit codes. It
// contains no command.
package cmdline
