package importer

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sandbox/confine"
	"toolevo/envs/sandbox/engines"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/graphtest"
	"toolevo/toolqa/corpus/internal/layout"
)

const pickles = "testdata/dblp"

// importPickles imports a folder of pickles and opens the corpus.
func importPickles(t testing.TB, from string) *corpus.Corpus {
	t.Helper()
	skipWithoutSandbox(t)

	dir := t.TempDir()

	got, err := Import(context.Background(), dir, toolqa.DBLP, from, Options{Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}

	if got.Info.Source != layout.Published {
		t.Errorf("source %s", got.Info.Source)
	}
	return openDBLP(t, dir)
}

// The committed pickles, which make.py made from papers.json. What is expected was worked out by
// hand.
func TestImportPickles(t *testing.T) {
	c := importPickles(t, pickles)

	d := readGraphs(t, c)
	if err := c.Verify(context.Background()); err != nil {
		t.Error(err)
	}

	if d.Papers() != 8 || d.Nodes() != 11 || d.Authors() != 6 || d.Edges() != 7 || c.Info().Rows != 8 {
		t.Errorf("%d papers of %d nodes, %d authors, %d edges, %d rows", d.Papers(), d.Nodes(), d.Authors(), d.Edges(),
			c.Info().Rows)
	}

	editorial := d.Titles["Editorial."]
	chen := d.Names["Wei Chen"]
	ann := d.Names["Ann Müller"]

	bo := d.Names["Bo O'Brien"]
	if d.Paper(editorial).NCitation != 1 || d.Author(chen).Org != "" {
		t.Errorf("the titles and names stand for %+v and %+v; expected the last of each", d.Paper(editorial),
			d.Author(chen))
	}

	if _, ok := d.Names["B. O'Brien"]; ok {
		t.Error("the second name of an author stands for somebody")
	}

	want := layout.Paper{
		Title:     "A Survey of Surveys: What Don't We Know?",
		Year:      2021,
		Venue:     "ACM COMPUTING SURVEYS",
		DocType:   "Journal",
		PageStart: "17",
		PageEnd:   "31",
		Keywords:  []string{"Surveys", " meta-research", "Surveys"},
		Authors:   []int{ann, bo},
		Names:     []string{"Ann Müller", "Bo O'Brien"},
		Orgs:      []string{"Univ Bonn, Dept Comp Sci, Bonn, Germany", "Trinity College Dublin"},
	}
	if diff := cmp.Diff(want, d.Paper(1)); diff != "" {
		t.Errorf("paper 1 (-want +got):\n%s", diff)
	}

	known, all := d.References(1)
	if !slices.Equal(known, []int{2, 7}) || all != 3 || d.CitedBy(2) != 3 || d.CitedBy(editorial) != 1 {
		t.Errorf("paper 1 cites %v of %d, 2 is cited by %d, and the editorial by %d", known, all, d.CitedBy(2),
			d.CitedBy(editorial))
	}

	wantEdge := graphtest.Edge{
		Author:    bo,
		Weight:    7,
		Papers:    []int{1, 2, 2, 5, 5, 7, 7},
		NCitation: []int{0, 0, 0, 2, 2, 9, 9},
	}
	if diff := cmp.Diff(wantEdge, d.Coauthors(ann)[0]); diff != "" {
		t.Errorf("edge (-want +got):\n%s", diff)
	}
}

func TestImportPicklesAgainAndFromOneOfThem(t *testing.T) {
	dir := t.TempDir()

	first, err := Import(context.Background(), dir, toolqa.DBLP, filepath.Join(pickles, "paper_net.pkl"),
		Options{})
	if err != nil {
		t.Fatal(err)
	}

	again, err := Import(context.Background(), dir, toolqa.DBLP, pickles, Options{})
	if err != nil || !again.Unchanged || again.Info != first.Info {
		t.Errorf("%+v, %v; expected nothing to do", again, err)
	}
}

// eachRow calls row for every row of a query, whose columns are in dest.
func eachRow(t *testing.T, c *corpus.Corpus, stmt string, row func() error, dest ...any) error {
	t.Helper()

	db, err := sql.Open("sqlite3", c.URI())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	rows, err := db.QueryContext(t.Context(), stmt)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()

	for rows.Next() {
		if err := errors.Join(rows.Scan(dest...), row()); err != nil {
			return err
		}
	}

	return rows.Err()
}

// makePickles has Python make pickles of the papers of a corpus, and returns their folders by
// protocol.
func makePickles(t *testing.T, c *corpus.Corpus, protocols ...string) (dirs map[string]string) {
	t.Helper()

	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 to write pickles")
	}
	type paper struct {
		Key        string          `json:"key"`
		Cites      []string        `json:"cites"`
		Attributes json.RawMessage `json:"attributes"`
	}
	var papers []paper
	var key, attributes, cites string
	keys := map[int64]string{}
	var id int64

	err := eachRow(t, c, "SELECT id, key FROM papers UNION ALL SELECT id, key FROM older", func() error {
		keys[id] = key
		return nil
	}, &id, &key)
	if err != nil {
		t.Fatal(err)
	}

	err = eachRow(t, c, "SELECT key, attributes, cites FROM papers ORDER BY id", func() error {
		p := paper{Key: key, Attributes: json.RawMessage(attributes), Cites: []string{}}
		papers = append(papers, p)

		var cited []int64
		err := json.Unmarshal([]byte(cites), &cited)

		for _, n := range cited {
			p := &papers[len(papers)-1]
			p.Cites = append(p.Cites, keys[n])
		}
		return err
	}, &key, &attributes, &cites)
	if err != nil {
		t.Fatal(err)
	}

	input, err := json.Marshal(papers)
	if err != nil {
		t.Fatal(err)
	}

	args := []string{filepath.Join(pickles, "make.py")}
	dirs = map[string]string{}

	for _, protocol := range protocols {
		dirs[protocol] = t.TempDir()
		args = append(args, dirs[protocol], protocol)
	}

	cmd := exec.Command("python3", args...)
	cmd.Stdin = bytes.NewReader(input)

	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("make.py: %v\n%s", err, out)
	}

	t.Logf("pickles of %s", bytes.TrimSpace(out))
	return dirs
}

