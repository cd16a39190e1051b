package durable

import "fmt"

// FormatError means that a file or folder has another format than this version reads. There is one
// format for each kind of file; none but the version that wrote a file reads an older or newer one.
type FormatError struct {
	Path     string
	Software string // the version of toolevo that wrote it; "" where it does not say
	Format   int    // that it has; 0 where it does not say
	Want     int    // this version's
}

// CheckFormat returns a [*FormatError] unless the format of a file is the one that is wanted.
func CheckFormat(path, software string, format, want int) error {
	if format == want {
		return nil
	}

	return &FormatError{path, software, format, want}
}

// Error says in one line who made it, in which format, and what can be done.
func (e *FormatError) Error() string {
	maker, again := "another version of toolevo", "that version"
	if e.Software != "" {
		maker = "toolevo " + e.Software
		again = maker
	}

	format := "a format without a number"
	if e.Format != 0 {
		format = fmt.Sprintf("format %d", e.Format)
	}

	return fmt.Sprintf("%s was made by %s in %s; this version reads format %d: export it with %s, or make it again",
		e.Path, maker, format, e.Want, again)
}
