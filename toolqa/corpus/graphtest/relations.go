package graphtest

import (
	"context"
	"database/sql"

	"toolevo/toolqa/corpus/internal/layout"
)

// Relations returns the results of the scirex corpus that has the address uri, in the order of the
// published files.
func Relations(ctx context.Context, uri string) (all []layout.Relation, err error) {
	db, err := sql.Open("sqlite3", uri)
	if err != nil {
		return nil, err
	}
	defer db.Close()

	var r layout.Relation
	var kind string

	const query = "SELECT paper, method, material, metric, task, score, score_kind " +
		"FROM relations ORDER BY id"

	err = each(ctx, db, query, func() error {
		r.Number = kind == layout.NumberScore
		all = append(all, r)
		return nil
	}, &r.Paper, &r.Method, &r.Material, &r.Metric, &r.Task, &r.Score, &kind)
	return all, err
}
