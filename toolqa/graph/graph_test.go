package graph

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolevo/toolqa/corpus/importer"
	"toolevo/toolqa/corpus/synth"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
	"toolevo/toolqa/corpus/graphtest"
)

var update = flag.Bool("update", false, "write the golden file anew")

// small opens the graphs of the eight papers that package corpus has pickles of.
func small(t testing.TB) (*Graphs, *corpus.Corpus) {
	t.Helper()
	dir := t.TempDir()

	pickles := filepath.Join("..", "corpus", "importer", "testdata", "dblp")

	_, err := importer.Import(context.Background(), dir, toolqa.DBLP, pickles,
		importer.Options{})
	if err != nil {
		t.Fatal(err)
	}

	return open(t, dir)
}

func open(t testing.TB, dir string) (*Graphs, *corpus.Corpus) {
	t.Helper()

	c, err := corpus.Open(context.Background(), dir, toolqa.DBLP)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { c.Close() })

	g, err := Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { g.Close() })
	return g, c
}

type tool interface {
	Call(context.Context, toolqa.Session, envs.Args) (toolqa.Session, envs.Result, error)
}

// args makes arguments of names and values.
func args(pairs ...any) envs.Args {
	var a envs.Args
	for i := 0; i < len(pairs); i += 2 {
		a = append(a, envs.Arg{Name: pairs[i].(string), Value: pairs[i+1]})
	}
	return a
}

func node(graph string, name any) envs.Args { return args("GraphName", graph, "Node", name) }

func edgeOf(graph string, a, b any) envs.Args {
	return args("GraphName", graph, "Node1", a, "Node2", b)
}

func call(t testing.TB, to tool, s toolqa.Session, a envs.Args) (toolqa.Session, envs.Result) {
	t.Helper()

	s, r, err := to.Call(context.Background(), s, a)
	if err != nil {
		t.Fatalf("%T%v: %v", to, a, err)
	}
	return s, r
}

// Every kind of observation, in a file that reads like what an agent sees.
func TestObservations(t *testing.T) {
	g, _ := small(t)
	load, nodes, neighbours, edges := LoadGraph{g}, NodeCheck{g}, NeighbourCheck{Graphs: g}, EdgeCheck{Graphs: g}
	var b strings.Builder

	for _, c := range []struct {
		tool tool
		args envs.Args
	}{
		{load, args("GraphName", "dblp")}, {load, args("GraphName", "DBLP")}, {load, args("GraphName", "PaperNet")},
		{load, args("GraphName", envs.Number("3"))}, {load, nil},

		{nodes, node("PaperNet", "A Survey of Surveys: What Don't We Know?")},
		{nodes, node("PaperNet", "Editorial.")},
		{nodes, node("PaperNet", "Learning \"Nothing\" from 漢字 and \\LaTeX")},
		{nodes, node("AuthorNet", "Ann Müller")}, {nodes, node("AuthorNet", "Wei Chen")},
		{nodes, node("AuthorNet", "Solo, S.")},
		{nodes, node("PaperNet", "Ann Müller")}, {nodes, node("AuthorNet", "ann müller")},
		{nodes, node("AuthorNet", "No Id")},
		{nodes, node("authornet", "Ann Müller")}, {nodes, node("AuthorNet", envs.Number("3"))},
		{nodes, node("AuthorNet", []any{"Ann Müller"})},
		{nodes, args("Node", "Ann Müller")},

		{neighbours, node("PaperNet", "A Survey of Surveys: What Don't We Know?")},
		{neighbours, node("PaperNet", "Lazy Graphs")},
		{neighbours, node("PaperNet", "Learning \"Nothing\" from 漢字 and \\LaTeX")},
		{neighbours, node("PaperNet", "Editorial.")}, {neighbours, node("PaperNet", "Graphs at Rest")},
		{neighbours, node("AuthorNet", "Ann Müller")}, {neighbours, node("AuthorNet", "Bo O'Brien")},
		{neighbours, node("AuthorNet", "Wei Chen")}, {neighbours, node("AuthorNet", "Solo, S.")},
		{neighbours, node("AuthorNet", "Nobody")}, {neighbours, node("PaperNet", "Nothing")},
		{neighbours, node("CiteNet", "Ann Müller")},
		{neighbours, node("AuthorNet", nil)},

		{edges, edgeOf("AuthorNet", "Ann Müller", "Bo O'Brien")},
		{edges, edgeOf("AuthorNet", "Bo O'Brien", "Ann Müller")},
		{edges, edgeOf("AuthorNet", "Wei Chen", "Dana \"D\" Novák")},
		{edges, edgeOf("AuthorNet", "Wei Chen", "Solo, S.")},
		{edges, edgeOf("AuthorNet", "Ann Müller", "Ann Müller")}, {edges, edgeOf("AuthorNet", "Nobody", "Ann Müller")},
		{edges, edgeOf("PaperNet", "Edge Devices That Wait.", "Lazy Graphs")},
		{edges, edgeOf("PaperNet", "Lazy Graphs", "Edge Devices That Wait.")},
		{edges, edgeOf("PaperNet", "Editorial.", "Editorial.")}, {edges, edgeOf("PaperNet", "Lazy Graphs", "Nothing")},
		{edges, edgeOf("Net", "Lazy Graphs", "Nothing")}, {edges, edgeOf("PaperNet", "Lazy Graphs", true)},
		{edges, edgeOf("PaperNet", envs.Args{}, "Lazy Graphs")}, {edges, nil},
	} {
		s, r := call(t, c.tool, toolqa.Session{}, c.args)
		if s != (toolqa.Session{}) {
			t.Errorf("%T%v changed the session", c.tool, c.args)
		}

		name, _, _ := strings.Cut(strings.TrimPrefix(fmt.Sprintf("%T", c.tool), "graph."), "[")
		fmt.Fprintf(&b, "%s%s\n  %s: %s\n\n", name, shown(c.args), r.Outcome, r.Observation)
	}

	golden(t, b.String())
}

