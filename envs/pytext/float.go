// Package pystr prints values as Python does. The published tools and gold answers are text made by Python, and the
// answer matcher compares text, so every package of the benchmark prints through these functions.
package pystr

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Float returns str(f): the shortest text that reads back as f, with ".0" kept on whole numbers and an exponent of at
// least two digits below 1e-4 and from 1e16 on. The special values are "nan", "inf" and "-inf".
func Float(f float64) string { return string(AppendFloat(nil, f)) }

// AppendFloat appends Float(f) to dst.
func AppendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64) // Go and Python agree on the two-digit exponent
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if !strings.Contains(string(dst[start:]), ".") {
		dst = append(dst, ".0"...)
	}
	return dst
}

const hex = "0123456789abcdef"

// AppendJSON appends json.dumps(s) to dst: everything outside printable ASCII is escaped, characters beyond the basic
// plane as a surrogate pair. A byte that is not UTF-8 becomes \ufffd.
func AppendJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			dst = appendASCII(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r > 0xffff {
			r -= 0x10000
			dst = appendEscape(dst, 0xd800+(r>>10))
			r = 0xdc00 + (r & 0x3ff)
		}
		dst = appendEscape(dst, r)
	}
	return append(dst, '"')
}

func appendASCII(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	}
	if c < ' ' || c == 0x7f {
		return appendEscape(dst, rune(c))
	}
	return append(dst, c)
}

func appendEscape(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hex[r>>12&0xf], hex[r>>8&0xf], hex[r>>4&0xf], hex[r&0xf])
}
