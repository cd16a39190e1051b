package questions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// What the plans read from the graphs. If a plan takes a step more than once, the names of its
// values end in its number: name2, edge2, venue2.

// nodeForms make a value of the plan from the texts that are found in a node; before is its value
// so far.
var nodeForms = map[string]func(found []string, before string) (string, error){
	"distinct": func(found []string, _ string) (string,
		error) {
		return strings.Join(distinctTexts(found), "; "), nil
	},
	"joined": func(found []string, _ string) (string,
		error) {
		return strings.Join(found, ", "), nil
	},
	"listed": func(found []string, before string) (string, error) {
		return literalList(append(literalTexts(before), found...)), nil
	},
	"page": func(found []string, _ string) (string, error) {
		n, err := pageNumber(strings.Join(found, " "))
		return strconv.Itoa(n), err
	},
	"summed": func(found []string, before string) (string, error) {
		if before != "" {
			before += " + "
		}
		return before + literalList(found), nil
	},
	"text": func(found []string, _ string) (string, error) {
		if len(found) != 1 || found[0] == "" {
			return "", fmt.Errorf("%d texts; expected one", len(found))
		}
		return found[0], nil
	},
}

// readNode reads what NodeCheck prints of a node. The arguments are a path in its attributes, a
// form, and the name of the value: "authors.name joined authors".
func readNode(arguments string) reader {
	words := strings.Fields(arguments)
	if len(words) != 3 || nodeForms[words[1]] == nil {
		return nil
	}

	path, form, name := words[0], nodeForms[words[1]], words[2]
	return func(result string, known *slotValues) error {
		// What cannot be read is no envs.Args, which is refused next.
		node, rest, _ := pytext.DecodeLiteralPrefix(result)
		if _, ok := node.(envs.Args); !ok || !strings.HasPrefix(rest, "; Degree: ") {
			return unexpected(result, "the attributes of a node")
		}

		found, err := textsAt(node, path)

		var text string
		if err == nil {
			text, err = form(found, known.get(name))
		}

		if err != nil {
			return fmt.Errorf("%w: %w", unexpected(result, "a node with what is asked for"), err)
		}

		known.set(name, text)
		return nil
	}
}

// textsAt returns the texts at a path, such as authors.name, in an object: of a list, those of all
// its items.
func textsAt(v any, path string) (found []string, err error) {
	key, rest, _ := strings.Cut(path, ".")

	switch v := v.(type) {
	case envs.Args:
		if value, ok := v.Get(key); ok {
			return textsAt(value, rest)
		}
	case []any:
		for _, item := range v {
			texts, err := textsAt(item, path)
			if err != nil {
				return nil, err
			}

			found = append(found, texts...)
		}

		if path == "" || len(v) > 0 {
			return found, nil
		}
	case string:
		if path == "" {
			return []string{v}, nil
		}
	}

	return nil, fmt.Errorf("no text at %q", path)
}

// set gives a value a name, in place of the one that has it.
func (s *slotValues) set(name, value string) {
	for i := range *s {
		if (*s)[i].name == name {
			(*s)[i].value = value
			return
		}
	}

	*s = append(*s, slotValue{name, value})
}

// readDegrees reads the degrees that NeighbourCheck begins with: of an author "degree", the number
// of neighbours, and of a paper "in" and "out", how many papers cite it and how many it cites.
func readDegrees(result string, known *slotValues) error {
	n := len(*known)

	for part := range strings.SplitSeq(result, "; ") {
		name, degree, ok := strings.Cut(strings.ToLower(part), ": ")
		if !ok || !isInteger(degree) {
			break
		}

		*known = append(*known, slotValue{strings.TrimSuffix(name, " degree"), degree})
	}

	if len(*known) == n {
		return unexpected(result, "the degrees of a node")
	}
	return nil
}

// readCircle reads the neighbours and the papers of an author. Later steps know, with the step's
// number behind each name, the list as it is printed ("neighbours"), the names alone ("names", a
// list, too), and the text with all titles ("papers"), and of all steps with a number these texts
// as a list ("lists"). Without a number they also know each neighbour, those with the most papers
// together first (name1, name2 ...), and each title (title1, title2 ..., as many as "count" says),
// taking every comma for the end of one.
func readCircle(number string) reader {
	return func(result string, known *slotValues) error {
		c, ok := parseCircle(result)
		if !ok {
			return unexpected(result, "the neighbours and papers of an author")
		}

		known.set("neighbours"+number, c.list)
		known.set("names"+number, literalList(c.names))
		known.set("papers"+number, c.papers)

		if number != "" {
			known.set("lists", literalList(append(literalTexts(known.get("lists")), c.papers)))
			return nil
		}

		addNumbered(known, "name", c.closest())
		addTitles(known, strings.Split(c.papers, ", "))
		known.set("looks", "1")
		return nil
	}
}

// addNumbered adds texts as name1, name2 ...
func addNumbered(known *slotValues, name string, texts []string) {
	for i, text := range texts {
		*known = append(*known, slotValue{name + strconv.Itoa(i+1), text})
	}
}

func addTitles(known *slotValues, titles []string) {
	known.set("count", strconv.Itoa(len(titles)))
	addNumbered(known, "title", titles)

	if len(titles) == 1 {
		known.set("single", "yes")
	}
}

// number returns a whole number that was read.
func (s slotValues) number(name string) int {
	n, _ := strconv.Atoi(s.get(name))
	return n
}

// count returns how many values there are of a name: of a list of Python, its items, else the
// number itself.
func (s slotValues) count(name string) int {
	if n := s.number(name); n > 0 {
		return n
	}
	return len(literalTexts(s.get(name)))
}

