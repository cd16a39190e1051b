package corpus

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
)

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
	dblpPapers = sideTable{
		name: "papers", // since 2021
		columns: []string{
			"id INTEGER PRIMARY KEY", // from 0
			"key TEXT NOT NULL",      // the published id
			"title TEXT NOT NULL",
			"attributes TEXT NOT NULL",  // of the node, as a JSON object with the keys in their order
			"cites TEXT NOT NULL",       // the ids of the papers that it cites
			"cited_by INTEGER NOT NULL", // the number of papers that cite it
		},
	}
	dblpOlder = sideTable{
		name: "older", // the other nodes of PaperNet
		columns: []string{
			"id INTEGER PRIMARY KEY", // from the number of papers on
			"key TEXT NOT NULL",
			"cites TEXT NOT NULL",
		},
	}
	dblpTitles = sideTable{
		name:    "titles", // the paper that the tools find under a title
		columns: []string{"title TEXT NOT NULL", "paper INTEGER NOT NULL"},
		indexes: [][]string{{"title", "paper"}},
	}
	dblpAuthors = sideTable{
		name: "authors",
		columns: []string{
			"id INTEGER PRIMARY KEY",   // from 0
			"key TEXT NOT NULL",        // the published id
			"name TEXT",                // NULL: not known
			"attributes TEXT NOT NULL", // of the node, as a JSON object
			"edges TEXT NOT NULL",      // the ids of the author's edges, in the order of the neighbours
		},
	}
	dblpNames = sideTable{
		name:    "names", // the author that the tools find under a name
		columns: []string{"name TEXT NOT NULL", "author INTEGER NOT NULL"},
		indexes: [][]string{{"name", "author"}},
	}
	dblpEdges = sideTable{
		name: "edges", // of AuthorNet
		columns: []string{
			"id INTEGER PRIMARY KEY",  // from 0
			"first INTEGER NOT NULL",  // the id of one author
			"second INTEGER NOT NULL", // and of the other, which is not less than the first
			"weight INTEGER NOT NULL",
			"papers TEXT NOT NULL",     // ids, with repetitions
			"n_citation TEXT NOT NULL", // one for each entry of papers
		},
		indexes: [][]string{{"first", "second"}},
	}
)

// dblpTables lists the tables of the dblp corpus.
func dblpTables() []sideTable {
	return []sideTable{dblpPapers, dblpOlder, dblpTitles, dblpAuthors, dblpNames, dblpEdges}
}

// dblpWriter puts rows into the tables of the dblp corpus. The rows of papers, authors and edges are numbered as they
// come.
type dblpWriter struct {
	put                    func(table string, values ...any) error
	papers, authors, edges int
}

// paper puts a paper since 2021.
func (w *dblpWriter) paper(key, title string, attributes []byte, cites []uint32, citedBy uint32) error {
	id := int64(w.papers)
	w.papers++
	return w.put(dblpPapers.name, id, key, title, string(attributes), string(appendNumbers(nil, cites)), int64(citedBy))
}

// older puts another node of PaperNet, after all papers.
func (w *dblpWriter) older(key string, cites []uint32) error {
	id := int64(w.papers)
	w.papers++
	return w.put(dblpOlder.name, id, key, string(appendNumbers(nil, cites)))
}

// author puts an author; no name is nil.
func (w *dblpWriter) author(key string, name *string, attributes []byte, edges []uint32) error {
	id := int64(w.authors)
	w.authors++

	var text any
	if name != nil {
		text = *name
	}

	return w.put(dblpAuthors.name, id, key, text, string(attributes), string(appendNumbers(nil, edges)))
}

// edge puts an edge between two authors.
func (w *dblpWriter) edge(a, b uint32, weight int, papers []uint32, citations []int32) error {
	id := int64(w.edges)
	w.edges++

	return w.put(dblpEdges.name, id, int64(min(a, b)), int64(max(a, b)), int64(weight),
		string(appendNumbers(nil, papers)), string(appendNumbers(nil, citations)))
}

// found puts what the tools find, sorted by the number of what is found, so that equal maps make equal tables.
func (w *dblpWriter) found(table sideTable, by map[string]uint32) error {
	texts := make([]string, 0, len(by))
	for text := range by {
		texts = append(texts, text)
	}

	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(by[a], by[b]), strings.Compare(a, b)) })

	for _, text := range texts {
		if err := w.put(table.name, text, int64(by[text])); err != nil {
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

// scanNumbers reads what appendNumbers wrote and yields every number. Anything else is an error.
func scanNumbers(list []byte, yield func(int64)) error {
	bad := fmt.Errorf("%.40q: expected a list of numbers", list)
	if len(list) < 2 || list[0] != '[' || list[len(list)-1] != ']' {
		return bad
	}

	rest := list[1 : len(list)-1]
	for i := 0; i < len(rest); i++ {
		start, n := i, int64(0)

		negative := rest[i] == '-'
		if negative {
			i, start = i+1, start+1
		}

		for ; i < len(rest) && rest[i] != ','; i++ {
			if rest[i] < '0' || rest[i] > '9' || n > 1<<40 {
				return bad
			}

			n = n*10 + int64(rest[i]-'0')
		}

		if i == start || i == len(rest)-1 {
			return bad
		}

		if negative {
			n = -n
		}

		yield(n)
	}

	return nil
}

// dblpMakerText is one author as a paper names them.
type dblpMakerText struct{ id, name, org string }

// appendAttributes appends the attributes of a paper's node, with the keys of the published graph in its order.
func appendAttributes(dst []byte, p Paper, makers []dblpMakerText) []byte {
	text := func(key, value string) {
		dst = pytext.AppendJSON(append(dst, key...), value)
	}
	number := func(key string, value int) {
		dst = strconv.AppendInt(append(dst, key...), int64(value), 10)
	}

	text(`{"title": `, p.Title)

	dst = append(dst, `, "authors": [`...)

	for i, m := range makers {
		if i > 0 {
			dst = append(dst, ", "...)
		}

		text(`{"id": `, m.id)
		text(`, "name": `, m.name)
		text(`, "org": `, m.org)

		dst = append(dst, '}')
	}

	number(`], "year": `, p.Year)
	text(`, "venue": {"raw": `, p.Venue)
	number(`}, "n_citation": `, p.NCitation)

	dst = append(dst, `, "keywords": [`...)

	for i, k := range p.Keywords {
		if i > 0 {
			dst = append(dst, ", "...)
		}

		dst = pytext.AppendJSON(dst, k)
	}

	text(`], "doc_type": `, p.DocType)
	text(`, "page_start": `, p.PageStart)
	text(`, "page_end": `, p.PageEnd)

	return append(dst, '}')
}

// appendOrg appends the attributes of an author's node.
func appendOrg(dst []byte, org string) []byte {
	return append(pytext.AppendJSON(append(dst, `{"org": `...), org), '}')
}
