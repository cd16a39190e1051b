package questions

import (
	"errors"
	"math/rand/v2"
	"strings"
	"unicode"

	"toolevo/toolqa/corpus"
)

// Questions are drawn such that the tools can answer them: about the node that they find under the name, with
// neighbours and papers that can be told apart, and from observations that are shown whole.

// shownWords is less than the words of an observation that are shown, by what the counts below leave out.
const shownWords = 1000

// dblpTries is how many nodes are looked at before the corpus is held to have none that fits.
const dblpTries = 200_000

var errTooSmall = errors.New("no node of the graphs fits; the corpus is too small")

// drawDBLP draws with a function that may fail, until it does not.
func drawDBLP(try func(r *rand.Rand, d *DBLP) ([]string, bool)) drawer {
	return func(r *rand.Rand, s *Corpus) ([]string, error) {
		d := s.graphs
		if d == nil || d.graph.Papers() == 0 || d.graph.Authors() == 0 {
			return nil, errTooSmall
		}

		for range dblpTries {
			if values, ok := try(r, d); ok {
				return values, nil
			}
		}

		return nil, errTooSmall
	}
}

// drawTitle draws the title of a paper.
func drawTitle(fits func(d *DBLP, paper int) bool) drawer {
	return drawDBLP(func(r *rand.Rand, d *DBLP) ([]string, bool) {
		i := r.IntN(d.graph.Papers())
		title := d.graph.Title(i)
		return []string{title}, d.titled(i) && fits(d, i)
	})
}

// drawPaper draws the title of a paper whose attributes are needed.
func drawPaper(fits func(d *DBLP, p corpus.Paper) bool) drawer {
	return drawTitle(func(d *DBLP, i int) bool {
		p := d.graph.Paper(i)
		return shown(p) && fits(d, p)
	})
}

// drawAuthor draws the name of somebody who has collaborators.
func drawAuthor(fits func(d *DBLP, a *drawn) bool) drawer {
	return drawDBLP(func(r *rand.Rand, d *DBLP) ([]string, bool) {
		a := d.drawn(r.IntN(d.graph.Authors()))
		return []string{d.name(a.number)}, len(a.edges) > 0 && d.named(a.number) && fits(d, a)
	})
}

// drawWriter draws the name of somebody with papers that fit. Most people wrote one; half of the questions
// are about those who wrote more.
func drawWriter(fits func(d *DBLP, a *drawn) bool) drawer {
	return sometimes(
		drawAuthor(func(d *DBLP, a *drawn) bool { return len(a.papers) > 1 && fits(d, a) }),
		drawAuthor(fits))
}

// sometimes draws with either of two drawers.
func sometimes(a, b drawer) drawer {
	return func(r *rand.Rand, c *Corpus) ([]string, error) {
		if r.IntN(2) == 0 {
			return a(r, c)
		}

		return b(r, c)
	}
}

// drawPair draws the names of two collaborators.
func drawPair(fits func(d *DBLP, a, b *drawn) bool) drawer {
	return drawDBLP(func(r *rand.Rand, d *DBLP) ([]string, bool) {
		a := d.drawn(r.IntN(d.graph.Authors()))
		if len(a.edges) == 0 || !d.named(a.number) {
			return nil, false
		}

		b := d.drawn(a.edges[r.IntN(len(a.edges))].Author)

		return []string{d.name(a.number), d.name(b.number)}, d.named(b.number) &&
			d.name(a.number) != d.name(b.number) && fits(d, a, b)
	})
}

// drawJoint draws the names of two collaborators whose joint papers fit. Most people wrote one paper
// together; half of the questions are about those who wrote more.
func drawJoint(fits func(d *DBLP, papers []cited) bool) drawer {
	pair := func(several bool) drawer {
		return drawPair(func(d *DBLP, a, b *drawn) bool {
			edge, _ := d.graph.Coauthor(a.number, b.number)
			papers := papersOf(edge)
			return (len(papers) > 1 || !several) && d.readable(edge) && d.distinctTitles(papers) && fits(d, papers)
		})
	}

	return sometimes(pair(true), pair(false))
}

// drawDistance draws two people who know each other, or have a collaborator in common.
func drawDistance(r *rand.Rand, c *Corpus) ([]string, error) {
	direct := r.IntN(2) == 0

	return drawDBLP(func(r *rand.Rand, d *DBLP) ([]string, bool) {
		a := d.drawn(r.IntN(d.graph.Authors()))
		if len(a.edges) == 0 {
			return nil, false
		}

		b := d.drawn(a.edges[r.IntN(len(a.edges))].Author)
		if !direct {
			b = d.drawn(b.edges[r.IntN(len(b.edges))].Author)
		}

		if _, joined := d.graph.Coauthor(a.number, b.number); joined != direct || a.number == b.number {
			return nil, false
		}

		name := d.name(b.number)
		for _, e := range a.edges {
			if e.Author != b.number && d.name(e.Author) == name {
				return nil, false // a homonym
			}
		}

		return []string{d.name(a.number), name}, d.named(a.number) && d.named(b.number) && d.name(a.number) != name &&
			a.listed() && (direct || b.listed())
	})(r, c)
}

