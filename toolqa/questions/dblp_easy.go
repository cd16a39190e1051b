package questions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/toolqa/corpus"
)

// dblpEasy are the questions about one paper, one author, or two who wrote papers together.
func dblpEasy() []Template {
	return slices.Concat(
		dblpAttributeQuestions(), dblpCountQuestions(), dblpPairQuestions(), dblpWorkQuestions(),
		dblpPairVenueQuestion())
}

// dblpAttributeQuestions ask for what a node says of itself.
func dblpAttributeQuestions() []Template {
	return []Template{
		{
			Name: "authors",
			Text: "Who are the authors of {title:text}?",
			gold: onPaper(func(d *DBLP, i int) (string, error) {
				names := d.graph.Paper(i).Names
				if len(names) == 0 {
					return "", errNoAnswer
				}

				return strings.Join(names, ", "), nil
			}),
			draw: drawPaper(func(d *DBLP, p corpus.Paper) bool { return !slices.Contains(p.Names, "") }),
			steps: []step{
				loadGraph("The question is about a paper in the DBLP network, so I load the dblp graph first."),
				lookAtPaper("{title}", "The attributes of the paper's node in PaperNet name its authors.",
					func(paper envs.Args, known *Slots) error {
						names, err := ofAuthors(paper, "name")
						*known = append(*known, Slot{"authors", strings.Join(names, ", ")})
						return err
					}),
				finish("{authors}", "The node lists the authors in order. I give their names as they are."),
			},
		},
		{
			Name: "organization",
			Text: "What organization is {author:text} from?",
			gold: onAuthor(func(d *DBLP, i int) (string, error) {
				return noneIfEmpty(d.graph.Author(i).Org)
			}),
			draw: drawAuthor(func(d *DBLP, a *drawn) bool { return d.graph.Author(a.number).Org != "" }),
			steps: []step{
				loadGraph("I need the organization of an author, which is in the dblp graph. I load it."),
				{"Authors are the nodes of AuthorNet. The attributes of the node should name the organization.",
					"NodeCheck",
					[]arg{{"GraphName", "AuthorNet"}, {"Node", "{author}"}},
					attributes(func(author envs.Args, known *Slots) error {
						org, ok := author.Text("org")
						if !ok || org == "" {
							return fmt.Errorf("no org")
						}

						*known = append(*known, Slot{"org", org})

						return nil
					})},
				finish("{org}", "The attribute org of the node is the organization of the author."),
			},
		},
		dblpPagesQuestion(),
	}
}

// dblpPagesQuestion asks for the number of pages of a paper.
func dblpPagesQuestion() Template {
	return Template{
		Name: "pages",
		Text: "How many pages is {title:text}?",
		gold: onPaper(func(d *DBLP, i int) (string, error) {
			n, ok := pagesOf(d.graph.Paper(i))
			if !ok {
				return "", errNoAnswer
			}

			return strconv.Itoa(n), nil
		}),
		draw: drawPaper(func(_ *DBLP, p corpus.Paper) bool { _, ok := pagesOf(p); return ok }),
		steps: []step{
			loadGraph("The pages of a paper are an attribute of its node, so I load the dblp graph."),
			lookAtPaper("{title}", "I look at the paper's node in PaperNet, which should have its first and its "+
				"last page.", func(paper envs.Args, known *Slots) error {
				start, _ := paper.Text("page_start")
				end, _ := paper.Text("page_end")

				first, err := pageNumber(start)
				if err != nil {
					return err
				}

				last, err := pageNumber(end)
				*known = append(*known, Slot{"first", strconv.Itoa(first)}, Slot{"last", strconv.Itoa(last)})

				return err
			}),
			runPython("print({last} - {first} + 1)", "", "The paper begins on page {first} and ends on page "+
				"{last}, both included."),
			finish("{answer}", "The paper has {answer} pages."),
		},
	}
}

