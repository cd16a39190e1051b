// Package display makes untrusted text safe to show on a terminal: the output of a model, the reply
// of a server, the content of a foreign file. A terminal obeys escape sequences in such text (which
// can change its title, its clipboard and earlier output), and right-to-left text can hide what it
// says.
//
// # Words
//
// A character is visible when it has a shape of its own or is a space: what [unicode.IsGraphic]
// says. Everything else, C0 and C1 controls, DEL, ESC, format and bidirectional controls, line
// separators, private and unassigned characters, and bytes that are not UTF-8, is written as an
// escape of Go: \x1b, \u202e, \r.
//
// # Guarantees
//
// What these functions return, and what a [Writer] writes, is UTF-8 and visible. Line feeds and
// tabs stay in texts of several lines ([Visible], [Writer]), and become spaces in single lines
// ([Line], [Wrap]). Visible text is not changed.
//
// # Caveats
//
// A backslash is visible, so text can imitate an escape. Every character counts as one column.
package display

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns a text of any number of lines with escapes for what is not visible.
func Visible(text string) string {
	hidden := func(r rune) bool { return r == utf8.RuneError || !isVisible(r) }
	if !strings.ContainsFunc(text, hidden) {
		return text
	}

	var b strings.Builder

	for len(text) > 0 {
		var shown string
		shown, text = next(text)
		b.WriteString(shown)
	}

	return b.String()
}

func isVisible(r rune) bool { return r == '\n' || r == '\t' || unicode.IsGraphic(r) }

// next returns how the first character of a text is shown, and the rest.
func next(text string) (shown, rest string) {
	r, size := utf8.DecodeRuneInString(text)

	shown, rest = text[:size], text[size:]
	switch {
	case r == utf8.RuneError && size == 1:
		return `\x` + strconv.FormatUint(uint64(shown[0]), 16), rest
	case isVisible(r):
		return shown, rest
	case r < 0x80:
		quoted := strconv.QuoteRune(r) // '\x1b', '\r'
		return quoted[1 : len(quoted)-1], rest
	}

	quoted := strconv.QuoteRuneToASCII(r)
	return quoted[1 : len(quoted)-1], rest
}

// Line returns a text as one visible line of at most width columns, 0 being no limit: white space
// becomes single spaces, and an ellipsis replaces what does not fit. It reads no more of a long
// text than it shows.
func Line(text string, width int) string {
	var b strings.Builder

	columns, space := 0, false
	for len(text) > 0 && (width <= 0 || columns <= width) {
		if r, size := utf8.DecodeRuneInString(text); unicode.IsSpace(r) {
			text, space = text[size:], columns > 0
			continue
		}

		if space {
			b.WriteByte(' ')

			columns, space = columns+1, false
		}

		var shown string
		shown, text = next(text)
		b.WriteString(shown)
		columns += utf8.RuneCountInString(shown)
	}

	return Cut(b.String(), width)
}

// Cut returns the part of a line that fits into width columns, 0 being no limit, with an ellipsis
// where it was cut.
func Cut(line string, width int) string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}

// Wrap returns a text as visible lines of at most width columns, broken between words. first
// precedes the first line, and as many spaces precede the others. A word that is longer than a line
// is broken, too.
func Wrap(first, text string, width int) string {
	var b strings.Builder
	b.WriteString(first)
	margin := utf8.RuneCountInString(first)
	column, empty := margin, true
	newLine := func() {
		b.WriteString("\n" + strings.Repeat(" ", margin))
		column, empty = margin, true
	}

	for word := range strings.FieldsSeq(text) {
		// Escapes take columns, so a word is measured as it will be shown.
		word = Visible(word)

		n := utf8.RuneCountInString(word)
		if !empty && column+1+n > width {
			newLine()
		}

		if !empty {
			b.WriteByte(' ')
			column++
		}

		// Next to a wide margin at least one column is left, or the loop would not end.
		for room := max(width-margin, 1); column+n > width && n > room; n -= room {
			runes := []rune(word)
			b.WriteString(string(runes[:room]))
			word = string(runes[room:])

			newLine()
		}

		b.WriteString(word)

		column, empty = column+n, false
	}
	return b.String() + "\n"
}

// Writer writes visible text to another writer, until the first error. Make it with [NewWriter]; it
// is for one goroutine.
type Writer struct {
	w    io.Writer
	rest []byte // the beginning of a character whose end is yet to come
	err  error  // the first
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write implements [io.Writer]. A character may come in pieces.
func (w *Writer) Write(text []byte) (int, error) {
	all := string(w.rest) + string(text)

	whole := len(all)
	for i := 1; i < utf8.UTFMax && i <= len(all); i++ {
		if last := all[len(all)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRuneInString(last) {
				whole -= i
			}

			break
		}
	}

	w.rest = []byte(all[whole:])
	if w.write(all[:whole]); w.err != nil {
		return 0, w.err
	}
	return len(text), nil
}

func (w *Writer) write(text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.w, Visible(text))
	}
}

// Flush writes what is left of a character that did not end, and returns the first error of all
// that was written, since printing ignores errors.
func (w *Writer) Flush() error {
	w.write(string(w.rest))
	w.rest = nil
	return w.err
}
