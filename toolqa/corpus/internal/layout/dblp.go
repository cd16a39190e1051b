package layout

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Paper is what PaperNet says of a paper since 2021. A text that is missing is "".
type Paper struct {
	Title     string
	Year      int
	Venue     string
	NCitation int // as the paper says of itself: more than the network has, usually
	DocType   string
	PageStart string // mostly a number; also nothing, "e17", "17:1", or a page after PageEnd
	PageEnd   string
	Keywords  []string

	// The authors, in the order of the paper. Authors has -1 for one without an id, who is not in AuthorNet.
	// Names are as the paper spells them, and so are Orgs: in another paper the same author may have others.
	Authors []int
	Names   []string
	Orgs    []string
}

// The dblp corpus is two graphs, made by the rules of the published notebook from the papers since 2021, in
// ascending order of their citations:
//
//   - PaperNet has an edge from each paper to each that it cites. Cited papers before 2021 are nodes, too,
//     and the tools cannot name them: a title stands for a paper since 2021, and of several for the last,
//     which is the most cited.
//   - AuthorNet has an edge between any two authors of a paper who have an id. Its first paper makes an edge
//     of weight 1 with one entry in papers and n_citation; each further one adds 2 to the weight and two
//     entries, since the notebook adds it in both directions of what is one edge. So it is published, and so
//     the tools print it: for n papers the weight is 2n-1.
//   - An author has the name and the org of the first paper. A name stands for the last author who appears with it: of
//     homonyms, the tools know one.
//
// Both graphs can be queried: the lists are JSON arrays of numbers, which json_each of SQLite reads. The
// attributes of nodes are kept as they are, key by key, so that the tools print what is published. Of the
// papers before 2021, which no tool prints, only the ids are.
var (
	DBLPPapers = SideTable{
		Name: "papers", // since 2021
		Columns: []string{
			"id INTEGER PRIMARY KEY", // from 0
			"key TEXT NOT NULL",      // the published id
			"title TEXT NOT NULL",
			"attributes TEXT NOT NULL",  // of the node, as a JSON object with the keys in their order
			"cites TEXT NOT NULL",       // the ids of the papers that it cites
			"cited_by INTEGER NOT NULL", // the number of papers that cite it
		},
	}
	DBLPOlder = SideTable{
		Name: "older", // the other nodes of PaperNet
		Columns: []string{
			"id INTEGER PRIMARY KEY", // from the number of papers on
			"key TEXT NOT NULL",
			"cites TEXT NOT NULL",
		},
	}
	DBLPTitles = SideTable{
		Name:    "titles", // the paper that the tools find under a title
		Columns: []string{"title TEXT NOT NULL", "paper INTEGER NOT NULL"},
		Indexes: [][]string{{"title", "paper"}},
	}
	dblpAuthors = SideTable{
		Name: "authors",
		Columns: []string{
			"id INTEGER PRIMARY KEY",   // from 0
			"key TEXT NOT NULL",        // the published id
			"name TEXT",                // NULL: not known
			"attributes TEXT NOT NULL", // of the node, as a JSON object
			"edges TEXT NOT NULL",      // the ids of the author's edges, in the order of the neighbours
		},
	}
	DBLPNames = SideTable{
		Name:    "names", // the author that the tools find under a name
		Columns: []string{"name TEXT NOT NULL", "author INTEGER NOT NULL"},
		Indexes: [][]string{{"name", "author"}},
	}
	dblpEdges = SideTable{
		Name: "edges", // of AuthorNet
		Columns: []string{
			"id INTEGER PRIMARY KEY",  // from 0
			"first INTEGER NOT NULL",  // the id of one author
			"second INTEGER NOT NULL", // and of the other, which is not less than the first
			"weight INTEGER NOT NULL",
			"papers TEXT NOT NULL",     // ids, with repetitions
			"n_citation TEXT NOT NULL", // one for each entry of papers
		},
		Indexes: [][]string{{"first", "second"}},
	}
)

// DBLPWriter puts rows into the tables of the dblp corpus. The rows of papers, authors and edges are numbered as they
// come.
type DBLPWriter struct {
	Put                    func(table string, values ...any) error
	papers, authors, edges int
}

// Paper puts a paper since 2021.
func (w *DBLPWriter) Paper(key, title string, attributes []byte, cites []uint32, citedBy uint32) error {
	id := int64(w.papers)
	w.papers++
	return w.Put(DBLPPapers.Name, id, key, title, string(attributes), string(appendNumbers(nil, cites)), int64(citedBy))
}

// Older puts another node of PaperNet, after all papers.
func (w *DBLPWriter) Older(key string, cites []uint32) error {
	id := int64(w.papers)
	w.papers++
	return w.Put(DBLPOlder.Name, id, key, string(appendNumbers(nil, cites)))
}

// Author puts an author; no name is nil.
func (w *DBLPWriter) Author(key string, name *string, attributes []byte, edges []uint32) error {
	id := int64(w.authors)
	w.authors++

	var text any
	if name != nil {
		text = *name
	}

	return w.Put(dblpAuthors.Name, id, key, text, string(attributes), string(appendNumbers(nil, edges)))
}

// Edge puts an edge between two authors.
func (w *DBLPWriter) Edge(a, b uint32, weight int, papers []uint32, citations []int32) error {
	id := int64(w.edges)
	w.edges++

	return w.Put(dblpEdges.Name, id, int64(min(a, b)), int64(max(a, b)), int64(weight),
		string(appendNumbers(nil, papers)), string(appendNumbers(nil, citations)))
}

// Found puts what the tools find, sorted by the number of what is found, so that equal maps make equal tables.
func (w *DBLPWriter) Found(table SideTable, by map[string]uint32) error {
	texts := make([]string, 0, len(by))
	for text := range by {
		texts = append(texts, text)
	}

	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(by[a], by[b]), strings.Compare(a, b)) })

	for _, text := range texts {
		if err := w.Put(table.Name, text, int64(by[text])); err != nil {
			return err
		}
	}

	return nil
}

// appendNumbers appends a JSON array.
func appendNumbers[T uint32 | int32](dst []byte, numbers []T) []byte {
	dst = append(dst, '[')

	for i, n := range numbers {
		if i > 0 {
			dst = append(dst, ',')
		}

		dst = strconv.AppendInt(dst, int64(n), 10)
	}

	return append(dst, ']')
}

// ScanNumbers reads what appendNumbers wrote and yields every number. Anything else is an error.
func ScanNumbers(list []byte, yield func(int64)) error {
	inner, ok1 := bytes.CutPrefix(list, []byte("["))
	inner, ok2 := bytes.CutSuffix(inner, []byte("]"))

	if !ok1 || !ok2 {
		return fmt.Errorf("%.40q: expected a list of numbers", list)
	}

	for len(inner) > 0 {
		number, rest, more := bytes.Cut(inner, []byte(","))

		n, err := strconv.ParseInt(string(number), 10, 64)
		if err != nil || more && len(rest) == 0 {
			return fmt.Errorf("%.40q: expected a list of numbers", list)
		}

		yield(n)

		inner = rest
	}

	return nil
}
