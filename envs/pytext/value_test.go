package pyfmt

import (
	"regexp"
	"strings"
	"testing"

	"toolevo/envs"
)

func TestStr(t *testing.T) {
	tests := []struct {
		in   any
		want string
	}{
		{nil, "None"},
		{true, "True"},
		{false, "False"},
		{"it's", "it's"},
		{envs.Number("3"), "3"},
		{envs.Number("-0"), "0"},
		{envs.Number("2.50"), "2.5"},
		{envs.Number("100.0"), "100.0"},
		{envs.Number("-0.0"), "-0.0"},
		{envs.Number("1e5"), "100000.0"},
		{envs.Number("1e16"), "1e+16"},
		{envs.Number("123456789012345680.0"), "1.2345678901234568e+17"},
		{envs.Number("9999999999999998.0"), "9999999999999998.0"},
		{envs.Number("0.0001"), "0.0001"},
		{envs.Number("0.00001"), "1e-05"},
		{envs.Number("1e400"), "inf"},
		{envs.Number("NaN"), "nan"},
		{envs.Number("-Infinity"), "-inf"},
		{envs.Number("123456789012345678901234567890"), "123456789012345678901234567890"},
		{[]any{}, "[]"},
		{[]any{"a", envs.Number("1"), nil}, "['a', 1, None]"},
		{envs.Args{}, "{}"},
		{envs.Args{{Name: "a'b", Value: []any{true}}}, `{"a'b": [True]}`},
		{[]any{`both ' and "`, "é漢😀", "tab\t\n\r\\", "\x00\u200b\U000e0001\u00a0"}, `['both \' and "', 'é漢😀', 'tab\t\n\r\\', '\x00\u200b\U000e0001\xa0']`},
	}
	for _, tt := range tests {
		if got := Str(tt.in); got != tt.want {
			t.Errorf("Str(%#v) = %s, want %s", tt.in, got, tt.want)
		}
	}
	if got := Repr("a"); got != "'a'" {
		t.Errorf("Repr of a string = %s", got)
	}
}

func TestTypeName(t *testing.T) {
	for want, v := range map[string]any{"NoneType": nil, "bool": true, "str": "", "list": []any{}, "dict": envs.Args{}, "int": envs.Number("1"), "float": envs.Number("1.0")} {
		if got := TypeName(v); got != want {
			t.Errorf("TypeName(%#v) = %s, want %s", v, got, want)
		}
	}
	if got := TypeName(envs.Number("NaN")); got != "float" {
		t.Errorf("TypeName(NaN) = %s", got)
	}
}

// TestSpace checks the class against the function, rune by rune, and against Python's own list.
func TestSpace(t *testing.T) {
	class := regexp.MustCompile("^" + SpaceClass + "$")
	n := 0
	for r := rune(0); r <= 0x10ffff; r++ {
		if 0xd800 <= r && r < 0xe000 {
			continue
		}
		if IsSpace(r) {
			n++
		}
		if IsSpace(r) != class.MatchString(string(r)) {
			t.Errorf("%U: IsSpace %v, class disagrees", r, IsSpace(r))
		}
	}
	if n != 29 {
		t.Errorf("%d white-space characters, Python has 29", n)
	}
}

func TestTruncateWords(t *testing.T) {
	tests := []struct {
		in    string
		limit int
		want  string
	}{
		{"a  b\nc", 3, "a  b\nc"},
		{"a  b\nc  \n", 3, "a  b\nc  \n"},
		{"a  b\nc d", 3, "a b c ..."},
		{" a\x1cb\u3000c d ", 3, "a b c ..."},
		{"", 1, ""},
		{strings.Repeat("x", 100), 1, strings.Repeat("x", 100)},
		{"one two", 1, "one ..."},
		{"a b", 1, "a ..."},
	}
	for _, tt := range tests {
		if got := TruncateWords(tt.in, tt.limit); got != tt.want {
			t.Errorf("TruncateWords(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}
