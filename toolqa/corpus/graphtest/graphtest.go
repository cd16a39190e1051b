// Package graphtest reads both graphs of a dblp corpus, and the relations of a scirex corpus, into
// memory, so that tests can walk them. Only tests do: the tools, and whoever verifies a corpus,
// query its file.
package graphtest

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	_ "github.com/mattn/go-sqlite3" // reads the file

	"toolevo/toolqa/corpus/internal/layout"
)

// DBLP is both graphs. Papers, authors and edges are numbered from 0.
type DBLP struct {
	Titles, Names map[string]int // the paper, or author, that the tools find

	papers  []paper
	authors []author
	edges   []edge
	older   int
}

type paper struct {
	layout.Paper
	cites   []int
	citedBy int
}

type author struct {
	Author
	edges []int
}

type edge struct {
	first, second int
	Edge
}

// Author is a node of AuthorNet.
type Author struct {
	Name string // of the first paper in which the author appears; "" if it is not known
	Org  string // of the first paper, too; "" when it does not say
}

// Attributes are those of a paper's node.
type Attributes struct {
	Authors   []layout.DBLPMaker
	Year      int
	NCitation int `json:"n_citation"`
	Venue     struct{ Raw string }
	Keywords  []string
	DocType   string `json:"doc_type"`
	PageStart string `json:"page_start"`
	PageEnd   string `json:"page_end"`
}

// Edge joins two authors of AuthorNet, seen from one of them.
type Edge struct {
	Author    int   // the other end
	Weight    int   // for n papers together 2n-1
	Papers    []int // in ascending order; every one but the first is there twice
	NCitation []int // of each entry of Papers
}

// Read reads the graphs of the corpus that has the address uri.
func Read(ctx context.Context, uri string) (*DBLP, error) {
	db, err := sql.Open("sqlite3", uri)
	if err != nil {
		return nil, err
	}
	defer db.Close()

	d := &DBLP{Titles: map[string]int{}, Names: map[string]int{}}
	keys, err := d.readAuthors(ctx, db)
	return d, errors.Join(err,
		db.QueryRowContext(ctx, "SELECT count(*) FROM older").Scan(&d.older),
		d.readPapers(ctx, db, keys),
		d.readEdges(ctx, db),
		readFound(ctx, db, "SELECT title, paper FROM titles", d.Titles),
		readFound(ctx, db, "SELECT name, author FROM names", d.Names),
	)
}

// readAuthors reads the nodes of AuthorNet, and returns their numbers by their published ids.
func (d *DBLP) readAuthors(ctx context.Context, db *sql.DB) (map[string]int, error) {
	keys := map[string]int{}
	var key, attributes, edges string
	var name sql.NullString

	err := each(ctx, db, "SELECT key, name, attributes, edges FROM authors ORDER BY id",
		func() error {
			a := author{Author: Author{Name: name.String}}
			keys[key] = len(d.authors)
			err := errors.Join(json.Unmarshal([]byte(attributes), &a.Author),
				json.Unmarshal([]byte(edges), &a.edges))
			d.authors = append(d.authors, a)

			return err
		}, &key, &name, &attributes, &edges)
	return keys, err
}

// readPapers reads the papers since 2021.
func (d *DBLP) readPapers(ctx context.Context, db *sql.DB, authors map[string]int) error {
	var p paper
	var title, attributes, cites string
	return each(ctx, db, "SELECT title, attributes, cites, cited_by FROM papers ORDER BY id",
		func() error {
			var a Attributes
			err := json.Unmarshal([]byte(attributes), &a)

			// Unmarshal would otherwise write into the array of the paper before.
			p.cites = nil
			p.Paper = layout.Paper{
				Title: title, Year: a.Year, Venue: a.Venue.Raw, NCitation: a.NCitation, DocType: a.DocType,
				PageStart: a.PageStart, PageEnd: a.PageEnd, Keywords: a.Keywords,
			}

			for _, m := range a.Authors {
				// An author without an id has no node in AuthorNet.
				n, ok := authors[m.ID]
				if !ok {
					n = -1
				}

				p.Authors, p.Names, p.Orgs = append(p.Authors, n), append(p.Names,
					m.Name), append(p.Orgs, m.Org)
			}

			err = errors.Join(err, json.Unmarshal([]byte(cites), &p.cites))
			d.papers = append(d.papers, p)
			return err
		}, &title, &attributes, &cites, &p.citedBy)
}

