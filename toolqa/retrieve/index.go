package retrieve

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"toolevo/envs/disk"
	"toolevo/envs/exact"
	"toolevo/toolqa/corpus"
)

// indexFormat changes when an index that was made before would rank otherwise.
const indexFormat = "words 1"

// Index ranks passages by the words they share with a query. It implements [Searcher].
type Index struct {
	kept          postings
	averageLength float64 // of a passage, in words, rounded up
}

// postings are what is kept of an index in its file.
type postings struct {
	IDs     []int    // of the passages, ascending
	Lengths []int    // of each, in words
	Words   []string // ascending
	Found   []int    // in how many passages each of Words is
	// Places has for each of Words the passages that it is in, ascending: two varints each, how far
	// on in IDs the passage is, and how often it has the word.
	Places [][]byte
}

// Open opens the index of a corpus's passages, and makes it first if there is none. progress, if
// not nil, is then called with how many passages are done. In a corpus without passages nothing is
// found.
func Open(ctx context.Context, c *corpus.Corpus, progress func(done, total int)) (*Index, error) {
	if c.DocumentCount() == 0 {
		return &Index{}, nil
	}

	path := indexPath(c)
	if err := disk.RemoveLeftovers(filepath.Dir(path), temporary, ""); err != nil {
		return nil, fmt.Errorf("retrieve: %w", err)
	}

	x, err := readIndex(c)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return x, err
	}

	if x, err = newIndex(ctx, c, progress); err == nil {
		err = x.write(path)
		_ = removeOthers(path) // they only take up space
	}

	if err != nil {
		return nil, fmt.Errorf("retrieve: make the index of %s: %w", c.Path(), err)
	}
	return x, nil
}

// Verify returns an error unless what is derived from a corpus is as it was written: its index, and
// the vectors of each model. What was not made yet, or from another content, is not checked.
func Verify(ctx context.Context, c *corpus.Corpus) error {
	if c.DocumentCount() == 0 {
		return nil
	}

	if _, err := readIndex(c); err != nil && !errors.Is(err, fs.ErrNotExist) {
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

// indexPath is where the index of a corpus is.
func indexPath(c *corpus.Corpus) string {
	return filepath.Join(derivedFolder(c, ".words"), derivedKey(c, indexFormat))
}

// newIndex counts the words of a corpus's passages.
func newIndex(ctx context.Context, c *corpus.Corpus, progress func(done, total int)) (*Index, error) {
	x, total := &Index{}, c.DocumentCount()
	places, last, found := map[string][]byte{}, map[string]int{}, map[string]int{}

	for d, err := range c.Documents(ctx) {
		if err != nil {
			return nil, err
		}

		words := wordsOf(d.Content)
		at := len(x.kept.IDs)
		x.kept.IDs, x.kept.Lengths = append(x.kept.IDs, d.ID), append(x.kept.Lengths, len(words))

		often := map[string]uint64{}
		for _, word := range words {
			often[word]++
		}

		// Places are kept as distances from the one before: mostly a single byte.
		for word, n := range often {
			places[word] = binary.AppendUvarint(binary.AppendUvarint(places[word], uint64(at-last[word])), n)
			last[word] = at
			found[word]++
		}

		if progress != nil {
			progress(at+1, total)
		}
	}

	// Sorted, so that a query finds its words by halving.
	x.kept.Words = slices.Sorted(maps.Keys(places))
	for _, word := range x.kept.Words {
		x.kept.Places, x.kept.Found = append(x.kept.Places, places[word]), append(x.kept.Found, found[word])
	}

	x.average()
	return x, nil
}

// readIndex reads the index, and refuses one that is not as it was written.
func readIndex(c *corpus.Corpus) (*Index, error) {
	path := indexPath(c)

	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("retrieve: %w", err)
	}

	x := &Index{}

	text, err := disk.Unseal(file)
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(text)).Decode(&x.kept)
	}

	x.average()

	if err != nil {
		return nil, fmt.Errorf("retrieve: %w: %s: %w: remove it, and it is made again", corpus.ErrDamaged, path, err)
	}
	return x, nil
}

func (x *Index) average() {
	all := 0
	for _, n := range x.kept.Lengths {
		all += n
	}

	x.averageLength = math.Ceil(float64(all) / float64(len(x.kept.Lengths)))
}

func (x *Index) write(path string) error {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(x.kept); err != nil {
		return err
	}
	return writeDerived(path, func(w io.Writer) error {
		_, err := w.Write(disk.Seal(text.Bytes()))
		return err
	})
}

// Model returns "": the ranking depends on the corpus alone.
func (x *Index) Model() string { return "" }

// Search returns the IDs of the k passages with the highest scores that share a word with the
// query. Passages that have the same words equally often have scores that are equal to the bit,
// since these are added in the order of the query.
func (x *Index) Search(_ context.Context, query string, k int) ([]int, error) {
	scores, shared := make([]float64, len(x.kept.IDs)), make([]int, len(x.kept.IDs))
	for _, word := range wordsOf(query) {
		x.add(word, scores, shared)
	}

	var best []hit
	for at, n := range shared {
		if n > 0 {
			best = keepBest(best, hit{x.kept.IDs[at], scores[at] * float64(n)}, k)
		}
	}

	return idsOf(best), nil
}

// The customary constants of BM25: how soon more of a word adds no more, and how much the length of
// a passage counts.
const (
	saturation = 1.2
	lengthness = 0.75
)

// add adds the score of a word of a query to the passages that have it.
func (x *Index) add(word string, scores []float64, shared []int) {
	i, found := slices.BinarySearch(x.kept.Words, word)
	if !found {
		return
	}

	passages := float64(len(x.kept.IDs))
	places := x.kept.Places[i]
	with := float64(x.kept.Found[i])
	rarity := exact.Log(1 + (passages-with+0.5)/(with+0.5))

	for at := 0; len(places) > 0; {
		gap, n := binary.Uvarint(places)
		often, m := binary.Uvarint(places[n:])
		places = places[n+m:]
		at += int(gap)

		length := float64(x.kept.Lengths[at]) / x.averageLength
		frequency := math.Sqrt(float64(often))
		scores[at] += float64(rarity * rarity * frequency * saturation /
			(frequency + float64(saturation*(1-lengthness+float64(lengthness*length)))))
		shared[at]++
	}
}
