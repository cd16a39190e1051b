package pytext

import (
	"bytes"
	"math"
	"strconv"
)

// FormatFloat returns str(f): the shortest text that reads back as f, with ".0" kept on whole
// numbers and an exponent of at least two digits below 1e-4 and from 1e16 on. The special values
// are "nan", "inf" and "-inf".
func FormatFloat(f float64) string { return string(AppendFloat(nil, f)) }

// AppendFloat appends FormatFloat(f) to dst.
func AppendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendSpecial(dst, f)
	}

	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		// Go and Python agree on the two-digit exponent.
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}

	start := len(dst)

	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// FormatFixed returns '%.*f' % (digits, f): f rounded from its exact binary value to digits places
// after the point.
func FormatFixed(f float64, digits int) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return string(appendSpecial(nil, f))
	}
	return strconv.FormatFloat(f, 'f', digits, 64)
}

func appendSpecial(dst []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}

	return append(dst, "nan"...)
}

// Round returns round(f, digits) for digits that are not negative: f rounded from its exact binary
// value.
func Round(f float64, digits int) float64 {
	text := strconv.FormatFloat(f, 'f', digits, 64)
	rounded, _ := strconv.ParseFloat(text, 64) // FormatFloat writes only what it reads
	return rounded
}
