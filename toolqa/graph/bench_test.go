package graph

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"toolevo/toolqa/corpus/synth"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/graphtest"
)

// full opens the graphs of a synthetic corpus of the published size.
func full(b *testing.B) (*Graphs, *graphtest.DBLP) {
	if testing.Short() {
		b.Skip("builds a corpus of 553,320 papers, which takes about a minute")
	}

	dir := b.TempDir()
	if _, err := synth.Build(context.Background(), dir, toolqa.DBLP, synth.Options{Seed: 1}); err != nil {
		b.Fatal(err)
	}

	g, c := open(b, dir)

	d, err := graphtest.Read(context.Background(), c.URI())
	if err != nil {
		b.Fatal(err)
	}
	return g, d
}

// BenchmarkFull calls each tool for random nodes of graphs of the published size, and reports the
// median.
func BenchmarkFull(b *testing.B) {
	g, d := full(b)
	rng := rand.New(rand.NewPCG(1, 2))
	paper := func() string { return d.Title(rng.IntN(d.Papers())) }
	author := func() int { return rng.IntN(d.Authors()) }

	for _, c := range []struct {
		name string
		tool tool
		args func() envs.Args
	}{
		{"NodeCheck/paper", NodeCheck{g}, func() envs.Args { return node("PaperNet", paper()) }},
		{"NodeCheck/author", NodeCheck{g}, func() envs.Args { return node("AuthorNet", d.Author(author()).Name) }},
		{"NeighbourCheck/paper", NeighbourCheck{Graphs: g}, func() envs.Args { return node("PaperNet", paper()) }},
		{"NeighbourCheck/author", NeighbourCheck{Graphs: g},
			func() envs.Args { return node("AuthorNet", d.Author(author()).Name) }},
		{"EdgeCheck/paper", EdgeCheck{Graphs: g}, func() envs.Args {
			citing, cited := rng.IntN(d.Papers()), rng.IntN(d.Papers())
			if known, _ := d.References(citing); len(known) > 0 {
				cited = known[rng.IntN(len(known))]
			}
			return edgeOf("PaperNet", d.Title(citing), d.Title(cited))
		}},
		{"EdgeCheck/author", EdgeCheck{Graphs: g}, func() envs.Args {
			one, other := author(), author()
			if edges := d.Coauthors(one); len(edges) > 0 {
				other = edges[rng.IntN(len(edges))].Author
			}
			return edgeOf("AuthorNet", d.Author(one).Name, d.Author(other).Name)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var times []time.Duration

			for b.Loop() {
				a := c.args()
				start := time.Now()

				if _, _, err := c.tool.Call(context.Background(), toolqa.Session{}, a); err != nil {
					b.Fatal(err)
				}

				times = append(times, time.Since(start))
			}

			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-median")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
		})
	}
}
