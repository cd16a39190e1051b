package corpus

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/sqlite"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/graphtest"
	"toolevo/toolqa/corpus/internal/layout"
	"toolevo/toolqa/corpus/synth"
)

// buildDBLP builds and opens a synthetic corpus.
func buildDBLP(t testing.TB, seed uint64, papers int) *Corpus {
	t.Helper()

	dir := t.TempDir()
	if _, err := synth.Build(context.Background(), dir, toolqa.DBLP,
		synth.Options{Seed: seed, Rows: papers, Tool: "test"}); err != nil {
		t.Fatal(err)
	}

	return openDBLP(t, dir)
}

func openDBLP(t testing.TB, dir string) *Corpus {
	t.Helper()

	c, err := Open(context.Background(), dir, toolqa.DBLP)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { c.Close() })
	return c
}

func readGraphs(t testing.TB, c *Corpus) *graphtest.DBLP {
	t.Helper()

	d, err := graphtest.Read(t.Context(), c.URI())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// coauthors is AuthorNet by the words of the specification and by published ids: for each pair of
// authors, in both orders, the papers as often as they are entered.
func coauthors(papers []graphtest.Attributes) map[[2]string][]int {
	edges := map[[2]string][]int{}

	for n, p := range papers {
		for _, a := range p.Authors {
			for _, b := range p.Authors {
				if a.ID == "" || b.ID == "" || a.ID == b.ID {
					continue
				}

				key := [2]string{a.ID, b.ID}
				if len(edges[key]) > 0 {
					edges[key] = append(edges[key], n)
				}

				edges[key] = append(edges[key], n)
			}
		}
	}
	return edges
}

// The graphs in memory against what the papers of the file say, computed another way.
func TestDBLPAgreesWithItsPapers(t *testing.T) {
	c := buildDBLP(t, 7, 600)
	d := readGraphs(t, c)

	papers, ids, cites := rawPapers(t, c)
	if d.Papers() != 600 || len(papers) != 600 || c.Info().Rows != 600 || d.Authors() != 385 {
		t.Fatalf("%d papers and %d authors, %d in the file, %d by its info; expected 600 and 385", d.Papers(),
			d.Authors(), len(papers), c.Info().Rows)
	}

	edges := coauthors(papers)

	total := 0
	for i := range d.Authors() {
		total += len(d.Coauthors(i))
		for _, e := range d.Coauthors(i) {
			if diff := cmp.Diff(edges[[2]string{ids[i], ids[e.Author]}], e.Papers); diff != "" {
				t.Fatalf("papers of %d and %d (-want +got):\n%s", i, e.Author, diff)
			}

			n := len(distinctInts(e.Papers))
			if e.Weight != 2*n-1 || len(e.Papers) != e.Weight || len(e.NCitation) != e.Weight {
				t.Errorf("%d papers of %d and %d: weight %d, %d entries", n, i, e.Author, e.Weight, len(e.Papers))
			}

			for k, p := range e.Papers {
				if int(papers[p].NCitation) != e.NCitation[k] {
					t.Errorf("paper %d of %d and %d has %d citations; its own are %d", p, i, e.Author, e.NCitation[k],
						papers[p].NCitation)
				}
			}

			if back, ok := d.Coauthor(e.Author, i); !ok || !cmp.Equal(back.Papers, e.Papers) || back.Author != i {
				t.Errorf("the edge of %d and %d looks different from the other end", i, e.Author)
			}
		}
	}

	if total != len(edges) || d.Edges()*2 != total {
		t.Errorf("%d ends of %d edges; expected %d", total, d.Edges(), len(edges))
	}

	titles, citedBy := map[string]int{}, make([]int, d.Nodes())
	for i, list := range cites {
		titles[d.Title(i)] = i

		known, all := d.References(i)
		if all != len(list) {
			t.Errorf("paper %d cites %d; expected %d", i, all, len(list))
		}

		for _, n := range list {
			citedBy[n]++
			if n < d.Papers() {
				if len(known) == 0 || known[0] != n {
					t.Errorf("paper %d cites %d where %d is expected", i, known, n)
				}

				known = known[min(1, len(known)):]
			}
		}
	}

	for i := range d.Papers() {
		if got, ok := d.Titles[d.Title(i)]; !ok || got != titles[d.Title(i)] {
			t.Errorf("title %q is of paper %d; expected %d", d.Title(i), got, titles[d.Title(i)])
		}

		if d.CitedBy(i) != citedBy[i] {
			t.Errorf("paper %d is cited by %d; expected %d", i, d.CitedBy(i), citedBy[i])
		}
	}

	if _, ok := d.Titles["no such title"]; ok {
		t.Error("an unknown title stands for a paper")
	}
}

// An author has the name and the organization of the first paper, and a name is of the last author
// who has it.
func TestDBLPNames(t *testing.T) {
	c := buildDBLP(t, 3, 2000)
	d := readGraphs(t, c)
	papers, ids, _ := rawPapers(t, c)

	numbers := map[string]int{}
	for i, id := range ids {
		numbers[id] = i
	}

	seen, names := map[int]bool{}, map[string]int{}

	for i, p := range papers {
		got := d.Paper(i)

		for k, a := range p.Authors {
			n, ok := numbers[a.ID]
			if !ok {
				n = -1
			}

			if got.Authors[k] != n || got.Names[k] != string(a.Name) || got.Orgs[k] != string(a.Org) {
				t.Fatalf("author %d of paper %d is %d, %q, %q; expected %d, %q, %q", k, i, got.Authors[k], got.Names[k],
					got.Orgs[k], n, a.Name, a.Org)
			}

			if n < 0 || seen[n] {
				continue
			}

			seen[n] = true

			names[string(a.Name)] = n
			if diff := cmp.Diff(graphtest.Author{Name: string(a.Name), Org: string(a.Org)}, d.Author(n)); diff != "" {
				t.Errorf("author %d (-first paper +graph):\n%s", n, diff)
			}
		}
	}

	if len(seen) != d.Authors() {
		t.Errorf("%d authors wrote a paper, of %d", len(seen), d.Authors())
	}

	homonyms := 0

	for i := range d.Authors() {
		name := d.Author(i).Name

		got, ok := d.Names[name]
		if !ok || got != names[name] {
			t.Errorf("%q is author %d; expected %d", name, got, names[name])
		}

		if got != i {
			homonyms++
		}
	}

	if homonyms == 0 {
		t.Error("no two authors share a name")
	}
}

func distinctInts(list []int) map[int]bool {
	set := map[int]bool{}
	for _, n := range list {
		set[n] = true
	}
	return set
}

// rawPapers reads the tables with package json: the attributes of the papers, the ids of the
// authors, and what each paper cites.
func rawPapers(t *testing.T, c *Corpus) (papers []graphtest.Attributes, ids []string, cites [][]int) {
	t.Helper()

	var text, list string

	err := each(t.Context(), c.db, "SELECT attributes, cites FROM papers ORDER BY id", func() error {
		var p graphtest.Attributes
		var cited []int

		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return err
		}

		papers = append(papers, p)
		err := json.Unmarshal([]byte(list), &cited)
		cites = append(cites, cited)
		return err
	}, &text, &list)
	if err != nil {
		t.Fatal(err)
	}

	err = each(t.Context(), c.db, "SELECT key FROM authors ORDER BY id", func() error {
		ids = append(ids, text)
		return nil
	}, &text)
	if err != nil {
		t.Fatal(err)
	}

	return papers, ids, cites
}

