package graph

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Graphs is the two graphs of a dblp corpus, as the tools read them.
type Graphs struct {
	db *sql.DB // nil: there is no corpus

	paper, author, titles, neighbours, edge *sql.Stmt
}

// The statements. Lists of numbers are JSON arrays, and CROSS JOIN makes SQLite keep the order in
// which the tables are written.
const (
	selectPaper = `SELECT p.id, p.attributes, p.cites, p.cited_by
		FROM titles t JOIN papers p ON p.id = t.paper WHERE t.title = ?`
	selectAuthor = `SELECT a.id, a.attributes, a.edges FROM names n JOIN authors a ON a.id = n.author WHERE n.name = ?`
	selectTitles = `SELECT p.id, p.title FROM json_each(?) j CROSS JOIN papers p ON p.id = j.value ORDER BY j.key`

	// ?2 is the author whose edges these are: the other end is what is left of the sum.
	selectNeighbours = `SELECT a.name, e.id, e.weight, e.papers FROM json_each(?1) j
		CROSS JOIN edges e ON e.id = j.value CROSS JOIN authors a ON a.id = e.first + e.second - ?2 ORDER BY j.key`
	selectEdge = `SELECT id, weight, papers, n_citation FROM edges WHERE first = min(?1, ?2) AND second = max(?1, ?2)`
)

// Open returns the graphs of a dblp corpus. Without one (nil) the graphs have no nodes, and
// LoadGraph does not know them: the tools then answer as for a node that does not exist.
func Open(ctx context.Context, c *corpus.Corpus) (_ *Graphs, err error) {
	g := &Graphs{}
	if c == nil {
		return g, nil
	}

	if c.Dataset() != toolqa.DBLP {
		return nil, fmt.Errorf("graph: the %s corpus has no graphs", c.Dataset())
	}

	if g.db, err = sql.Open("sqlite3", c.URI()); err != nil {
		return nil, fmt.Errorf("graph: open %s: %w", c.Path(), err)
	}

	// A call is short and keeps a processor busy, so more connections would only take memory.
	conns := max(4, runtime.GOMAXPROCS(0))
	g.db.SetMaxOpenConns(conns)
	g.db.SetMaxIdleConns(conns)

	// Prepared now, so that a file without these tables is refused before any call.
	for _, s := range []struct {
		stmt  **sql.Stmt
		query string
	}{
		{&g.paper, selectPaper}, {&g.author, selectAuthor}, {&g.titles, selectTitles},
		{&g.neighbours, selectNeighbours}, {&g.edge, selectEdge},
	} {
		if *s.stmt, err = g.db.PrepareContext(ctx, s.query); err != nil {
			return nil, errors.Join(fmt.Errorf("graph: open %s: %w", c.Path(), err), g.db.Close())
		}
	}

	return g, nil
}

// Close releases the file. No tool may be called afterwards.
func (g *Graphs) Close() error {
	if g.db == nil {
		return nil
	}
	return g.db.Close() // and the statements
}

// The names of the graphs.
const (
	paperNet  = "PaperNet"
	authorNet = "AuthorNet"
)

// paperNode is a node of PaperNet.
type paperNode struct {
	id         int64
	attributes string // JSON
	cites      []int64
	citedBy    int
}

// findPaper returns the paper of a title, or nil.
func (g *Graphs) findPaper(ctx context.Context, title string) (*paperNode, error) {
	if g.db == nil {
		return nil, nil
	}
	var p paperNode
	var cites string

	err := g.paper.QueryRowContext(ctx, title).Scan(&p.id, &p.attributes, &cites, &p.citedBy)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}

	if err == nil {
		p.cites, err = numbers(cites)
	}
	return &p, err
}

// authorNode is a node of AuthorNet.
type authorNode struct {
	id         int64
	attributes string // JSON
	edges      string // JSON
}

// findAuthor returns the author of a name, or nil.
func (g *Graphs) findAuthor(ctx context.Context, name string) (*authorNode, error) {
	if g.db == nil {
		return nil, nil
	}
	var a authorNode

	err := g.author.QueryRowContext(ctx, name).Scan(&a.id, &a.attributes, &a.edges)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &a, err
}

// degree returns the degree of an author: an edge to oneself counts twice.
func (g *Graphs) degree(ctx context.Context, a *authorNode) (int, error) {
	edges, err := numbers(a.edges)
	if err != nil {
		return 0, err
	}

	self, err := g.findEdge(ctx, a.id, a.id)
	if self != nil {
		return len(edges) + 1, err
	}
	return len(edges), err
}

// edge is an edge of AuthorNet.
type edge struct {
	id                int64
	weight            int
	papers, citations []int64
}

// findEdge returns the edge between two authors, or nil.
func (g *Graphs) findEdge(ctx context.Context, a, b int64) (*edge, error) {
	var e edge
	var papers, citations string

	err := g.edge.QueryRowContext(ctx, a, b).Scan(&e.id, &e.weight, &papers, &citations)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}

	if err == nil {
		e.papers, err = numbers(papers)
	}

	if err == nil {
		e.citations, err = numbers(citations)
	}
	return &e, err
}

// neighbour is one neighbour of an author.
type neighbour struct {
	name   sql.NullString
	edge   int64
	weight int
	papers []int64
}

// findNeighbours returns the neighbours of an author in their order.
func (g *Graphs) findNeighbours(ctx context.Context, a *authorNode) ([]neighbour, error) {
	rows, err := g.neighbours.QueryContext(ctx, a.edges, a.id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var found []neighbour

	for rows.Next() {
		var n neighbour

		var papers string
		if err := rows.Scan(&n.name, &n.edge, &n.weight, &papers); err != nil {
			return nil, err
		}

		if n.papers, err = numbers(papers); err != nil {
			return nil, err
		}

		found = append(found, n)
	}
	return found, rows.Err()
}

// titlesOf returns the titles of those papers that have one, by their ids.
func (g *Graphs) titlesOf(ctx context.Context, papers []int64) (map[int64]string, error) {
	list, err := json.Marshal(papers)
	if err != nil {
		return nil, err
	}

	rows, err := g.titles.QueryContext(ctx, string(list))
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	titles := make(map[int64]string, len(papers))

	for rows.Next() {
		var id int64

		var title string
		if err := rows.Scan(&id, &title); err != nil {
			return nil, err
		}

		titles[id] = title
	}
	return titles, rows.Err()
}

// numbers reads a list of the corpus file.
func numbers(list string) (all []int64, err error) {
	if err := json.Unmarshal([]byte(list), &all); err != nil {
		return nil, fmt.Errorf("list %.40q: %w", list, err)
	}
	return all, nil
}
