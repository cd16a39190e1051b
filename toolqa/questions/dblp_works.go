package questions

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa/corpus"
)

// dblpVenueQuestion asks where an author published most.
func dblpVenueQuestion() []Template {
	return []Template{{
		Name: "venue",
		Text: "Which venue does {author:text} publish the most papers in the DBLP citation network?",
		Fault: "the published rule names the venue of one paper for each collaborator, repeated, instead of the " +
			"most frequent venue",
		// The answers of ToolQA-D are single venues.
		Corrected: true,
		gold: onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
			venue, _ := mostFrequent(d.venues(papersOf(edges...)))
			return noneIfEmpty(venue)
		}),
		official: onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
			var list []string

			most := 0
			for _, e := range edges {
				if len(e.Papers) > most {
					most, list = len(e.Papers), nil
				}

				list = append(list, d.graph.Paper(e.Papers[len(e.Papers)-1]).Venue)
			}

			return strings.Join(list, ","), nil
		}),
		draw: drawWriter(func(d *DBLP, a *drawn) bool {
			_, only := mostFrequent(d.venues(a.papers))
			return only && len(a.papers) <= mostChecks && a.listed() && a.complete() && d.separable(a.papers) &&
				d.findable(a.papers)
		}),
		choose: func(known Slots) []step {
			return append([]step{
				loadGraph("I need the venues of all papers of an author. I load the dblp graph to find the papers."),
				lookAtAuthor("{author}", "", "The neighbours of {author} in AuthorNet come with a list of the papers."),
			}, venueSteps(known)...)
		},
	}}
}

// dblpCollaboratorQuestion asks for the closest collaborators. The published rule compares weights, and so
// the numbers of papers.
func dblpCollaboratorQuestion() []Template {
	return []Template{{
		Name: "most-frequent-collaborator",
		Text: "Who collaborated with {author:text} most in the DBLP citation network?",
		gold: onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
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
		}),
		draw: drawWriter(func(_ *DBLP, a *drawn) bool { return len(a.edges) > 1 && a.listed() }),
		steps: []step{
			loadGraph("How often two people collaborated is the weight of their edge in AuthorNet. I load the " +
				"dblp graph."),
			lookAtAuthor("{author}", "", "I list the neighbours of {author} with the weights of the edges."),
			runCode("neighbours = {neighbours}\nweights = [int(weight.split()[1]) for name, weight in neighbours]\n"+
				"print(', '.join(name for (name, _), weight in zip(neighbours, weights) if weight == max(weights)))",
				"I let Python find the largest weight and everybody who has it."),
			finish("{answer}", "Nobody wrote more papers with {author}."),
		},
	}}
}

// dblpWordQuestions ask for all that papers say of one thing. The published rule takes every keyword for one
// of those that an author focuses on most, and ToolQA-D, which lists them again, does so, too.
func dblpWordQuestions() []Template {
	return []Template{
		{
			Name: "institutions",
			Text: "What institutions participated in the study of {title:text} in the DBLP citation network?",
			gold: onPaper(func(d *DBLP, i int) (string, error) {
				return noneIfEmpty(strings.Join(distinctTexts(d.graph.Paper(i).Orgs), "; "))
			}),
			draw: drawPaper(func(d *DBLP, p corpus.Paper) bool { return len(distinctTexts(p.Orgs)) > 0 }),
			sep:  "; ",
			steps: []step{
				loadGraph("The institutions of a study are those of its authors, which the dblp graph knows. I " +
					"load it."),
				lookAtPaper("{title}", "I look at the node of the paper in PaperNet, which names the organization "+
					"of each author.", func(paper envs.Args, known *Slots) error {
					orgs, err := ofAuthors(paper, "org")
					*known = append(*known, Slot{"institutions", strings.Join(distinctTexts(orgs), "; ")})
					return err
				}),
				finish("{institutions}", "I name the organization of each author in order, and each only once."),
			},
		},
		{
			Name: "keywords",
			Text: "What keywords does {author:text} focus on most in the DBLP citation network?",
			gold: onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
				return noneIfEmpty(strings.Join(d.keywords(papersOf(edges...)), "; "))
			}),
			draw: drawWriter(func(d *DBLP, a *drawn) bool {
				const most = mostChecks - 1
				return len(a.papers) <= most && a.listed() && a.complete() && d.separable(a.papers) &&
					d.findable(a.papers) && len(d.keywords(a.papers)) > 0
			}),
			sep:    "; ",
			choose: keywordSteps,
		},
	}
}