// What a synthetic corpus must have for the tools and the questions to meet what the published one
// has.
func TestDBLPOddities(t *testing.T) {
	d := readGraphs(t, buildDBLP(t, 1, 3000))
	found := map[string]int{}
	has := func(what string, holds bool) {
		if _, ok := found[what]; !ok {
			found[what] = 0
		}

		if holds {
			found[what]++
		}
	}
	previous, degrees := 0, 0

	for i := range d.Papers() {
		p := d.Paper(i)
		if p.NCitation < previous {
			t.Fatalf("paper %d has %d citations, the one before %d", i, p.NCitation, previous)
		}

		previous = p.NCitation
		if p.Year < 2021 || p.Title == "" || len(p.Names) == 0 {
			t.Errorf("paper %d: %+v", i, p)
		}

		known, all := d.References(i)
		first, ok := d.Titles[p.Title]
		has("a title of several papers", !ok || first != i)
		has("no venue", p.Venue == "")
		has("no keywords", len(p.Keywords) == 0)
		has("no pages", p.PageStart == "" && p.PageEnd == "")
		has("only a first page", p.PageStart != "" && p.PageEnd == "")
		has("a page that is no number", strings.HasPrefix(p.PageStart, "e"))
		has("a range that ends before it begins", isBackwards(p))
		has("no references", all == 0)
		has("a reference to an older paper", all > len(known))
		has("a reference to a paper with a title", len(known) > 0)
		has("no citation in the network", d.CitedBy(i) == 0)

		for k, a := range p.Authors {
			has("an author without an id", a < 0)
			has("no organization", p.Orgs[k] == "")
			has("another name than the graph's", a >= 0 && d.Author(a).Name != p.Names[k])
			has("an accent", strings.ContainsAny(p.Names[k], "üíéčłñćçöř"))
			has("an apostrophe", strings.Contains(p.Names[k], "'"))
			has("a name with a comma", strings.Contains(p.Names[k], ", "))
		}

		has("an apostrophe in a title", strings.Contains(p.Title, "'"))
	}

	for i := range d.Authors() {
		has("nobody to write with", d.Degree(i) == 0)
		has("thirty neighbours", d.Degree(i) >= 30)
		degrees += d.Degree(i)
	}

	if d.Nodes() <= d.Papers() {
		t.Error("no older papers")
	}

	for what, n := range found {
		if n == 0 {
			t.Errorf("%s: none", what)
		}
	}

	if mean := float64(degrees) / float64(d.Authors()); mean < 4 || mean > 15 {
		t.Errorf("an author has %.1f neighbours on average", mean)
	}
}

