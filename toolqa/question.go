package toolqa

import (
	"toolevo/envs"
	"toolevo/envs/names"
)

// Dataset names one of the corpora and the questions over it.
type Dataset string

// The datasets. What the tools can do with each is in the parentheses.
const (
	Agenda  Dataset = "agenda"  // invented people's appointments in 2022 (table, retrieval)
	Airbnb  Dataset = "airbnb"  // lodgings in New York (table)
	Coffee  Dataset = "coffee"  // the daily price of coffee futures since 2000-01-03, one row a trading day (table)
	DBLP    Dataset = "dblp"    // papers since 2021, who wrote them and whom they cite (graphs)
	Flights Dataset = "flights" // flights in the United States in the first seven months of 2022 (table)
	SciREX  Dataset = "scirex"  // sections of papers on machine learning, and the results they report (retrieval)
	Yelp    Dataset = "yelp"    // businesses in eleven metropolitan areas (table)
)

// Datasets lists the datasets, in alphabetical order.
func Datasets() []Dataset { return []Dataset{Agenda, Airbnb, Coffee, DBLP, Flights, SciREX, Yelp} }

// ParseDataset returns the dataset called name; the error of an unknown name lists the valid ones.
func ParseDataset(name string) (Dataset, error) { return names.Parse("dataset", name, Datasets()) }

// Difficulty is the benchmark's own division of questions: easy ones read one cell, hard ones
// aggregate many.
type Difficulty string

// The difficulties.
const (
	Easy Difficulty = "easy"
	Hard Difficulty = "hard"
)

// Difficulties lists the difficulties.
func Difficulties() []Difficulty { return []Difficulty{Easy, Hard} }

// ParseDifficulty returns the difficulty called name.
func ParseDifficulty(name string) (Difficulty, error) {
	return names.Parse("difficulty", name, Difficulties())
}

// Split is the part of the questions a run uses. No question is in two splits.
type Split string

// The splits.
const (
	Train Split = "train"
	Dev   Split = "dev"
	Test  Split = "test"

	Examples Split = "examples" // what prompts show, solved: see suite.Examples
)

// Splits lists the splits.
func Splits() []Split { return []Split{Train, Dev, Test, Examples} }

// Source says where a question comes from.
type Source string

// The sources.
const (
	Published Source = "published" // from the published files, with the published answer
	Generated Source = "generated" // from a template
)

// Question is a task and its gold answer. The agent sees only what Task returns.
type Question struct {
	ID         string // unique among all questions; of a published one its qid, unless that names another dataset
	Dataset    Dataset
	Difficulty Difficulty
	Split      Split
	Template   string // the template's name, e.g. "coffee-easy/open"; "" when no template recognises the text
	Text       string
	Answer     string // the gold answer as Python's str would print it
	Source     Source
	Corpus     string // of a generated question: the content_sha256 of the corpus that the answer is from
}

// Task returns what the agent is asked.
func (q Question) Task() envs.Task {
	return envs.Task{ID: q.ID, Question: q.Text, Labels: map[string]string{
		envs.LabelDataset:    string(q.Dataset),
		envs.LabelDifficulty: string(q.Difficulty),
		envs.LabelTemplate:   q.Template,
	}}
}