// Python makes the graphs of a synthetic corpus again, by the published rules, and they are the
// same.
func TestPythonMakesTheSameGraphs(t *testing.T) {
	t.Parallel()
	built := buildDBLP(t, 5, 200)

	want := readGraphs(t, built)
	for protocol, dir := range makePickles(t, built, "2", "3", "4", "5") {
		t.Run("protocol "+protocol, func(t *testing.T) {
			c := importPickles(t, dir)

			got := readGraphs(t, c)
			if err := c.Verify(context.Background()); err != nil {
				t.Error(err)
			}

			for _, stmt := range []string{"SELECT * FROM titles", "SELECT * FROM names"} {
				if diff := cmp.Diff(query(t, built, stmt), query(t, c, stmt)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", stmt, diff)
				}
			}

			if got.Papers() != want.Papers() || got.Nodes() != want.Nodes() || got.Authors() != want.Authors() ||
				got.Edges() != want.Edges() {
				t.Fatalf("%d papers, %d nodes, %d authors, %d edges; expected %d, %d, %d, %d", got.Papers(),
					got.Nodes(),
					got.Authors(), got.Edges(), want.Papers(), want.Nodes(), want.Authors(), want.Edges())
			}

			for i := range want.Papers() {
				wantKnown, wantAll := want.References(i)

				known, all := got.References(i)
				if !reflect.DeepEqual(want.Paper(i), got.Paper(i)) || !slices.Equal(wantKnown, known) ||
					wantAll != all || want.CitedBy(i) != got.CitedBy(i) {
					t.Fatalf("paper %d: %+v %v of %d; expected %+v %v of %d", i, got.Paper(i), known, all,
						want.Paper(i), wantKnown, wantAll)
				}
			}

			for i := range want.Authors() {
				if w, g := want.Coauthors(i), got.Coauthors(i); !reflect.DeepEqual(w, g) ||
					got.Author(i) != want.Author(i) {
					t.Fatalf("author %d: %+v; expected %+v (-want +got):\n%s", i, got.Author(i), want.Author(i),
						cmp.Diff(w, g))
				}
			}
		})
	}
}

// skipWithoutSandbox skips a test where no Python can run in a sandbox.
func skipWithoutSandbox(t testing.TB) {
	t.Helper()

	none := strings.NewReader("\x80\x04}.")
	if err := readPickle(t.Context(), engines.Options{}, none, 4, "texts", readAll); err != nil {
		t.Skipf("no sandboxed Python: %v", err)
	}
}

// readAll reads everything that a pickle holds.
func readAll(p *pickled) error {
	n, err := p.count()
	for i := 0; i < n && err == nil; i++ {
		err = p.next(new(any))
	}
	return err
}

