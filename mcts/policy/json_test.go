package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/envs"
)

func TestAppendObject(t *testing.T) {
	args := envs.Args{
		{Name: "a", Value: "x\n\t\"\\\x01é\xff"}, {Name: "b", Value: envs.Number("2.50")}, {Name: "c", Value: nil},
		{Name: "d", Value: []any{true, false, "</s>"}}, {Name: "e", Value: envs.Args{{Name: "f", Value: "g"}}}, {Name: "h", Value: 3},
	}
	want := `{"a": "x\n\t\"\\\u0001é` + "\uFFFD" + `", "b": 2.50, "c": null, "d": [true, false, "</s>"], "e": {"f": "g"}, "h": "3"}`
	if diff := cmp.Diff(want, string(appendObject(nil, args))); diff != "" {
		t.Error(diff)
	}
	if got := string(appendObject(nil, nil)); got != "{}" {
		t.Errorf("no arguments: %s", got)
	}
}

func TestDecodeObject(t *testing.T) {
	got, rest, err := decodeObject(" \n{\"b\": \"x\ny\\\"\", \"a\": [1, {\"k\": null}], \"b\": 2.50} instead.")
	if err != nil {
		t.Fatal(err)
	}
	want := envs.Args{
		{Name: "b", Value: envs.Number("2.50")},
		{Name: "a", Value: []any{envs.Number("1"), envs.Args{{Name: "k", Value: nil}}}},
	}
	if diff := cmp.Diff(want, got); diff != "" || rest != " instead." {
		t.Errorf("rest %q\n%s", rest, diff)
	}
	for _, bad := range []string{"", "x", "[1]", `{"a": }`, `{"a": 1`, `{"a"`, `{"a": ` + strings.Repeat("[", 10000)} {
		if _, _, err := decodeObject(bad); err == nil {
			t.Errorf("%.20q decoded", bad)
		}
	}
}

// What is written is JSON that says what was meant.
func TestObjectsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var args envs.Args
		for _, name := range rapid.SliceOfNDistinct(rapid.String(), 0, 4, func(s string) string { return s }).Draw(t, "names") {
			args = append(args, envs.Arg{Name: name, Value: rapid.String().Draw(t, "value")})
		}
		text := string(appendObject(nil, args))
		var direct map[string]string
		if err := json.Unmarshal([]byte(text), &direct); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, rest, err := decodeObject(text)
		if err != nil || rest != "" || len(got) != len(args) || len(direct) != len(args) {
			t.Fatalf("%s: %v, rest %q", text, err, rest)
		}
		for i := range args {
			if got[i] != args[i] || direct[args[i].Name] != args[i].Value {
				t.Fatalf("%s: argument %d is %+v, want %+v", text, i, got[i], args[i])
			}
		}
	})
}
