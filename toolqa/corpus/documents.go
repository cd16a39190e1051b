package corpus

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"toolevo/toolqa/corpus/internal/layout"
)

// Document is a passage that a question can be answered from.
type Document struct {
	ID      int    // from 1, in the order of the published file
	Name    string // what the passage is about; not part of what is retrieved
	Content string
}

// Documents yields the passages for retrieval in the order of their IDs; none for a dataset
// without. After an error there is nothing more.
func (c *Corpus) Documents(ctx context.Context) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		if !c.has(layout.Documents) {
			return
		}

		var d Document
		enough := errors.New("no more is wanted")

		err := each(ctx, c.db, "SELECT id, name, content FROM documents ORDER BY id", func() error {
			if !yield(d, nil) {
				return enough
			}
			return nil
		}, &d.ID, &d.Name, &d.Content)
		if err != nil && !errors.Is(err, enough) {
			yield(Document{}, fmt.Errorf("corpus: documents of %s: %w", c.path, err))
		}
	}
}

// Document returns the passage with an ID. It is an error if there is no such passage.
func (c *Corpus) Document(ctx context.Context, id int) (Document, error) {
	d := Document{ID: id}

	err := c.db.QueryRowContext(ctx, "SELECT name, content FROM documents WHERE id = ?", id).Scan(&d.Name, &d.Content)
	if err != nil {
		return Document{}, fmt.Errorf("corpus: document %d of %s: %w", id, c.path, err)
	}
	return d, nil
}

// DocumentCount returns the number of passages.
func (c *Corpus) DocumentCount() int {
	for _, t := range c.contents {
		if t.Table == layout.Documents {
			return t.Rows
		}
	}

	return 0
}
