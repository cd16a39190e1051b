package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"toolevo/envs/disk"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"toolevo/toolqa/corpus"
)

// Index ranks passages by the words they share with a query. It implements [Searcher].
type Index struct {
	index bleve.Index
	about about
}

// Open opens the index of a corpus's passages read-only, and makes it first where there is none. Progress, if
// not nil, is then told how many passages are done. In a corpus without passages nothing is found.
func Open(ctx context.Context, c *corpus.Corpus, progress func(done, total int)) (*Index, error) {
	if c.DocumentCount() == 0 {
		return &Index{}, nil
	}

	if err := disk.RemoveLeftovers(filepath.Dir(indexPath(c)), temporary, ""); err != nil {
		return nil, fmt.Errorf("retrieve: %w", err)
	}

	x, err := open(c)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return x, err
	}

	if err := build(ctx, c, progress); err != nil {
		return nil, fmt.Errorf("retrieve: make the index of %s: %w", c.Path(), err)
	}

	return open(c)
}

// Prepare makes the index of a corpus's passages where there is none, for instance when the corpus itself is made. What
// belongs to another content of the corpus is removed.
func Prepare(ctx context.Context, c *corpus.Corpus, progress func(done, total int)) error {
	x, err := Open(ctx, c, progress)
	if err != nil {
		return err
	}

	return x.Close()
}

// Verify returns an error unless what is derived from a corpus is as it was written: its index, and the vectors of each
// model. What was not made yet, or of another content, is not looked at.
func Verify(ctx context.Context, c *corpus.Corpus) error {
	if c.DocumentCount() == 0 {
		return nil
	}

	x, err := open(c)
	if err == nil {
		err = x.Close()
	}

	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	files, err := filepath.Glob(filepath.Join(derivedFolder(c, ".vectors"), "*"+vectorSuffix))
	for _, path := range files {
		if err == nil {
			err = verifyVectors(ctx, c, path)
		}
	}

	return err
}

// open opens the index that is there.
func open(c *corpus.Corpus) (*Index, error) {
	path := indexPath(c)
	fail := func(err error) (*Index, error) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("retrieve: open %s: %w", path, err)
		}

		return nil, fmt.Errorf("retrieve: open %s: %w: remove the folder, and it is made again", path, err)
	}

	x := &Index{}
	if err := x.about.read(filepath.Join(path, aboutFile)); err != nil {
		return fail(err)
	}
	// Package bleve trusts the files that it maps into memory: one that is cut would be noticed by a crash,
	// and one that was changed not at all.
	files, err := hashes(path)
	if err != nil {
		return fail(fmt.Errorf("%w: %v", corpus.ErrDamaged, err))
	}

	for name, want := range x.about.Files {
		if files[name] != want {
			return fail(fmt.Errorf("%w: %s is not what was written", corpus.ErrDamaged, name))
		}
	}

	if len(files) != len(x.about.Files) {
		return fail(fmt.Errorf("%w: %d files; expected %d", corpus.ErrDamaged, len(files), len(x.about.Files)))
	}

	if x.index, err = bleve.OpenUsing(path, map[string]any{"read_only": true, "bolt_timeout": "10s"}); err != nil {
		// not one that a missing file makes look like a missing index
		return fail(fmt.Errorf("%w: %v", corpus.ErrDamaged, err))
	}

	if n, err := x.index.DocCount(); err != nil || n != uint64(x.about.Passages) {
		return fail(errors.Join(fmt.Errorf("%w: %d passages of %d", corpus.ErrDamaged, n, x.about.Passages), err,
			x.index.Close()))
	}

	return x, nil
}

// Close closes the files.
func (x *Index) Close() error {
	if x.index == nil {
		return nil
	}

	return x.index.Close()
}

// Model returns "": the ranking depends on the corpus alone.
func (x *Index) Model() string { return "" }

// Search returns the IDs of the k passages with the highest scores that share a word with the query.
func (x *Index) Search(ctx context.Context, query string, k int) ([]int, error) {
	if x.index == nil {
		return nil, nil
	}

	for size := k + 8; ; size *= 4 {
		hits, err := x.top(ctx, query, size)
		if err != nil {
			return nil, fmt.Errorf("retrieve: search for %.100q: %w", query, err)
		}

		if len(hits) < size || !nearlyEqual(hits[k-1].score, hits[size-1].score) {
			sortHits(hits)
			return idsOf(hits[:min(k, len(hits))]), nil
		}
	}
}

// hit is a passage with its score.
type hit struct {
	id    int
	score float64
}

// top returns the hits with the highest scores, highest first.
func (x *Index) top(ctx context.Context, query string, size int) ([]hit, error) {
	match := bleve.NewMatchQuery(query)
	match.SetField(contentField)
	req := bleve.NewSearchRequestOptions(match, size, 0, false)
	req.PreSearchData = map[string]any{search.BM25PreSearchDataKey: &search.BM25Stats{
		DocCount:         float64(x.about.Passages),
		FieldCardinality: map[string]int{contentField: x.about.Words},
	}}

	found, err := x.index.SearchInContext(ctx, req)
	if err != nil {
		return nil, err
	}

	hits := make([]hit, len(found.Hits))
	for i, h := range found.Hits {
		id, err := strconv.Atoi(h.ID)
		if err != nil {
			return nil, err
		}

		hits[i] = hit{id, h.Score}
	}

	return hits, nil
}

// nearlyEqual reports whether two scores differ by rounding at most: the order in which their parts are added depends
// on the places of the passages in the index.
func nearlyEqual(higher, lower float64) bool { return higher-lower <= 1e-9*higher }

// sortHits puts hits that are in the order of their scores in the order of their IDs where the scores are alike.
func sortHits(hits []hit) {
	for len(hits) > 0 {
		n := 1
		for n < len(hits) && nearlyEqual(hits[n-1].score, hits[n].score) {
			n++
		}

		slices.SortFunc(hits[:n], func(a, b hit) int { return cmp.Compare(a.id, b.id) })
		hits = hits[n:]
	}
}

func idsOf(hits []hit) []int {
	ids := make([]int, len(hits))
	for i, h := range hits {
		ids[i] = h.id
	}

	return ids
}
