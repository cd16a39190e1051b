package layout

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Paper is what PaperNet says about a paper since 2021. A text that is missing is "".
type Paper struct {
	Title     string
	Year      int
	Venue     string
	NCitation int // as the paper says of itself: more than the network has, usually
	DocType   string
	PageStart string // mostly a number; also nothing, "e17", "17:1", or a page after PageEnd
	PageEnd   string
	Keywords  []string

	// The authors, in the order of the paper. Authors has -1 for one without an id, who is not in
	// AuthorNet. Names are as the paper spells them, and so are Orgs: in another paper the same
	// author may have others.
	Authors []int
	Names   []string
	Orgs    []string
}

// DBLPWriter puts rows into the tables of the dblp corpus, which side_tables.yaml describes. The
// rows of papers, authors and edges are numbered as they come.
type DBLPWriter struct {
	Put                    func(table string, values ...any) error
	papers, authors, edges int
}

// Paper puts a paper since 2021.
func (w *DBLPWriter) Paper(key, title string, attributes []byte, cites []uint32,
	citedBy uint32) error {
	id := int64(w.papers)
	w.papers++
	return w.Put("papers", id, key, title, string(attributes), string(appendNumbers(nil, cites)),
		int64(citedBy))
}

// Older puts another node of PaperNet, after all papers.
func (w *DBLPWriter) Older(key string, cites []uint32) error {
	id := int64(w.papers)
	w.papers++
	return w.Put("older", id, key, string(appendNumbers(nil, cites)))
}

// Author puts an author; no name is nil.
func (w *DBLPWriter) Author(key string, name *string, attributes []byte, edges []uint32) error {
	id := int64(w.authors)
	w.authors++

	var text any
	if name != nil {
		text = *name
	}
	return w.Put("authors", id, key, text, string(attributes), string(appendNumbers(nil, edges)))
}

// Edge puts an edge between two authors.
func (w *DBLPWriter) Edge(a, b uint32, weight int, papers []uint32, citations []int32) error {
	id := int64(w.edges)
	w.edges++
	return w.Put("edges", id, int64(min(a, b)), int64(max(a, b)), int64(weight),
		string(appendNumbers(nil, papers)), string(appendNumbers(nil, citations)))
}

// Found puts what the tools find into the table of titles or names, sorted by the number of what is
// found, so that equal maps make equal tables.
func (w *DBLPWriter) Found(table string, by map[string]uint32) error {
	texts := make([]string, 0, len(by))
	for text := range by {
		texts = append(texts, text)
	}

	slices.SortFunc(texts,
		func(a, b string) int { return cmp.Or(cmp.Compare(by[a], by[b]), strings.Compare(a, b)) })

	for _, text := range texts {
		if err := w.Put(table, text, int64(by[text])); err != nil {
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