func isBackwards(p layout.Paper) bool {
	var first, last int
	return json.Unmarshal([]byte(p.PageStart), &first) == nil && json.Unmarshal([]byte(p.PageEnd), &last) == nil &&
		last < first
}

func TestDBLPDependsOnSeedAndSizeOnly(t *testing.T) {
	sums := map[string]bool{}
	for _, build := range []struct {
		seed   uint64
		papers int
	}{{1, 50}, {1, 50}, {2, 50}, {1, 51}} {
		sums[buildDBLP(t, build.seed, build.papers).Info().ContentSHA256] = true
	}

	if len(sums) != 3 {
		t.Errorf("%d different contents; expected 3", len(sums))
	}
}

func TestSmallDBLP(t *testing.T) {
	for papers := 1; papers < 12; papers++ {
		c := buildDBLP(t, uint64(papers), papers)
		if err := c.Prove(context.Background()); err != nil {
			t.Errorf("%d papers: %v", papers, err)
		}
	}
}

// Verify finds what does not belong together, where the hashes cannot: they are over what was
// written.
func TestVerifyGraphs(t *testing.T) {
	for _, damage := range []struct{ name, stmt, want string }{
		{"nothing", "SELECT 1", ""},
		{"weight", "UPDATE edges SET weight = weight + 2 WHERE id = 5", "edge 5"},
		{"papers", "UPDATE edges SET papers = replace(papers, '[', '[0,') WHERE id = 5", "papers"},
		{"ends", "UPDATE edges SET second = (SELECT count(*) FROM authors) WHERE id = 5", "edge 5"},
		{"order", "UPDATE edges SET first = second, second = first WHERE id = 5", "edge 5"},
		{"twice", "UPDATE authors SET edges = replace(edges, '[', '[0,') WHERE id = (SELECT first FROM edges " +
			"WHERE id = 0)", "edge 0"},
		{"foreign", "UPDATE authors SET edges = '[0]' WHERE id NOT IN (SELECT first FROM edges WHERE id = 0 UNION " +
			"SELECT second FROM edges WHERE id = 0)", "not one of theirs"},
		{"missing", "UPDATE authors SET edges = '[]'", "edge 0"},
		{"cited", "UPDATE papers SET cited_by = cited_by + 1 WHERE id = 9", "paper 9"},
		{"cites", "UPDATE papers SET cites = '[999999]' WHERE id = 3", "not there"},
		{"title", "UPDATE titles SET paper = paper + 1 WHERE paper = 7", "a title"},
		{"name", "DELETE FROM names WHERE author = (SELECT min(author) FROM names)", "a name"},
		{"author", "UPDATE papers SET attributes = replace(attributes, '\"id\": \"', '\"id\": \"x') WHERE id > 5",
			"authors"},
		{"attributes", "UPDATE papers SET attributes = '{' WHERE id = 4", "paper 4"},
		{"list", "UPDATE papers SET cites = '[1,,2]' WHERE id = 4", "list of numbers"},
	} {
		t.Run(damage.name, func(t *testing.T) {
			dir := t.TempDir()
			if _, err := synth.Build(context.Background(), dir, toolqa.DBLP, synth.Options{Rows: 60}); err != nil {
				t.Fatal(err)
			}

			path := layout.Path(dir, toolqa.DBLP)
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}

			execSQLite(t, path, damage.stmt)

			err := openUnchecked(t, dir, toolqa.DBLP).proveGraphs(context.Background())
			if (err == nil) != (damage.want == "") || err != nil && !strings.Contains(err.Error(), damage.want) {
				t.Errorf("error %v; expected one with %q", err, damage.want)
			}
		})
	}
}

// Only dblp has graphs.
func TestNoGraphsInOtherCorpora(t *testing.T) {
	dir := t.TempDir()
	if _, err := synth.Build(t.Context(), dir, toolqa.Coffee, synth.Options{Rows: 5}); err != nil {
		t.Fatal(err)
	}

	c, err := Open(t.Context(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	if err := c.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// execSQLite runs a statement on a file.
func execSQLite(t *testing.T, path, stmt string) {
	t.Helper()

	conn, err := sql.Open("sqlite3", sqlite.Address(path, "mode=rw"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	if _, err := conn.Exec(stmt); err != nil {
		t.Fatal(err)
	}
}