// Pickles that are no graphs, or more than that. None of them may have an effect.
func TestHostilePickles(t *testing.T) {
	skipWithoutSandbox(t)

	canary := filepath.Join(t.TempDir(), "canary")
	for name, c := range map[string]struct{ text, want string }{
		"os.system":             {"\x80\x02cos\nsystem\nU\x10touch " + canary + "\x85R.", `"system" of the module "os"`},
		"os.system, protocol 4": {"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02ls\x85R.", `"posix"`},
		"eval":                  {"\x80\x02c__builtin__\neval\nX\x03\x00\x00\x001+1\x85R.", `"eval"`},
		"exec":                  {"\x80\x04\x8c\x08builtins\x8c\x04exec\x93.", `"exec"`},
		"getattr":               {"\x80\x04\x8c\x08builtins\x8c\x07getattr\x93.", `"getattr"`},
		"the program itself":    {"\x80\x04\x8c\x08__main__\x8c\x04main\x93.", `"__main__"`},
		"dotted name":           {"\x80\x04\x8c\x08builtins\x8c\x0adict.clear\x93.", `"dict.clear"`},
		"another graph class":   {"\x80\x03cnetworkx.classes.multigraph\nMultiGraph\n)\x81.", `"MultiGraph"`},
		"networkx function":     {"\x80\x03cnetworkx.classes.function\ndegree\n)R.", `"degree"`},
		"INST":                  {"\x80\x02(S'ls'\nios\nsystem\n.", `"system"`},
		"OBJ":                   {"\x80\x02(cos\nsystem\no.", `"system"`},
		"persistent id":         {"\x80\x02Px\n.", "damaged"},
		"extension":             {"\x80\x02\x82\x01.", "damaged"},
		"out-of-band buffer":    {"\x80\x05\x97.", "damaged"},
		"unknown operation":     {"\x80\x04\xff.", "damaged"},
		"protocol 9":            {"\x80\x09}.", "damaged"},
		"CSV":                   {"title,id\na,b\n", "damaged"},
		"empty":                 {"", "damaged"},
		"cut":                   {"\x80\x04}(\x8c\x05tit", "damaged"},
		"no STOP":               {"\x80\x04}", "damaged"},
		"empty stack":           {"\x80\x04.", "damaged"},
		"unhashable":            {"\x80\x04}]K\x01s.", "damaged"},
		"class for a graph":     {"\x80\x04\x8c\x16networkx.classes.graph\x8c\x05Graph\x93.", "expected a dictionary"},
		"arguments":             {"\x80\x04\x8c\x16networkx.classes.graph\x8c\x05Graph\x93K\x01\x85\x81.", "arguments"},
		"a class as an object": {
			"\x80\x04\x8c\x16networkx.classes.graph\x8c\x05Graph\x93}b.", "expected a dictionary"},
		"terabyte":          {"\x80\x04\x8d\x00\x00\x00\x00\x00\x01\x00\x00.", ""},
		"large frame":       {"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f}.", ""},
		"memo of gigabytes": {"\x80\x04}r\xff\xff\xff\x7f.", "memory"},
		"text of gigabytes": {"\x80\x04]" + strings.Repeat("\x94h\x00e", 40) + ".", ""},
		"lists in lists":    {"\x80\x04" + strings.Repeat("]", 100_000) + strings.Repeat("a", 99_999) + ".", ""},
		"many marks":        {"\x80\x04" + strings.Repeat("(", 1_000_000) + ".", ""},
		"a dict in itself":  {"\x80\x04}\x94\x8c\x01ah\x00s.", "expected texts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := strings.NewReader(c.text)

			err := readPickle(t.Context(), engines.Options{}, r, r.Size(), "texts", readAll)
			if err == nil || !errors.Is(err, errNotPublished) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v; expected one with %q", err, c.want)
			}
		})
	}

	t.Cleanup(func() {
		if _, err := os.Stat(canary); err == nil {
			t.Error("a pickle was executed")
		}
	})
}

