package wire

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// TestFilling: what the decoder reads comes in large pieces, whatever it arrives in.
func TestFilling(t *testing.T) {
	text := strings.Repeat("x", 10)
	p := make([]byte, 8)

	r := filling{iotest.OneByteReader(strings.NewReader(text))}
	for _, want := range []int{8, 2, 0} {
		n, err := r.Read(p)
		if n != want || (err == io.EOF) != (want < 8) || string(p[:n]) != text[:n] {
			t.Errorf("%d bytes, %v; want %d", n, err, want)
		}
	}

	broken := filling{iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(text)))}
	if n, err := broken.Read(p); n != 1 || err != iotest.ErrTimeout {
		t.Errorf("%d bytes, %v; want the reader's own error", n, err)
	}
}

// FuzzText: a text is what was sent, or an error; never another text.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		`"a"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00"`, `"\\ud83d"`, `"\ud83d\n"`, `"\uD83D\uD83D\uDE00"`,
		`"\u0000\ufffd"`, "null", "1",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, raw string) {
		var text Text

		var want string
		if json.Unmarshal([]byte(raw), &text) != nil || json.Unmarshal([]byte(raw), &want) != nil ||
			!utf8.ValidString(raw) {
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
