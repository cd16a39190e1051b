package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzText: a text is what was sent, or an error; never another text.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		`"a"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00"`, `"\\ud83d"`, `"\ud83d\n"`, `"\uD83D\uD83D\uDE00"`, `"\u0000\ufffd"`, "null", "1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var text Text
		var want string
		if json.Unmarshal([]byte(raw), &text) != nil || json.Unmarshal([]byte(raw), &want) != nil || !utf8.ValidString(raw) {
			return
		}
		if string(text) != want {
			t.Fatalf("%q is %q, want %q", raw, text, want)
		}
		// What the decoder puts in place of a half is nowhere but where it was sent.
		sent := strings.Count(raw, "\ufffd") + strings.Count(strings.ToLower(raw), `\ufffd`)
		if strings.Count(want, "\ufffd") > sent {
			t.Fatalf("%q lost a part of a character: %q", raw, text)
		}
	})
}
