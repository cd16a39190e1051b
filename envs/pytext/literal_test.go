package pytext

import (
	"errors"
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
