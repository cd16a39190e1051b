package dynamic

import (
	"strings"
	"testing"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/envtest"
)

func TestParse(t *testing.T) {
	tests := []struct{ text, name, input string }{ // name "" for malformed
		{"Thought: x\nAction: LoadDB\nAction Input: {\"DBName\": \"coffee\"}", "LoadDB", `{"DBName": "coffee"}`},
		{"Action:LoadDB Action Input:{ }", "LoadDB", "{ }"},
		{"Action: LoadDB\nAction Input: {}", "", ""},
		{"Action: LoadDB\nAction Input: }{x}", "", ""},
		{"Action: LoadDB", "", ""},
		{"Action Input: {\"a\": 1}", "", ""},
		{"Action: \u3000\x1c\nAction Input: {\"a\": 1}", "", ""},
		{"action: LoadDB\nAction Input: {\"a\": 1}", "", ""},
		{"Action: LoadDB\nAction Input {\"a\": 1}", "", ""},
		{"Action: LoadDB\nAction Input: coffee", "", ""},
		{"Action: LoadDB\nplease\nAction Input: {\"a\": 1}", "LoadDB\nplease", `{"a": 1}`},
		// Two actions: the name of the first, the braces of both.
		{"Action: A\nAction Input: {\"a\": 1}\nAction: B\nAction Input: {\"b\": 2}", "A",
			"{\"a\": 1}\nAction: B\nAction Input: {\"b\": 2}"},
		{"Action: A\nAction Input: none\nAction Input:\u2003\n{\"a\": 1} so }", "A", `{"a": 1} so }`},
		{"Action: A Action: B Action Input: {\"a\": 1}", "A Action: B", `{"a": 1}`},
		{"Action Input: {\"a\": 1} Action: A Action Input: {\"b\": 2}", "A",
			`{"a": 1} Action: A Action Input: {"b": 2}`},
	}
	for _, tt := range tests {
		name, input, ok := parse(tt.text)
		if ok != (tt.name != "") || ok && (name != tt.name || input != tt.input) {
			t.Errorf("parse(%q) = %q, %q, %v, want %q, %q", tt.text, name, input, ok, tt.name, tt.input)
		}
	}
}

func TestCanonical(t *testing.T) {
	env := newEnv(t, "p_c", Options{})
	same := []envs.Action{
		react("LoadDB", `{"DBName": "coffee", "n": 1}`),
		"Action:LoadDB\nAction Input:{ \"DBName\" :\n\"c\\u006fffee\",\"n\":1 }\nso it goes",
		"Thought: another\xff.\nAction:  LoadDB  \nAction Input: {\"DBName\": 1, \"n\": 1, \"DBName\": \"coffee\"}",
		"Action: LoadDB\nAction Input: {\"DBName\": \"coffee\", \"n\": 1}",
	}

	want := `LoadDB {"DBName": "coffee", "n": 1}`
	for _, a := range same {
		if got := env.Canonical(a); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", a, got, want)
		}
	}

	for a, want := range map[envs.Action]string{
		react("LoadDB", `{"n": 1, "DBName": "coffee"}`): `LoadDB {"n": 1, "DBName": "coffee"}`,
		react("Init_DB", `{ }`):                         `Init_DB {}`,
		react("Load DB", `{ }`):                         `"Load DB" {}`,
		`LoadDB {"n": 1}`:                               `"LoadDB {\"n\": 1}"`,
		" no call\xff\n":                                "\"no call\uFFFD\"",
		"\nAction: A\nAction Input: {x}\u3000":          `"Action: A\nAction Input: {x}"`,
		"":                                              `""`,
	} {
		if got := env.Canonical(a); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", a, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, a := range envtest.Hostile() {
		if len(a) < 1000 {
			f.Add(string(a))
		}
	}

	f.Add(string(react("LoadDB", `{"DBName": "coffee"}`)))
	env := newEnv(f, "p_s_in", Options{})
	f.Fuzz(func(t *testing.T, text string) {
		name, input, ok := parse(text)
		if ok && (name == "" || len(input) < 3 || !strings.HasPrefix(input, "{") || !strings.HasSuffix(input, "}") ||
			!strings.Contains(text, input)) {
			t.Errorf("parse(%q) = %q, %q", text, name, input)
		}

		key := env.Canonical(envs.Action(text))
		if strings.ContainsAny(key, "\r\n") || !utf8.ValidString(key) {
			t.Errorf("the key %q is not one line of text", key)
		}

		got := play(t, env, envs.Action(text))
		if !utf8.ValidString(got.Turn.Observation) || (got.Turn.Outcome == envs.Malformed) == ok {
			t.Errorf("%q: %s %q", text, got.Turn.Outcome, got.Turn.Observation)
		}
	})
}