// Every file but one is as it was published.
func TestImportOfOtherPickles(t *testing.T) {
	skipWithoutSandbox(t)

	const graph = "\x80\x04\x8c\x16networkx.classes.graph\x8c\x05Graph\x93)\x81"

	const digraph = "\x80\x04\x8c\x18networkx.classes.digraph\x8c\x07DiGraph\x93)\x81"
	// A list of two lists of two lists …, each of which stands in the pickle once.
	var doubled strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubled, "\x940(h%ch%cl", i, i)
	}

	for _, c := range []struct{ name, file, text, want string }{
		{"a dictionary for a graph", "paper_net.pkl", "\x80\x04}.", "it holds a dict; expected a directed graph"},
		{"an undirected PaperNet", "paper_net.pkl", graph + ".", "expected a directed graph"},
		{"a directed AuthorNet", "author_net.pkl", digraph + ".", "it holds a directed graph; expected an " +
			"undirected graph"},
		{"a graph without nodes", "author_net.pkl", graph + ".", "the graph has no _node"},
		{"a list for a dictionary", "title2id_dict.pkl", "\x80\x04].", "it holds a list; expected a dictionary"},
		{"numbers for titles", "id2title_dict.pkl", "\x80\x04}K\x01K\x02s.", "expected texts"},
		{"a call", "id2author_dict.pkl", "\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02ls\x85R.",
			"nothing of it was executed"},
		{"half a file", "author2id_dict.pkl", "\x80\x04}(", "damaged"},
		{"edges of strangers", "author_net.pkl",
			graph + "}(\x8c\x05_node}\x8c\x01a}s\x8c\x04_adj}\x8c\x01a}\x8c\x01b}ssub.", "which is no node"},
		{"one-sided edge", "author_net.pkl",
			graph + "}(\x8c\x05_node}(\x8c\x01a}\x8c\x01b}u" +
				"\x8c\x04_adj}" +
				"(\x8c\x01a}\x8c\x01b}s\x8c\x01b}uub.",
			"is listed once"},
		{"edge without attributes", "author_net.pkl",
			graph + "}(\x8c\x05_node}(\x8c\x01a}\x8c\x01b}u\x8c\x04_adj}" +
				"(\x8c\x01a}\x8c\x01b}s\x8c\x01b}\x8c\x01a}suub.", "and a weight"},
		{"node that is a number", "author_net.pkl", graph + "}(\x8c\x05_node}K\x01}s\x8c\x04_adj}K\x01}sub.",
			"expected an id"},
		{"attributes that hold themselves", "author_net.pkl",
			graph + "}(\x8c\x05_node}\x8c\x01a}\x94\x8c\x01x]\x94h\x01ass\x8c\x04_adj}\x8c\x01a}sub.", "damaged"},
		{"attributes that would fill the memory", "author_net.pkl",
			graph + "}(\x8c\x05_node}\x8c\x01a}\x8c\x01xK\x01" + doubled.String() +
				"ss\x8c\x04_adj}\x8c\x01a}sub.", "memory"},
		{"PaperNet with weights", "paper_net.pkl",
			digraph + "}(\x8c\x05_node}\x8c\x01a}s\x8c\x04_adj}\x8c\x01a}\x8c\x01a}\x8c\x06weightK\x01sssub.",
			"the published ones have none"},
		{"neighbours of no node", "paper_net.pkl", digraph + "}(\x8c\x05_node}\x8c\x04_adj}\x8c\x01a}sub.",
			"0 nodes, and neighbours of 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, dir := t.TempDir(), t.TempDir()
			if err := os.CopyFS(from, os.DirFS(pickles)); err != nil {
				t.Fatal(err)
			}

			if err := os.WriteFile(filepath.Join(from, c.file), []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}

			_, err := Import(context.Background(), dir, toolqa.DBLP, from, Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.file) {
				t.Errorf("error %v; expected one of %s with %q", err, c.file, c.want)
			}

			if _, err := os.Stat(layout.Path(dir, toolqa.DBLP)); err == nil {
				t.Error("a corpus was written")
			}
		})
	}

	t.Run("a file is missing", func(t *testing.T) {
		if _, err := Import(context.Background(), t.TempDir(), toolqa.DBLP, t.TempDir(), Options{}); err == nil ||
			!strings.Contains(err.Error(), "paper_net.pkl") {
			t.Errorf("error %v; expected one that names the file", err)
		}
	})
	t.Run("no Python", func(t *testing.T) {
		missing := Options{Python: engines.Options{Executable: "/nowhere/python3"}}
		if _, err := Import(t.Context(), t.TempDir(), toolqa.DBLP, pickles, missing); err == nil ||
			!strings.Contains(err.Error(), "install Python") {
			t.Errorf("error %v; expected one that says what to install", err)
		}
	})
	t.Run("no walls", func(t *testing.T) {
		bare := Options{Python: engines.Options{Lacking: confine.Walls()}}

		_, err := Import(t.Context(), t.TempDir(), toolqa.DBLP, pickles, bare)
		if missing := new(confine.MissingError); !errors.As(err, &missing) {
			t.Errorf("error %v; expected one that names the walls", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()

		if _, err := Import(ctx, t.TempDir(), toolqa.DBLP, pickles, Options{}); !errors.Is(err,
			context.Canceled) {
			t.Errorf("error %v; expected that of the context", err)
		}
	})
}
