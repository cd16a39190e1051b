// Package console provides what all work for a user shares: results on stdout, as text or as one
// JSON document; messages and progress on stderr; and kinds of errors, which a program turns into
// exit codes. It knows neither commands nor flags.
package console