// dblpCountQuestions ask for the number of neighbours of a node.
func dblpCountQuestions() []Template {
	return []Template{
		{
			Name: "references",
			Text: "How many papers did {title:text} cite?",
			gold: onPaper(func(d *DBLP, i int) (string, error) {
				_, all := d.graph.References(i)
				return strconv.Itoa(all), nil
			}),
			draw: drawTitle(func(d *DBLP, i int) bool { _, all := d.graph.References(i); return all > 0 }),
			steps: []step{
				loadGraph("Citations between papers are the edges of PaperNet, one of the dblp graphs. I load them."),
				{"In PaperNet an edge goes from a paper to one that it cites. I list the paper's neighbours with " +
					"its degrees.", "NeighbourCheck",
					[]arg{{"GraphName", "PaperNet"}, {"Node", "{title}"}}, readCitations},
				finish("{out}", "The out degree is the number of papers that this one cites, which is {out}."),
			},
		},
		{
			Name: "cited-by",
			Text: "How many papers in the DBLP citation network cited {title:text}?",
			gold: onPaper(func(d *DBLP, i int) (string, error) { return strconv.Itoa(d.graph.CitedBy(i)), nil }),
			draw: drawTitle(func(d *DBLP, i int) bool { return d.graph.CitedBy(i) > 0 }),
			steps: []step{
				loadGraph("I need to know how often a paper is cited within the network. I load the dblp graph."),
				{"The papers that cite this one are those with an edge to it in PaperNet. I check the node's degrees.",
					"NeighbourCheck",
					[]arg{{"GraphName", "PaperNet"}, {"Node", "{title}"}}, readCitations},
				finish("{in}", "The in degree is the number of papers in the network that cite this one, which "+
					"is {in}."),
			},
		},
		{
			Name: "collaborators",
			Text: "How many collaborators does {author:text} have in the DBLP citation network?",
			gold: onCoauthors(func(_ *DBLP, edges []corpus.Edge) (string, error) {
				return strconv.Itoa(len(edges)), nil
			}),
			draw: drawAuthor(func(*DBLP, *drawn) bool { return true }),
			steps: []step{
				loadGraph("The collaborators of an author are the neighbours in AuthorNet. I load the dblp graph."),
				{"I list the neighbours of {author} in AuthorNet.", "NeighbourCheck",
					[]arg{{"GraphName", "AuthorNet"}, {"Node", "{author}"}}, readDegree},
				finish("{degree}", "The degree of the node is the number of collaborators, which is {degree}."),
			},
		},
	}
}

// pagesOf returns the number of pages of a paper, and whether it is known.
func pagesOf(p corpus.Paper) (int, bool) {
	start, err := pageNumber(p.PageStart)
	if err != nil {
		return 0, false
	}

	end, err := pageNumber(p.PageEnd)

	return end - start + 1, err == nil && end >= start
}

// dblpPairQuestions ask for the papers of two people.
func dblpPairQuestions() []Template {
	return []Template{{
		Name:  "papers-together",
		Text:  "How many papers did {first:text} and {second:text} write together in the DBLP citation network?",
		Fault: "the published rule counts the collaborators that the two have in common instead of their papers",
		gold:  onJoint(func(_ *DBLP, e corpus.Edge) (string, error) { return strconv.Itoa(len(papersOf(e))), nil }),
		official: onPair(func(d *DBLP, a, b int) (string, error) {
			return strconv.Itoa(d.common(a, b)), nil
		}),
		draw: drawJoint(func(*DBLP, []cited) bool { return true }),
		choose: func(known Slots) []step {
			steps := []step{
				loadGraph("Joint papers are attributes of an edge in AuthorNet. I load the dblp graph."),
				lookAtEdge("{first}", "{second}", "", "I check the edge between {first} and {second}, which lists "+
					"their papers."),
			}
			if known.number("count") == 1 {
				return append(steps, finish("1", "The edge has a single paper, so the two wrote 1 paper together."))
			}

			return append(steps,
				runPython("edge = {edge}\nprint(len(set(edge['papers'])))", "",
					"All papers but the first are listed twice, so I count the different titles with Python."),
				finish("{answer}", "{first} and {second} wrote {answer} papers together."))
		},
	}}
}

