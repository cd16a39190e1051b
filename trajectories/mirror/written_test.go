package mirror

import (
	"bytes"
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

// Queries are for several tools among those offered, call none by its name, and are not written
// twice; what is left is a published file. An ID is the number of the text that was asked for.
func TestQueries(t *testing.T) {
	t.Parallel()

	const both = `"related_apis": [["Hotels", "Find"], ["Weather", "Now"], ["Weather", "Now"]]}`

	m, _ := model(func(_, _ string, seed uint64) string {
		return []string{
			`{"query": "Use the Weather API!", ` + both,
			`no JSON`,
			`{"query": "one tool", "related_apis": [["Hotels", "Find"], ["Hotels", "Prices"]]}`,
			`{"query": "another tool", "related_apis": [["Cats", "Find"], ["Hotels", "Prices"]]}`,
			`{"query": "no pairs", "related_apis": ["Hotels", "Weather"]}`,
			`{"query": " Where shall I stay? ", ` + both,
			`{"query": "where shall I  stay?", ` + both,
		}[seed/3]
	})
	m.Workers, m.Seed = 1, 0

	r := NewReport()
	all := documents()

	queries, err := m.Queries(t.Context(), []*toolbench.Document{all[0], all[2]}, 7, "G3_mine", r)
	if err != nil {
		t.Fatal(err)
	}

	refused := map[string]int{
		string(refusedNaming): 1, string(refusedForeign): 2, string(refusedRepeated): 1,
	}
	lost := map[string]int{kept.ErrNoObject.Error(): 1, errNoQuery.Error(): 1}

	counted := []map[string]int{r.Written.Refused, r.Written.Lost}
	if diff := cmp.Diff([]map[string]int{refused, lost}, counted); diff != "" {
		t.Fatalf("%d queries: %s", len(queries), diff)
	}

	got := imported(t, queries, all).Collection
	want := toolbench.Query{
		Group: "G3_mine", ID: 6, Text: "Where shall I stay?", APIs: queries[0].APIs,
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

// imported writes queries of the group G3_mine as a published file, and reads it.
func imported(t *testing.T, queries []toolbench.Query, all []*toolbench.Document) *toolbench.Published {
	t.Helper()

	text, err := EncodeQueries(queries, all)
	if err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "G3_mine.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}

	p, err := toolbench.Import(path, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A query of one tool alone is refused where it offers several.
func TestQueryOfOneTool(t *testing.T) {
	t.Parallel()

	_, err := queryIn(`{"query": "q", "related_apis": [["Hotels", "Find"], ["Hotels", "Prices"]]}`,
		documents())
	if err != refusedOneTool {
		t.Errorf("error %v", err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()

	key := func(tool, api string) toolbench.Key {
		return toolbench.Key{Category: "c", Tool: tool, API: api}
	}

	for _, tt := range []struct {
		query string
		of    toolbench.Key
		want  bool
	}{
		{"Please search the news on Ghent.", key("World News", "Search"), false},
		{"Please call search_for_world_news on Ghent.", key("World News", "Search"), true},
		{"Which search API finds news?", key("World News", "Search"), true},
		{"Call the endpoint 'Search' for me.", key("World News", "Search"), true},
		{"Use the World News API for Ghent.", key("World News", "Search"), true},
		{"What is in the world news?", key("World News", "Search"), false},
		{"I want to get news by city.", key("n", "Get News By City"), false},
		{"I want Get News By City for Ghent.", key("n", "Get News By City"), true},
		{"Run getNews for Ghent.", key("n", "getNews"), true},
		{"Run v2/news for Ghent.", key("n", "v2/news"), true},
		{"Is there a BMI of 20?", key("n", "BMI"), false},
		{"Who sings (Help)?", key("n", "(Help"), false},
	} {
		if got := names(tt.query, tt.of); got != tt.want {
			t.Errorf("%q names %s: %v", tt.query, tt.of, got)
		}
	}
}

// Most of what can be read decides, and only queries that are solvable stay in a file, as they were
// published.
func TestCheckSolvable(t *testing.T) {
	t.Parallel()

	all := documents()
	keys := []toolbench.Key{all[0].Key, all[2].Key}

	var queries []toolbench.Query
	for i, text := range []string{"YYY", "YYN", "YN?", "Y?!", "NN!", "!!!"} {
		queries = append(queries, toolbench.Query{
			Group: "G3_mine", ID: i + 1, Text: text, APIs: keys, Relevant: keys,
		})
	}

	// A judge says of a query what its own letter stands for.
	replies := map[byte]string{
		'Y': `{"reason": "so", "task_status": "Solvable"}`,
		'N': `{"name": "check_task_solvable", "arguments": "{\"content\": \"no\", ` +
			`\"task_status\": \"Unsolvable\"}"}`,
		'?': `{"task_status": "Unsure"}`,
		'!': `{"task_status": "Certainly"}`,
	}

	var judges []Judge
	for i := range 3 {
		m, _ := model(func(_, request string, _ uint64) string {
			text := request[strings.Index(request, `"query": "`)+len(`"query": "`):]
			return replies[text[i]]
		})
		judges = append(judges, Judge{m, fmt.Sprint("openai:", i)})
	}

	p := imported(t, queries, all)

	said, err := CheckSolvable(t.Context(), judges, p.Collection)
	if err != nil {
		t.Fatal(err)
	}

	var statuses []string
	for _, s := range said {
		statuses = append(statuses, s.Status)
	}

	want := []string{Solvable, Solvable, Unsure, Unsure, Unsolvable, Lost}
	if diff := cmp.Diff(want, statuses); diff != "" {
		t.Error(diff)
	}

	votes := []Vote{
		{"openai:0", Solvable, "so"}, {"openai:1", Solvable, "so"}, {"openai:2", Unsolvable, ""},
	}
	if diff := cmp.Diff(votes, said[1].Votes); diff != "" {
		t.Error(diff)
	}

	counts := []Counts{{Group: "G3_mine", Queries: 6, Solvable: 2, Unsolvable: 1, Unsure: 2, Lost: 1}}
	if diff := cmp.Diff(counts, CountSolvable(said)); diff != "" {
		t.Error(diff)
	}

	files, err := p.Select(func(_ string, id int) bool { return id == 2 })
	if err != nil {
		t.Fatal(err)
	}

	text, err := EncodeQueries(queries[1:2], all)
	if err != nil {
		t.Fatal(err)
	}

	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(compact.String(), string(files["G3_mine"])); diff != "" {
		t.Error(diff)
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
