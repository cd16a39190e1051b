package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Values are printed on one line of 80 characters, and lists that do not fit there one element a
// line.
func TestPrintValue(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("a", 40)

	for _, tt := range []struct {
		label string
		value any
		want  string
	}{
		{"x: ", []any{"a", "b"}, "x: [\"a\", \"b\"]\n"},
		{"x: ", []any{}, "x: []\n"},
		{strings.Repeat("x", 30) + ": ", []any{long, ""}, ""},
		{strings.Repeat("x", 31) + ": ", []any{long, ""},
			strings.Repeat("x", 31) + ":\n    - \"" + long + "\"\n    - \"\"\n"},
	} {
		var out bytes.Buffer

		printValue(&out, tt.label, tt.value)

		if tt.want == "" { // it just fits
			tt.want = tt.label + "[\"" + long + "\", \"\"]\n"
		}

		if out.String() != tt.want {
			t.Errorf("%s is printed as\n%swant\n%s", tt.label, out.String(), tt.want)
		}
	}
}

// unhashed makes the tasks of a folder those of another program, whose hashes it does not have.
func unhashed(t *testing.T, data string) {
	t.Helper()

	if err := os.Remove(filepath.Join(data, "stategen", "books.json")); err != nil {
		t.Fatal(err)
	}
}
