package pytext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
)

func TestAppendText(t *testing.T) {
	for _, tt := range []struct{ in, ascii, json string }{
		{"", `""`, `""`},
		{"USD", `"USD"`, `"USD"`},
		{`a"b\c/d`, `"a\"b\\c/d"`, `"a\"b\\c/d"`},
		{"\n\r\t\b\f\x00\x1f", `"\n\r\t\b\f\u0000\u001f"`, `"\n\r\t\b\f\u0000\u001f"`},
		{"\x7f", `"\u007f"`, "\"\x7f\""},
		{"é\u2028", `"\u00e9\u2028"`, "\"é\u2028\""},
		{"😀", `"\ud83d\ude00"`, `"😀"`},
		{"a\xffb", `"a\ufffdb"`, "\"a\uFFFDb\""},
	} {
		if got := string(AppendASCII(nil, tt.in)); got != tt.ascii {
			t.Errorf("AppendASCII(%q) = %s, want %s", tt.in, got, tt.ascii)
		}

		if got := string(AppendJSON(nil, tt.in)); got != tt.json {
			t.Errorf("AppendJSON(%q) = %s, want %s", tt.in, got, tt.json)
		}
	}
}

func TestAppendJSON(t *testing.T) {
	v := envs.Args{
		{Name: "é", Value: "x"}, {Name: "b", Value: envs.Number("2.50")}, {Name: "c", Value: nil},
		{
			Name:  "d",
			Value: []any{true, false, "</s>", []any{}, envs.Args{}},
		}, {Name: "e", Value: envs.Args{{Name: "f", Value: "g"}}},
	}

	const rest = `: "x", "b": 2.50, "c": null, "d": [true, false, "</s>", [], {}], "e": {"f": "g"}}`
	if diff := cmp.Diff(`>{"é"`+rest, string(AppendJSON([]byte(">"), v))); diff != "" {
		t.Error(diff)
	}

	if diff := cmp.Diff(`>{"\u00e9"`+rest, string(AppendASCII([]byte(">"), v))); diff != "" {
		t.Error(diff)
	}
}

func TestAppendAgainstPython(t *testing.T) {
	const script = `
import json, sys
json.dump([[json.dumps(s, ensure_ascii=False), json.dumps({s: [s]}), repr(s)] for s in json.load(sys.stdin)], sys.stdout)
`
	texts := mixed(20_000, 5, "a|\"|\\|/|'|\n|\r|\t|\b|\f|\x00|\x1f|\x7f|"+
		"\u0080|é|\u00a0|\u00ad|\u200b|\u2028|\ufeff|漢|😀|\U000e0001| ")
	var want [][3]string
	python(t, script, texts, &want)

	for i, s := range texts {
		got := [3]string{string(AppendJSON(nil, s)), string(AppendASCII(nil, envs.Args{{Name: s, Value: []any{s}}})),
			Repr(s)}
		if got != want[i] {
			t.Errorf("%q:\n got %s\nwant %s", s, got, want[i])
		}
	}
}

// values generates what Decode can return.
func values() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any { return value(t, 3) })
}

func value(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}

	switch kind {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return envs.Number(rapid.SampledFrom([]string{"0", "-0", "12", "2.50", "1e5", "NaN", "-Infinity"}).Draw(t,
			"number"))
	case 3:
		return strings.ToValidUTF8(rapid.String().Draw(t, "text"), "?")
	case 4:
		items := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "len") {
			items = append(items, value(t, depth-1))
		}
		return items
	}

	args := envs.Args{}
	for _, name := range rapid.SliceOfNDistinct(rapid.String(), 0, 20, rapid.ID).Draw(t, "names") {
		args = append(args, envs.Arg{Name: name, Value: value(t, depth-1)})
	}
	return args
}

// What is written is JSON, strict and on one line, that says what was meant.
func TestAppendDecodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := values().Draw(t, "value")
		for _, text := range [][]byte{AppendJSON(nil, want), AppendASCII(nil, want)} {
			got, err := DecodeStrict(string(text))
			if err != nil {
				t.Fatalf("DecodeStrict(%q): %v", text, err)
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}

			if strings.ContainsAny(string(text), "\r\n") {
				t.Fatalf("%q has a line break", text)
			}
		}
	})
}

func FuzzAppendASCII(f *testing.F) {
	f.Add("plain")
	f.Add("é😀\"\\\x00\xff")
	f.Fuzz(func(t *testing.T, s string) {
		out := AppendASCII(nil, s)

		var back string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("AppendASCII(%q) = %s: %v", s, out, err)
		}

		if want := string([]rune(s)); back != want {
			t.Errorf("AppendASCII(%q) reads back as %q", s, back)
		}
	})
}
