package questions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"toolevo/toolqa/corpus"
)

// Questions are drawn such that the tools can answer them: about the node that they find under the name, with
// neighbours and papers that can be told apart, and from observations that are shown whole. A template names whom or
// what it is drawn from, and the conditions that its plan needs: "graph writer listed papers<=5".

// candidate is what a question may be drawn about.
type candidate struct {
	*network
	values []string // of the slots
	people []person // whose neighbours the plan may list: nobody, one or two
	papers []int    // what it asks about: a paper, what the author wrote, or what the two wrote together
}

// person is an author with the edges to all collaborators and the papers on them.
type person struct {
	number int
	edges  []corpus.Edge
	papers []int
}

// finder looks at a random node, and reports whether it may be asked about.
type finder func(r *rand.Rand, n *network) (candidate, bool)

// graphWays are what questions can be drawn from. Where there are two finders, each draws half of the questions.
var graphWays = map[string][]finder{
	"paper":    {findPaper},
	"author":   {findAuthor(1)},
	"writer":   {findAuthor(2), findAuthor(1)}, // most people wrote one paper
	"pair":     {findPair},
	"joint":    {findJoint(2), findJoint(1)}, // most people wrote one paper together
	"distance": {findDistance(true), findDistance(false)},
}

// graphConditions are what a template can demand of a candidate, beside limits such as papers<=5.
var graphConditions = map[string]func(c candidate) bool{
	"complete":       candidate.complete,
	"distinct-names": candidate.distinctNames,
	"findable":       candidate.findable,
	"listed":         candidate.listed,
	"reachable":      candidate.reachable,
	"separable":      func(c candidate) bool { return c.separable(c.papers) },
	"whole-circle":   candidate.wholeCircle,
}

// graphTries is how many nodes are looked at before the corpus is held to have none that fits.
const graphTries = 200_000

// drawGraph draws from the graphs. The argument is the way and the conditions.
func drawGraph(t *Template, argument string) (drawer, error) {
	way, words, _ := strings.Cut(argument, " ")

	finders := graphWays[way]
	if finders == nil {
		return nil, fmt.Errorf("graph: no way to draw %q, only %s", way, namesOf(graphWays))
	}

	var conditions []func(candidate) bool

	for word := range strings.FieldsSeq(words) {
		condition, err := graphCondition(word)
		if err != nil {
			return nil, err
		}

		conditions = append(conditions, condition)
	}

	var draws []drawer

	for _, find := range finders {
		draws = append(draws, t.drawUntilItFits(graphTries, func(r *rand.Rand, c *Corpus) ([]string, bool, error) {
			if c.network == nil || c.network.Papers() == 0 || c.network.Authors() == 0 {
				return nil, false, errors.New("no node of the graphs fits; the corpus is too small")
			}

			found, ok := find(r, c.network)
			for _, fits := range conditions {
				ok = ok && fits(found)
			}

			return found.values, ok, nil
		}))
	}

	return func(r *rand.Rand, c *Corpus) ([]string, error) {
		if len(draws) == 1 {
			return draws[0](r, c)
		}

		return draws[r.IntN(len(draws))](r, c)
	}, nil
}

var graphLimit = regexp.MustCompile(`^(papers|collaborators)(<=|>=)(\d+)$`)

// graphCondition returns what a word of a way to draw demands: with a notice and a description for each new tool, a
// plan that needs more than five calls of one tool would not fit into 20 turns.
func graphCondition(word string) (func(candidate) bool, error) {
	if fits, ok := graphConditions[word]; ok {
		return fits, nil
	}

	limit := graphLimit.FindStringSubmatch(word)
	if limit == nil {
		return nil, fmt.Errorf("graph: no condition %q, only %s, papers<=N and collaborators>=N", word,
			namesOf(graphConditions))
	}

	want, err := strconv.Atoi(limit[3])

	return func(c candidate) bool {
		n := len(c.papers)
		if limit[1] == "collaborators" {
			n = len(c.people[0].edges)
		}

		return n == want || n < want == (limit[2] == "<=")
	}, err
}

// findPaper finds a paper by its title.
func findPaper(r *rand.Rand, n *network) (candidate, bool) {
	i := r.IntN(n.Papers())
	return candidate{network: n, values: []string{n.Title(i)}, papers: []int{i}}, n.titled(i)
}

// findAuthor finds somebody who has collaborators, and wrote so many papers with them.
func findAuthor(papers int) finder {
	return func(r *rand.Rand, n *network) (candidate, bool) {
		a := n.person(r.IntN(n.Authors()))
		c := candidate{n, []string{n.name(a.number)}, []person{a}, a.papers}

		return c, len(c.papers) >= papers && n.named(a.number)
	}
}

// findPair finds two collaborators.
func findPair(r *rand.Rand, n *network) (candidate, bool) {
	a := n.person(r.IntN(n.Authors()))
	if len(a.edges) == 0 || !n.named(a.number) {
		return candidate{}, false
	}

	e := a.edges[r.IntN(len(a.edges))]
	b := n.person(e.Author)
	names := []string{n.name(a.number), n.name(b.number)}

	return candidate{n, names, []person{a, b}, papersOf(e)}, n.named(b.number) && names[0] != names[1]
}

// findJoint finds two collaborators who wrote so many papers together, which their titles tell apart.
func findJoint(papers int) finder {
	return func(r *rand.Rand, n *network) (candidate, bool) {
		c, ok := findPair(r, n)
		if !ok || len(c.papers) < papers {
			return c, false
		}

		edge, _ := n.Coauthor(c.people[0].number, c.people[1].number)

		return c, n.readable(edge) && n.distinctTitles(c.papers)
	}
}

