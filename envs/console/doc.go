// Package console provides what all commands share: results on stdout, as text or as one JSON document; messages and
// progress on stderr; exit codes; and arguments that mean the same everywhere. It contains no command.
package console