func shown(a envs.Args) string {
	var values []string
	for _, arg := range a {
		values = append(values, fmt.Sprintf("%v", arg.Value))
	}
	return "[" + strings.Join(values, " | ") + "]"
}

func golden(t *testing.T, got string) {
	t.Helper()

	path := filepath.Join("testdata", "observations.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("observations (-want +got):\n%s", diff)
	}
}

// The published EdgeCheck spoils an edge for the states that follow, and for them only.
func TestSpoiledEdges(t *testing.T) {
	g, _ := small(t)
	check, neighbours := EdgeCheck{Graphs: g, Spoil: true}, NeighbourCheck{Graphs: g}
	edge := edgeOf("AuthorNet", "Ann Müller", "Bo O'Brien")
	start := toolqa.Session{}

	after, first := call(t, check, start, edge)
	if first.Outcome != envs.OK {
		t.Fatalf("the first look: %+v", first)
	}

	_, again := call(t, check, after, edge)

	_, turned := call(t, check, after, edgeOf("AuthorNet", "Bo O'Brien", "Ann Müller"))
	if again.Observation != noEdge || turned != again || again.Outcome != envs.ToolError {
		t.Errorf("the second look: %+v, %+v", again, turned)
	}

	for _, name := range []string{"Ann Müller", "Bo O'Brien"} {
		if _, r := call(t, neighbours, after, node("AuthorNet", name)); r.Observation != badNeighbourCheck {
			t.Errorf("neighbours of %s: %+v", name, r)
		}
	}

	for _, fine := range []struct {
		tool tool
		s    toolqa.Session
		args envs.Args
	}{
		{check, start, edge}, // another branch of the search
		{check, after, edgeOf("AuthorNet", "Ann Müller", "Wei Chen")},
		{check, after, edgeOf("PaperNet", "Edge Devices That Wait.", "Lazy Graphs")},
		{NodeCheck{g}, after, node("AuthorNet", "Ann Müller")},
		{neighbours, after, node("AuthorNet", "Dana \"D\" Novák")},
		{neighbours, start, node("AuthorNet", "Ann Müller")},
	} {
		if _, r := call(t, fine.tool, fine.s, fine.args); r.Outcome != envs.OK {
			t.Errorf("%T%v: %+v", fine.tool, fine.args, r)
		}
	}

	paper, _ := call(t, check, after, edgeOf("PaperNet", "Edge Devices That Wait.", "Lazy Graphs"))
	if paper != after {
		t.Error("a look at PaperNet spoils an edge")
	}

	two, _ := call(t, check, after, edgeOf("AuthorNet", "Ann Müller", "Wei Chen"))
	if _, r := call(t, check, two, edge); r.Observation != noEdge {
		t.Errorf("after another edge: %+v", r)
	}
}

