package questions

import (
	"slices"
	"sync"

	"toolevo/toolqa/corpus"
)

// DBLP is the two graphs of the dblp corpus as the rules read them. It is immutable and safe for concurrent use.
//
// A title or a name means what the tools find under it: of several papers of a title the most cited one, of
// homonyms the one who appears last. The published answers are those of another node where the question was
// drawn from one; such a question cannot be answered. Nor can one about a paper before 2021, which the tools
// do not know by its title.
//
// What an author wrote is what the tools show of it: the papers with somebody who is in AuthorNet. Questions
// are drawn about people who wrote no other, so that the answer is right in any reading.
type DBLP struct {
	graph *corpus.DBLP
	alone func() []bool // the authors with a paper that no edge has, made when first needed
}

// newDBLP returns the view of both graphs.
func newDBLP(d *corpus.DBLP) *DBLP {
	return &DBLP{d, sync.OnceValue(func() []bool { return soloAuthors(d) })}
}

// soloAuthors returns for each author whether they have a paper with no other author who has an ID.
func soloAuthors(d *corpus.DBLP) []bool {
	alone := make([]bool, d.Authors())
	for i := range d.Papers() {
		only, joint := -1, false

		for _, a := range d.Paper(i).Authors {
			if a < 0 {
				continue
			}

			joint = joint || only >= 0 && a != only
			only = a
		}

		if only >= 0 && !joint {
			alone[only] = true
		}
	}

	return alone
}

// author returns whom the tools find under a name. Nobody can say how many collaborators or papers an author has who is
// joined to themselves by a paper that lists them twice.
func (d *DBLP) author(name string) (int, error) {
	i, ok := d.graph.AuthorNamed(name)
	if !ok || d.graph.Degree(i) != d.graph.Neighbours(i) {
		return 0, errNoAnswer
	}

	return i, nil
}

// pair returns the authors of the slots first and second.
func (d *DBLP) pair(s Slots) (first, second int, err error) {
	if first, err = d.author(s.Get("first")); err == nil {
		second, err = d.author(s.Get("second"))
	}

	return first, second, err
}

// joint returns the edge between the authors of the slots first and second.
func (d *DBLP) joint(s Slots) (corpus.Edge, error) {
	a, b, err := d.pair(s)
	if err != nil {
		return corpus.Edge{}, err
	}

	edge, ok := d.graph.Coauthor(a, b)
	if !ok {
		return corpus.Edge{}, errNoAnswer
	}

	return edge, nil
}

// onAuthor makes a rule of a function of the author of the slot author.
func onAuthor(f func(d *DBLP, author int) (string, error)) rule {
	return onNode("author", (*DBLP).author, f)
}

func onNode(slot string, find func(d *DBLP, name string) (int, error), f func(*DBLP, int) (string, error)) rule {
	return onGraphs(func(d *DBLP, s Slots) (string, error) {
		node, err := find(d, s.Get(slot))
		if err != nil {
			return "", err
		}

		return f(d, node)
	})
}

// onGraphs makes a rule of a function of the graphs.
func onGraphs(f func(d *DBLP, s Slots) (string, error)) rule {
	return func(s *Corpus, slots Slots) (string, error) { return f(s.graphs, slots) }
}

// onCoauthors makes a rule of a function of the edges of the author, who has some.
func onCoauthors(f func(d *DBLP, edges []corpus.Edge) (string, error)) rule {
	return onAuthor(func(d *DBLP, author int) (string, error) {
		edges := d.graph.Coauthors(author)
		if len(edges) == 0 {
			return "", errNoAnswer
		}

		return f(d, edges)
	})
}

// onPair makes a rule of a function of two authors.
func onPair(f func(d *DBLP, first, second int) (string, error)) rule {
	return onGraphs(func(d *DBLP, s Slots) (string, error) {
		first, second, err := d.pair(s)
		if err != nil {
			return "", err
		}

		return f(d, first, second)
	})
}

// onJoint makes a rule of a function of the edge between two authors.
func onJoint(f func(d *DBLP, e corpus.Edge) (string, error)) rule {
	return onGraphs(func(d *DBLP, s Slots) (string, error) {
		edge, err := d.joint(s)
		if err != nil {
			return "", err
		}

		return f(d, edge)
	})
}

// cited is a paper among the entries of edges.
type cited struct{ paper, citations int }

// papersOf returns the papers of edges in the order of their entries, each once.
func papersOf(edges ...corpus.Edge) []cited {
	var papers []cited
	seen := map[int]bool{}

	for _, e := range edges {
		for i, p := range e.Papers {
			if !seen[p] {
				seen[p] = true
				papers = append(papers, cited{p, e.NCitation[i]})
			}
		}
	}

	return papers
}

// entriesOf returns the papers of edges as they are entered: each but the first of an edge twice, and once
// more for each edge it is in.
func entriesOf(edges ...corpus.Edge) []cited {
	var papers []cited

	for _, e := range edges {
		for i, p := range e.Papers {
			papers = append(papers, cited{p, e.NCitation[i]})
		}
	}

	return papers
}

func sumCitations(papers []cited) int {
	sum := 0
	for _, p := range papers {
		sum += p.citations
	}

	return sum
}

// venues returns the venue of each paper.
func (d *DBLP) venues(papers []cited) []string {
	venues := make([]string, len(papers))
	for i, p := range papers {
		venues[i] = d.graph.Paper(p.paper).Venue
	}

	return venues
}

// mostFrequent returns the most frequent text, of several the first, and whether it is the only one.
func mostFrequent(texts []string) (text string, only bool) {
	counts := map[string]int{}
	for _, t := range texts {
		counts[t]++
	}

	most := 0

	for _, t := range texts {
		switch n := counts[t]; {
		case n > most:
			text, most, only = t, n, true
		case n == most && t != text:
			only = false
		}
	}

	return text, only
}

// common returns how many neighbours two authors have in common.
func (d *DBLP) common(a, b int) int {
	mine := slices.Collect(d.graph.NeighboursOf(a))
	slices.Sort(mine)

	n := 0

	for c := range d.graph.NeighboursOf(b) {
		if _, ok := slices.BinarySearch(mine, c); ok {
			n++
		}
	}

	return n
}

// distance returns the length of the shortest path between two authors, and whether there is one.
func (d *DBLP) distance(from, to int) (int, bool) {
	seen := map[int]bool{from: true}
	for front, length := []int{from}, 0; len(front) > 0; length++ {
		var next []int

		for _, a := range front {
			if a == to {
				return length, true
			}

			for b := range d.graph.NeighboursOf(a) {
				if !seen[b] {
					seen[b] = true
					next = append(next, b)
				}
			}
		}

		front = next
	}

	return 0, false
}
