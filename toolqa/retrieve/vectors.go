package retrieve

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/toolqa/corpus"
)

const (
	vectorFormat = "vectors 1"
	vectorSuffix = ".f32"

	// embedBatch is how many passages are embedded at a time.
	embedBatch = 64
)

// vectorHeader is the first line of a file of vectors, as JSON. After it come the numbers,
// little-endian.
type vectorHeader struct {
	Format string `json:"format"`
	Model  string `json:"model"`
	IDs    []int  `json:"ids"`            // of the passages, ascending
	Lost   []int  `json:"lost,omitempty"` // passages without a vector: the model's server fails at them
	Size   int    `json:"size"`
	SHA256 []byte `json:"sha256"` // of the numbers
}

func vectorPath(c *corpus.Corpus, model string) string {
	return filepath.Join(derivedFolder(c, ".vectors"), derivedKey(c, vectorFormat, model)+vectorSuffix)
}

// readOrEmbed returns the vectors of a corpus by a model, from their file, which is made first
// if there is none.
func readOrEmbed(ctx context.Context, c *corpus.Corpus, e Embedder, progress func(done, total int)) (*vectors, error) {
	path := vectorPath(c, e.Model())
	if err := disk.RemoveLeftovers(filepath.Dir(path), temporary, ""); err != nil {
		return nil, err
	}

	v, err := readVectors(ctx, c, e.Model())
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return v, err
	}

	if v, err = embed(ctx, c, e, progress); err != nil {
		return nil, err
	}
	return v, v.write(path, e.Model())
}

// readVectors reads the vectors of a corpus by a model, and checks that they are those that were
// written, of the passages that there are.
func readVectors(ctx context.Context, c *corpus.Corpus, model string) (*vectors, error) {
	path := vectorPath(c, model)

	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}

	line, numbers, _ := bytes.Cut(data, []byte("\n"))
	var h vectorHeader

	damaged := func(what any) error {
		return fmt.Errorf("%w: %s: %v: remove it, and it is made again", corpus.ErrDamaged, path, what)
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return nil, damaged(err)
	}

	var ids []int

	for d, err := range c.Documents(ctx) {
		if err != nil {
			return nil, err
		}

		// The model's server failed at the lost passages: all others must have a vector.
		if !slices.Contains(h.Lost, d.ID) {
			ids = append(ids, d.ID)
		}
	}

	// The hash is of the numbers alone, so what the header says is compared with the corpus.
	sum := sha256.Sum256(numbers)
	if h.Format != vectorFormat || h.Model != model || h.Size < 0 || len(numbers) != 4*h.Size*len(ids) ||
		!bytes.Equal(sum[:], h.SHA256) || !slices.Equal(h.IDs, ids) {
		return nil, damaged("not what was written")
	}

	v := &vectors{ids: h.IDs, lost: h.Lost, size: h.Size, data: make([]float32, h.Size*len(h.IDs))}
	for i := range v.data {
		v.data[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
	}
	return v, nil
}

// verifyVectors returns an error when a file is of this corpus and not what was written. Its first
// line says of which model it is.
func verifyVectors(ctx context.Context, c *corpus.Corpus, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()

	var h vectorHeader
	if err := json.NewDecoder(f).Decode(&h); err != nil {
		return fmt.Errorf("retrieve: %w: %s: %v: remove it, and it is made again", corpus.ErrDamaged, path, err)
	}

	if vectorPath(c, h.Model) != path {
		return nil
	}

	if _, err := readVectors(ctx, c, h.Model); err != nil {
		return fmt.Errorf("retrieve: %w", err)
	}
	return nil
}

// embed makes the vectors of all passages.
func embed(ctx context.Context, c *corpus.Corpus, e Embedder, progress func(done, total int)) (*vectors, error) {
	v := &vectors{}
	var ids []int
	var texts []string
	var last int
	flush := func() error {
		list, err := e.Embed(ctx, texts)
		// A passage at which the server fails is left out: the others can still be found.
		if _, someLost := envs.GivenUp(err); err == nil || someLost {
			kept := v.setLost(ids, list, err)
			ids, list = kept, slices.DeleteFunc(list, isLost)
			err = checkVectors(list, len(ids), v.size)
		}

		if err != nil {
			return fmt.Errorf("embed passages up to %d: %w", last, err)
		}

		// Scaled once, here, so that a search only needs dot products.
		for _, vector := range list {
			v.size = len(vector)
			v.data = append(v.data, unit(vector)...)
		}

		v.ids = append(v.ids, ids...)

		ids, texts = ids[:0], texts[:0]
		if progress != nil {
			progress(len(v.ids)+len(v.lost), c.DocumentCount())
		}
		return nil
	}

	for d, err := range c.Documents(ctx) {
		if err != nil {
			return nil, err
		}

		last, ids, texts = d.ID, append(ids, d.ID), append(texts, d.Content)
		if len(ids) == embedBatch {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}

	if len(ids) > 0 {
		if err := flush(); err != nil {
			return nil, err
		}
	}

	// A server that fails at all of them is of no use.
	if len(v.ids) == 0 && v.why != nil {
		return nil, v.why
	}
	return v, nil
}

func isLost(vector []float32) bool { return vector == nil }

// setLost records the passages that have no vector, and why the first has none, and returns the
// others.
func (v *vectors) setLost(ids []int, list [][]float32, why error) (kept []int) {
	if len(list) != len(ids) {
		return ids
	}

	for i, id := range ids {
		if isLost(list[i]) {
			v.lost = append(v.lost, id)
			v.why = cmp.Or(v.why, why)
		} else {
			kept = append(kept, id)
		}
	}

	return kept
}

// write writes the file at path. Vectors of other models, or of what the corpus held before, stay:
// they are expensive, and nothing tells the two apart.
func (v *vectors) write(path, model string) error {
	return writeDerived(path, func(w io.Writer) error { return v.writeTo(w, model) })
}

func (v *vectors) writeTo(to io.Writer, model string) error {
	numbers := make([]byte, 0, 4*len(v.data))
	for _, x := range v.data {
		numbers = binary.LittleEndian.AppendUint32(numbers, math.Float32bits(x))
	}

	sum := sha256.Sum256(numbers)

	header, err := json.Marshal(vectorHeader{vectorFormat, model, v.ids, v.lost, v.size, sum[:]})
	if err != nil {
		return err
	}

	w := bufio.NewWriter(to)
	w.Write(append(header, '\n'))
	w.Write(numbers)
	return w.Flush() // reports the errors of all writes
}
