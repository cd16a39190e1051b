package questions

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"toolevo/toolqa/corpus"
)

// dblpHard are the questions that need several looks into the graphs.
func dblpHard() []Template {
	return slices.Concat(
		dblpPathQuestions(), dblpCitationQuestions(), dblpVenueQuestion(), dblpSumQuestions(),
		dblpCollaboratorQuestion(), dblpWordQuestions())
}

// mostChecks are the calls of one tool that a plan may need: with a notice and a description for each new
// tool, more would not fit into 20 turns.
const mostChecks = 5

// dblpPathQuestions ask how two people are connected.
func dblpPathQuestions() []Template {
	return []Template{
		{
			Name: "distance",
			Text: "How many people does {first:text} need to know at least to know {second:text} in the DBLP " +
				"citation network?",
			gold: onPair(func(d *DBLP, a, b int) (string, error) {
				length, ok := d.distance(a, b)
				if !ok || length == 0 {
					return "", errNoAnswer
				}

				return strconv.Itoa(length), nil
			}),
			draw: drawDistance,
			choose: func(known Slots) []step {
				steps := []step{
					loadGraph("I need the length of the shortest path between two people in AuthorNet. I load the " +
						"dblp graph."),
					lookAtAuthor("{first}", "1", "I begin with the neighbours of {first}. If {second} is one of "+
						"them, the path has a single step."),
				}

				near, far := literalTexts(known.Get("names1")), literalTexts(known.Get("names2"))
				if slices.Contains(near, known.Get("second")) {
					return append(steps, finish("1", "{second} is among the neighbours of {first}, so the path "+
						"has one step."))
				}

				steps = append(steps, lookAtAuthor("{second}", "2", "{second} is not among them. I list the "+
					"neighbours of {second} to look for somebody whom both know."))
				if slices.ContainsFunc(near, func(name string) bool { return slices.Contains(far, name) }) {
					steps = append(steps, finish("2", "The two have a collaborator in common, so the shortest "+
						"path has two steps."))
				}

				return steps
			},
		},
		{
			Name: "common-collaborators",
			Text: "How many common collaborators does {first:text} have with {second:text}?",
			gold: onPair(func(d *DBLP, a, b int) (string, error) {
				return strconv.Itoa(d.common(a, b)), nil
			}),
			draw: drawPair(func(d *DBLP, a, b *drawn) bool {
				return a.listed() && b.listed() && d.distinctNames(slices.Concat(a.edges, b.edges))
			}),
			steps: []step{
				loadGraph("Collaborators are neighbours in AuthorNet, one of the dblp graphs. I load them."),
				lookAtAuthor("{first}", "1", "First I list the neighbours of {first}."),
				lookAtAuthor("{second}", "2", "Now I list the neighbours of {second}."),
				runPython("first = {names1}\nsecond = {names2}\nprint(len(set(first) & set(second)))", "",
					"I let Python count the names that are in both lists."),
				finish("{answer}", "{first} and {second} have {answer} collaborators in common."),
			},
		},
	}
}

// dblpCitationQuestions ask for the most cited.
func dblpCitationQuestions() []Template {
	return []Template{
		{
			Name: "most-cited-paper",
			Text: "Which is the most cited paper written by {author:text} in the DBLP citation network?",
			gold: onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
				best, _ := mostCited(papersOf(edges...))
				if best.citations == 0 {
					return "", errNoAnswer
				}

				return d.graph.Title(best.paper), nil
			}),
			draw: drawWriter(func(d *DBLP, a *drawn) bool {
				best, only := mostCited(a.papers)
				return only && best.citations > 0 && len(a.edges) <= mostChecks && a.listed() && a.complete() &&
					d.reachable(a)
			}),
			choose: mostCitedSteps,
		},
		{
			Name: "most-citations-with",
			Text: "Which collaborator does {author:text} have the most citations with in the DBLP citation network?",
			Fault: "the published rule adds the citations of a joint paper twice unless it is the first of the " +
				"two, so that another " +
				"collaborator may lead",
			gold: onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
				return d.leader(edges, papersOf)
			}),
			official: onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
				return d.leader(edges, entriesOf)
			}),
			draw: drawAuthor(func(d *DBLP, a *drawn) bool {
				n := len(a.edges)
				return 2 <= n && n <= mostChecks && onlyLeader(a.edges) && a.listed() && a.complete() && d.reachable(a)
			}),
			choose: func(known Slots) []step {
				steps := []step{
					loadGraph("Citations of joint papers are on the edges of AuthorNet. I load the dblp graph."),
					lookAtAuthor("{author}", "", "I need to know who the collaborators of {author} are."),
				}
				var edges []string

				for i := range literalTexts(known.Get("names")) {
					k := strconv.Itoa(i + 1)
					steps = append(steps, lookAtEdge("{author}", "{name"+k+"}", k,
						"I check the edge between {author} and {name"+k+"} for the citations of their papers."))
					edges = append(edges, "({name"+k+"|py}, {edge"+k+"})")
				}

				return append(steps,
					runCode("totals = []\nfor name, edge in ["+strings.Join(edges, ", ")+"]:\n"+
						"    citations = dict(zip(edge['papers'], edge['n_citation']))\n    "+
						"totals.append((sum(citations.values()), name))\nprint(max(totals)[1])",
						"A paper may be listed twice on an edge. I let Python add the citations of each paper "+
							"once and find the largest sum."),
					finish("{answer}", "The papers of {author} and {answer} together have more citations than "+
						"those with anybody else."))
			},
		},
	}
}

// mostCitedSteps looks at one edge after another until all the papers of the author are known.
func mostCitedSteps(known Slots) []step {
	steps := []step{
		loadGraph("The papers of an author and their citations are on the edges of AuthorNet. I load the dblp graph."),
		lookAtAuthor("{author}", "", "I list the collaborators and the papers of {author}."),
	}
	names := literalTexts(known.Get("names"))
	var edges, found []string

	length := 0 // of the titles found, as long as they are in the list of papers
	for i := range names {
		if i > 0 && length == len(known.Get("papers")) {
			break
		}

		k := strconv.Itoa(i + 1)

		thought := "There are papers that this edge does not have. I check the edge with {name" + k + "}, too."
		if i == 0 {
			thought = "I check the edge with {name1}, with whom {author} wrote the most, for the citations of " +
				"the papers."
		}

		steps = append(steps, lookAtEdge("{author}", "{name"+k+"}", k, thought))

		edge, ok := known.lookup("edge" + k)
		if !ok {
			return steps // the next step depends on it
		}

		edges = append(edges, "{edge"+k+"}")

		papers, _ := parseEdge(edge)
		for _, title := range papers {
			if !slices.Contains(found, title) {
				found = append(found, title)
				length = len(strings.Join(found, ", "))
			}
		}
	}

	return append(steps,
		runCode("papers = []\nfor edge in ["+strings.Join(edges, ", ")+"]:\n    papers += zip(edge['n_citation'], "+
			"edge['papers'])\nprint(max(papers)[1])",
			"Now I have all the papers with their citations. I let Python find the one with the most."),
		finish("{answer}", "This paper of {author} has the most citations."))
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
