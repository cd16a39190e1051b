package pytext

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
)

func TestDecodeLiteral(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]any{
		`{}`:                               envs.Args{},
		` {'a': 'b', "it's": None} `:       envs.Args{{Name: "a", Value: "b"}, {Name: "it's", Value: nil}},
		`{'a': [1, -2.5e-07, True,], }`:    envs.Args{{Name: "a", Value: []any{envs.Number("1"), envs.Number("-2.5e-07"), true}}},
		`('x', (False,))`:                  []any{"x", []any{false}},
		`'\x41\u00e9\U0001f600 \'"\n\\'`:   "Aé😀 '\"\n\\",
		`{'a': 1, 'a': 2}`:                 envs.Args{{Name: "a", Value: envs.Number("2")}},
		`{'is': True, 'query': 'a "b" c'}`: envs.Args{{Name: "is", Value: true}, {Name: "query", Value: `a "b" c`}},
	} {
		got, err := DecodeLiteral(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s (%v):\n%s", text, err, diff)
		}
	}
}

func TestDecodeLiteralSaysWhatIsWrong(t *testing.T) {
	t.Parallel()

	for text, char := range map[string]int{
		``: 0, `{'a'}`: 4, `{1: 2}`: 1, `{'a': 'b`: 6, `['\q']`: 2, `'\x4'`: 1, `'\U00110000'`: 1, `{'a': b}`: 6, `[1 2]`: 3,
		`{} {}`: 3, `nan`: 0,
	} {
		_, err := DecodeLiteral(text)

		var wrong *Error
		if !errors.As(err, &wrong) || wrong.Char != char {
			t.Errorf("%s: %v, want an error at %d", text, err, char)
		}
	}
}

// What Repr prints is read back.
func TestLiteralsRoundTrip(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		v := envs.Args{
			{Name: "text", Value: rapid.String().Draw(t, "text")},
			{Name: "list", Value: []any{rapid.Bool().Draw(t, "bool"), nil, envs.Number("1.5")}},
		}

		got, err := DecodeLiteral(Repr(v))
		if diff := cmp.Diff(any(v), got); err != nil || diff != "" {
			t.Fatalf("%s (%v):\n%s", Repr(v), err, diff)
		}
	})
}

func TestDecodeLiteralPrefix(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		text string
		want any
		rest string
	}{
		{`'it\'s' x`, "it's", " x"},
		{`"it's \"\\n\" \n\x00\u20ac\U0001f600é"`, "it's \"\\n\" \n\x00€😀é", ""},
		{`[]`, []any{}, ""},
		{`[('A', 'weight: 1'), ('B', 2)], 3`, []any{Tuple{"A", "weight: 1"}, Tuple{"B", envs.Number("2")}}, ", 3"},
		{`[(), (1,)]`, []any{Tuple{}, Tuple{envs.Number("1")}}, ""},
		{`{'raw': None, 'x': {}, 'y': [True, False, -1.5]}; Degree: 3`, envs.Args{
			{Name: "raw", Value: nil}, {Name: "x", Value: envs.Args{}},
			{Name: "y", Value: []any{true, false, envs.Number("-1.5")}},
		}, "; Degree: 3"},
	} {
		got, rest, err := DecodeLiteralPrefix(tt.text)
		if diff := cmp.Diff(tt.want, got); err != nil || rest != tt.rest || diff != "" {
			t.Errorf("%s: %v, rest %q (-want +got):\n%s", tt.text, err, rest, diff)
		}

		if tuples := strings.Contains(tt.text, "("); tuples && Repr(got)+rest != tt.text {
			t.Errorf("%s is printed as %s", tt.text, Repr(got))
		}
	}

	for _, text := range []string{"", "x", "'", `'\`, `'\x0'`, `'\q'`, `'\Uffffffff'`, "[", "[1", "[1 2]", "{'a'}",
		"{1: 2}", "{'a': }", "-"} {
		if got, _, err := DecodeLiteralPrefix(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// No text makes the reader fail, and what Repr makes of a value is read back as that value.
func FuzzDecodeLiteral(f *testing.F) {
	for _, s := range []string{`["it's", "\"", {"a": [1, null, true]}]`, `"\u0000\\ \ud83d\ude00"`, `{"raw": ""}`,
		"3"} {
		f.Add(s)
	}

	f.Fuzz(func(t *testing.T, text string) {
		DecodeLiteralPrefix(text) // whatever it is

		value, err := Decode(text)
		if err != nil || !literalValue(value, 0) {
			return
		}

		got, rest, err := DecodeLiteralPrefix(Repr(value) + ";")
		if diff := cmp.Diff(value, got); err != nil || rest != ";" || diff != "" {
			t.Errorf("%s: %v, rest %q (-want +got):\n%s", Repr(value), err, rest, diff)
		}
	})
}

// literalValue reports whether a value is not deep, and has numbers as Python prints them.
func literalValue(v any, depth int) bool {
	switch v := v.(type) {
	case string:
		return strings.ToValidUTF8(v, "") == v
	case envs.Number:
		digits := strings.TrimPrefix(string(v), "-")
		return digits != "" && strings.Trim(digits, "123456789") == ""
	case []any:
		return depth < 8 && !slices.ContainsFunc(v, func(item any) bool { return !literalValue(item, depth+1) })
	case envs.Args:
		return depth < 8 && !slices.ContainsFunc(v, func(a envs.Arg) bool {
			return !literalValue(a.Name, depth+1) ||
				!literalValue(a.Value, depth+1)
		})
	}

	return true
}