// dblpWorkQuestions ask for the papers of one.
func dblpWorkQuestions() []Template {
	const fault = "the published rule lists a paper once for each collaborator, and each but the first with the " +
		"same collaborator twice"
	load := loadGraph("What an author wrote with others is on the edges of AuthorNet. I load the dblp graph.")
	list := lookAtAuthor("{author}", "", "The neighbours of {author} in AuthorNet come with a list of all the papers.")

	return []Template{
		{
			Name:  "papers",
			Text:  "What papers did {author:text} write in the DBLP citation network?",
			Fault: fault,
			gold: onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
				return strings.Join(d.titles(papersOf(edges...)), ", "), nil
			}),
			official: onCoauthors(func(d *DBLP, edges []corpus.Edge) (string, error) {
				return strings.Join(d.titles(entriesOf(edges...)), ", "), nil
			}),
			draw:  drawWriter(func(_ *DBLP, a *drawn) bool { return a.listed() && a.complete() }),
			steps: []step{load, list, finish("{papers}", "The paper list has each title once. That is the answer.")},
		},
		{
			Name:  "number-of-papers",
			Text:  "How many papers did {author:text} write in the DBLP citation network?",
			Fault: strings.Replace(fault, "lists", "counts", 1),
			gold: onCoauthors(func(_ *DBLP, edges []corpus.Edge) (string, error) {
				return strconv.Itoa(len(papersOf(edges...))), nil
			}),
			official: onCoauthors(func(_ *DBLP, edges []corpus.Edge) (string, error) {
				return strconv.Itoa(len(entriesOf(edges...))), nil
			}),
			draw: drawWriter(func(d *DBLP, a *drawn) bool {
				return a.listed() && a.complete() &&
					d.separable(a.papers)
			}),
			steps: []step{
				load, list,
				runPython("papers = {papers|py}\nprint(len(papers.split(', ')))", "",
					"The total counts a paper once for each collaborator, and the list has each title once. I "+
						"count the titles with Python."),
				finish("{answer}", "The number of papers that {author} wrote in the network is {answer}."),
			},
		},
	}
}

// dblpPairVenueQuestion asks where two people published most. The published rule counts the entries of the
// edge, that is, the first joint paper once and any other twice. What leads by papers leads by entries, too.
func dblpPairVenueQuestion() []Template {
	return []Template{{
		Name: "venue",
		Text: "What venue did {first:text} and {second:text} collaborate most in the DBLP citation network?",
		gold: onJoint(func(d *DBLP, e corpus.Edge) (string, error) {
			venue, _ := mostFrequent(d.venues(papersOf(e)))
			return noneIfEmpty(venue)
		}),
		draw: drawJoint(func(d *DBLP, papers []cited) bool {
			const most = 3 // a node to look at for each
			_, only := mostFrequent(d.venues(papers))
			return only && len(papers) <= most && d.findable(papers)
		}),
		choose: func(known Slots) []step {
			return append([]step{
				loadGraph("Two people collaborate where their joint papers appeared. I load the dblp graph to " +
					"find those."),
				lookAtEdge("{first}", "{second}", "", "The edge between {first} and {second} in AuthorNet lists "+
					"the papers that they wrote together."),
			}, venueSteps(known)...)
		},
	}}
}

// venueSteps are the steps from the titles of papers to their most frequent venue.
func venueSteps(known Slots) []step {
	n := known.number("count")
	if n == 1 {
		return []step{
			lookAtPaper("{title1}", "There is one paper. Its node in PaperNet names the venue.", readVenue("1")),
			finish("{venue1}", "The only paper appeared there, so that is the venue."),
		}
	}
	var steps []step

	names := make([]string, n)
	for i := range n {
		k := strconv.Itoa(i + 1)

		thought := "I look up the venue of the next paper, number " + k + " of " + strconv.Itoa(n) + "."
		if i == 0 {
			thought = "There are " + strconv.Itoa(n) + " different papers. I look up the venue of each in " +
				"PaperNet, beginning with the first."
		}

		steps = append(steps, lookAtPaper("{title"+k+"}", thought, readVenue(k)))
		names[i] = "{venue" + k + "|py}"
	}

	return append(steps,
		runCode("venues = ["+strings.Join(names, ", ")+"]\nprint(max(venues, key=venues.count))",
			"I let Python find the venue that occurs most often among the papers."),
		finish("{answer}", "More papers appeared there than anywhere else."))
}
