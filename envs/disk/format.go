package disk

import (
	"encoding/json"
	"fmt"
)

// FormatError means that a file or folder has another format than this version reads. There is one
// format for each kind of file; none but the version that wrote a file reads an older or newer one.
type FormatError struct {
	Name     string // its path, or words for it
	Software string // the version of toolevo that wrote it; "" where it does not say
	Format   int    // that it has; 0 where it does not say
	Want     int    // this version's
}

// CheckFormat returns a [*FormatError] unless the format of a file is the one that is wanted.
func CheckFormat(name, software string, format, want int) error {
	if format == want {
		return nil
	}
	return &FormatError{name, software, format, want}
}

// CheckJSON is [CheckFormat] for an object of JSON, which has its format under a key and who wrote
// it under "software". That of another version may have other keys; what is no object passes, for
// whoever decodes it to refuse.
func CheckJSON(name string, text []byte, key string, want int) error {
	var object map[string]any
	if json.Unmarshal(text, &object) != nil {
		return nil
	}

	format, _ := object[key].(float64)
	software, _ := object["software"].(string)
	return CheckFormat(name, software, int(format), want)
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
		e.Name, maker, format, e.Want, again)
}