func (d *DBLP) readEdges(ctx context.Context, db *sql.DB) error {
	var e edge
	var papers, citations string
	return each(ctx, db, "SELECT first, second, weight, papers, n_citation FROM edges ORDER BY id",
		func() error {
			e.Papers, e.NCitation = nil, nil
			err := errors.Join(json.Unmarshal([]byte(papers), &e.Papers),
				json.Unmarshal([]byte(citations), &e.NCitation))
			d.edges = append(d.edges, e)
			return err
		}, &e.first, &e.second, &e.Weight, &papers, &citations)
}

func readFound(ctx context.Context, db *sql.DB, query string, into map[string]int) error {
	var text string
	var id int
	return each(ctx, db, query, func() error {
		into[text] = id
		return nil
	}, &text, &id)
}

// each runs row for every row of a query, whose columns are in dest.
func each(ctx context.Context, db *sql.DB, query string, row func() error,
	dest ...any) (err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()

	for n := 0; rows.Next(); n++ {
		err := rows.Scan(dest...)
		if err == nil {
			err = row()
		}

		if err != nil {
			return fmt.Errorf("row %d of %q: %w", n, query, err)
		}
	}
	return rows.Err()
}

// Papers is the number of papers since 2021.
func (d *DBLP) Papers() int { return len(d.papers) }

// Authors is the number of nodes of AuthorNet.
func (d *DBLP) Authors() int { return len(d.authors) }

// Edges is the number of edges of AuthorNet.
func (d *DBLP) Edges() int { return len(d.edges) }

// Nodes is the number of nodes of PaperNet: the papers, and the older ones that they cite.
func (d *DBLP) Nodes() int { return len(d.papers) + d.older }

// Title returns the title of a paper.
func (d *DBLP) Title(i int) string { return d.papers[i].Title }

// Paper returns a paper. Its Authors are -1 where they have no id.
func (d *DBLP) Paper(i int) layout.Paper { return d.papers[i].Paper }

// Author returns an author.
func (d *DBLP) Author(i int) Author { return d.authors[i].Author }

// References returns the papers that paper i cites, and how many it cites with the older ones.
func (d *DBLP) References(i int) (known []int, all int) {
	for _, cited := range d.papers[i].cites {
		if cited < len(d.papers) {
			known = append(known, cited)
		}
	}

	return known, len(d.papers[i].cites)
}

// CitedBy is how many papers cite paper i.
func (d *DBLP) CitedBy(i int) int { return d.papers[i].citedBy }

// Degree returns the degree of an author. An edge to itself counts twice.
func (d *DBLP) Degree(i int) int {
	degree := len(d.authors[i].edges)

	for _, e := range d.authors[i].edges {
		if d.edges[e].first == d.edges[e].second {
			degree++
		}
	}

	return degree
}

// Coauthors returns the edges of an author, in the order of the neighbours.
func (d *DBLP) Coauthors(i int) (edges []Edge) {
	for _, n := range d.authors[i].edges {
		edges = append(edges, d.edges[n].from(i))
	}
	return edges
}

// Coauthor returns the edge between authors i and j, seen from i, and whether there is one.
func (d *DBLP) Coauthor(i, j int) (Edge, bool) {
	for _, e := range d.Coauthors(i) {
		if e.Author == j {
			return e, true
		}
	}

	return Edge{}, false
}

// Edge returns an edge, seen from its first author.
func (d *DBLP) Edge(n int) Edge { return d.edges[n].from(d.edges[n].first) }

// from is the edge as one of its ends sees it.
func (e edge) from(i int) Edge {
	e.Author = e.first + e.second - i
	return e.Edge
}