// drawn is an author who may be asked about.
type drawn struct {
	*DBLP
	number int
	edges  []corpus.Edge
	papers []cited
}

func (d *DBLP) drawn(author int) *drawn {
	edges := d.graph.Coauthors(author)
	return &drawn{d, author, edges, papersOf(edges...)}
}

func (d *DBLP) name(author int) string { return d.graph.Author(author).Name }

// titles returns the titles of papers.
func (d *DBLP) titles(papers []cited) []string {
	titles := make([]string, len(papers))
	for i, p := range papers {
		titles[i] = d.graph.Title(p.paper)
	}

	return titles
}

// plainLine reports whether a text stays the same between blanks and on a line.
func plainLine(text string) bool {
	return text != "" && text == strings.TrimSpace(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// titled reports whether the tools find a paper by its title.
func (d *DBLP) titled(paper int) bool {
	title := d.graph.Title(paper)
	found, ok := d.graph.PaperTitled(title)
	return ok && found == paper && plainLine(title)
}

// named reports whether the tools find an author by the name. A bracket would end the name in some versions
// of EdgeCheck.
func (d *DBLP) named(author int) bool {
	name := d.name(author)
	found, err := d.author(name)
	return err == nil && found == author && plainLine(name) && !strings.ContainsAny(name, "[]")
}

// findable reports whether the tools find papers by their titles and show their attributes.
func (d *DBLP) findable(papers []cited) bool {
	for _, p := range papers {
		if !d.titled(p.paper) || !shown(d.graph.Paper(p.paper)) {
			return false
		}
	}

	return true
}

// shown reports whether NodeCheck shows the whole of a paper.
func shown(p corpus.Paper) bool {
	words := 20 + countWords(p.Title, p.Venue)
	for i := range p.Names {
		words += 5 + countWords(p.Names[i], p.Orgs[i])
	}

	return words+countWords(p.Keywords...) <= shownWords
}

func countWords(texts ...string) int {
	n := 0
	for _, t := range texts {
		n += 1 + len(strings.Fields(t)) // the repr of a blank text is a word, too
	}

	return n
}

// readable reports whether EdgeCheck shows the whole of an edge.
func (d *DBLP) readable(e corpus.Edge) bool {
	return countWords(d.titles(entriesOf(e))...)+len(e.Papers)+5 <= shownWords
}

// listed reports whether NeighbourCheck shows all neighbours and papers of the author.
func (a *drawn) listed() bool {
	words := 10

	for _, e := range a.edges {
		name := a.name(e.Author)
		if name == "" {
			return false
		}

		words += 3 + countWords(name)
	}

	titles := a.titles(a.papers)

	return words+countWords(titles...) <= shownWords && !strings.HasSuffix(titles[len(titles)-1], cutMark)
}

// complete reports whether the edges have all papers of the author, and their titles tell them apart.
func (a *drawn) complete() bool { return !a.alone()[a.number] && a.distinctTitles(a.papers) }

func (d *DBLP) distinctTitles(papers []cited) bool {
	seen := map[string]bool{}
	for _, title := range d.titles(papers) {
		if seen[title] {
			return false
		}

		seen[title] = true
	}

	return true
}

// separable reports whether the titles can be told apart in a text that joins them by commas.
func (d *DBLP) separable(papers []cited) bool {
	for _, title := range d.titles(papers) {
		if strings.Contains(title, ",") || !plainLine(title) {
			return false
		}
	}

	return true
}

// distinctNames reports whether different people have different names.
func (d *DBLP) distinctNames(edges []corpus.Edge) bool {
	people := map[string]int{}

	for _, e := range edges {
		name := d.name(e.Author)
		if other, ok := people[name]; ok && other != e.Author {
			return false
		}

		people[name] = e.Author
	}

	return true
}

// reachable reports whether the tools find all collaborators by their names and show the edges to them.
func (d *DBLP) reachable(a *drawn) bool {
	for _, e := range a.edges {
		if !d.named(e.Author) || !d.readable(e) {
			return false
		}
	}

	return true
}

// wholeCircle reports whether the lists of the author's collaborators show what all of them wrote.
func (d *DBLP) wholeCircle(a *drawn) bool {
	papers := a.papers
	for _, e := range a.edges {
		b := d.drawn(e.Author)
		if !b.listed() || !b.complete() || !d.separable(b.papers) {
			return false
		}

		papers = append(papers, b.papers...)
	}

	titles, numbers := map[string]bool{}, map[int]bool{}
	for _, p := range papers {
		titles[d.graph.Title(p.paper)], numbers[p.paper] = true, true
	}

	return a.complete() && len(titles) == len(numbers)
}
