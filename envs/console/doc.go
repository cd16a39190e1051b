// Package console is how commands talk to people and to programs: results on stdout, as text or as one JSON document;
// words and progress on stderr; an exit code that says what kind of end it was; arguments that mean the same
// everywhere. It knows no command.
package console
