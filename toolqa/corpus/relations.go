package corpus

import (
	"context"
	"fmt"

	"toolevo/toolqa/corpus/internal/layout"
)

// Relations returns the results of the scirex corpus in the order of the published files; none of another dataset.
func (c *Corpus) Relations(ctx context.Context) (all []layout.Relation, err error) {
	if !c.has(layout.RelationsTable.Name) {
		return nil, nil
	}

	fail := func(err error) ([]layout.Relation, error) {
		return nil, fmt.Errorf("corpus: relations of %s: %w", c.path, err)
	}

	rows, err := c.db.QueryContext(ctx, "SELECT paper, method, material, metric, task, score, score_kind FROM "+
		"relations ORDER BY id")
	if err != nil {
		return fail(err)
	}
	defer rows.Close()

	for rows.Next() {
		var r layout.Relation

		var kind string
		if err := rows.Scan(&r.Paper, &r.Method, &r.Material, &r.Metric, &r.Task, &r.Score, &kind); err != nil {
			return fail(err)
		}

		r.Number = kind == layout.NumberScore
		all = append(all, r)
	}

	if err := rows.Err(); err != nil {
		return fail(err)
	}

	return all, nil
}
