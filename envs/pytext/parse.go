package pytext

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseFloat reads s as Python's float does: blanks around it, underscores between digits, decimal
// digits of any script, "inf", "infinity" and "nan" in any case, but no hexadecimal. A number that
// is too large is infinite. ok is false where Python raises a ValueError.
func ParseFloat(s string) (f float64, ok bool) {
	// Only text with an underscore or beyond ASCII needs a copy.
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == '_' {
			if s, ok = plainNumber(s); !ok {
				return 0, false
			}

			break
		}
	}

	for s != "" && isCSpace(s[0]) {
		s = s[1:]
	}

	for s != "" && isCSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}

	if !isFloatLiteral(s) {
		return 0, false
	}

	if s[len(s)-1]|0x20 == 'n' {
		return math.NaN(), true // Go's parser takes no signed NaN
	}

	// The only error left is a number out of range, and for that Go returns Python's infinity.
	f, _ = strconv.ParseFloat(s, 64)

	return f, true
}

// plainNumber replaces blanks and decimal digits beyond ASCII by those of ASCII, and removes
// underscores, each of which must be between two digits. The separators of ASCII, which are white
// space elsewhere in Python, are not blanks here.
func plainNumber(s string) (string, bool) {
	out := make([]byte, 0, len(s))
	prev := byte(0)

	for _, r := range s {
		c := byte(r)
		if r >= utf8.RuneSelf {
			if IsSpace(r) {
				c = ' '
			} else if d, ok := decimalDigit(r); ok {
				c = '0' + d
			} else {
				return "", false
			}
		}

		if c == '_' && !isDigit(prev) || prev == '_' && !isDigit(c) {
			return "", false
		}

		if c != '_' {
			out = append(out, c)
		}

		prev = c
	}
	return string(out), prev != '_'
}

// decimalDigit returns the value of a decimal digit of any script. Unicode lays each script's
// digits out from zero to nine, so the value is the distance from the start of the range, modulo
// ten.
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

// isFloatLiteral reports whether s is a decimal floating-point literal, an infinity or a NaN.
func isFloatLiteral(s string) bool {
	// Checked by hand, because strconv also takes hexadecimal numbers.
	s = dropSign(s)
	switch len(s) {
	case 0:
		return false
	case 3:
		if strings.EqualFold(s, "inf") || strings.EqualFold(s, "nan") {
			return true
		}
	case 8:
		if strings.EqualFold(s, "infinity") {
			return true
		}
	}

	whole := digits(s, 0)
	s = s[whole:]

	fraction := 0
	if s != "" && s[0] == '.' {
		fraction = digits(s[1:], 0)
		s = s[1+fraction:]
	}

	// A point needs a digit on either side.
	if whole+fraction == 0 {
		return false
	}

	if s != "" && s[0]|0x20 == 'e' {
		s = dropSign(s[1:])
		n := digits(s, 0)
		return n > 0 && n == len(s)
	}

	return s == ""
}

func dropSign(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[1:]
	}
	return s
}

// digits returns the index after the run of digits at s[i:].
func digits(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isCSpace is isspace of the C locale.
func isCSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
