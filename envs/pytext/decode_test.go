package pytext

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
)

func TestDecode(t *testing.T) {
	tests := []struct {
		in   string
		want any
	}{
		{`{"DBName": "coffee"}`, envs.Args{{Name: "DBName", Value: "coffee"}}},
		{`{ }`, envs.Args{}},
		{`[]`, []any{}},
		{" \t\r\n[ 1 , 2.50,-0, 1e5 ,true,false,null ] ",
			[]any{envs.Number("1"), envs.Number("2.50"), envs.Number("-0"), envs.Number("1e5"), true, false, nil}},
		{`[NaN,Infinity,-Infinity]`, []any{envs.Number("NaN"), envs.Number("Infinity"), envs.Number("-Infinity")}},
		{"\"raw\nline\tand\x00nul\"", "raw\nline\tand\x00nul"},
		{`"\"\\\/\b\f\n\r\té😀"`, "\"\\/\b\f\n\r\té😀"},
		{`"\ud83d alone"`, "\uFFFD alone"},
		{`"\ud83d\u0041!"`, "\uFFFDA!"},
		{`{"a": 1, "b": 2, "a": 3}`, envs.Args{{Name: "a", Value: envs.Number("3")},
			{Name: "b", Value: envs.Number("2")}}},
		{`{"a": {"b": ["c"]}}`, envs.Args{{Name: "a", Value: envs.Args{{Name: "b", Value: []any{"c"}}}}}},
	}
	for _, tt := range tests {
		got, err := Decode(tt.in)
		if err != nil {
			t.Errorf("Decode(%q): %v", tt.in, err)
			continue
		}

		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Decode(%q) (-want +got):\n%s", tt.in, diff)
		}
	}
}

