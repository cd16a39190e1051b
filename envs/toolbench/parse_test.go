package toolbench

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolevo/envs/disk"

	"github.com/google/go-cmp/cmp"
)

// oneQuery is a query file with all that one may have.
const oneQuery = `[
  {
    "query": "Which languages are there?",
    "query_id": 7,
    "api_list": [
      {
        "category_name": "Media", "tool_name": "Kraken", "api_name": "List Languages",
        "api_description": "All of them.",
        "required_parameters": [
          {"name": "voice", "type": "STRING", "description": "", "default": "Ada"}
        ],
        "optional_parameters": [
          {"name": "most", "type": "NUMBER", "description": "how many", "default": "5"}
        ],
        "method": "GET",
        "template_response": {"languages": ["list of str with length 3"]}
      },
      {
        "category_name": "Media", "tool_name": "Kraken", "api_name": "Speak", "api_description": null,
        "required_parameters": [], "optional_parameters": [], "method": "GET"
      }
    ],
    "relevant APIs": [["Kraken", "List Languages"], ["Kraken", "List Languages"]]
  }
]`

// folder returns a folder of files.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()

	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestImport(t *testing.T) {
	t.Parallel()

	p, err := Import(folder(t, map[string]string{"G1_category.json": oneQuery, "README.md": "no query"}), "")
	if err != nil {
		t.Fatal(err)
	}

	languages, speak := Key{"Media", "Kraken", "List Languages"}, Key{"Media", "Kraken", "Speak"}

	want := &Collection{
		Documents: []Document{
			{
				Key: languages, Description: "All of them.", Method: "GET",
				Required: []Parameter{{Name: "voice", Type: "STRING", Default: []byte(`"Ada"`)}},
				Optional: []Parameter{{Name: "most", Type: "NUMBER", Description: "how many", Default: []byte(`"5"`)}},
				Template: []byte(`{"languages":["list of str with length 3"]}`),
			},
			{Key: speak, Method: "GET", Required: []Parameter{}, Optional: []Parameter{}},
		},
		Queries: []Query{{
			Group: "G1_category", ID: 7, Text: "Which languages are there?",
			APIs: []Key{languages, speak}, Relevant: []Key{languages},
		}},
	}
	if diff := cmp.Diff(want, p.Collection); diff != "" {
		t.Error(diff)
	}
}

// Mistakes are told with the file, the entry and the field.
func TestImportErrors(t *testing.T) {
	t.Parallel()

	change := func(old, new string) string {
		if !strings.Contains(oneQuery, old) {
			t.Fatalf("%s is not in the file", old)
		}
		return strings.Replace(oneQuery, old, new, 1)
	}
	twice := strings.TrimSuffix(oneQuery, "]") + "," + strings.TrimPrefix(oneQuery, "[")
	otherwise := strings.Replace(strings.Replace(twice, `"query_id": 7`, `"query_id": 8`, 1), "All of them.", "None.", 1)

	for want, text := range map[string]string{
		`line 3 column`:                                                change(`"query": `, `query: `),
		`G1_x.json: at /: got object`:                                  `{}`,
		`G1_x.json: at /0: missing property 'query_id'`:                change("query_id", "id"),
		`at /0/query_id: got string`:                                   change(": 7", `: "7"`),
		`at /0/query: `:                                                change("Which languages are there?", " "),
		`at /0: missing property 'api_list'`:                           change("api_list", "apis"),
		`at /0/api_list/0: missing property 'tool_name'`:               change("tool_name", "tool"),
		`at /0/api_list/0: missing property 'required_par`:             change("required_parameters", "required"),
		`required_parameters/0: missing property 'name'`:               change(`"name": "voice"`, `"called": "voice"`),
		`required_parameters/0: missing property 'default'`:            change(`, "default": "Ada"`, ""),
		`optional_parameters/0/type: got number`:                       change(`"NUMBER"`, "5"),
		`/method: got null`:                                            change(`"GET"`, "null"),
		`relevant APIs[0]: "Sing" of "Kraken" is not in its api_list`:  change(`["Kraken", "List Languages"]`, `["Kraken", "Sing"]`),
		`/relevant APIs/0: minItems`:                                   change(`["Kraken", "List Languages"]`, `["Kraken"]`),
		`/relevant APIs: minItems`:                                     change(`["Kraken", "List Languages"], ["Kraken", "List Languages"]`, ""),
		`/relevant APIs/0: got number`:                                 change(`["Kraken", "List Languages"]`, `5`),
		`api_list[1]: Media/Kraken/list-languages is called list_lang`: change(`"Speak"`, `"list-languages"`),
		`api_list[1]: Media/Kraken/List Languages is called list_lang`: change(`"Speak"`, `"List Languages"`),
		`entry 2: query_id 7 is that of entry 1, want each once`:       twice,
		`entry 2: query_id 7: api_list[0]: Media/Kraken/List Languages is described differently in G1_x-8`: otherwise,
	} {
		_, err := Import(folder(t, map[string]string{"G1_x.json": text}), "")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "G1_x.json") {
			t.Errorf("error %v, want %s", err, want)
		}
	}

	if _, err := Import(folder(t, nil), ""); err == nil || !strings.Contains(err.Error(), "no query file in") {
		t.Errorf("an empty folder: %v", err)
	}

	for want, text := range map[string]string{
		`at /0: got null`:     `[null]`,
		`at /0: got boolean`:  `[true]`,
		`at /0: got array`:    `[[]]`,
		`at /: got boolean`:   `false`,
		`/query: got boolean`: change(`"Which languages are there?"`, "false"),
		`/query: got object`:  change(`"Which languages are there?"`, "{}"),
		`"Speak" of "Squid" is not in`: change(`["Kraken", "List Languages"]`,
			`["Squid", "Speak"]`),
		`"List" of "Kraken" is not in`: change(`["Kraken", "List Languages"]`,
			`["Kraken", "List"]`),
		`list_languages_for_kraken, like api_list[0]`: strings.NewReplacer(`"tool_name": "Kraken", "api_name": "Speak"`,
			`"tool_name": "kraken", "api_name": "List Languages"`).Replace(oneQuery),
	} {
		_, err := Import(folder(t, map[string]string{"G1_x.json": text}), "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: error %v, want %s", text, err, want)
		}
	}
}

