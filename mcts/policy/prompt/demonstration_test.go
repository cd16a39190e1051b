package prompt

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func TestDemonstrationsRoundTrip(t *testing.T) {
	want := demonstrations(t)
	want["coffee"][0].Turns[0].Observation = "a: b\n  # c\n\nünï \"quoted\" 'x'"
	want["coffee"][1].Turns[0].Observation = ""

	text, err := yaml.Marshal(demonstrationFile{want["coffee"]})
	if err != nil {
		t.Fatal(err)
	}

	got, err := LoadDemonstrations(fstest.MapFS{
		"coffee.yaml": {Data: text}, "README.md": {Data: []byte("ignored")}, "sub/x.yaml": {Data: []byte("ignored")},
	})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBadDemonstrations(t *testing.T) {
	const good = `
demonstrations:
  - question: q
    turns:
      - action: |-
          Thought: a
          Action: Finish
          Action Input: {"answer": "1"}
        observation: Answer is CORRECT
`
	if _, err := parseDemonstrations([]byte(good)); err != nil {
		t.Fatal(err)
	}

	for want, text := range map[string]string{
		"unknown field":            strings.Replace(good, "question:", "task:", 1),
		"has no question":          strings.Replace(good, "question: q", `question: ""`, 1),
		"has no turns":             "demonstrations: [{question: q, turns: []}]",
		"occurs twice":             good + strings.TrimPrefix(good, "\ndemonstrations:\n"),
		`begin with "Thought:"`:    strings.Replace(good, "Thought:", "Idea:", 1),
		`no line "Action:"`:        strings.Replace(good, "Action: ", "Act: ", 1),
		`no line "Action Input:"`:  strings.Replace(good, "Action Input:", "Input:", 1),
		`contains "Observation:"`:  strings.Replace(good, "Thought: a", "Thought: Observation:", 1),
		"not a JSON object":        strings.Replace(good, `{"answer": "1"}`, `{'answer': '1'}`, 1),
		"text after the object":    strings.Replace(good, `"1"}`, `"1"} }`, 1),
		"the last turn, and no ot": strings.Replace(good, "Action: Finish", "Action: LoadDB", 1),
	} {
		_, err := LoadDemonstrations(fstest.MapFS{"coffee.yaml": {Data: []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "coffee.yaml") {
			t.Errorf("error %v does not say %q and where", err, want)
		}
	}
}