// wrong lists texts that are not JSON, with what Python 3.11 says about them.
var wrong = []struct{ in, want string }{
	{``, "Expecting value: line 1 column 1 (char 0)"},
	{`{'a': 1}`, "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"},
	{`{"a": 1,}`, "Expecting property name enclosed in double quotes: line 1 column 9 (char 8)"},
	{`{"a" 1}`, "Expecting ':' delimiter: line 1 column 6 (char 5)"},
	{`{"a": }`, "Expecting value: line 1 column 7 (char 6)"},
	{`{"a": 1 "b": 2}`, "Expecting ',' delimiter: line 1 column 9 (char 8)"},
	{`{"a": 1}}`, "Extra data: line 1 column 9 (char 8)"},
	{"{\"a\": 1}\n\nAction: x {\"b\": 2}", "Extra data: line 3 column 1 (char 10)"},
	{`{"a": "b`, "Unterminated string starting at: line 1 column 7 (char 6)"},
	{`{"a": "b\`, "Unterminated string starting at: line 1 column 7 (char 6)"},
	{`{"a": "b\x"}`, `Invalid \escape: line 1 column 9 (char 8)`},
	{`{"a": "b\u12x4"}`, `Invalid \uXXXX escape: line 1 column 10 (char 9)`},
	{`{"a": "b\u12`, `Invalid \uXXXX escape: line 1 column 10 (char 9)`},
	{`{"a": True}`, "Expecting value: line 1 column 7 (char 6)"},
	{`{"a": 01}`, "Expecting ',' delimiter: line 1 column 8 (char 7)"},
	{`{"a": -}`, "Expecting value: line 1 column 7 (char 6)"},
	{`{"a": [1, 2}`, "Expecting ',' delimiter: line 1 column 12 (char 11)"},
	{`{"a": [1, ]}`, "Expecting value: line 1 column 11 (char 10)"},
	{"\ufeff{}", "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)"},
	{"{\"é漢😀\": \"ü\",\n\"k\" 1}", "Expecting ':' delimiter: line 2 column 5 (char 17)"},
}

func TestDecodeErrors(t *testing.T) {
	for _, tt := range wrong {
		_, err := Decode(tt.in)
		if err == nil || err.Error() != tt.want {
			t.Errorf("Decode(%q) = %v, want %s", tt.in, err, tt.want)
		}
	}
}

func TestDecodeStrict(t *testing.T) {
	if got, err := DecodeStrict("\t\"tab\\t\x7f\"\r\n"); err != nil || got != "tab\t\x7f" {
		t.Errorf("escaped: %q, %v", got, err)
	}

	for in, want := range map[string]string{
		"[\"a\tb\"]":     "Invalid control character at: line 1 column 4 (char 3)",
		"\"é\\n\x00":     "Invalid control character at: line 1 column 5 (char 4)",
		"\"\n":           "Invalid control character at: line 1 column 2 (char 1)",
		"{\"a\x1f\": 1}": "Invalid control character at: line 1 column 4 (char 3)",
	} {
		if _, err := DecodeStrict(in); err == nil || err.Error() != want {
			t.Errorf("DecodeStrict(%q) = %v, want %s", in, err, want)
		}
	}
}

func TestDecodeObject(t *testing.T) {
	v, rest, err := DecodeObject(" \n{\"b\": \"x\ny\\\"\", \"a\": [1, {\"k\": null}], \"b\": 2.50} instead.")

	want := envs.Args{
		{Name: "b", Value: envs.Number("2.50")},
		{Name: "a", Value: []any{envs.Number("1"), envs.Args{{Name: "k", Value: nil}}}},
	}
	if diff := cmp.Diff(want, v); err != nil || diff != "" || rest != " instead." {
		t.Errorf("rest %q, %v\n%s", rest, err, diff)
	}

	for _, bad := range []string{"", "x", "[1]", `{"a": }`, `{"a": 1`, `{"a"`, `{"a": ` + strings.Repeat("[", 10000)} {
		if _, _, err := DecodeObject(bad); err == nil {
			t.Errorf("%.20q decoded", bad)
		}
	}
}

func TestNesting(t *testing.T) {
	ok := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if _, err := Decode(ok); err != nil {
		t.Errorf("%d levels: %v", MaxDepth, err)
	}
	// Closing a level gives it back: width is not depth.
	if _, err := Decode("[" + strings.Repeat("[],{},", 5000) + "[]]"); err != nil {
		t.Errorf("10,000 siblings: %v", err)
	}

	for what, in := range map[string]string{
		"array":  strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"object": strings.Repeat(`{"a":`, 1_000_000),
	} {
		_, err := Decode(in)

		want := "maximum recursion depth exceeded while decoding a JSON " + what + " from a unicode string"
		if err == nil || err.Error() != want {
			t.Errorf("deep %s = %v, want %s", what, err, want)
		}
	}
}

// TestManyKeys has more keys than a linear search would bear.
func TestManyKeys(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"first": 0`)

	for i := range 100_000 {
		b.WriteString(`, "k`)
		b.WriteString(strings.Repeat("x", i%7))
		b.WriteString(string(rune('a' + i%26)))
		b.WriteString(`": 1`)
	}

	b.WriteString(`, "first": 2}`)

	v, err := Decode(b.String())
	if err != nil {
		t.Fatal(err)
	}

	args := v.(envs.Args)
	if args[0].Name != "first" || args[0].Value != envs.Number("2") || len(args) != 1+7*26 {
		t.Errorf("%d keys, first %v", len(args), args[0])
	}
}

// TestDecodeAgainstPython compares every text of a grammar of near-JSON.
func TestDecodeAgainstPython(t *testing.T) {
	const script = `
import json, sys
def clean(v):
    if isinstance(v, str): return v.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(v, list): return [clean(x) for x in v]
    if isinstance(v, dict): return {clean(k): clean(x) for k, x in v.items()}
    return v
def read(f):
    try: return "ok " + f()
    except ValueError as e: return str(e)
def prefix(s):
    v, end = json.JSONDecoder(strict=False).raw_decode(s, len(s) - len(s.lstrip(" \t\n\r")))
    return repr(clean(v)) + " then " + s[end:]
json.dump([[
    read(lambda: repr(clean(json.loads(s, strict=False)))),
    read(lambda: repr(clean(json.loads(s)))),
    read(lambda: prefix(s)),
] for s in json.load(sys.stdin)], sys.stdout)
`
	read := func(v any, err error) string {
		if err != nil {
			return err.Error()
		}
		return "ok " + Repr(v)
	}
	texts := nearJSON()
	var want [][3]string
	python(t, script, texts, &want)

	for i, s := range texts {
		got := [3]string{read(Decode(s)), read(DecodeStrict(s))}

		v, rest, err := prefix(&decoder{s: s})
		if got[2] = read(v, err); err == nil {
			got[2] += " then " + rest
		}

		if got != want[i] {
			t.Errorf("%q\n got %q\nwant %q", s, got, want[i])
		}
	}
}

// nearJSON returns texts of up to four pieces, and every listed wrong one.
func nearJSON() []string {
	pieces := []string{`{`, `}`, `[`, `]`, `"a"`, `:`, `,`, `1`, `-0.50`, `1e400`, `-`, ` `, "\n", `"é\`, `u00e9"`,
		`\q`, `NaN`, `nul`, `true`,
		`"\ud83d`, `\ude00"`, `\u12"`, `😀`, `"it's"`, `1E16`, `0.00001`, "\"\t", "\x1f", "\ufeff"}

	texts := []string{""}
	for start, n := 0, 0; n < 3; n++ {
		end := len(texts)
		for _, t := range texts[start:end] {
			for _, p := range pieces {
				texts = append(texts, t+p)
			}
		}

		start = end
	}

	for _, t := range texts[:700] {
		texts = append(texts, `{"a": `+t+`}`, `[1, `+t+`, 2]`)
	}

	for _, w := range wrong {
		texts = append(texts, w.in, w.in+" \t\n\r[")
	}
	return texts
}

func FuzzDecode(f *testing.F) {
	for _, w := range wrong {
		f.Add(w.in)
	}

	f.Add(`{"a": [1, {"b": "\ud83d\ude00"}], "a": NaN}`)
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Decode(s)
		if err != nil {
			e := err.(*Error)
			if e.Char > utf8.RuneCountInString(s) || e.Col > e.Char+1 {
				t.Errorf("position outside the text: %v", e)
			}
			return
		}

		again, err := Decode(string(AppendJSON(nil, v)))
		if err != nil {
			t.Fatalf("the text of %#v does not decode: %v", v, err)
		}

		if diff := cmp.Diff(v, again); diff != "" && utf8.ValidString(s) {
			t.Errorf("round trip (-first +second):\n%s", diff)
		}
	})
}
