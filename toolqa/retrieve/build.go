package retrieve

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	charregexp "github.com/blevesearch/bleve/v2/analysis/char/regexp"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/toolqa/corpus"
)

const (
	indexFormat  = "bleve 3" // changes when an index that was made before would rank otherwise
	contentField = "content"
	analyzerName = "passage"
	aboutFile    = "about.json"
)

// about is what an index says about itself beyond what bleve does, in a sealed file.
type about struct {
	Passages int               `json:"passages"`
	Words    int               `json:"words"` // of all passages together
	Files    map[string]string `json:"files"` // the SHA-256 of all others, by their paths in the folder
}

func (a *about) read(path string) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}

	text, err := disk.Unseal(file)
	if err == nil {
		err = json.Unmarshal(text, a)
	}

	if err != nil {
		return fmt.Errorf("%w: %s: %w", corpus.ErrDamaged, aboutFile, err)
	}

	return nil
}

// hashes returns the SHA-256 of the files in the index folder at path, but for the one this is kept
// in.
func hashes(path string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == aboutFile {
			return err
		}

		name, err := filepath.Rel(path, file)
		if err != nil {
			return err
		}

		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}

		files[filepath.ToSlash(name)] = envs.SHA256(content)

		return nil
	})

	return files, err
}

// derivedKey names what is derived from a corpus, by everything that it depends on.
func derivedKey(c *corpus.Corpus, parts ...string) string {
	return envs.SHA256(strings.Join(append(parts, c.Info().ContentSHA256), "\x00"))[:24]
}

// derivedFolder is the folder beside a corpus file that holds what is derived from it.
func derivedFolder(c *corpus.Corpus, suffix string) string {
	return strings.TrimSuffix(c.Path(), ".sqlite") + suffix
}

// indexPath is where the index of a corpus is.
func indexPath(c *corpus.Corpus) string {
	return filepath.Join(derivedFolder(c, ".bleve"), derivedKey(c, indexFormat))
}

// newMapping says how a passage becomes words.
func newMapping() (*mapping.IndexMappingImpl, error) {
	m := bleve.NewIndexMapping()
	if err := m.AddCustomCharFilter("separators", map[string]any{
		"type": charregexp.Name, "regexp": "[_.'’]", "replace": " ",
	}); err != nil {
		return nil, err
	}

	if err := m.AddCustomAnalyzer(analyzerName, map[string]any{
		"type": custom.Name, "char_filters": []string{"separators"}, "tokenizer": unicode.Name,
		"token_filters": []string{lowercase.Name, en.StopName, porter.Name},
	}); err != nil {
		return nil, err
	}

	field := bleve.NewTextFieldMapping()
	field.Analyzer = analyzerName
	field.Store, field.IncludeTermVectors, field.IncludeInAll, field.DocValues = false, false, false, false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt(contentField, field)
	m.DefaultMapping, m.DefaultAnalyzer, m.ScoringModel = doc, analyzerName, index.BM25Scoring

	return m, nil
}

// build makes the index of a corpus where it is looked for, and removes those of other contents.
func build(ctx context.Context, c *corpus.Corpus, progress func(done, total int)) error {
	path := indexPath(c)

	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}

	tmp, err := disk.MkdirTemp(folder, temporary+"*")
	if err != nil {
		return err
	}
	defer tmp.Close()
	defer os.RemoveAll(tmp.Name()) // after the rename there is nothing to remove

	made := filepath.Join(tmp.Name(), "index")
	if err := fill(ctx, made, c, progress); err != nil {
		return err
	}

	if err := syncAll(made); err != nil {
		return err
	}

	if err := disk.Rename(made, path); err != nil {
		if _, there := os.Stat(filepath.Join(path, aboutFile)); there != nil {
			return err
		} // otherwise another program was faster: its index is the same
	}

	return removeOthers(folder, func(name string) bool { return name == filepath.Base(path) })
}

// fill writes the index into the folder at path.
func fill(ctx context.Context, path string, c *corpus.Corpus,
	progress func(done, total int)) error {
	m, err := newMapping()
	if err != nil {
		return err
	}

	total := c.DocumentCount()

	if err := os.Mkdir(path, 0o777); err != nil {
		return err
	}

	words, err := countWords(m)
	if err != nil {
		return err
	}

	builder, err := bleve.NewBuilder(path, m, map[string]any{"buildPathPrefix": filepath.Dir(path)})
	if err != nil {
		return err
	}

	a := about{}

	for d, err := range c.Documents(ctx) {
		if err != nil {
			return err
		}

		if err := builder.Index(strconv.Itoa(d.ID),
			map[string]any{contentField: d.Content}); err != nil {
			return fmt.Errorf("passage %d: %w", d.ID, err)
		}
		a.Passages++

		if progress != nil {
			progress(a.Passages, total)
		}
	}

	if err := builder.Close(); err != nil {
		return err
	}

	a.Words = words.n // passages are analysed in batches, the last one when the builder is closed

	if a.Files, err = hashes(path); err != nil {
		return err
	}

	text, err := json.Marshal(a)
	if err != nil {
		return err
	}

	return disk.WriteSealed(filepath.Join(path, aboutFile), text)
}

// wordCounter counts the words that an analyzer finds.
type wordCounter struct{ n int }

// Filter lets all words pass.
func (c *wordCounter) Filter(words analysis.TokenStream) analysis.TokenStream {
	c.n += len(words)
	return words
}

// countWords counts the words that the mapping's analyzer finds from now on: looking for them once
// more only to count them takes as long as indexing.
func countWords(m *mapping.IndexMappingImpl) (*wordCounter, error) {
	analyzer, ok := m.AnalyzerNamed(analyzerName).(*analysis.DefaultAnalyzer)
	if !ok {
		return nil, fmt.Errorf("analyzer %s is a %T, whose words cannot be counted", analyzerName,
			m.AnalyzerNamed(analyzerName))
	}

	c := &wordCounter{}
	analyzer.TokenFilters = append(analyzer.TokenFilters, c)

	return c, nil
}

// temporary begins the names of folders and files that are being written.
const temporary = ".making-"

// removeOthers removes what the folder holds of other contents of the corpus. What is open in
// another program stays readable there.
func removeOthers(folder string, keep func(name string) bool) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}

	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporary) || keep(e.Name()) {
			continue
		}

		if err := os.RemoveAll(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}

	return nil
}

// syncAll makes the folder at path and all in it durable.
func syncAll(path string) error {
	return filepath.WalkDir(path, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		return disk.Sync(path)
	})
}
