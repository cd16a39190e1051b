package layout

import (
	"fmt"

	"toolevo/toolqa"
)

// Relation is a result that a paper of the scirex corpus states: a method's score by a metric on a
// material, which is a dataset, for a task. Names are as published, without spaces:
// "Penn_Treebank__Word_Level_".
type Relation struct {
	Paper string // the paper's published ID
	Method, Material, Metric, Task,
	Score string // as Python's str prints it; texts keep their blanks: "73.9 "
	Number bool // the published score is a number, not a text
}

// The kinds of scores in the relations table.
const (
	textScore   = "text"
	NumberScore = "number"
)

// SciREXWriter fills the two tables, and counts.
type SciREXWriter struct {
	Put                  func(table string, values ...any) error
	Documents, relations int
}

// Section writes a passage. The published ID counts the sections of all papers from zero.
func (w *SciREXWriter) Section(content string) error {
	w.Documents++
	return w.Put(Documents, w.Documents, SciREXID(w.Documents-1), content)
}

// SciREXID is the published ID of a section.
func SciREXID(section int) string { return fmt.Sprintf("%s-%04d", toolqa.SciREX, section) }

// Relation writes a result.
func (w *SciREXWriter) Relation(r Relation) error {
	w.relations++

	kind := textScore
	if r.Number {
		kind = NumberScore
	}
	return w.Put(Relations, w.relations, r.Paper, r.Material, r.Method, r.Metric, r.Task, r.Score, kind)
}

// SciREXPapers is the number of published papers.
const SciREXPapers = 438
