package disk

import (
	"encoding/json"
	"fmt"
)

// FormatError means that a file or folder has a format that this version does not read. A version
// reads one format for each kind of file, and no older or newer one.
type FormatError struct {
	Name     string // its path, or words for it
	Software string // the version of toolevo that wrote it; "" where it does not say
	Format   int    // that it has; 0 where it does not say
	Want     int    // this version's
}

// CheckFormat returns a [*FormatError] unless a file has the format that is wanted.
func CheckFormat(name, software string, format, want int) error {
	if format == want {
		return nil
	}
	return &FormatError{name, software, format, want}
}

// CheckJSON is [CheckFormat] for a JSON object, which has its format under a key and its writer
// under "software". An object of another version may have other keys. Anything but an object
// passes: decoding will refuse it.
func CheckJSON(name string, text []byte, key string, want int) error {
	var object map[string]any
	if json.Unmarshal(text, &object) != nil {
		return nil
	}

	format, _ := object[key].(float64)
	software, _ := object["software"].(string)
	return CheckFormat(name, software, int(format), want)
}

// Error says in one line what made the file, in which format, and what to do.
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
	return fmt.Sprintf("%s was made by %s in %s; this version reads format %d: export it with %s, "+
		"or make it again", e.Name, maker, format, e.Want, again)
}
