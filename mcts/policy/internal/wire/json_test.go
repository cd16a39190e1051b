package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// TestSmallPieces: a body takes a time that grows with its length, whatever pieces it arrives in.
func TestSmallPieces(t *testing.T) {
	body := `{"a":` + strings.Repeat(" ", 1<<18) + `"` + strings.Repeat("x", 1<<18) + `"}`

	var text string

	d := NewDocument(iotest.OneByteReader(strings.NewReader(body)))
	if err := d.Object(map[string]any{"a": &text}); err != nil || len(text) != 1<<18 {
		t.Errorf("a text of %d bytes, %v", len(text), err)
	}
}

// FuzzText: a text is what was sent, or an error; never another text.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		`"a"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00"`, `"\\ud83d"`, `"\ud83d\n"`, `"\uD83D\uD83D\uDE00"`,
		`"\u0000\ufffd"`, "null", "1", "\"\xff\"",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, raw string) {
		var text, want string
		if d := NewDocument(strings.NewReader(raw)); d.Decode(&text) != nil || d.End() != nil {
			return
		}

		if err := json.Unmarshal([]byte(raw), &want); err != nil || text != want || !utf8.ValidString(raw) {
			t.Fatalf("%q is %q, want %q (%v)", raw, text, want, err)
		}
		// What a decoder puts in place of a half is nowhere but where it was sent.
		sent := strings.Count(raw, "\ufffd") + strings.Count(strings.ToLower(raw), `\ufffd`)
		if strings.Count(want, "\ufffd") > sent {
			t.Fatalf("%q lost a part of a character: %q", raw, text)
		}
	})
}