// findDistance finds two people who know each other, or else have a collaborator in common.
func findDistance(direct bool) finder {
	return func(r *rand.Rand, n *network) (candidate, bool) {
		a := n.person(r.IntN(n.Authors()))
		if len(a.edges) == 0 {
			return candidate{}, false
		}

		b := n.person(a.edges[r.IntN(len(a.edges))].Author)
		if !direct {
			b = n.person(b.edges[r.IntN(len(b.edges))].Author)
		}

		if _, joined := n.Coauthor(a.number, b.number); joined != direct || a.number == b.number {
			return candidate{}, false
		}

		names := []string{n.name(a.number), n.name(b.number)}
		for _, e := range a.edges {
			if e.Author != b.number && n.name(e.Author) == names[1] {
				return candidate{}, false // a homonym
			}
		}

		looked := []person{a} // at whose neighbours the plan looks
		if !direct {
			looked = append(looked, b)
		}

		return candidate{n, names, looked, nil}, n.named(a.number) && n.named(b.number) && names[0] != names[1]
	}
}

func (n *network) person(author int) person {
	edges := n.Coauthors(author)
	return person{author, edges, papersOf(edges...)}
}

func (n *network) name(author int) string { return n.Author(author).Name }

// papersOf returns the papers of edges in the order of their entries, each once.
func papersOf(edges ...corpus.Edge) []int {
	var papers []int
	seen := map[int]bool{}

	for _, e := range edges {
		for _, p := range e.Papers {
			if !seen[p] {
				seen[p] = true
				papers = append(papers, p)
			}
		}
	}

	return papers
}

// titles returns the titles of papers.
func (n *network) titles(papers []int) []string {
	titles := make([]string, len(papers))
	for i, p := range papers {
		titles[i] = n.Title(p)
	}

	return titles
}

// plainLine reports whether a text stays the same between blanks and on a line.
func plainLine(text string) bool {
	return text != "" && text == strings.TrimSpace(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// titled reports whether the tools find a paper by its title.
func (n *network) titled(paper int) bool {
	title := n.Title(paper)
	found, ok := n.PaperTitled(title)

	return ok && found == paper && plainLine(title)
}

// named reports whether the tools find an author by the name. A bracket would end the name in some versions of
// EdgeCheck.
func (n *network) named(author int) bool {
	name := n.name(author)
	found, err := n.author(name)

	return err == nil && found == author && plainLine(name) && !strings.ContainsAny(name, "[]")
}

// findable reports whether the tools find the papers by their titles and show their attributes.
func (c candidate) findable() bool {
	for _, p := range c.papers {
		if !c.titled(p) || !shown(c.Paper(p)) {
			return false
		}
	}

	return true
}

// shownWords is less than the words of an observation that are shown, by what the counts below leave out.
const shownWords = 1000

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
func (n *network) readable(e corpus.Edge) bool {
	return countWords(n.titles(e.Papers)...)+len(e.Papers)+5 <= shownWords
}

// listed reports whether NeighbourCheck shows all neighbours and papers of the people.
func (c candidate) listed() bool {
	for _, a := range c.people {
		if !c.lists(a) {
			return false
		}
	}

	return true
}

// lists reports whether NeighbourCheck shows all neighbours and papers of an author.
func (n *network) lists(a person) bool {
	words := 10

	for _, e := range a.edges {
		name := n.name(e.Author)
		if name == "" {
			return false
		}

		words += 3 + countWords(name)
	}

	titles := n.titles(a.papers)

	return words+countWords(titles...) <= shownWords && !strings.HasSuffix(titles[len(titles)-1], cutMark)
}

// complete reports whether the edges have all papers of the author, and their titles tell them apart.
func (c candidate) complete() bool { return c.showsAll(c.people[0]) }

func (n *network) showsAll(a person) bool { return !n.alone()[a.number] && n.distinctTitles(a.papers) }

func (n *network) distinctTitles(papers []int) bool {
	return len(eachOnce(n.titles(papers))) == len(papers)
}

// separable reports whether the titles can be told apart in a text that joins them by commas.
func (n *network) separable(papers []int) bool {
	for _, title := range n.titles(papers) {
		if strings.Contains(title, ",") || !plainLine(title) {
			return false
		}
	}

	return true
}

// distinctNames reports whether different collaborators have different names.
func (c candidate) distinctNames() bool {
	known := map[string]int{}

	for _, a := range c.people {
		for _, e := range a.edges {
			name := c.name(e.Author)
			if other, ok := known[name]; ok && other != e.Author {
				return false
			}

			known[name] = e.Author
		}
	}

	return true
}

// reachable reports whether the tools find all collaborators by their names and show the edges to them.
func (c candidate) reachable() bool {
	for _, e := range c.people[0].edges {
		if !c.named(e.Author) || !c.readable(e) {
			return false
		}
	}

	return true
}

// wholeCircle reports whether the lists of the author's collaborators show what all of them wrote.
func (c candidate) wholeCircle() bool {
	papers := c.papers

	for _, e := range c.people[0].edges {
		b := c.person(e.Author)
		if !c.lists(b) || !c.showsAll(b) || !c.separable(b.papers) {
			return false
		}

		papers = append(papers, b.papers...)
	}

	titles, numbers := map[string]bool{}, map[int]bool{}
	for _, p := range papers {
		titles[c.Title(p)], numbers[p] = true, true
	}

	return c.complete() && len(titles) == len(numbers)
}
