package questions

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// dblpRules are the rules about the graphs, in which the order of entries counts, that a query cannot say as well.
var dblpRules = map[string]rule{
	"collaborators": onCoauthors(func(_ *DBLP, edges []corpus.Edge) (string, error) {
		return strconv.Itoa(len(edges)), nil
	}),
	"papers-together": onJoint(func(_ *DBLP, e corpus.Edge) (string, error) {
		return strconv.Itoa(len(papersOf(e))), nil
	}),
	"published-papers-together": onPair(func(d *DBLP, a, b int) (string, error) {
		return strconv.Itoa(d.common(a, b)), nil
	}),
	"papers": onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
		return strings.Join(d.titles(papersOf(edges...)), ", "), nil
	}),
	"published-papers": onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
		return strings.Join(d.titles(entriesOf(edges...)), ", "), nil
	}),
	"number-of-papers": onCoauthors(func(_ *DBLP, edges []corpus.Edge) (string, error) {
		return strconv.Itoa(len(papersOf(edges...))), nil
	}),
	"published-number-of-papers": onCoauthors(func(_ *DBLP, edges []corpus.Edge) (string, error) {
		return strconv.Itoa(len(entriesOf(edges...))), nil
	}),
	"joint-venue": onJoint(func(d *DBLP, e corpus.Edge) (string, error) {
		venue, _ := mostFrequent(d.venues(papersOf(e)))
		return noneIfEmpty(venue)
	}),
	"distance": onPair(func(d *DBLP, a, b int) (string, error) {
		length, ok := d.distance(a, b)
		if !ok || length == 0 {
			return "", errNoAnswer
		}

		return strconv.Itoa(length), nil
	}),
	"common-collaborators": onPair(func(d *DBLP, a, b int) (string, error) {
		return strconv.Itoa(d.common(a, b)), nil
	}),
	"most-cited-paper": onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
		best, _ := mostCited(papersOf(edges...))
		if best.citations == 0 {
			return "", errNoAnswer
		}

		return d.graph.Title(best.paper), nil
	}),
	"most-citations-with": onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
		return d.leader(edges, papersOf)
	}),
	"published-most-citations-with": onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
		return d.leader(edges, entriesOf)
	}),
	"venue": onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
		venue, _ := mostFrequent(d.venues(papersOf(edges...)))
		return noneIfEmpty(venue)
	}),
	"published-venue": onCoauthors(publishedVenue),
	"accumulated-citations": onJoint(func(_ *DBLP, e corpus.Edge) (string, error) {
		return strconv.Itoa(sumCitations(papersOf(e))), nil
	}),
	"published-accumulated-citations": onJoint(func(_ *DBLP, e corpus.Edge) (string, error) {
		return strconv.Itoa(sumCitations(entriesOf(e))), nil
	}),
	"papers-in-all": onAuthor(func(d *DBLP, author int) (string, error) {
		edges := d.graph.Coauthors(author)
		for b := range d.graph.NeighboursOf(author) {
			edges = append(edges, d.graph.Coauthors(b)...)
		}

		return strconv.Itoa(len(papersOf(edges...))), nil
	}),
	"published-papers-in-all": onAuthor(func(d *DBLP, author int) (string, error) {
		return strconv.Itoa(d.edgesAround(author)), nil
	}),
	"most-frequent-collaborator": onCoauthors(mostFrequentCollaborator),
	"keywords": onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
		return noneIfEmpty(strings.Join(d.keywords(papersOf(edges...)), "; "))
	}),
}

// dblpDraws are the ways to draw the slots of questions about the graphs.
var dblpDraws = map[string]drawer{
	"authors": drawPaper(func(_ *DBLP, p corpus.Paper) bool { return !slices.Contains(p.Names, "") }),
	"organization": drawAuthor(func(d *DBLP, a *drawn) bool {
		return d.graph.Author(a.number).Org != ""
	}),
	"pages":         drawPaper(func(_ *DBLP, p corpus.Paper) bool { return hasPages(p) }),
	"references":    drawTitle(func(d *DBLP, i int) bool { _, all := d.graph.References(i); return all > 0 }),
	"cited-by":      drawTitle(func(d *DBLP, i int) bool { return d.graph.CitedBy(i) > 0 }),
	"collaborators": drawAuthor(func(*DBLP, *drawn) bool { return true }),
	"joint-papers":  drawJoint(func(*DBLP, []cited) bool { return true }),
	"papers":        drawWriter(func(_ *DBLP, a *drawn) bool { return a.listed() && a.complete() }),
	"number-of-papers": drawWriter(func(d *DBLP, a *drawn) bool {
		return a.listed() && a.complete() && d.separable(a.papers)
	}),
	"joint-venue": drawJoint(func(d *DBLP, papers []cited) bool {
		const most = 3 // a node to look at for each
		_, only := mostFrequent(d.venues(papers))

		return only && len(papers) <= most && d.findable(papers)
	}),
	"distance": drawDistance,
	"common-collaborators": drawPair(func(d *DBLP, a, b *drawn) bool {
		return a.listed() && b.listed() && d.distinctNames(slices.Concat(a.edges, b.edges))
	}),
	"most-cited-paper": drawWriter(func(d *DBLP, a *drawn) bool {
		best, only := mostCited(a.papers)

		return only && best.citations > 0 && len(a.edges) <= mostChecks && a.listed() && a.complete() && d.reachable(a)
	}),
	"most-citations-with": drawAuthor(func(d *DBLP, a *drawn) bool {
		n := len(a.edges)
		return 2 <= n && n <= mostChecks && onlyLeader(a.edges) && a.listed() && a.complete() && d.reachable(a)
	}),
	"venue": drawWriter(func(d *DBLP, a *drawn) bool {
		_, only := mostFrequent(d.venues(a.papers))

		return only && len(a.papers) <= mostChecks && a.listed() && a.complete() && d.separable(a.papers) &&
			d.findable(a.papers)
	}),
	"papers-in-all": drawWriter(func(d *DBLP, a *drawn) bool {
		return len(a.edges) <= mostChecks && a.listed() && d.reachable(a) && d.wholeCircle(a)
	}),
	"most-frequent-collaborator": drawWriter(func(_ *DBLP, a *drawn) bool { return len(a.edges) > 1 && a.listed() }),
	"institutions": drawPaper(func(_ *DBLP, p corpus.Paper) bool {
		return slices.ContainsFunc(p.Orgs, func(org string) bool { return org != "" })
	}),
	"keywords": drawWriter(func(d *DBLP, a *drawn) bool {
		const most = mostChecks - 1

		return len(a.papers) <= most && a.listed() && a.complete() && d.separable(a.papers) &&
			d.findable(a.papers) && len(d.keywords(a.papers)) > 0
	}),
}

