package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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

// importDBLP returns the part that reads the pickles. One graph is in memory at a time, and that in
// Python.
func importDBLP(src *source) (layout.Part, error) {
	return func(ctx context.Context, put func(table string, values ...any) error) error {
		im := &dblpImport{source: src, w: &layout.DBLPWriter{Put: put}}
		if err := im.copyPapers(ctx); err != nil {
			return err
		}
		return im.copyAuthors(ctx)
	}, nil
}

// dblpImport copies pickles into the tables.
type dblpImport struct {
	*source
	w      *layout.DBLPWriter
	papers map[string]uint32 // by their published ids
}

// load reads a pickle by the function of pickles.py called kind.
func (im *dblpImport) load(ctx context.Context, file int, kind string,
	use func(*pickled) error) error {
	f, err := im.open(im.paths[file])
	if err != nil {
		return err
	}
	defer f.Close()

	err = readPickle(ctx, im.opts.Python, f, im.stamps[file].size, kind, use)
	if err != nil {
		return fmt.Errorf("corpus: %s: %w", im.paths[file], err)
	}
	return nil
}

// texts returns the dictionary in a pickle.
func (im *dblpImport) texts(ctx context.Context, file int) (map[string]string, error) {
	var m map[string]string

	err := im.load(ctx, file, "texts", func(p *pickled) error {
		n, err := p.count()
		m = make(map[string]string, n)

		for range n {
			var entry [2]string
			if err := p.next(&entry); err != nil {
				return err
			}

			m[entry[0]] = entry[1]
		}
		return err
	})
	return m, err
}

// copyFound copies a dictionary of a pickle, from titles or names to nodes, into a table.
func (im *dblpImport) copyFound(ctx context.Context, file int, table string,
	keys map[string]uint32) error {
	found, err := im.texts(ctx, file)
	if err != nil {
		return err
	}

	by := make(map[string]uint32, len(found))
	for text, key := range found {
		if n, ok := keys[key]; ok {
			by[text] = n
		}
	}

	return im.w.Found(table, by)
}

// copyPapers copies PaperNet and the titles. A title without a node is left out: the tools do not
// find it either way.
func (im *dblpImport) copyPapers(ctx context.Context) error {
	titles, err := im.texts(ctx, idTitleFile)
	if err != nil {
		return err
	}

	err = im.load(ctx, paperNetFile, "papers", func(p *pickled) error {
		return im.putPapers(p, titles)
	})
	if err != nil {
		return err
	}

	return im.copyFound(ctx, titleIDFile, "titles", im.papers)
}

// putPapers copies the nodes of PaperNet, those with titles first.
func (im *dblpImport) putPapers(p *pickled, titles map[string]string) error {
	keys, numbers, err := im.numberPapers(p, titles)
	if err != nil {
		return err
	}

	cites, citedBy, err := citations(p, numbers)
	if err != nil {
		return err
	}

	// Attributes are most of the data. They come last in the stream, when all else about a paper is
	// known, so that each is written at once and none is kept.
	for i, key := range keys {
		var raw json.RawMessage
		if err := p.next(&raw); err != nil {
			return err
		}

		title, ok := titles[key]
		if !ok {
			continue
		}

		if err := checkAttributes(raw); err != nil {
			return fmt.Errorf("paper %q: %w: %w", key, err, errNotPublished)
		}

		if err := im.w.Paper(key, title, raw, cites[i], citedBy[i]); err != nil {
			return err
		}
	}

	// Older papers come last, as numberPapers has numbered them. No tool prints them, so their
	// attributes were skipped.
	for i, key := range keys {
		if _, ok := titles[key]; ok {
			continue
		}

		if err := im.w.Older(key, cites[i]); err != nil {
			return err
		}
	}
	return nil
}

// numberPapers returns the ids of the nodes, and their numbers: those with titles come first.
func (im *dblpImport) numberPapers(p *pickled, titles map[string]string) ([]string, []uint32,
	error) {
	n, err := p.count()
	if err != nil {
		return nil, nil, err
	}

	keys, numbers := make([]string, n), make([]uint32, n)
	im.papers = make(map[string]uint32, len(titles))
	next := uint32(0)

	for i := range keys {
		if err := p.next(&keys[i]); err != nil {
			return nil, nil, err
		}

		// Only papers with a title can be named: by a tool, or by an edge of AuthorNet.
		if _, ok := titles[keys[i]]; ok {
			numbers[i], im.papers[keys[i]] = next, next
			next++
		}
	}

	// Papers without a title come after all others: the order in which putPapers writes them.
	for i, key := range keys {
		if _, ok := titles[key]; !ok {
			numbers[i] = next
			next++
		}
	}

	return keys, numbers, nil
}

// citations returns what each node cites, by number, and how often each node is cited.
func citations(p *pickled, numbers []uint32) (cites [][]uint32, citedBy []uint32, err error) {
	cites, citedBy = make([][]uint32, len(numbers)), make([]uint32, len(numbers))

	for i := range cites {
		if err := p.next(&cites[i]); err != nil {
			return nil, nil, err
		}

		for j, n := range cites[i] {
			if int(n) >= len(numbers) {
				return nil, nil, fmt.Errorf("a citation of node %d of %d: %w", n, len(numbers),
					errNotPublished)
			}

			citedBy[n]++
			cites[i][j] = numbers[n]
		}
	}
	return cites, citedBy, nil
}

// checkAttributes makes sure that the attributes of a node are an object, and that the authors and
// keywords of a paper, if any, are lists.
func checkAttributes(text []byte) error {
	var lists *struct{ Authors, Keywords []json.RawMessage }
	if err := json.Unmarshal(text, &lists); err != nil || lists == nil {
		return fmt.Errorf("attributes %.40q: %w", text, cmp.Or(err, errors.New("not an object")))
	}
	return nil
}
