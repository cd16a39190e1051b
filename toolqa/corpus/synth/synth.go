package synth

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// generator makes the synthetic corpus of one dataset.
type generator struct {
	table bool // it has a typed table, which its world describes

	// part returns what fills the tables beside the typed one, nil for none. Its rng starts where
	// that of rows does: a part can walk the same rows again.
	part func(rng *rand.Rand, n int) layout.Part

	side   float64 // about how many rows the part has for each row, or paper, of the size
	stream uint64  // separates the random numbers of this dataset from those of anything else with the same seed
	full   int     // rows (papers) at the published size
	demo   int     // rows at a size that is good for a look at everything within seconds
	most   int     // the largest number of rows that Build makes
}

// generators are the generators of all datasets.
var generators = map[toolqa.Dataset]generator{
	toolqa.Agenda: {
		table: true, part: agendaPassages, side: 1,
		stream: 0xa6e7da, full: 10_000, demo: 3_000, most: 1_000_000,
	},
	toolqa.Airbnb: {table: true, stream: 0xa14b, full: 102_599, demo: 6_000, most: 2_000_000},
	toolqa.Coffee: {table: true, stream: 0xc0ffee, full: 5_741, demo: 5_741, most: 1_000_000},
	toolqa.DBLP: {
		part: dblpPart, side: 6,
		stream: 0xdb19, full: dblpFullPapers, demo: 3_000, most: 4_000_000,
	},
	toolqa.Flights: {table: true, stream: 0xf117, full: 4_078_318, demo: 42_400, most: 8_000_000},
	toolqa.SciREX: {
		part: scirexPart, side: 21,
		stream: 0x5c12, full: layout.SciREXPapers, demo: layout.SciREXPapers, most: 20_000,
	},
	toolqa.Yelp: {table: true, stream: 0x7e19, full: 150_346, demo: 5_000, most: 2_000_000},
}

// Scale is a size for all datasets together.
type Scale string

// The scales.
const (
	Full Scale = "full" // the published sizes
	Demo Scale = "demo" // some thousands of rows each: a look at everything within seconds
)

// Scales lists the scales.
func Scales() []Scale { return []Scale{Full, Demo} }

// Options say what [Build] makes. The zero value is the published size from seed 0.
type Options struct {
	Seed  uint64
	Rows  int    // rows of the table, or papers of a dataset without one; 0 means as many as Scale says
	Scale Scale  // "" means Full
	Tool  string // recorded as the program that wrote the corpus

	// Progress, if not nil, is called from time to time with how much of the work is done. Only the
	// ratio has a meaning.
	Progress func(done, total int)
}

// Build writes a synthetic corpus as DIR/corpus/DATASET.sqlite: the columns, order and value
// formats of the published files, invented values. The same seed and size give the same content.
func Build(ctx context.Context, dir string, ds toolqa.Dataset, opts Options) (layout.Info, error) {
	n, err := Rows(ds, opts)
	if err != nil {
		return layout.Info{}, err
	}

	g := generators[ds]
	newRand := func() *rand.Rand { return rand.New(rand.NewPCG(opts.Seed, g.stream)) }

	var part layout.Part
	if g.part != nil {
		part = g.part(newRand(), n)
	}

	in := layout.Input{Expected: int(g.side * float64(n)), Progress: opts.Progress}
	if g.table {
		in.Next = tableRows(ds, newRand(), n)
		in.Expected += n
	}

	info := layout.Info{Dataset: ds, Source: layout.Synthetic, Seed: opts.Seed, Tool: opts.Tool}
	return layout.Write(ctx, dir, info, in, part)
}

// Rows returns how many rows, papers or passages [Build] makes, or why it makes none.
func Rows(ds toolqa.Dataset, opts Options) (n int, err error) {
	g, ok := generators[ds]
	if !ok {
		return 0, fmt.Errorf("corpus: build %q: no such dataset", ds)
	}

	if n = opts.Rows; n == 0 {
		switch cmp.Or(opts.Scale, Full) {
		case Full:
			n = g.full
		case Demo:
			n = g.demo
		default:
			return 0, fmt.Errorf("corpus: build %s: scale %q; expected one of %v", ds, opts.Scale, Scales())
		}
	}

	if n < 1 || n > g.most {
		return 0, fmt.Errorf("corpus: build %s: %d rows; expected 1 to %d", ds, n, g.most)
	}
	return n, nil
}
