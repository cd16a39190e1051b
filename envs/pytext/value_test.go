package pytext

import (
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
		{[]any{`both ' and "`, "é漢😀", "tab\t\n\r\\", "\x00\u200b\U000e0001\u00a0"},
			`['both \' and "', 'é漢😀', 'tab\t\n\r\\', '\x00\u200b\U000e0001\xa0']`},
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
	for want, v := range map[string]any{"NoneType": nil, "bool": true, "str": "", "list": []any{}, "dict": envs.Args{},
		"int": envs.Number("1"), "float": envs.Number("1.0")} {
		if got := TypeName(v); got != want {
			t.Errorf("TypeName(%#v) = %s, want %s", v, got, want)
		}
	}

	if got := TypeName(envs.Number("NaN")); got != "float" {
		t.Errorf("TypeName(NaN) = %s", got)
	}
}

func TestForeignValues(t *testing.T) {
	for name, f := range map[string]func(any){
		"Str":         func(v any) { Str(v) },
		"TypeName":    func(v any) { TypeName(v) },
		"AppendJSON":  func(v any) { AppendJSON(nil, v) },
		"AppendASCII": func(v any) { AppendASCII(nil, v) },
	} {
		for _, v := range []any{3, 2.5, map[string]any{}, envs.Arg{}} {
			func() {
				defer func() {
					if r, _ := recover().(string); !strings.Contains(r, "not a JSON value") {
						t.Errorf("%s(%#v) panics with %q", name, v, r)
					}
				}()

				f(v)
			}()
		}
	}
}
