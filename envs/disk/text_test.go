package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Text is read as it is, without a byte order mark; what would be read as another text is an error
// with the line.
func TestReadJSON(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("é", 1<<17) // longer than what is read at once
	siblings := strings.Repeat("[[{}]]\n", 2000)
	brackets := `["` + strings.Repeat(`[{\"`, 2000) + `"]`

	for name, test := range map[string]struct {
		text, want string
		line       string // of the error
		wrong      error
	}{
		"nothing":             {"", "", "", nil},
		"a mark":              {"\ufeff", "", "", nil},
		"a mark and lines":    {"\ufeffa\n\ufeffb", "a\n\ufeffb", "", nil},
		"a long line":         {long + "\n" + long, long + "\n" + long, "", nil},
		"pairs":               {`"\ud83d\ude00\uD83D\uDE00"`, `"\ud83d\ude00\uD83D\uDE00"`, "", nil},
		"others":              {`"\u00e9\\ud83d\n\u20ac\\\\"`, `"\u00e9\\ud83d\n\u20ac\\\\"`, "", nil},
		"an end of an escape": {`"\ud8`, `"\ud8`, "", nil}, // the parser's to say
		"a backslash":         {`\`, `\`, "", nil},
		"Latin-1":             {"a\nb\ncaf\xe9\n", "", ":3:", ErrNotUTF8},
		"UTF-16":              {"\xff\xfe{\x00}\x00", "", ":1:", ErrNotUTF8},
		"behind a long line":  {long + "\n" + long + "\xc3", "", ":2:", ErrNotUTF8},
		"a half":              {"\n" + `"\ud83d"`, "", ":2:", ErrHalf},
		"the second half":     {`"\ude00"`, "", ":1:", ErrHalf},
		"a half and another":  {`"\ud83d\u0041"`, "", ":1:", ErrHalf},
		"a half, then a pair": {`"\ud83d\ud83d\ude00"`, "", ":1:", ErrHalf},
		"behind a backslash":  {`"\\\ud83d"`, "", ":1:", ErrHalf},
		"lists":               {strings.Repeat("\n[", 20_000), "", ":1002:", ErrNested},
		"objects in a line":   {"1\n" + strings.Repeat(`{"a":`, 20_000), "", ":2:", ErrNested},
		"lists side by side":  {siblings, siblings, "", nil},
		"brackets in a text":  {brackets, brackets, "", nil},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}

		text, err := ReadJSON(path)
		if !errors.Is(err, test.wrong) || err == nil && string(text) != test.want ||
			err != nil && !strings.Contains(err.Error(), path+test.line) {
			t.Errorf("%s: %.80q, %v", name, text, err)
		}

		onlyJSON := errors.Is(test.wrong, ErrHalf) || errors.Is(test.wrong, ErrNested)
		if _, err := ReadText(path); onlyJSON != (err == nil) && test.wrong != nil {
			t.Errorf("%s, as a text that is no JSON: %v", name, err)
		}
	}

	large := filepath.Join(t.TempDir(), "large")
	if err := errors.Join(os.WriteFile(large, nil, 0o644), os.Truncate(large, 1<<30)); err != nil {
		t.Fatal(err)
	}

	if _, err := ReadText(large); !errors.Is(err, ErrLong) {
		t.Errorf("a gigabyte: %v", err)
	}

	if _, err := ReadText(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}

	if _, err := ReadText(t.TempDir()); !errors.Is(err, ErrNot) {
		t.Errorf("a folder: %v", err)
	}
}
