package score

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// pythonFloat reads text as Python's float does: blanks around it, underscores between digits, decimal digits of any
// script, "inf", "infinity" and "nan" in any case, no hexadecimal. A number too large is infinite. It may overwrite
// text.
func pythonFloat(text []byte) (float64, bool) {
	text, ok := asciiNumber(text)
	if !ok {
		return 0, false
	}
	for len(text) > 0 && isCSpace(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isCSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	text, ok = dropUnderscores(text)
	if !ok || !isFloatLiteral(text) {
		return 0, false
	}
	if foldEqual(text[len(text)-1:], "n") {
		return math.NaN(), true // Go's parser takes no signed NaN
	}
	// The only error left is a number out of range, for which ParseFloat returns the infinity Python would.
	f, _ := strconv.ParseFloat(string(text), 64)
	return f, true
}

// asciiNumber replaces Unicode blanks by spaces and Unicode decimal digits by ASCII ones. Text that is all ASCII is
// returned as it is: Python then takes only the blanks of C.
func asciiNumber(text []byte) ([]byte, bool) {
	ascii := true
	for _, c := range text {
		ascii = ascii && c < utf8.RuneSelf
	}
	if ascii {
		return text, true
	}
	out := text[:0] // never longer than what was read
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		i += n
		switch {
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case isSpace(r):
			out = append(out, ' ')
		default:
			d, ok := decimalDigit(r)
			if !ok {
				return nil, false
			}
			out = append(out, '0'+d)
		}
	}
	return out, true
}

// decimalDigit returns the value of a decimal digit of any script. Unicode lays each script's digits out from zero to
// nine, so the value is the distance from the start of the range, modulo ten.
func decimalDigit(r rune) (byte, bool) {
	for _, rg := range unicode.Nd.R16 {
		if lo, hi := rune(rg.Lo), rune(rg.Hi); lo <= r && r <= hi {
			return byte((r - lo) % 10), true
		}
	}
	for _, rg := range unicode.Nd.R32 {
		if lo, hi := rune(rg.Lo), rune(rg.Hi); lo <= r && r <= hi {
			return byte((r - lo) % 10), true
		}
	}
	return 0, false
}

// dropUnderscores removes underscores, each of which must stand between two digits.
func dropUnderscores(text []byte) ([]byte, bool) {
	out := text[:0]
	prev := byte(0)
	for _, c := range text {
		if c == '_' && !isDigit(prev) || prev == '_' && !isDigit(c) {
			return nil, false
		}
		if c != '_' {
			out = append(out, c)
		}
		prev = c
	}
	return out, prev != '_'
}

// isFloatLiteral reports whether text is a decimal floating-point literal, an infinity or a NaN.
func isFloatLiteral(text []byte) bool {
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	switch len(text) {
	case 0:
		return false
	case 3:
		if foldEqual(text, "inf") || foldEqual(text, "nan") {
			return true
		}
	case 8:
		if foldEqual(text, "infinity") {
			return true
		}
	}
	whole := countDigits(text)
	text = text[whole:]
	fraction := 0
	if len(text) > 0 && text[0] == '.' {
		fraction = countDigits(text[1:])
		text = text[1+fraction:]
	}
	if whole+fraction == 0 {
		return false
	}
	if len(text) > 0 && (text[0] == 'e' || text[0] == 'E') {
		text = text[1:]
		if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
			text = text[1:]
		}
		n := countDigits(text)
		if n == 0 {
			return false
		}
		text = text[n:]
	}
	return len(text) == 0
}

func countDigits(text []byte) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}

func foldEqual(text []byte, lower string) bool {
	for i, c := range text {
		if c|0x20 != lower[i] {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isCSpace is isspace of the C locale.
func isCSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
