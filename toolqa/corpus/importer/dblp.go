package importer

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nlpodyssey/gopickle/types"

	"toolevo/envs/regular"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// The published pickles, in the order of dblpFiles.
const (
	paperNetFile = iota
	authorNetFile
	titleIDFile
	authorIDFile
	idTitleFile
	idAuthorFile
)

var dblpFileNames = []string{
	paperNetFile: "paper_net.pkl", authorNetFile: "author_net.pkl",
	titleIDFile: "title2id_dict.pkl", authorIDFile: "author2id_dict.pkl",
	idTitleFile: "id2title_dict.pkl", idAuthorFile: "id2author_dict.pkl",
}

// dblpFiles finds the six pickles in a folder; from may also be one of them.
func dblpFiles(_ layout.Schema, from string) ([]string, error) {
	if stat, err := os.Stat(from); err == nil && !stat.IsDir() {
		from = filepath.Dir(from)
	}

	paths := make([]string, len(dblpFileNames))
	var missing []error

	for i, name := range dblpFileNames {
		var err error
		if paths[i], err = findPublished(toolqa.DBLP, from, name); err != nil {
			missing = append(missing, err)
		}
	}

	switch n := len(missing); {
	case n == len(paths):
		return nil, missing[0]
	case n > 0: // some are there: not a corpus that is elsewhere, but one that is not whole
		return nil, fmt.Errorf("%d of the %d pickles are missing: %v", n, len(paths), missing[0])
	}

	return paths, nil
}

// importDBLP returns the part that reads the pickles. One graph is in memory at a time: of the papers, what
// stays is their published ids. Pickles of 553,320 papers, 355,368 authors, 6 million citations and a million
// edges, 765 MB in all, took two minutes and 3.9 GB of resident memory, twice what is in use at most; GOGC=40
// in the environment saves a quarter of it. The published graphs may be larger.
func importDBLP(src *source) ([]layout.Part, error) {
	return []layout.Part{func(ctx context.Context, put func(table string, values ...any) error) error {
		im := &dblpImport{
			open:  func(i int) (io.ReadCloser, error) { return src.open(src.paths[i]) },
			paths: src.paths,
			w:     &layout.DBLPWriter{Put: put},
		}

		return im.run(ctx)
	}}, nil
}

// dblpImport copies pickles into the tables.
type dblpImport struct {
	open   func(file int) (io.ReadCloser, error)
	paths  []string
	w      *layout.DBLPWriter
	papers map[string]uint32 // by their published ids
}

func (im *dblpImport) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{im.copyPapers, im.copyAuthors} {
		if err := step(ctx); err != nil {
			return err
		}
	}

	return nil
}

// load returns the object in a pickle; keep is that of unpickle.
func (im *dblpImport) load(ctx context.Context, file int, keep func(node string) bool) (any, error) {
	path := im.paths[file]

	use, size, err := scanPickleFile(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("corpus: %s: %w", path, err)
	}

	f, err := im.open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	v, err := unpickle(ctxReader{ctx, f}, size, use, keep)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}

		return nil, fmt.Errorf("corpus: %s: %w", path, err)
	}

	return v, nil
}

func scanPickleFile(ctx context.Context, path string) (*memoUse, int64, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()

	stat, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}

	use, err := scanPickle(ctxReader{ctx, f}, stat.Size())

	return use, stat.Size(), err
}

// ctxReader ends when its context does.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (r ctxReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}

	return r.r.Read(p)
}

// texts returns the dictionary in a pickle.
func (im *dblpImport) texts(ctx context.Context, file int) (map[string]string, error) {
	v, err := im.load(ctx, file, nil)
	if err != nil {
		return nil, err
	}

	m, err := stringMap(v)

	return m, im.wrong(file, err)
}

// graph returns the nodes and edges in a pickle; keep is that of unpickle.
func (im *dblpImport) graph(ctx context.Context, file int, keep func(node string) bool) (nodes, neighbours types.Dict,
	err error) {
	v, err := im.load(ctx, file, keep)
	if err != nil {
		return nil, nil, err
	}

	g, ok := v.(*pickledGraph)
	if want := file == paperNetFile; !ok || g.directed != want {
		expected := "an undirected graph"
		if want {
			expected = "a directed graph"
		}

		return nil, nil, im.wrong(file, fmt.Errorf("it holds %s; expected %s: %w", pythonType(v), expected,
			errNotGraph))
	}

	if nodes, err = g.nodes(); err == nil {
		neighbours, err = g.neighbours()
	}

	if err == nil && len(nodes) != len(neighbours) {
		err = fmt.Errorf("%d nodes, and neighbours of %d: %w", len(nodes), len(neighbours), errNotGraph)
	}

	return nodes, neighbours, im.wrong(file, err)
}

// wrong says in which file something is wrong.
func (im *dblpImport) wrong(file int, err error) error {
	if err == nil {
		return nil
	}

	return fmt.Errorf("corpus: %s: %w", im.paths[file], err)
}