func TestMissingWeights(t *testing.T) {
	g, _ := small(t)

	check := NeighbourCheck{Graphs: g, Weights: true}
	for title, want := range map[string]envs.Outcome{
		"Edge Devices That Wait.": envs.ToolError, // cites two papers with titles
		"Lazy Graphs":             envs.OK,        // cites older ones only
		"Learning \"Nothing\" from 漢字 and \\LaTeX": envs.OK, // cites nothing
	} {
		if _, r := call(t, check, toolqa.Session{}, node("PaperNet", title)); r.Outcome != want {
			t.Errorf("%s: %+v; expected %v", title, r, want)
		}
	}

	if _, r := call(t, check, toolqa.Session{}, node("AuthorNet", "Ann Müller")); r.Outcome != envs.OK {
		t.Errorf("authors have weights: %+v", r)
	}
}

func TestNoCorpus(t *testing.T) {
	g, err := Open(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		tool tool
		args envs.Args
		want string
	}{
		{LoadGraph{g}, args("GraphName", "dblp"), "We don't have the graph data named dblp"},
		{NodeCheck{g}, node("PaperNet", "x"), noNode},
		{NodeCheck{g}, node("AuthorNet", "x"), noNode},
		{NeighbourCheck{Graphs: g}, node("PaperNet", "x"), badNeighbourCheck},
		{NeighbourCheck{Graphs: g}, node("AuthorNet", "x"), badNeighbourCheck},
		{EdgeCheck{Graphs: g}, edgeOf("PaperNet", "x", "y"), noEdge},
		{EdgeCheck{Graphs: g}, edgeOf("AuthorNet", "x", "y"), noEdge},
	} {
		if _, r := call(t, c.tool, toolqa.Session{}, c.args); r.Observation != c.want || r.Outcome != envs.ToolError {
			t.Errorf("%T: %+v; expected %q", c.tool, r, c.want)
		}
	}

	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenOtherCorpus(t *testing.T) {
	dir := t.TempDir()
	if _, err := synth.Build(context.Background(), dir, toolqa.Coffee, synth.Options{Rows: 5}); err != nil {
		t.Fatal(err)
	}

	c, err := corpus.Open(context.Background(), dir, toolqa.Coffee)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	if _, err := Open(context.Background(), c); err == nil || !strings.Contains(err.Error(), "coffee") {
		t.Errorf("error %v; expected one that names the corpus", err)
	}
}

// A failure of ours is an error, not an observation.
func TestFailures(t *testing.T) {
	g, _ := small(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()

	for _, c := range []struct {
		tool tool
		args envs.Args
	}{
		{NodeCheck{g}, node("PaperNet", "Lazy Graphs")}, {NodeCheck{g}, node("AuthorNet", "Ann Müller")},
		{NeighbourCheck{Graphs: g}, node("PaperNet", "Lazy Graphs")},
		{NeighbourCheck{Graphs: g}, node("AuthorNet", "Ann Müller")},
		{EdgeCheck{Graphs: g}, edgeOf("PaperNet", "Lazy Graphs", "x")},
		{EdgeCheck{Graphs: g}, edgeOf("AuthorNet", "Ann Müller", "x")},
	} {
		_, r, err := c.tool.Call(ctx, toolqa.Session{}, c.args)
		if stage, ok := envs.FailedStage(err); !ok || stage != envs.StageTool || !errors.Is(err, context.Canceled) ||
			r != (envs.Result{}) {
			t.Errorf("%T: %+v, %v; expected a failure of the tool", c.tool, r, err)
		}
	}
}

// What the tools print of a synthetic corpus is what the graphs in memory say, whoever else asks at
// the same time.
func TestToolsAgreeWithTheGraphs(t *testing.T) {
	dir := t.TempDir()
	if _, err := synth.Build(context.Background(), dir, toolqa.DBLP,
		synth.Options{Seed: 11, Rows: 500}); err != nil {
		t.Fatal(err)
	}

	g, c := open(t, dir)

	d, err := graphtest.Read(context.Background(), c.URI())
	if err != nil {
		t.Fatal(err)
	}

	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := worker; i < d.Papers(); i += 8 {
				comparePaper(t, g, d, i)
			}

			for i := worker; i < d.Authors(); i += 8 {
				compareAuthor(t, g, d, i)
			}
		})
	}

	group.Wait()
}