// drawGraph draws in the way that the argument names.
func drawGraph(_ *Template, way string) attempt {
	return func(r *rand.Rand, s *Corpus) ([]string, bool, error) {
		draw, ok := dblpDraws[way]
		if !ok {
			return nil, false, fmt.Errorf("no way to draw %q, only %s", way, namesOf(dblpDraws))
		}

		values, err := draw(r, s)

		return values, err == nil, err
	}
}

// mostChecks are the calls of one tool that a plan may need: with a notice and a description for each new
// tool, more would not fit into 20 turns.
const mostChecks = 5

// hasPages reports whether the first and the last page of a paper are known.
func hasPages(p corpus.Paper) bool {
	start, err := pageNumber(p.PageStart)
	end, err2 := pageNumber(p.PageEnd)

	return err == nil && err2 == nil && end >= start
}

// publishedVenue is the published rule: the venue of one paper for each of the closest collaborators.
func publishedVenue(d *DBLP, edges []corpus.Edge) (string, error) {
	var list []string

	most := 0
	for _, e := range edges {
		if len(e.Papers) > most {
			most, list = len(e.Papers), nil
		}

		list = append(list, d.graph.Paper(e.Papers[len(e.Papers)-1]).Venue)
	}

	return strings.Join(list, ","), nil
}

// mostFrequentCollaborator names the closest collaborators. As the published rule does, it compares weights, and so the
// numbers of papers.
func mostFrequentCollaborator(d *DBLP, edges []corpus.Edge) (string, error) {
	most := slices.MaxFunc(edges, func(a, b corpus.Edge) int { return cmp.Compare(a.Weight, b.Weight) }).Weight
	var names []string

	for _, e := range edges {
		name := d.graph.Author(e.Author).Name
		if e.Weight == most && name == "" {
			return "", errNoAnswer
		}

		if e.Weight == most {
			names = append(names, name)
		}
	}

	return strings.Join(names, ", "), nil
}

// mostCited returns the most cited paper, of several the first, and whether it is the only one.
func mostCited(papers []cited) (best cited, only bool) {
	best = papers[0]
	for _, p := range papers[1:] {
		if p.citations > best.citations {
			best = p
		}
	}

	for _, p := range papers {
		if p.citations == best.citations && p.paper != best.paper {
			return best, false
		}
	}

	return best, true
}

// leader returns the name of the first neighbour with the most citations of papers counted in a way.
func (d *DBLP) leader(edges []corpus.Edge, count func(...corpus.Edge) []cited) (string, error) {
	best, most := -1, 0
	for _, e := range edges {
		if n := sumCitations(count(e)); n > most {
			best, most = e.Author, n
		}
	}

	if best < 0 {
		return "", errNoAnswer
	}

	return noneIfEmpty(d.graph.Author(best).Name)
}

// onlyLeader reports whether one neighbour has more citations than any other.
func onlyLeader(edges []corpus.Edge) bool {
	sums := make([]int, len(edges))
	for i, e := range edges {
		sums[i] = sumCitations(papersOf(e))
	}

	slices.SortFunc(sums, func(a, b int) int { return cmp.Compare(b, a) })

	return sums[0] > 0 && sums[0] > sums[1]
}

// keywords returns the distinct keywords of papers, trimmed and sorted.
func (d *DBLP) keywords(papers []cited) []string {
	var words []string

	for _, p := range papers {
		for _, w := range d.graph.Paper(p.paper).Keywords {
			words = append(words, pytext.Strip(w))
		}
	}

	words = distinctTexts(words)
	slices.Sort(words)

	return words
}

// edgesAround returns the number of edges among an author, the neighbours and theirs.
func (d *DBLP) edgesAround(author int) int {
	circle := map[int]bool{author: true}
	for b := range d.graph.NeighboursOf(author) {
		circle[b] = true
		for c := range d.graph.NeighboursOf(b) {
			circle[c] = true
		}
	}

	ends := 0

	for a := range circle {
		for b := range d.graph.NeighboursOf(a) {
			switch {
			case a == b:
				ends += 2
			case circle[b]:
				ends++
			}
		}
	}

	return ends / 2
}
