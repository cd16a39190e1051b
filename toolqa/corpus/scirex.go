package corpus

import (
	"context"
	"fmt"

	"toolevo/toolqa"
)

// Relation is a result that a paper of the scirex corpus states: a method's score by a metric on a material, which is a
// dataset, for a task. Names are as published, without spaces: "Penn_Treebank__Word_Level_".
type Relation struct {
	Paper string // the paper's published ID
	Method, Material, Metric, Task,
	Score string // as Python's str prints it; texts keep their blanks: "73.9 "
	Number bool // the published score is a number, not a text
}

// relationsTable holds the results, in the order of the published files. Score_kind is text or number.
var relationsTable = sideTable{
	name: "relations",
	columns: []string{"id INTEGER PRIMARY KEY", "paper TEXT NOT NULL", "material TEXT NOT NULL", "method TEXT NOT NULL",
		"metric TEXT NOT NULL", "task TEXT NOT NULL", "score TEXT NOT NULL", "score_kind TEXT NOT NULL"},
	indexes: [][]string{{"method", "task"}, {"material", "task"}},
}

// The kinds of scores in the relations table.
const (
	textScore   = "text"
	numberScore = "number"
)

// Relations returns the results of the scirex corpus in the order of the published files; none of another dataset.
func (c *Corpus) Relations(ctx context.Context) (all []Relation, err error) {
	if !c.has(relationsTable.name) {
		return nil, nil
	}

	fail := func(err error) ([]Relation, error) {
		return nil, fmt.Errorf("corpus: relations of %s: %w", c.path, err)
	}

	rows, err := c.db.QueryContext(ctx, "SELECT paper, method, material, metric, task, score, score_kind FROM "+
		"relations ORDER BY id")
	if err != nil {
		return fail(err)
	}
	defer rows.Close()

	for rows.Next() {
		var r Relation

		var kind string
		if err := rows.Scan(&r.Paper, &r.Method, &r.Material, &r.Metric, &r.Task, &r.Score, &kind); err != nil {
			return fail(err)
		}

		r.Number = kind == numberScore
		all = append(all, r)
	}

	if err := rows.Err(); err != nil {
		return fail(err)
	}

	return all, nil
}

// scirexWriter fills the two tables, and counts.
type scirexWriter struct {
	put                  func(table string, values ...any) error
	documents, relations int
}

// section writes a passage. The published ID counts the sections of all papers from zero.
func (w *scirexWriter) section(content string) error {
	w.documents++
	return w.put(documentsTable.name, w.documents, scirexID(w.documents-1), content)
}

func scirexID(section int) string { return fmt.Sprintf("%s-%04d", toolqa.SciREX, section) }

func (w *scirexWriter) relation(r Relation) error {
	w.relations++

	kind := textScore
	if r.Number {
		kind = numberScore
	}

	return w.put(relationsTable.name, w.relations, r.Paper, r.Material, r.Method, r.Metric, r.Task, r.Score, kind)
}
