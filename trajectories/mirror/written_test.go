package mirror

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/toolbench"
)

// documents are two APIs of one tool, and one of another.
func documents() []*toolbench.Document {
	required := []toolbench.Parameter{{Name: "city", Type: "STRING", Default: json.RawMessage(`"Bern"`)}}
	key := func(tool, api string) toolbench.Key { return toolbench.Key{Category: "Travel", Tool: tool, API: api} }

	return []*toolbench.Document{
		{Key: key("Hotels", "Find"), Description: "Finds hotels.", Method: "GET", Required: required},
		{Key: key("Hotels", "Prices"), Description: "Prices.", Method: "GET", Optional: required},
		{
			Key: key("Weather", "Now"), Description: "The weather.", Method: "GET",
			Template: json.RawMessage(`{"t": "int"}`),
		},
	}
}

// A request is written for a situation, fits its document, and is not written twice.
func TestRequests(t *testing.T) {
	t.Parallel()

	imagine, _ := model(func(_, _ string, seed uint64) string { return fmt.Sprintf("You live in city %d.", seed%2) })
	m, _ := model(func(_, request string, _ uint64) string {
		situation := request[strings.Index(request, "Situation:"):]
		city := situation[strings.Index(situation, "city "):][5:6]

		switch {
		case strings.Contains(request, "Finds hotels"):
			return `{"tool_input": {"city": "` + city + `"}}`
		case strings.Contains(request, "Prices"):
			return `{"tool_input": {"town": "` + city + `"}}`
		}

		return `{"tool_input": "{}"}`
	})
	r := NewReport()

	requests, err := m.Requests(t.Context(), imagine.Writer, documents(), 3, r)
	if err != nil {
		t.Fatal(err)
	}

	var text []byte
	for i := range requests {
		text = requests[i].Append(text)
	}

	want := `{"category": "Travel", "tool_name": "Hotels", "api_name": "Find", "tool_input": "{\"city\": \"1\"}", ` +
		`"strip": "filter", "scenario": "You live in city 1."}
{"category": "Travel", "tool_name": "Hotels", "api_name": "Find", "tool_input": "{\"city\": \"0\"}", ` +
		`"strip": "filter", "scenario": "You live in city 0."}
{"category": "Travel", "tool_name": "Weather", "api_name": "Now", "tool_input": "{}", ` +
		`"strip": "filter", "scenario": "You live in city 1."}
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}

	refused := map[string]int{errAPILimit.Error(): 3, errRepeated.Error(): 3}
	if diff := cmp.Diff(refused, r.Written.Refused); diff != "" {
		t.Error(diff)
	}

	imagine, _ = model(func(string, string, uint64) string { return "down" })
	if _, err := m.Requests(t.Context(), imagine.Writer, documents(), 1, r); err == nil {
		t.Error("a failure of the server is a situation")
	}
}

// Queries are for several tools among those offered, and solvable; the file is one that can be imported.
func TestQueries(t *testing.T) {
	t.Parallel()

	const both = `"related_apis": [["Hotels", "Find"], ["Weather", "Now"], ["Weather", "Now"]]}`

	asked := 0
	m, _ := model(func(instructions, request string, seed uint64) string {
		if strings.Contains(instructions, "You decide") {
			asked++

			switch {
			case strings.Contains(request, "impossible"):
				return `{"reason": "no", "task_status": "Unsolvable"}`
			case strings.Contains(request, "odd"):
				return "?"
			}

			return `{"task_status": "Solvable"}`
		}

		switch seed % 15 / 3 {
		case 0:
			return `{"query": "impossible", ` + both
		case 1:
			return `{"query": "odd", ` + both
		case 2:
			return `{"query": "one tool", "related_apis": [["Hotels", "Find"], ["Hotels", "Prices"]]}`
		case 3:
			return `{"query": "another tool", "related_apis": [["Cats", "Find"], ["Hotels", "Prices"]]}`
		}

		return `{"query": " Where shall I stay? ", ` + both
	})
	m.Workers, m.Seed = 1, 0

	r := NewReport()
	all := documents()

	queries, err := m.Queries(t.Context(), []*toolbench.Document{all[0], all[2]}, 5, "G3_mine", r)
	if err != nil {
		t.Fatal(err)
	}

	refused := map[string]int{errUnsolvable.Error(): 1, kept.ErrNoObject.Error(): 1, errForeignAPI.Error(): 2}
	if diff := cmp.Diff(refused, r.Written.Refused); diff != "" || len(queries) != 1 {
		t.Fatalf("%d queries: %s", len(queries), diff)
	}

	if asked != 1+3+1 {
		t.Errorf("%d verdicts were asked for: one that can be read stands", asked)
	}

	text, err := EncodeQueries(queries, all)
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "G3_mine.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}

	imported, err := toolbench.Import(dir, "")
	if err != nil {
		t.Fatal(err)
	}

	got := imported.Collection
	want := toolbench.Query{
		Group: "G3_mine", ID: 1, Text: "Where shall I stay?", APIs: queries[0].APIs,
		Relevant: []toolbench.Key{all[0].Key, all[2].Key},
	}
	if diff := cmp.Diff([]toolbench.Query{want}, got.Queries); diff != "" {
		t.Error(diff)
	}

	d, ok := got.Document(all[0].Key)
	if !ok || d.Required[0].Name != "city" || string(d.Required[0].Default) != `"Bern"` {
		t.Errorf("the document is %+v", d)
	}

	if _, err := m.Queries(t.Context(), all[:2], 1, "G3_mine", r); err == nil {
		t.Error("APIs of one tool make a query")
	}
}

// Arguments may come as a text.
func TestInputIn(t *testing.T) {
	t.Parallel()

	d := documents()[0]
	want := envs.Args{{Name: "city", Value: "Bern"}}

	for _, text := range []string{
		`{"tool_input": {"city": "Bern"}}`,
		"So:\n" + `{"tool_input": "{\"city\": \"Bern\"}"}`,
	} {
		if got, err := inputIn(text, d); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}

	for _, text := range []string{`{"tool_input": "x"}`, `{"tool_input": []}`, `{}`, `{"tool_input": {}}`} {
		if got, err := inputIn(text, d); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}
