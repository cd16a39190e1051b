package display

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"plain", "Thought: 3 < 4, café 日本 😀", "Thought: 3 < 4, café 日本 😀"},
		{"lines and tabs stay", "a\n\tb\n", "a\n\tb\n"},
		{"colour", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"clipboard (OSC 52)", "\x1b]52;c;ZWNobw==\a", `\x1b]52;c;ZWNobw==\a`},
		{"C0", "a\x00b\bc\rd\x7f", `a\x00b\bc\rd\x7f`},
		{"C1 as characters", "\u009b2J\u0085", `\u009b2J\u0085`},
		{"C1 as bytes", "a\x9b2Jb", `a\x9b2Jb`},
		{"bidi", "user\u202eelif\u202c \u2066x\u2069 \u200f\u061c", `user\u202eelif\u202c \u2066x\u2069 \u200f\u061c`},
		{"zero width, tags, separators", "a\u200bb\ufeff\U000e0041\u2028", `a\u200bb\ufeff\U000e0041\u2028`},
		{"not UTF-8", "a\xff\xc3(", `a\xff\xc3(`},
		{"surrogate as bytes", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"a replacement character is a character", "a\ufffdb", "a\ufffdb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Visible(test.text); got != test.want {
				t.Errorf("Visible(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{" a\r\n b\t\tc ", 0, "a b c"},
		{"a b c", 5, "a b c"},
		{"a b c d", 5, "a b …"},
		{"été 日本", 6, "été 日本"},
		{"été 日本語", 6, "été 日…"},
		{"\x1b[2J\nok", 0, `\x1b[2J ok`},
		{"\x1b[2J", 4, `\x1…`},
		{strings.Repeat("x", 1<<20), 3, "xx…"},
		{"abc", 1, "…"},
		{"", 3, ""},
		{" \n ", 0, ""},
	} {
		if got := Line(test.text, test.width); got != test.want {
			t.Errorf("Line(%.20q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct{ first, text, want string }{
		{"do: ", "give the model its window", "do: give the\n    model\n    its\n    window\n"},
		{"", "a\nb\x1b", "a b\\x1b\n"},
		{"> ", "short /a/path/without/any/space end", "> short\n  /a/path/wi\n  thout/any/\n  space end\n"},
		{"- ", "", "- \n"},
	} {
		if got := Wrap(test.first, test.text, 12); got != test.want {
			t.Errorf("Wrap(%q, %q) = %q, want %q", test.first, test.text, got, test.want)
		}
	}
}

// What is shown is visible, whatever the text and however it is cut; visible text is shown as it
// is.
func TestWhatIsShownIsVisible(t *testing.T) {
	hidden := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }

	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")

		width := rapid.IntRange(1, 30).Draw(t, "width")
		for name, got := range map[string]string{
			"Visible": Visible(text), "Line": Line(text, width), "Wrap": Wrap("> ", text, width),
		} {
			if !utf8.ValidString(got) || strings.ContainsFunc(got, hidden) {
				t.Errorf("%s(%q, %d) = %q", name, text, width, got)
			}

			if Visible(got) != got {
				t.Errorf("%s is not visible in its own eyes: %q", name, got)
			}
		}

		if line := Line(text, width); utf8.RuneCountInString(line) > width || strings.ContainsAny(line, "\n\t") {
			t.Errorf("Line(%q, %d) = %q", text, width, line)
		}

		for line := range strings.Lines(Wrap("> ", text, max(width, 3))) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > max(width, 3) {
				t.Errorf("Wrap(%q, %d) has the line %q", text, width, line)
			}
		}

		var whole, pieces bytes.Buffer
		w := NewWriter(&whole)
		w.Write([]byte(text))
		w.Flush()

		p := NewWriter(&pieces)
		for piece := range chunks(t, text) {
			if n, err := p.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatalf("Write: %d, %v", n, err)
			}
		}

		p.Flush()

		if whole.String() != Visible(text) || pieces.String() != Visible(text) {
			t.Errorf("of %q: at once %q, in pieces %q, want %q", text, whole.String(), pieces.String(), Visible(text))
		}
	})
}

// No line is longer than the width, and no word is lost or broken that fits.
func TestWrapKeepsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Join(rapid.SliceOf(rapid.StringMatching(`[a-zé]{1,30}`)).Draw(t, "words"), " ")

		text := strings.TrimPrefix(Wrap("ok  name  ", words, 40), "ok  name  ")
		if got := strings.Join(strings.Fields(text), " "); got != words {
			t.Fatalf("%q of %q", got, words)
		}
	})
}

// chunks cuts a text at any bytes.
func chunks(t *rapid.T, text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			n := rapid.IntRange(1, len(text)).Draw(t, "piece")
			if !yield(text[:n]) {
				return
			}

			text = text[n:]
		}
	}
}

// Callers that drop errors of Write still get the first from Flush, and nothing is written behind
// what is missing.
func TestWriterKeepsItsFirstError(t *testing.T) {
	out := failing{iotest.ErrTimeout}

	w := NewWriter(&out)
	if _, err := w.Write([]byte("a")); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("a failure to write is lost: %v", err)
	}

	out.err = nil
	if _, err := w.Write([]byte("b")); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("it goes on behind a gap: %v", err)
	}

	if err := w.Flush(); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("Flush: %v", err)
	}
}

// failing is a writer with an error, if there is one.
type failing struct{ err error }

func (f *failing) Write(text []byte) (int, error) { return len(text), f.err }
