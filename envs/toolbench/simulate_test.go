package toolbench

import (
	"regexp"
	"strconv"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// A response has the shape of the template: types become values, and lists as many items as they
// say, up to three.
func TestScriptedFillsTemplates(t *testing.T) {
	t.Parallel()

	for template, want := range map[string]string{
		`{"city": "str", "days": "int"}`:               `{"city": "Bern", "days": 3}`,
		`{"ok": "NoneType", "all": "empty list"}`:      `{"ok": null, "all": []}`,
		`[{"city": "str", "_list_length": 2}]`:         `[{"city": "Bern"}, {"city": "Bern"}]`,
		`[{"city": "str", "_list_length": 900}]`:       `[{"city": "Bern"}, {"city": "Bern"}, {"city": "Bern"}]`,
		`{"a": ["list of list with length 1"]}`:        `{"a": [[]]}`,
		`{"a": "list of dict with length 0", "b": {}}`: `{"a": [], "b": {}}`,
		`"{\"city\": \"str\"}"`:                        `{"city": "Bern"}`,
		`{"city": "a phrase", "n": 7}`:                 `{"city": "a phrase", "n": 7}`,
	} {
		d := &Document{Template: []byte(template)}
		args := envs.Args{{Name: "city", Value: "Bern"}, {Name: "days", Value: envs.Number("3")}}

		got, err := Scripted{}.Simulate(t.Context(), d, args)
		if text := string(pytext.AppendJSON(nil, got.Response)); err != nil || text != want {
			t.Errorf("%s is filled with %s (%v), want %s", template, text, err, want)
		}
	}
}

// What no argument gives is drawn: of the type that the template says, another one for another
// call, and within its bounds.
func TestScriptedDraws(t *testing.T) {
	t.Parallel()

	const template = `{"text": "str", "n": "int", "x": "float", "yes": "bool", "given": "str", "many": ["list of int with length 2"],
		"three": [{"a": 1}, "list of str with length 1"]}`

	seen := map[string]map[string]bool{}

	for i := range 300 {
		d := &Document{Key: Key{"Media", "Kraken", "Speak"}, Template: []byte(template)}
		args := envs.Args{{Name: "call", Value: envs.Number(strconv.Itoa(i))},
			{Name: "given", Value: ""}}

		got, err := Scripted{}.Simulate(t.Context(), d, args)
		if err != nil || got.Error != "" || got.Maker != "" {
			t.Fatal(got, err)
		}

		response := got.Response.(envs.Args)
		for _, m := range response {
			if seen[m.Name] == nil {
				seen[m.Name] = map[string]bool{}
			}

			seen[m.Name][string(pytext.AppendJSON(nil, m.Value))] = true
		}
	}

	for member, pattern := range map[string]string{
		"text": `^"[a-z]{6,9}"$`, "given": `^"[a-z]{6,9}"$`, "n": `^[0-9]{1,3}$`, "x": `^[0-9]{1,2}\.[0-9]{2}$`,
		"yes": `^(true|false)$`, "many": `^\[[0-9]{1,3}, [0-9]{1,3}\]$`, "three": `^\["[a-z]{6,9}"\]$`,
	} {
		for text := range seen[member] {
			if !regexp.MustCompile(pattern).MatchString(text) {
				t.Errorf("%s is %s", member, text)
			}
		}

		if most := len(seen[member]); most < 2 || member != "yes" && most < 50 {
			t.Errorf("%s has %d values in 300 calls", member, most)
		}
	}

	// Without a template there is a sentence.
	for _, template := range []string{``, `null`, `"null"`, `{"a": `, `"{\"a\": "`} {
		d := &Document{Key: Key{"Media", "Kraken", "Speak"}, Template: []byte(template)}

		got, err := Scripted{}.Simulate(t.Context(), d, nil)
		if text, _ := got.Response.(string); err != nil ||
			!regexp.MustCompile(`^Speak of Kraken: done, reference [a-z]{6,9}\.$`).MatchString(text) {
			t.Errorf("%q is answered with %v (%v)", template, got, err)
		}
	}
}

// The order of arguments does not matter; their values and the API do.
func TestScriptedIsAFunctionOfTheCall(t *testing.T) {
	t.Parallel()

	says := func(api string, args ...envs.Arg) string {
		for _, template := range []string{`{"x": "str", "y": "float", "z": "bool"}`, `"{\"cut\": \"st"`, ``} {
			d := &Document{Key: Key{"Media", "Kraken", api}, Template: []byte(template)}

			got, err := Scripted{}.Simulate(t.Context(), d, args)
			if err != nil {
				t.Fatal(err)
			}

			api += got.Text()
		}
		return api
	}
	a, b := envs.Arg{Name: "a", Value: "1"}, envs.Arg{Name: "b", Value: "2"}

	if first, again := says("Speak", a, b), says("Speak", b, a); first != again {
		t.Errorf("the same call is answered with %s and %s", first, again)
	}

	if says("Speak", a) == says("Speak", b) || says("Speak", a)[5:] == says("Sings", a)[5:] {
		t.Error("different calls are answered alike")
	}
}

// Every document that was published is answered with JSON.
func TestScriptedAnswersPublishedDocuments(t *testing.T) {
	t.Parallel()

	c := published(t)
	plain := 0

	for i := range c.Documents {
		got, err := Scripted{}.Simulate(t.Context(), &c.Documents[i], nil)
		if err != nil {
			t.Fatal(err)
		}

		if _, err := pytext.DecodeStrict(got.Text()); err != nil {
			t.Errorf("%s: %v", c.Documents[i].Key, err)
		}

		if _, ok := got.Response.(string); ok {
			plain++
		}
	}

	if plain == len(c.Documents) {
		t.Error("no template is filled")
	}
}
