package corpus

import "toolevo/toolqa/corpus/internal/layout"

// DBLP is the two graphs of the dblp corpus in memory, for checking them; the tools and the questions' rules read the
// file instead. It is immutable and safe for concurrent use. At the published size it takes 200 MB.
//
// PaperNet is directed: an edge goes from a paper to one that it cites. Its nodes are the papers since 2021,
// which have a title, and the older ones they cite, of which nothing is known. AuthorNet is undirected: an
// edge joins two people who wrote a paper since 2021 together. Its nodes are people with an id; a paper may
// have authors without.
//
// Papers with a title are numbered from 0, in ascending order of their citations in a synthetic corpus; so are the
// authors, in the order in which they appear. A title or a name may belong to several nodes, and the tools find one of
// them: see PaperTitled and AuthorNamed. A question about any other can be asked, not answered.
type DBLP struct {
	nodes  int // of PaperNet
	titles map[string]uint32
	names  map[string]uint32
	words  []string // titles, names, orgs, venues, keywords …: each text once

	// Each has one more at the end, which says where the last one's own ends.
	papers  []dblpPaper
	authors []dblpAuthor
	edges   []dblpEdge

	// What papers, authors and edges have several of, one after the other; theirs ends where the next one's begins.
	keywords  []uint32    // words
	people    []dblpMaker // the authors of papers
	cites     []uint32    // papers, without the older ones
	neighbour []uint32    // edges of authors
	entries   []dblpEntry // of edges
}

type dblpPaper struct {
	title, venue, docType, pageStart, pageEnd uint32 // words
	keyword, person, cite                     uint32 // the first of its own
	nCitation, citedBy                        int32
	year                                      int16
	olderCites                                uint32 // how many of those it cites are older
}

type dblpAuthor struct {
	name, org uint32 // words
	neighbour uint32 // the first of its own
}

type dblpMaker struct {
	author    int32 // -1: without an id
	name, org uint32
}

type dblpEdge struct {
	first, second uint32 // authors
	weight        uint32
	entry         uint32 // the first of its own
}

type dblpEntry struct {
	paper     uint32
	nCitation int32
}

// Author is what AuthorNet says of an author.
type Author struct {
	Name string // the name of the first paper in which the author appears; "" for one that no name is known of
	Org  string // of the first paper, too; "" when it does not say
}

// Edge is an edge of AuthorNet, seen from one of its ends.
type Edge struct {
	Author int // the other end
	Weight int // for n papers together 2n-1

	// Papers and NCitation have an entry for the first paper of the two, and two for each further one: the published
	// graph counts both directions of the edge after the first. NCitation is the number of citations of each entry.
	Papers    []int
	NCitation []int
}

// Papers returns the number of papers since 2021.
func (d *DBLP) Papers() int { return len(d.papers) - 1 }

// Authors returns the number of nodes of AuthorNet.
func (d *DBLP) Authors() int { return len(d.authors) - 1 }

// Edges returns the number of edges of AuthorNet.
func (d *DBLP) Edges() int { return len(d.edges) - 1 }

// Nodes returns the number of nodes of PaperNet: the papers since 2021 and the older ones that are cited.
func (d *DBLP) Nodes() int { return d.nodes }

// Title returns the title of a paper, without the rest of it.
func (d *DBLP) Title(i int) string { return d.words[d.papers[i].title] }

// Paper returns the paper of number i, 0 <= i < Papers(). Its slices are the caller's.
func (d *DBLP) Paper(i int) layout.Paper {
	p, next := d.papers[i], d.papers[i+1]

	paper := layout.Paper{
		Title: d.words[p.title], Venue: d.words[p.venue], DocType: d.words[p.docType],
		PageStart: d.words[p.pageStart], PageEnd: d.words[p.pageEnd], Year: int(p.year), NCitation: int(p.nCitation),
	}
	for _, w := range d.keywords[p.keyword:next.keyword] {
		paper.Keywords = append(paper.Keywords, d.words[w])
	}

	for _, m := range d.people[p.person:next.person] {
		paper.Authors = append(paper.Authors, int(m.author))
		paper.Names = append(paper.Names, d.words[m.name])
		paper.Orgs = append(paper.Orgs, d.words[m.org])
	}

	return paper
}

// Author returns the author of number i, 0 <= i < Authors().
func (d *DBLP) Author(i int) Author {
	a := d.authors[i]
	return Author{Name: d.words[a.name], Org: d.words[a.org]}
}

// PaperTitled returns the paper that the tools find under a title: of several, the most cited one.
func (d *DBLP) PaperTitled(title string) (int, bool) {
	i, ok := d.titles[title]
	return int(i), ok
}

// AuthorNamed returns the author that the tools find under a name: of several, the one who appears last.
func (d *DBLP) AuthorNamed(name string) (int, bool) {
	i, ok := d.names[name]
	return int(i), ok
}

// References returns what a paper cites: the papers since 2021, in the order of the graph, and how many there are with
// the older ones, which is the out-degree of the paper.
func (d *DBLP) References(i int) (known []int, all int) {
	p, next := d.papers[i], d.papers[i+1]
	for _, cited := range d.cites[p.cite:next.cite] {
		known = append(known, int(cited))
	}

	return known, len(known) + int(p.olderCites)
}

// CitedBy returns how many nodes of PaperNet cite a paper: its in-degree.
func (d *DBLP) CitedBy(i int) int { return int(d.papers[i].citedBy) }

// Degree returns the degree of an author as the tools print it: the number of neighbours, one more if the author is one
// of them.
func (d *DBLP) Degree(i int) int {
	degree := d.Neighbours(i)
	for _, e := range d.edgesOf(i) {
		if d.edges[e].first == d.edges[e].second {
			degree++
		}
	}

	return degree
}

// Neighbours returns the number of people an author wrote papers with. It is len(Coauthors(i)), at no cost.
func (d *DBLP) Neighbours(i int) int { return len(d.edgesOf(i)) }

// Coauthors returns the edges of an author, in the order in which the tools list the neighbours. Its slices are the
// caller's.
func (d *DBLP) Coauthors(i int) []Edge {
	edges := make([]Edge, 0, d.Neighbours(i))
	for _, e := range d.edgesOf(i) {
		edges = append(edges, d.edge(int(e), i))
	}

	return edges
}

func (d *DBLP) edgesOf(i int) []uint32 {
	return d.neighbour[d.authors[i].neighbour:d.authors[i+1].neighbour]
}

// other returns the end of an edge that is not author i.
func (d *DBLP) other(e, i int) int { return int(d.edges[e].first) + int(d.edges[e].second) - i }

// edge returns an edge as author i sees it.
func (d *DBLP) edge(e, i int) Edge {
	edge := Edge{Author: d.other(e, i), Weight: int(d.edges[e].weight)}
	entries := d.entries[d.edges[e].entry:d.edges[e+1].entry]
	edge.Papers = make([]int, len(entries))

	edge.NCitation = make([]int, len(entries))
	for k, entry := range entries {
		edge.Papers[k], edge.NCitation[k] = int(entry.paper), int(entry.nCitation)
	}

	return edge
}