// copyPapers copies PaperNet and the titles. A title that stands for no node is left out: the tools do not
// find it either way.
func (im *dblpImport) copyPapers(ctx context.Context) error {
	titles, err := im.texts(ctx, idTitleFile)
	if err != nil {
		return err
	}

	nodes, neighbours, err := im.graph(ctx, paperNetFile, func(node string) bool { _, ok := titles[node]; return ok })
	if err != nil {
		return err
	}

	if err := im.putPapers(ctx, titles, nodes, neighbours); err != nil {
		return im.wrong(paperNetFile, err)
	}

	nodes, neighbours = nil, nil

	found, err := im.texts(ctx, titleIDFile)
	if err != nil {
		return err
	}

	return im.w.Found("titles", numbersOf(found, im.papers))
}

// numbersOf returns what texts stand for.
func numbersOf(found map[string]string, keys map[string]uint32) map[string]uint32 {
	by := make(map[string]uint32, len(found))
	for text, key := range found {
		if n, ok := keys[key]; ok {
			text = strings.ToValidUTF8(text, "\uFFFD")
			by[text] = max(n, by[text]) // texts that are not UTF-8 may become the same one
		}
	}

	return by
}

func (im *dblpImport) putPapers(ctx context.Context, titles map[string]string, nodes, neighbours types.Dict) error {
	numbers, err := numberNodes(nodes, func(key string) bool { _, ok := titles[key]; return ok })
	if err != nil {
		return err
	}

	cites, err := citations(numbers, neighbours)
	if err != nil {
		return err
	}

	citedBy := make([]uint32, len(nodes))
	for _, n := range cites.All {
		citedBy[n]++
	}

	im.papers = make(map[string]uint32, len(titles))

	for _, known := range []bool{true, false} {
		for _, node := range nodes {
			key := node.Key.(string)
			n := numbers[key]
			title, ok := titles[key]

			if err := ctx.Err(); err != nil {
				return err
			}

			switch {
			case ok != known:
				continue
			case !known:
				if err := im.w.Older(key, cites.List(int(n))); err != nil {
					return err
				}

				continue
			}

			raw, _ := node.Value.(rawAttributes)
			if _, _, err := layout.ParseAttributes(raw); err != nil {
				return fmt.Errorf("paper %q: %w: %w", key, err, errNotGraph)
			}

			key = strings.Clone(key) // its pickle goes
			im.papers[key] = n

			title = strings.ToValidUTF8(title, "\uFFFD")
			if err := im.w.Paper(key, title, raw, cites.List(int(n)), citedBy[n]); err != nil {
				return err
			}
		}
	}

	return nil
}

// numberNodes numbers the nodes of a graph in their order, those first for which first holds.
func numberNodes(nodes types.Dict, first func(key string) bool) (map[string]uint32, error) {
	numbers := make(map[string]uint32, len(nodes))
	for _, turn := range []bool{true, false} {
		for _, node := range nodes {
			key, ok := node.Key.(string)
			if !ok {
				return nil, fmt.Errorf("a node is %s; expected an id, which is a text: %w", pythonType(node.Key),
					errNotGraph)
			}

			if first(key) != turn {
				continue
			}

			if _, twice := numbers[key]; twice {
				return nil, fmt.Errorf("two nodes %q: %w", key, errNotGraph)
			}

			numbers[key] = uint32(len(numbers))
		}
	}

	return numbers, nil
}

// citations returns what each paper cites.
func citations(numbers map[string]uint32, neighbours types.Dict) (layout.Grouped, error) {
	lists := make([]types.Dict, len(numbers))

	seen := make([]bool, len(numbers))
	for _, entry := range neighbours {
		n, err := numberOf(numbers, entry.Key)
		if err != nil {
			return layout.Grouped{}, err
		}

		list, ok := dictOf(entry.Value)
		if !ok || seen[n] {
			return layout.Grouped{}, fmt.Errorf("the neighbours of %.40q are %s: %w", entry.Key,
				pythonType(entry.Value), errNotGraph)
		}

		lists[n], seen[n] = list, true
	}

	g := layout.Grouped{Starts: make([]uint32, 1, len(numbers)+1)}

	for _, list := range lists {
		for _, edge := range list {
			n, err := numberOf(numbers, edge.Key)
			if err != nil {
				return layout.Grouped{}, err
			}

			if attributes, ok := dictOf(edge.Value); !ok || len(attributes) > 0 {
				return layout.Grouped{}, fmt.Errorf(
					"the edge to %.40q has attributes; the published ones have none: %w", edge.Key, errNotGraph)
			}

			g.All = append(g.All, n)
		}

		g.Starts = append(g.Starts, uint32(len(g.All)))
	}

	return g, nil
}

func numberOf(numbers map[string]uint32, key any) (uint32, error) {
	text, _ := key.(string)

	n, ok := numbers[text]
	if !ok {
		return 0, fmt.Errorf("an edge of %s, which is no node: %w", pythonType(key), errNotGraph)
	}

	return n, nil
}