// What cannot be read is an error, wherever it stands, and what is no file of ours is passed over.
func TestImportFolders(t *testing.T) {
	t.Parallel()

	const tool = `{"tool_name": "Kraken", "tool_description": null, "api_list": []}`

	good := map[string]string{
		"A.txt": "no query", "B.json/in.txt": "a folder", "G1_x.json": oneQuery, "test_instruction": "no folder",
		"G2_y.json": strings.Replace(oneQuery, `"query_id": 7`, `"query_id": 8`, 1),
	}

	p, err := Import(folder(t, good), folder(t, map[string]string{"A.txt": "no folder",
		"Media/k.json": tool}))
	if err != nil {
		t.Fatal(err)
	}

	if want := []string{"G1_x", "G2_y"}; !slices.Equal(p.Groups, want) ||
		len(p.Collection.Queries) != 2 {
		t.Errorf("the groups are %v, and there are %d queries", p.Groups, len(p.Collection.Queries))
	}

	queries := folder(t, good)
	nowhere := filepath.Join(queries, "nowhere")
	unreadable := folder(t, map[string]string{"Media/k.json": "{"})
	dangling := folder(t, map[string]string{"Media/a.txt": ""})

	if err := os.Symlink(nowhere, filepath.Join(dangling, "Media", "k.json")); err != nil {
		t.Fatal(err)
	}

	for name, read := range map[string]func() (*Published, error){
		"no folder of queries":       func() (*Published, error) { return Import(nowhere, "") },
		"no folder of tools":         func() (*Published, error) { return Import(queries, nowhere) },
		"tools without a document":   func() (*Published, error) { return Import(queries, queries) },
		"a tool that cannot be read": func() (*Published, error) { return Import(queries, dangling) },
		"a tool that is no JSON":     func() (*Published, error) { return Import(queries, unreadable) },
		"a query that cannot be read": func() (*Published, error) {
			return Import(filepath.Join(dangling, "Media"), "")
		},
		"IDs that are no JSON": func() (*Published, error) {
			return Import(folder(t, map[string]string{
				"solvable_queries/test_instruction/G1_x.json": oneQuery,
				"solvable_queries/test_query_ids/G1_x.json":   `{`,
			}), "")
		},
		"IDs that are null": func() (*Published, error) {
			return Import(folder(t, map[string]string{
				"solvable_queries/test_instruction/G1_x.json": oneQuery,
				"solvable_queries/test_query_ids/G1_x.json":   `null`,
			}), "")
		},
	} {
		_, err := read()
		if err == nil {
			t.Errorf("%s is no error", name)
		}

		missing := strings.HasPrefix(name, "no folder") || strings.HasSuffix(name, "cannot be read")
		if errors.Is(err, fs.ErrNotExist) != missing {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The splits of a data folder are read together, those that are there; one that is damaged is an
// error.
func TestOpenAll(t *testing.T) {
	t.Parallel()

	data, splits := t.TempDir(), []string{"train", "dev", "test"}

	p, err := Import(folder(t, map[string]string{"G1_x.json": oneQuery}), "")
	if err != nil {
		t.Fatal(err)
	}

	if _, err := p.Save(data, "test", splits); err != nil {
		t.Fatal(err)
	}

	other, err := Import(folder(t, map[string]string{"G2_y.json": oneQuery}), "")
	if err != nil {
		t.Fatal(err)
	}

	written, err := other.Save(data, "train", splits)
	if err != nil || written != Path(data, "train") {
		t.Fatal(written, err)
	}

	all, err := OpenAll(data, splits)
	if err != nil || len(all) != 2 || len(all["train"].Queries) != 1 ||
		all["test"].Queries[0].Group != "G1_x" {
		t.Errorf("there are %v (%v)", all, err)
	}

	if again, err := Open(data, "test"); err != nil || again != all["test"] {
		t.Errorf("a split is read twice (%v)", err)
	}

	if err := disk.WriteSealed(Path(data, "test"), []byte(`{"format":2}`)); err != nil {
		t.Fatal(err)
	}

	all, err = OpenAll(data, splits)
	if e, ok := errors.AsType[*disk.FormatError](err); !ok || e.Format != 2 {
		t.Errorf("with one of another format there are %v (%v)", all, err)
	}

	if err := disk.Write(Path(data, "test"), []byte(`{"format":1}`)); err != nil {
		t.Fatal(err)
	}

	// A query could be in what cannot be read, or the folder cannot be made.
	if _, err := other.Save(data, "train", splits); !errors.Is(err, disk.ErrDamaged) {
		t.Errorf("beside a damaged split: %v", err)
	}

	blocked := folder(t, map[string]string{"toolbench": "a file"})
	if _, err := other.Save(blocked, "train", nil); err == nil {
		t.Error("the split is kept in a file")
	}
}

// ID files say which queries there are, and which are missing.
func TestImportIDs(t *testing.T) {
	t.Parallel()

	published := func(ids string) string {
		return folder(t, map[string]string{
			"solvable_queries/test_instruction/G1_x.json": oneQuery,
			"solvable_queries/test_query_ids/G1_x.json":   ids,
		})
	}

	p, err := Import(published(`{"9": 0, "7": 0, "10": 0, "8": 0}`), "")
	if err != nil || !slices.Equal(p.Collection.Missing, []string{"G1_x-10", "G1_x-8", "G1_x-9"}) {
		t.Errorf("missing are %v (%v)", p.Collection.Missing, err)
	}

	// A list of one group says nothing about another.
	p, err = Import(folder(t, map[string]string{
		"test_instruction/G1_x.json": oneQuery, "test_instruction/G2_y.json": oneQuery,
		"test_query_ids/G2_y.json": `{"8": 0}`,
	}), "")
	if err != nil || len(p.Collection.Queries) != 1 || p.Collection.Queries[0].Group != "G1_x" {
		t.Errorf("the queries are %v (%v)", p.Collection.Queries, err)
	}

	// Where nothing lists them, all are there.
	p, err = Import(folder(t, map[string]string{"test_instruction/G1_x.json": oneQuery}), "")
	if err != nil || len(p.Collection.Queries) != 1 {
		t.Errorf("the queries are %v (%v)", p.Collection.Queries, err)
	}

	for ids, want := range map[string]Statistics{
		`{"7": 0}`:         {Queries: 1},
		`{"7": 0, "9": 0}`: {Queries: 1, Missing: 1},
		`{"9": 0}`:         {Missing: 1},
	} {
		p, err := Import(published(ids), "")
		if err != nil {
			t.Fatal(err)
		}

		if got := p.Collection.Statistics(); got.Queries != want.Queries || got.Missing != want.Missing {
			t.Errorf("%s: %d queries and %d missing, want %v", ids, got.Queries, got.Missing, want)
		}
	}

	for ids, want := range map[string]string{`[7]`: "got array", `{"seven": 0}`: `'seven'`} {
		if _, err := Import(published(ids), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", ids, err, want)
		}
	}
}

// Tool documents describe tools, and add APIs that no query offers.
func TestImportTools(t *testing.T) {
	t.Parallel()

	const tool = `{
	  "tool_name": "Kraken", "tool_description": "Speaks.", "api_list": [
	    {"name": "Speak", "url": "", "description": "another text", "method": "GET", "required_parameters": [],
	     "optional_parameters": [], "schema": ""},
	    {"name": "Sing", "url": "", "description": "a song", "method": "POST", "required_parameters": [],
	     "optional_parameters": [], "schema": {"song": "str"}}
	  ]
	}`

	queries := folder(t, map[string]string{"G1_x.json": oneQuery})

	p, err := Import(queries, folder(t, map[string]string{"Media/kraken.json": tool}))
	if err != nil {
		t.Fatal(err)
	}

	sing, _ := p.Collection.Document(Key{"Media", "Kraken", "Sing"})
	speak, _ := p.Collection.Document(Key{"Media", "Kraken", "Speak"})

	if sing == nil || sing.Method != "POST" || string(sing.Template) != `{"song":"str"}` ||
		sing.ToolDescription != "Speaks." {
		t.Errorf("the API that no query offers is %v", sing)
	}

	if speak.ToolDescription != "Speaks." || speak.Description != "" {
		t.Errorf("the API that a query offers is %v", speak)
	}

	// A tool of the same name in another category, and another tool, are others.
	for where, text := range map[string]string{
		"Sports/kraken.json": tool, "Media/squid.json": strings.Replace(tool, "Kraken", "Squid", 1),
	} {
		p, err := Import(queries, folder(t, map[string]string{where: text}))
		if err != nil {
			t.Fatal(err)
		}

		if d, _ := p.Collection.Document(Key{"Media", "Kraken",
			"Speak"}); d.ToolDescription != "" ||
			len(p.Collection.Documents) != 4 {
			t.Errorf("after %s there are %d documents, and the query's is %+v", where,
				len(p.Collection.Documents), d)
		}
	}

	for want, text := range map[string]string{
		`Media/kraken.json: at /: got array`:                    `[]`,
		`Media/kraken.json: at /: missing property 'tool_name'`: strings.Replace(tool, "tool_name", "name", 1),
		`Media/kraken.json: api_list[1]: Speak is there tw`:     strings.Replace(tool, "Sing", "Speak", 1),
		`at /api_list/0: missing property 'method'`:             strings.Replace(tool, "method", "verb", 1),
	} {
		if _, err := Import(queries, folder(t, map[string]string{"Media/kraken.json": text})); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// What is kept in a data folder is what was read, and no query is in two splits.
func TestSave(t *testing.T) {
	t.Parallel()

	data, splits := t.TempDir(), []string{"train", "test"}

	if _, err := Open(data, "test"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a split that is not there: %v", err)
	}

	p, err := Import(folder(t, map[string]string{"G1_x.json": oneQuery}), "")
	if err != nil {
		t.Fatal(err)
	}

	for range 2 { // again takes the place of what is there
		if _, err := p.Save(data, "test", splits); err != nil {
			t.Fatal(err)
		}
	}

	kept, err := Open(data, "test")
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(p.Collection, kept.Collection); diff != "" || kept.SHA256 == "" {
		t.Error(diff)
	}

	if _, err := p.Save(data, "train", splits); err == nil ||
		!strings.Contains(err.Error(), "G1_x-7 is a query of the split test already") {
		t.Errorf("in two splits: %v", err)
	}

	// All splits are read together, so an API has one document in all of them.
	text := strings.NewReplacer("All of them.", "Some.", `"query_id": 7`, `"query_id": 8`).
		Replace(oneQuery)

	differs, err := Import(folder(t, map[string]string{"G1_x.json": text}), "")
	if err != nil {
		t.Fatal(err)
	}

	if _, err := differs.Save(data, "train", splits); err == nil ||
		!strings.Contains(err.Error(), "Media/Kraken/List Languages") ||
		!strings.Contains(err.Error(), Path(data, "test")) {
		t.Errorf("described in two ways: %v", err)
	}

	if _, err := Open(data, "train"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a split that was refused: %v", err)
	}

	for _, damaged := range []string{"", "[]", `{"format":1,"queries":[{"name":"G1_x","text":[{}]}]}`} {
		if err := disk.WriteSealed(Path(data, "test"), []byte(damaged)); err != nil {
			t.Fatal(err)
		}

		if _, err := Open(data, "test"); !errors.Is(err, disk.ErrDamaged) ||
			!strings.Contains(err.Error(), "toolbench import") {
			t.Errorf("%q: error %v does not say what to do", damaged, err)
		}
	}
}

// Whatever a file holds, what is read keeps the promises of the package.
func FuzzQueries(f *testing.F) {
	f.Add(oneQuery)
	f.Add(strings.Replace(oneQuery, "Speak", "List  Languages", 1))
	f.Add(`[{"query": "q", "query_id": 1, "api_list": null, "relevant APIs": [[]]}]`)

	f.Fuzz(func(t *testing.T, text string) {
		b := newBuilder()
		if b.readQueries("G1_x", []byte(text)) != nil {
			return
		}

		c := b.collection()
		seen := map[int]bool{}

		for _, q := range c.Queries {
			if seen[q.ID] || len(q.Relevant) == 0 {
				t.Errorf("query %d is there twice, or has no relevant API", q.ID)
			}

			seen[q.ID] = true

			for _, k := range append(q.Relevant, q.APIs...) {
				if _, ok := c.Document(k); !ok {
					t.Errorf("query %d: no document of %s", q.ID, k)
				}
			}
		}

		if _, err := c.Functions(); err != nil {
			t.Error(err)
		}
	})
}
