package toolbench

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/pytext"
)

// The default of a parameter is an example where it is, or spells, a value of the parameter's type.
func TestParameterExample(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		kind, usual string
		want        string // as JSON; "" is none
	}{
		{"STRING", `"Ada"`, `"Ada"`}, {"STRING", `5`, `"5"`},
		{"STRING", `{"a": 1}`, `"{\"a\": 1}"`},
		{"DATE (YYYY-MM-DD)", `"2020-01-01"`, `"2020-01-01"`}, {"ENUM", `true`, `"true"`},
		{"STRING", `""`, ``}, {"STRING", `null`, ``}, {"STRING", ``, ``}, {"NUMBER", `""`, ``},
		{"NUMBER", `5`, `5`}, {"number", `"5.5"`, `5.5`}, {"NUMBER", `" 7 "`, `7`},
		{"NUMBER", `"many"`, ``}, {"NUMBER", `true`, ``}, {"INTEGER", `5`, `5`},
		{"int", `5.0`, ``}, {"INTEGER", `"1e3"`, ``}, {"INTEGER", `1E3`, ``},
		{"BOOLEAN", `false`, `false`}, {"BOOLEAN", `"True"`, `true`}, {"BOOLEAN", `1`, ``},
		{"BOOLEAN", `"yes"`, ``}, {"ARRAY", `[1]`, `[1]`}, {"ARRAY", `"[1, 2]"`, `[1, 2]`},
		{"ARRAY", `{}`, ``}, {"ARRAY", `"a"`, ``}, {"OBJECT", `{"a": 1}`, `{"a": 1}`},
		{"OBJECT", `[]`, ``}, {"OBJECT", `5`, ``}, {"OBJECT", `true`, ``},
	} {
		v, ok := Parameter{Type: tt.kind, Default: []byte(tt.usual)}.Example()

		got := ""
		if ok {
			got = string(pytext.AppendJSON(nil, v))
		}

		if got != tt.want {
			t.Errorf("the default %s of a %s is the example %s, want %s", tt.usual, tt.kind, got,
				tt.want)
		}
	}
}

