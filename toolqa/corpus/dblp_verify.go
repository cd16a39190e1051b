package corpus

import (
	"context"
	"database/sql"
	"fmt"

	"toolevo/toolqa/corpus/internal/layout"
)

// verifyGraphs proves that the graphs are graphs: every edge of AuthorNet is listed by its two ends and by nobody else,
// no two edges have the same ends, what is cited is there and is cited as often as the papers say, and titles and names
// stand for nodes. Of a synthetic corpus it also proves the rules of the published graphs, from the authors that the
// papers name.
func (c *Corpus) verifyGraphs(ctx context.Context) error {
	d, err := c.DBLP(ctx)
	if err != nil {
		return err
	}

	if err := d.verifyEdges(); err != nil {
		return err
	}

	if err := verifyCitations(ctx, c.db, d); err != nil {
		return err
	}

	if c.info.Source == layout.Synthetic {
		return d.verifyRules()
	}

	return nil
}

// verifyEdges checks that AuthorNet is undirected and simple. That an author lists only their own edges was
// checked when it was read.
func (d *DBLP) verifyEdges() error {
	listed := make([]uint8, d.Edges())
	for _, e := range d.neighbour {
		listed[e] = min(listed[e]+1, 3)
	}

	ends := make(map[uint64]int, d.Edges())
	for e := range d.Edges() {
		edge := d.edges[e]

		want := uint8(2)
		if edge.first == edge.second {
			want = 1
		}

		if listed[e] != want || edge.first > edge.second {
			return fmt.Errorf("%w: edge %d of the authors %d and %d is listed %d times; expected %d", layout.ErrDamaged,
				e, edge.first, edge.second, listed[e], want)
		}

		key := uint64(edge.first)<<32 | uint64(edge.second)
		if other, twice := ends[key]; twice {
			return fmt.Errorf("%w: the edges %d and %d have the same ends", layout.ErrDamaged, other, e)
		}

		ends[key] = e
	}

	return nil
}

// verifyCitations counts how often each paper is cited.
func verifyCitations(ctx context.Context, db *sql.DB, d *DBLP) error {
	counts := make([]int32, d.Nodes())
	var cites sql.RawBytes
	outside := false

	for _, table := range []string{"papers", "older"} {
		err := each(ctx, db, "SELECT cites FROM "+table, func() error {
			return layout.ScanNumbers(cites, func(n int64) {
				if n < 0 || n >= int64(len(counts)) {
					outside = true
					return
				}
				counts[n]++
			})
		}, &cites)
		if err != nil {
			return err
		}
	}

	if outside {
		return fmt.Errorf("%w: a paper cites one that is not there", layout.ErrDamaged)
	}

	for i := range d.Papers() {
		if d.CitedBy(i) != int(counts[i]) {
			return fmt.Errorf("%w: paper %d is cited by %d; it says %d", layout.ErrDamaged, i, counts[i], d.CitedBy(i))
		}
	}

	return nil
}

// verifyRules makes AuthorNet and the names again, from the papers.
func (d *DBLP) verifyRules() error {
	net := layout.NewNetwork(d.Authors())
	titles, names := map[string]uint32{}, map[string]uint32{}
	next := 0 // the author who appears next

	for i := range d.Papers() {
		titles[d.Title(i)] = uint32(i)
		var authors []uint32

		for _, m := range d.people[d.papers[i].person:d.papers[i+1].person] {
			if m.author < 0 {
				continue
			}

			if int(m.author) >= next {
				names[d.Author(next).Name] = uint32(next)
				next++
			}

			authors = append(authors, uint32(m.author))
		}

		net.Add(uint32(i), authors)
	}

	if next != d.Authors() {
		return fmt.Errorf("%w: the papers name %d authors of %d", layout.ErrDamaged, next, d.Authors())
	}

	if err := sameMap("title", titles, d.titles); err != nil {
		return err
	}

	if err := sameMap("name", names, d.names); err != nil {
		return err
	}

	papers := net.Papers()
	if len(net.Ends) != d.Edges() {
		return fmt.Errorf("%w: %d edges of AuthorNet; the papers make %d", layout.ErrDamaged, d.Edges(), len(net.Ends))
	}

	for e := range d.Edges() {
		edge, want := d.edge(e, int(d.edges[e].first)), papers.List(e)
		if edge.Weight != len(want) || len(edge.Papers) != len(want) {
			return fmt.Errorf("%w: edge %d has the weight %d and %d papers; expected %d", layout.ErrDamaged, e,
				edge.Weight, len(edge.Papers), len(want))
		}

		for k, p := range want {
			if edge.Papers[k] != int(p) || edge.NCitation[k] != int(d.papers[p].nCitation) {
				return fmt.Errorf("%w: entry %d of edge %d is paper %d with %d citations; expected %d with %d",
					layout.ErrDamaged,
					k, e, edge.Papers[k], edge.NCitation[k], p, d.papers[p].nCitation)
			}
		}
	}

	return nil
}

func sameMap(what string, want, got map[string]uint32) error {
	if len(want) != len(got) {
		return fmt.Errorf("%w: %d %ss that the tools find; expected %d", layout.ErrDamaged, len(got), what, len(want))
	}

	for text, n := range want {
		if g, ok := got[text]; !ok || g != n {
			return fmt.Errorf("%w: the %s %q stands for number %d; expected %d", layout.ErrDamaged, what, text, g, n)
		}
	}

	return nil
}