func comparePaper(t *testing.T, g *Graphs, d *graphtest.DBLP, i int) {
	found := d.Titles[d.Title(i)]
	title := d.Title(found)
	known, all := d.References(found)

	_, r, err := NodeCheck{g}.Call(context.Background(), toolqa.Session{}, node("PaperNet", title))
	if want := fmt.Sprintf("; Degree: %d", all+d.CitedBy(found)); err != nil ||
		!strings.HasSuffix(r.Observation, want) {
		t.Errorf("NodeCheck of %q: %+v, %v; expected %q", title, r, err, want)
	}

	if want := fmt.Sprintf("'n_citation': %d, ", d.Paper(found).NCitation); !strings.Contains(r.Observation, want) {
		t.Errorf("NodeCheck of %q: %+v; expected %q", title, r, want)
	}

	_, r, err = NeighbourCheck{Graphs: g}.Call(context.Background(), toolqa.Session{}, node("PaperNet", title))

	want := fmt.Sprintf("In degree: %d; Out degree: %d; %d neighbors: [", d.CitedBy(found), all, all)
	if err != nil || !strings.HasPrefix(r.Observation, want) {
		t.Errorf("NeighbourCheck of %q: %+v, %v; expected %q", title, r, err, want)
	}

	for _, cited := range known {
		if first := d.Titles[d.Title(cited)]; first != cited {
			continue // another paper of the title is found, which may not be cited
		}

		_, r, err := EdgeCheck{Graphs: g}.Call(context.Background(), toolqa.Session{},
			edgeOf("PaperNet", title, d.Title(cited)))
		if err != nil || r.Observation != "{}" {
			t.Errorf("EdgeCheck of %q and %q: %+v, %v", title, d.Title(cited), r, err)
		}
	}
}

func compareAuthor(t *testing.T, g *Graphs, d *graphtest.DBLP, i int) {
	name := d.Author(i).Name
	found := d.Names[name]
	edges := d.Coauthors(found)
	entries := 0
	var list []string

	for _, e := range edges {
		entries += len(e.Papers)

		other := d.Author(e.Author).Name
		if !strings.ContainsAny(other, `'"\`) {
			list = append(list, fmt.Sprintf("('%s', 'weight: %d')", other, e.Weight))
		}

		if first := d.Names[other]; first != e.Author {
			continue
		}

		_, r, err := EdgeCheck{Graphs: g}.Call(context.Background(), toolqa.Session{}, edgeOf("AuthorNet", name, other))

		want := fmt.Sprintf("'n_citation': [%s]}",
			strings.Trim(strings.Join(strings.Fields(fmt.Sprint(e.NCitation)), ", "), "[]"))
		if err != nil || !strings.HasPrefix(r.Observation, fmt.Sprintf("{'weight': %d, 'papers': [", e.Weight)) ||
			!strings.HasSuffix(r.Observation, want) {
			t.Errorf("EdgeCheck of %q and %q: %+v, %v; expected %q", name, other, r, err, want)
		}
	}

	_, r, err := NeighbourCheck{Graphs: g}.Call(context.Background(), toolqa.Session{}, node("AuthorNet", name))

	head := fmt.Sprintf("Degree: %d; %d neighbors: [", d.Degree(found), len(edges))
	if err != nil || !strings.HasPrefix(r.Observation, head) ||
		!strings.Contains(r.Observation, fmt.Sprintf("]; Total %d papers; Paper list: ", entries)) {
		t.Errorf("NeighbourCheck of %q: %+v, %v; expected %q … %d", name, r, err, head, entries)
	}

	at := 0
	for _, item := range list {
		next := strings.Index(r.Observation[at:], item)
		if next < 0 {
			t.Errorf("NeighbourCheck of %q: %+v; expected %s after byte %d", name, r, item, at)
			return
		}

		at += next
	}
}
