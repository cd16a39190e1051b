package table

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

const notInList = "The database you want to query in not in the list. Please change another database for query."

// LoadDB is the tool LoadDB[DBName]: it replaces the session's table by a dataset's, with no
// filters. The name's case does not matter. A dataset without a corpus, or without a table, is
// answered like one that does not exist.
type LoadDB struct{ loaded map[string]loaded }

type loaded struct {
	view        *tableView
	observation string
}

// NewLoadDB returns the tool over the given corpora.
func NewLoadDB(corpora ...*corpus.Corpus) *LoadDB {
	var tables []*corpus.Table

	for _, c := range corpora {
		if t := c.Table(); t != nil {
			tables = append(tables, t)
		}
	}

	return newLoadDB(tables...)
}

func newLoadDB(tables ...*corpus.Table) *LoadDB {
	l := &LoadDB{loaded: map[string]loaded{}}

	for _, t := range tables {
		name := string(t.Dataset())
		l.loaded[name] = loaded{
			view: newView(t),
			observation: fmt.Sprintf("We have successfully loaded the %s database, including the following "+
				"columns: %s.",
				name, strings.Join(t.Columns(), ", ")),
		}
	}

	return l
}

// Call loads the dataset that the argument DBName names.
func (l *LoadDB) Call(_ context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result, error) {
	name, ok := args.Text("DBName")
	if !ok {
		return s, envs.Result{Observation: notInList, Outcome: envs.InvocationError}, nil
	}

	found, ok := l.loaded[strings.ToLower(name)]
	if !ok {
		return s, envs.Result{Observation: notInList, Outcome: envs.ToolError}, nil
	}

	s.Table = found.view
	return s, envs.Result{Observation: found.observation}, nil
}
