package corpus

import (
	"context"
	"fmt"

	"toolevo/toolqa/corpus/internal/layout"
)

// Relations returns the results of the scirex corpus in the order of the published files; none of
// another dataset.
func (c *Corpus) Relations(ctx context.Context) (all []layout.Relation, err error) {
	if !c.has(layout.Relations) {
		return nil, nil
	}

	var r layout.Relation
	var kind string

	const query = "SELECT paper, method, material, metric, task, score, score_kind FROM relations ORDER BY id"

	err = each(ctx, c.db, query, func() error {
		r.Number = kind == layout.NumberScore
		all = append(all, r)
		return nil
	}, &r.Paper, &r.Method, &r.Material, &r.Metric, &r.Task, &r.Score, &kind)
	if err != nil {
		return nil, fmt.Errorf("corpus: relations of %s: %w", c.path, err)
	}

	return all, nil
}
