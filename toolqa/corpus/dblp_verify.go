package corpus

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// Verify makes sure of what an import can get wrong that [Open] cannot see, in the graphs of dblp:
// every edge of AuthorNet is listed by its two ends and by nobody else, no two edges have the same ends,
// and what is cited is there and is cited as often as the papers say. Other datasets have no graphs.
func (c *Corpus) Verify(ctx context.Context) error {
	if c.info.Dataset != toolqa.DBLP {
		return nil
	}

	d, err := c.DBLP(ctx)
	if err == nil {
		err = cmp.Or(d.checkEdges(), checkCitations(ctx, c.db, d))
	}

	if err != nil {
		return fmt.Errorf("corpus: verify the graphs of %s: %w", c.path, err)
	}

	return nil
}

// checkEdges checks that AuthorNet is undirected and simple. That an author lists only their own edges was
// checked when it was read.
func (d *DBLP) checkEdges() error {
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

// checkCitations counts how often each paper is cited.
func checkCitations(ctx context.Context, db *sql.DB, d *DBLP) error {
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
