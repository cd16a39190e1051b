package corpus

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"

	"toolevo/envs/yamltext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

//go:embed graphs.yaml
var graphsFile embed.FS

// contradictions are queries, each of which finds a text about something that does not fit together
// in the graphs of dblp, or no row.
var contradictions = yamltext.Once[[]string](graphsFile, "graphs.yaml")

// Verify checks what an import can get wrong and [Open] cannot see, in the graphs of dblp: every
// edge of AuthorNet is listed by its two ends and by nobody else, no two edges have the same ends,
// and what is cited exists and is cited as often as the papers say. Other datasets have no graphs.
func (c *Corpus) Verify(ctx context.Context) error {
	if c.info.Dataset != toolqa.DBLP {
		return nil
	}

	for _, query := range contradictions() {
		var found string

		err := c.db.QueryRowContext(ctx, query).Scan(&found)
		if err == nil {
			err = fmt.Errorf("%w: %s", layout.ErrDamaged, found)
		}

		if !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("corpus: verify the graphs of %s: %w", c.path, err)
		}
	}
	return nil
}