// What a model sees of a document: all of its parameters once, with types, descriptions and
// defaults.
func TestSpec(t *testing.T) {
	t.Parallel()

	d := Document{
		Key: Key{"Media", "Kraken", "List  Languages"}, Description: "All of\nthem.",
		Required: []Parameter{
			{Name: "voice", Type: "STRING", Description: strings.Repeat("long ", 100),
				Default: []byte(`"Ada"`)},
			{Name: "n", Type: "NUMBER", Default: []byte(`""`)},
		},
		Optional: []Parameter{
			{Name: "n", Type: "STRING", Description: "the same again", Default: []byte(`""`)},
			{Name: "deep", Type: "BOOLEAN", Default: []byte(`"false"`)},
		},
	}
	spec := d.Spec("list_for_kraken")

	if want := "which calls the API List Languages of the tool Kraken: All of them."; spec.Name != "list_for_kraken" ||
		spec.Description != want || spec.Errors.Arguments != "" {
		t.Errorf("%s: %q, %q", spec.Name, spec.Description, spec.Errors.Arguments)
	}

	var got []string

	for _, p := range spec.Parameters.All {
		schema := p.Schema
		if long, ok := schema.Text("description"); ok {
			if n := len([]rune(long)); n > MostDescription {
				t.Errorf("%s is described in %d characters", p.Name, n)
			}

			schema[1].Value = "…"
		}

		optional := ""
		if p.Optional {
			optional = "?"
		}

		got = append(got, p.Name+optional+" "+string(pytext.AppendJSON(nil, schema)))
	}

	want := []string{
		`voice {"type": "string", "description": "…", "default": "Ada"}`,
		`n {"type": "number"}`,
		`deep? {"type": "boolean", "default": false}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	none := (&Document{Key: Key{"Media", "Kraken", "Speak"}}).Spec("speak")
	if none.Parameters.All == nil ||
		none.Description != "which calls the API Speak of the tool Kraken" ||
		none.Errors.Arguments != "argument error: speak takes no arguments." {
		t.Errorf("without parameters it is %+v", none)
	}
}

// Statistics are counts, here by hand.
func TestStatistics(t *testing.T) {
	t.Parallel()

	long := strings.Repeat("a", 64-len("_for_kraken"))
	one := []Parameter{{Name: "x"}}

	c := &Collection{
		Documents: []Document{
			{Key: Key{"Media", "Kraken", long}, Required: one, Template: []byte(`{}`)},
			{Key: Key{"Media", "Kraken", long + "a"}, Required: append(one, one...), Optional: one},
			{Key: Key{"Sports", "Kraken", "Speak"}, Optional: append(one, one...)},
			{Key: Key{"Sports", "Squid", "Speak"}},
		},
		Queries: []Query{{APIs: make([]Key, 3)}, {APIs: make([]Key, 2)}},
		Missing: []string{"G1_x-1"},
	}

	want := Statistics{
		Queries: 2, Entries: 5, APIs: 4, Tools: 3, Categories: 2, Required: 3, Optional: 3, Templates: 1, LongNames: 1,
		Missing: 1,
	}
	if diff := cmp.Diff(want, c.Statistics()); diff != "" {
		t.Error(diff)
	}

	if _, ok := c.Document(Key{"Media", "Kraken", "Sing"}); ok {
		t.Error("a document that is not there is found")
	}

	// A name of just 64 characters is whole, and one that is too long keeps what fits beside a
	// hash.
	names, err := c.Functions()
	if err != nil {
		t.Fatal(err)
	}

	whole, cut := names[c.Documents[0].Key], names[c.Documents[1].Key]
	if whole != long+"_for_kraken" || len(cut) != 64 ||
		!strings.HasPrefix(cut, (long + "a_for_kraken")[:64-9]+"_") {
		t.Errorf("they are called %s and %s", whole, cut)
	}
}

// A union has all documents and the queries of the first collection; what is described in two ways
// is in no union.
func TestUnion(t *testing.T) {
	t.Parallel()

	of := func(documents ...Document) *Collection { return &Collection{Documents: documents} }
	speak := Document{Key: Key{"Media", "Kraken", "Speak"}, Description: "speaks"}
	sing := Document{Key: Key{"Media", "Kraken", "Sing"}}

	first := of(speak)
	first.Queries = []Query{{Group: "G2_b", ID: 1}, {Group: "G1_a", ID: 1}, {Group: "G2_b", ID: 2}}
	first.Missing = []string{"G1_a-9"}

	all, err := Union(first, of(sing, speak), of())
	if err != nil {
		t.Fatal(err)
	}

	want := &Collection{Documents: []Document{sing, speak}, Queries: first.Queries,
		Missing: first.Missing}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}

	if got := all.Groups(); !slices.Equal(got, []string{"G1_a", "G2_b"}) {
		t.Errorf("the groups are %v", got)
	}

	speak.Description = "sings"
	if all, err := Union(first, of(speak)); err == nil {
		t.Errorf("two descriptions are one collection: %+v", all)
	}

	// A query says less than the tool's document in another split, and has precedence.
	asked := of(Document{Key: Key{"Sea Life", "Kraken", "Dive"}, Method: "GET"})
	asked.Queries = []Query{{Group: "G1_a", ID: 1, APIs: []Key{asked.Documents[0].Key}}}

	tool := of(Document{Key: Key{"Sea_Life", "Kraken", "Dive"}, Method: "POST", ToolDescription: "a monster"})
	want.Documents = []Document{{Key: asked.Documents[0].Key, Method: "GET", ToolDescription: "a monster"}}

	for _, all := range [][]*Collection{{asked, tool}, {tool, asked}} {
		got, err := Union(all[0], all[1])
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(want.Documents, got.Documents); diff != "" {
			t.Error(diff)
		}
	}
}
