package retrieve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"toolevo/toolqa/corpus"
)

// Embedder turns texts into vectors, such that texts of a similar meaning have vectors of a similar
// direction. Implementations are safe for concurrent use.
type Embedder interface {
	// Embed returns a vector for each text, all of one length; nil for one that cannot be embedded
	// though others can, and an error for which envs.GivenUp holds.
	Embed(ctx context.Context, texts []string) ([][]float32, error)

	// Model identifies the model: vectors of different models have nothing to do with each other.
	Model() string
}

// Dense ranks passages by the angle between their vectors and that of the query. It implements
// [Searcher], and compares the query with every passage.
type Dense struct {
	embedder Embedder
	vectors  *vectors
}

// OpenDense reads the vectors of a corpus's passages, and makes them first if there are none of
// this model. progress, if not nil, is then called with how many passages are done.
func OpenDense(ctx context.Context, c *corpus.Corpus, e Embedder, progress func(done, total int)) (*Dense, error) {
	v, err := readOrEmbed(ctx, c, e, progress)
	if err != nil {
		return nil, fmt.Errorf("retrieve: vectors of %s by %s: %w", c.Path(), e.Model(), err)
	}
	return &Dense{e, v}, nil
}

// Model returns the name of the model.
func (d *Dense) Model() string { return d.embedder.Model() }

// Lost returns the IDs of the passages that are never found, because the model's server fails at
// them.
func (d *Dense) Lost() []int { return d.vectors.lost }

// Search returns the IDs of the k passages whose vectors are nearest to that of the query.
func (d *Dense) Search(ctx context.Context, query string, k int) ([]int, error) {
	if len(d.vectors.ids) == 0 {
		return nil, nil
	}

	list, err := d.embedder.Embed(ctx, []string{query})
	if err == nil {
		err = checkVectors(list, 1, d.vectors.size)
	}

	if err != nil {
		return nil, fmt.Errorf("retrieve: embed %.100q with %s: %w", query, d.Model(), err)
	}
	return d.vectors.nearest(unit(list[0]), k), nil
}

// checkVectors returns an error unless there are n vectors of the size, or of any if that is 0.
func checkVectors(list [][]float32, n, size int) error {
	if len(list) != n {
		return fmt.Errorf("%d vectors for %d texts", len(list), n)
	}

	for _, v := range list {
		if size == 0 {
			size = len(v)
		}

		if len(v) == 0 || len(v) != size {
			return fmt.Errorf("a vector of %d numbers; expected %d", len(v), size)
		}

		if x := dot(v, v); math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return errors.New("a vector that is not finite")
		}
	}
	return nil
}

// vectors are those of all passages, of length one.
type vectors struct {
	ids  []int
	lost []int     // passages without a vector
	why  error     // why the first of those has none; nil if the vectors were read from a file
	size int       // of one vector
	data []float32 // one after the other
}

// nearest returns the IDs of the k vectors with the largest dot product, of equal ones the lowest
// ID first.
func (v *vectors) nearest(query []float32, k int) []int {
	parts := min(runtime.GOMAXPROCS(0), 1+len(v.data)/partSize)
	found := make([][]hit, parts)

	var group sync.WaitGroup
	for i := range parts {
		group.Go(func() { found[i] = v.nearestOf(i*len(v.ids)/parts, (i+1)*len(v.ids)/parts, query, k) })
	}

	group.Wait()

	best := slices.Concat(found...)
	slices.SortFunc(best, compareHits)
	return idsOf(best[:min(k, len(best))])
}

// partSize is how many numbers of vectors there must be for each further goroutine of a search.
const partSize = 1 << 20

// nearestOf returns the k nearest of the vectors from start to end, the best one first.
func (v *vectors) nearestOf(start, end int, query []float32, k int) []hit {
	var best []hit

	for i := start; i < end; i++ {
		best = keepBest(best, hit{v.ids[i], float64(dot(query, v.data[i*v.size:(i+1)*v.size]))}, k)
	}
	return best
}

// dot returns the dot product of two vectors of one length. The processor can work on the eight
// sums side by side.
func dot(a, b []float32) float32 {
	b = b[:len(a)]

	var s [8]float32
	for len(a) >= 8 && len(b) >= 8 {
		s[0] += float32(a[0] * b[0])
		s[1] += float32(a[1] * b[1])
		s[2] += float32(a[2] * b[2])
		s[3] += float32(a[3] * b[3])
		s[4] += float32(a[4] * b[4])
		s[5] += float32(a[5] * b[5])
		s[6] += float32(a[6] * b[6])
		s[7] += float32(a[7] * b[7])
		a, b = a[8:], b[8:]
	}

	for i, x := range a {
		s[0] += float32(x * b[i])
	}
	return (s[0] + s[1]) + (s[2] + s[3]) + (s[4] + s[5]) + (s[6] + s[7])
}

// unit returns a vector in the direction of v whose length is one; zero stays zero.
func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}

	scaled := make([]float32, len(v))
	if sum == 0 {
		return scaled
	}

	for i, x := range v {
		scaled[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return scaled
}
