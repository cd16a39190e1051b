package measure

import (
	"context"

	"toolevo/envs/stategen"
)

// Growth is how coverage grows with each program.
type Growth struct {
	ATC      []float64 // after 1, 2 and so on programs, in 0..1
	Pairs    []int     // distinct data-bound pairs of transitions, likewise; nil if not counted
	Straight int       // programs without a branch
	Calls    int       // in the text of all programs
}

// Grow generates n programs of a domain, with an empty book, and measures them.
func Grow(ctx context.Context, d stategen.Domain, o stategen.Options, n int) (Growth, error) {
	var (
		g    Growth
		book stategen.Book
	)

	covered := NewCoverage(d.Counted())

	// One at a time: the book counts programs before they are yielded.
	for range n {
		_, err := stategen.Generate(ctx, d, o, &book, 1, func(t stategen.Task) error {
			g.add(covered, Of(&t.Program))
			return nil
		})
		if err != nil {
			return g, err
		}

		g.Pairs = append(g.Pairs, len(book.Pairs()))
	}
	return g, nil
}

// GrowthOf measures programs that others made, which call the tools of a domain.
func GrowthOf(d stategen.Domain, programs []Flow) Growth {
	var g Growth

	covered := NewCoverage(d.Counted())
	for _, f := range programs {
		g.add(covered, f)
	}
	return g
}

func (g *Growth) add(covered *Coverage, f Flow) {
	g.ATC = append(g.ATC, covered.Add(f))
	g.Calls += f.Complexity().Calls

	if !f.Branches() {
		g.Straight++
	}
}