// keywordSteps looks at the papers of an author one after another.
func keywordSteps(known Slots) []step {
	steps := []step{
		loadGraph("Keywords are attributes of papers. I load the dblp graph to find the papers of the author."),
		lookAtAuthor("{author}", "", "The neighbours of {author} in AuthorNet come with a list of the papers."),
	}
	var lists []string

	for i := range known.number("count") {
		k := strconv.Itoa(i + 1)
		steps = append(steps, lookAtPaper("{title"+k+"}", "I look up the keywords of paper "+k+
			" of {count} in PaperNet.", readKeywords(k)))
		lists = append(lists, "{keywords"+k+"}")
	}

	return append(steps,
		runCode("keywords = "+strings.Join(lists, " + ")+"\nprint('; '.join(sorted(set(word.strip() for word in "+
			"keywords if word.strip()))))",
			"I let Python put the keywords together, without blanks around them and each only once, and sort them."),
		finish("{answer}", "These are the keywords of the papers of {author}."))
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

// distinctTexts returns the texts that are not empty, each once, in order.
func distinctTexts(texts []string) []string {
	return slices.DeleteFunc(eachOnce(texts), func(t string) bool { return t == "" })
}

// eachOnce returns the distinct texts in order.
func eachOnce(texts []string) []string {
	var list []string
	for _, t := range texts {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}

	return list
}

// dblpSumQuestions ask for sums over papers and over people.
func dblpSumQuestions() []Template {
	return []Template{
		{
			Name: "accumulated-citations",
			Text: "How many accumulated citations do papers collaborated by {first:text} and {second:text} have " +
				"in the DBLP citation network?",
			Fault: "the published rule adds the citations of each joint paper but the first twice",
			gold: onJoint(func(_ *DBLP, e corpus.Edge) (string, error) {
				return strconv.Itoa(sumCitations(papersOf(e))), nil
			}),
			official: onJoint(func(_ *DBLP, e corpus.Edge) (string, error) {
				return strconv.Itoa(sumCitations(entriesOf(e))), nil
			}),
			draw: drawJoint(func(*DBLP, []cited) bool { return true }),
			steps: []step{
				loadGraph("The papers of two people and their citations are on an edge of AuthorNet. I load the " +
					"dblp graph."),
				lookAtEdge("{first}", "{second}", "", "I check the edge between {first} and {second}."),
				runPython("edge = {edge}\ncitations = dict(zip(edge['papers'], "+
					"edge['n_citation']))\nprint(sum(citations.values()))", "",
					"A paper may be listed twice. I let Python add the citations of each paper once."),
				finish("{answer}", "The joint papers of {first} and {second} have {answer} citations."),
			},
		},
		{
			Name: "papers-in-all",
			Text: "How many papers in all do {author:text} and his/her collaborators have in the DBLP citation " +
				"network?",
			Fault: "the published rule counts the edges among the author, the collaborators and their " +
				"collaborators instead of papers",
			gold: onAuthor(func(d *DBLP, author int) (string, error) {
				edges := d.graph.Coauthors(author)
				for b := range d.graph.NeighboursOf(author) {
					edges = append(edges, d.graph.Coauthors(b)...)
				}

				return strconv.Itoa(len(papersOf(edges...))), nil
			}),
			official: onAuthor(func(d *DBLP, author int) (string, error) {
				return strconv.Itoa(d.edgesAround(author)), nil
			}),
			draw: drawWriter(func(d *DBLP, a *drawn) bool {
				return len(a.edges) <= mostChecks && a.listed() && d.reachable(a) && d.wholeCircle(a)
			}),
			choose: func(known Slots) []step {
				steps := []step{
					loadGraph("I need the papers of an author and of all collaborators. I load the dblp graph."),
					lookAtAuthor("{author}", "", "I list the collaborators of {author}. Each of them has a list "+
						"of papers, too."),
				}
				var lists []string

				for i := range literalTexts(known.Get("names")) {
					k := strconv.Itoa(i + 1)
					steps = append(steps, lookAtAuthor("{name"+k+"}", k, "I list the papers of {name"+k+"}."))
					lists = append(lists, "{papers"+k+"|py}")
				}

				return append(steps,
					runPython("titles = set()\nfor papers in ["+strings.Join(lists, ", ")+
						"]:\n    titles.update(papers.split(', '))\nprint(len(titles))", "",
						"Whatever {author} wrote is in the lists of the collaborators. I let Python count the "+
							"different titles in them."),
					finish("{answer}", "The number of papers of {author} and the collaborators in all is {answer}."))
			},
		},
	}
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