// literalList writes texts as a list of Python.
func literalList(texts []string) string {
	return pytext.Repr(envs.Listed(texts))
}

// literalTexts reads what literalList wrote.
func literalTexts(list string) []string {
	v, _ := pytext.DecodeLiteral(list)
	texts, _ := listOfTexts(v)
	return texts
}

// circle is what NeighbourCheck prints of an author.
type circle struct {
	list    string // of neighbours, as printed
	names   []string
	weights []int
	papers  string // the titles, joined by commas
}

// closest returns the names of the neighbours, those with the most papers together first.
func (c circle) closest() []string {
	order := make([]int, len(c.names))
	for i := range order {
		order[i] = i
	}

	slices.SortStableFunc(order, func(i, j int) int { return c.weights[j] - c.weights[i] })

	names := make([]string, len(order))
	for i, k := range order {
		names[i] = c.names[k]
	}
	return names
}

// parseCircle reads what NeighbourCheck prints of an author. A list that is cut off cannot be read.
func parseCircle(result string) (circle, bool) {
	// Names may have any marks in them, so only Python's own grammar tells where the list ends.
	_, list, ok := strings.Cut(result, " neighbors: ")
	v, rest, err := pytext.DecodeLiteralPrefix(list)
	items, _ := v.([]any)

	// The list of papers is the end of the text, where an observation that was cut has a mark.
	_, papers, listed := strings.Cut(rest, " papers; Paper list: ")
	if !ok || err != nil || !strings.HasPrefix(rest, "; Total ") || !listed ||
		strings.HasSuffix(papers, cutMark) {
		return circle{}, false
	}

	c := circle{list: list[:len(list)-len(rest)], papers: papers}

	for _, item := range items {
		pair, _ := item.(pytext.Tuple)
		if len(pair) != 2 {
			return circle{}, false
		}

		name, isText := pair[0].(string)
		text, _ := pair[1].(string)

		weight, err := strconv.Atoi(strings.TrimPrefix(text, "weight: "))
		if !isText || err != nil {
			return circle{}, false
		}

		c.names, c.weights = append(c.names, name), append(c.weights, weight)
	}
	return c, true
}

// cutMark ends an observation of more words than are shown.
const cutMark = " ..."

// readEdge reads the edge between two authors, as it is printed: "edge" with the step's number
// behind. Without a number, later steps also know each title in it, once: title1, title2 ..., as
// many as "count" says. With a number they know all edges, as "edges", and with the names of the
// neighbours, as "pairs"; and the number of edges that have to be looked at until all the papers of
// the author are found, as far as that is known, as "looks".
func readEdge(number string) reader {
	return func(result string, known *slotValues) error {
		papers, ok := parseEdge(result)
		if !ok {
			return unexpected(result, "an edge with papers")
		}

		known.set("edge"+number, result)

		if number == "" {
			addTitles(known, papers)
			return nil
		}

		known.join("edges", ", ", result)
		known.join("pairs", ", ", "("+pytext.Repr(known.get("name"+number))+", "+result+")")

		found := eachOnce(append(literalTexts(known.get("found")), papers...))
		known.set("found", literalList(found))

		// While titles are missing, one more edge is looked at, if there is one. They are compared
		// by their length, because edges have them in another order than the list of all.
		k, _ := strconv.Atoi(number)
		if len(strings.Join(found, ", ")) != len(known.get("papers")) {
			k = min(k+1, known.count("names"))
		}

		known.set("looks", strconv.Itoa(k))
		return nil
	}
}

// join adds a text to those of a name.
func (s *slotValues) join(name, sep, text string) {
	if before, ok := s.lookup(name); ok {
		text = before + sep + text
	}

	s.set(name, text)
}

// readShared makes a value known if two others, lists or texts, have a text in common. The
// arguments are the names of the two and of the value.
func readShared(arguments string) reader {
	names := strings.Fields(arguments)
	if len(names) != 3 {
		return nil
	}
	return func(_ string, known *slotValues) error {
		one, other := known.texts(names[0]), known.texts(names[1])
		if slices.ContainsFunc(one,
			func(text string) bool { return slices.Contains(other, text) }) {
			known.set(names[2], "yes")
		}

		return nil
	}
}

// texts returns the items of a list of Python, or the one text that a value is.
func (s slotValues) texts(name string) []string {
	text := s.get(name)
	if v, err := pytext.DecodeLiteral(text); err == nil {
		if list, ok := listOfTexts(v); ok {
			return list
		}
	}

	return []string{text}
}

// parseEdge returns the titles of an edge's papers, each once.
func parseEdge(result string) (papers []string, ok bool) {
	v, _ := pytext.DecodeLiteral(result)
	edge, _ := v.(envs.Args)

	list, _ := edge.Get("papers")
	entries, ok := listOfTexts(list)
	if !ok || len(entries) == 0 {
		return nil, false
	}

	return eachOnce(entries), true
}

func listOfTexts(v any) ([]string, bool) {
	items, ok := v.([]any)

	list := make([]string, len(items))
	for i, item := range items {
		text, isText := item.(string)
		if !isText {
			return nil, false
		}

		list[i] = text
	}
	return list, ok
}

// pageNumber reads a number of a page as Python's int(float(text)) does.
func pageNumber(text string) (int, error) {
	const most = 1e9

	f, ok := pytext.ParseFloat(text)
	if !ok || !(-most < f && f < most) {
		return 0, fmt.Errorf("page %q is not a number", text)
	}
	return int(f), nil
}
