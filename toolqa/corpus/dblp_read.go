package corpus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// DBLP reads both graphs into memory, which takes some ten seconds at the published size. The error of a corpus whose
// graphs do not hold together names the row.
func (c *Corpus) DBLP(ctx context.Context) (*DBLP, error) {
	if c.Dataset() != toolqa.DBLP {
		return nil, fmt.Errorf("corpus: the %s corpus has no graphs", c.Dataset())
	}

	d, err := readDBLP(ctx, c.db)
	if err != nil {
		return nil, fmt.Errorf("corpus: read the graphs of %s: %w", c.Path(), err)
	}

	return d, nil
}

// dblpReader reads the tables into a DBLP.
type dblpReader struct {
	db    *sql.DB
	words map[string]uint32
	keys  map[string]int32 // authors by their published ids
	known int              // papers since 2021
	*DBLP
}

func readDBLP(ctx context.Context, db *sql.DB) (*DBLP, error) {
	r := &dblpReader{db: db, words: map[string]uint32{}, keys: map[string]int32{}, DBLP: &DBLP{}}

	err := db.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM papers), (SELECT count(*) FROM older)").Scan(&r.known,
		&r.nodes)
	if err != nil {
		return nil, err
	}

	r.nodes += r.known
	for _, step := range []func(context.Context) error{r.readAuthors, r.readPapers, r.readEdges, r.readFound} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}

	return r.DBLP, nil
}

// word returns the number of a text.
func (r *dblpReader) word(text string) uint32 {
	w, ok := r.words[text]
	if !ok {
		w = uint32(len(r.DBLP.words))
		text = strings.Clone(text) // it may be part of a longer one
		r.words[text] = w
		r.DBLP.words = append(r.DBLP.words, text)
	}

	return w
}

func (r *dblpReader) readAuthors(ctx context.Context) error {
	var id int
	var key, attributes string
	var name sql.NullString
	var edges sql.RawBytes
	err := each(ctx, r.db, "SELECT id, key, name, attributes, edges FROM authors ORDER BY id", func() error {
		org, err := layout.ParseOrg([]byte(attributes))
		if err != nil {
			return err
		}

		if id != len(r.authors) {
			return fmt.Errorf("id %d: expected %d", id, len(r.authors))
		}

		r.keys[key] = int32(id)
		r.authors = append(r.authors, dblpAuthor{
			name:      r.word(name.String),
			org:       r.word(org),
			neighbour: uint32(len(r.neighbour)),
		})

		return layout.ScanNumbers(edges, func(n int64) { r.neighbour = append(r.neighbour, uint32(n)) })
	}, &id, &key, &name, &attributes, &edges)
	r.authors = append(r.authors, dblpAuthor{neighbour: uint32(len(r.neighbour))})

	return err
}

func (r *dblpReader) readPapers(ctx context.Context) error {
	var id, citedBy int
	var title string
	var attributes, cites sql.RawBytes
	err := each(ctx, r.db, "SELECT id, title, attributes, cites, cited_by FROM papers ORDER BY id", func() error {
		if id != len(r.papers) {
			return fmt.Errorf("id %d: expected %d", id, len(r.papers))
		}

		a, makers, err := layout.ParseAttributes(attributes)
		if err != nil {
			return err
		}

		p := dblpPaper{
			title:     r.word(title),
			venue:     r.word(a.Venue),
			docType:   r.word(a.DocType),
			pageStart: r.word(a.PageStart),
			pageEnd:   r.word(a.PageEnd),
			year:      int16(a.Year),
			nCitation: int32(a.NCitation),
			keyword:   uint32(len(r.keywords)),
			person:    uint32(len(r.people)),
			cite:      uint32(len(r.cites)),
			citedBy:   int32(citedBy),
		}
		for _, k := range a.Keywords {
			r.keywords = append(r.keywords, r.word(k))
		}

		for _, m := range makers {
			author, ok := r.keys[m.ID]
			if !ok {
				author = -1
			}

			r.people = append(r.people, dblpMaker{author, r.word(m.Name), r.word(m.Org)})
		}

		err = layout.ScanNumbers(cites, func(n int64) {
			if n < int64(r.known) {
				r.cites = append(r.cites, uint32(n))
			} else {
				p.olderCites++
			}
		})

		r.papers = append(r.papers, p)

		return err
	}, &id, &title, &attributes, &cites, &citedBy)
	r.papers = append(r.papers, dblpPaper{
		keyword: uint32(len(r.keywords)), person: uint32(len(r.people)), cite: uint32(len(r.cites)),
	})

	return err
}

func (r *dblpReader) readEdges(ctx context.Context) error {
	var id int
	var e dblpEdge
	var papers, citations sql.RawBytes
	err := each(ctx, r.db, "SELECT id, first, second, weight, papers, n_citation FROM edges ORDER BY id", func() error {
		if id != len(r.edges) {
			return fmt.Errorf("id %d: expected %d", id, len(r.edges))
		}

		if int(e.first) >= r.Authors() || int(e.second) >= r.Authors() {
			return fmt.Errorf("between the authors %d and %d of %d", e.first, e.second, r.Authors())
		}

		e.entry = uint32(len(r.entries))
		unknown := false

		err := layout.ScanNumbers(papers, func(n int64) {
			unknown = unknown || n < 0 || n >= int64(r.known)
			r.entries = append(r.entries, dblpEntry{paper: uint32(n)})
		})
		if err != nil || unknown {
			return errors.Join(err, fmt.Errorf("papers %.40s: one of them is not there", papers))
		}

		k := int(e.entry)
		err = layout.ScanNumbers(citations, func(n int64) {
			if k < len(r.entries) {
				r.entries[k].nCitation = int32(n)
			}
			k++
		})

		if k != len(r.entries) {
			return fmt.Errorf("%d papers and %d numbers of citations", len(r.entries)-int(e.entry), k-int(e.entry))
		}

		r.edges = append(r.edges, e)

		return err
	}, &id, &e.first, &e.second, &e.weight, &papers, &citations)
	r.edges = append(r.edges, dblpEdge{entry: uint32(len(r.entries))})

	if err != nil {
		return err
	}

	for author := range r.Authors() {
		for _, n := range r.edgesOf(author) {
			if int(n) >= r.Edges() || r.edges[n].first != uint32(author) && r.edges[n].second != uint32(author) {
				return fmt.Errorf("author %d lists edge %d, which is not one of theirs", author, n)
			}
		}
	}

	return nil
}

// readFound reads the maps from titles and names.
func (r *dblpReader) readFound(ctx context.Context) error {
	var text string
	var id int
	read := func(query string, n int, into *map[string]uint32) error {
		*into = make(map[string]uint32, n)

		return each(ctx, r.db, query, func() error {
			if id < 0 || id >= n {
				return fmt.Errorf("%q is number %d of %d", text, id, n)
			}

			(*into)[r.DBLP.words[r.word(text)]] = uint32(id)

			return nil
		}, &text, &id)
	}

	return errors.Join(
		read("SELECT title, paper FROM titles", r.Papers(), &r.titles),
		read("SELECT name, author FROM names", r.Authors(), &r.names),
	)
}
