package toolbench

import (
	"fmt"
	"slices"

	"toolevo/envs/toolapi"
)

// Query is what a user wants.
type Query struct {
	Group    string // e.g. "G1_instruction"
	ID       int    // unique in its group
	Text     string
	APIs     []Key // offered, in the published order
	Relevant []Key // some of them, each once
}

// Name returns the group and the ID, e.g. "G1_instruction-588".
func (q *Query) Name() string { return fmt.Sprintf("%s-%d", q.Group, q.ID) }

// Collection is queries with the documents of their APIs.
type Collection struct {
	Documents []Document // in the order of their keys, each key once
	Queries   []Query    // in the order of groups, and of their files
	Missing   []string   // names of queries that an ID file lists and no query file has
}

// Document returns the document of a key.
func (c *Collection) Document(k Key) (*Document, bool) {
	i, ok := slices.BinarySearchFunc(c.Documents, k, func(d Document, k Key) int { return d.Key.Compare(k) })
	if !ok {
		return nil, false
	}
	return &c.Documents[i], true
}

// Statistics are the counts of a collection.
type Statistics struct {
	Queries    int `json:"queries"`    // those that an ID file lists, where there is one
	Entries    int `json:"entries"`    // APIs offered, counted for each query
	APIs       int `json:"apis"`       // documents
	Tools      int `json:"tools"`      // those of one category are told apart by name
	Categories int `json:"categories"` // of the documents
	Required   int `json:"required"`   // parameters of the documents
	Optional   int `json:"optional"`   // the same
	Templates  int `json:"templates"`  // documents that have one
	LongNames  int `json:"long_names"` // functions whose whole name does not fit
	Missing    int `json:"missing"`    // queries that an ID file lists and no query file has
}

// Statistics counts what a collection has.
func (c *Collection) Statistics() Statistics {
	s := Statistics{Queries: len(c.Queries), APIs: len(c.Documents), Missing: len(c.Missing)}
	for _, q := range c.Queries {
		s.Entries += len(q.APIs)
	}

	tools, categories := map[Key]bool{}, map[string]bool{}

	for _, d := range c.Documents {
		tools[Key{Category: d.Category, Tool: d.Tool}], categories[d.Category] = true, true
		s.Required += len(d.Required)
		s.Optional += len(d.Optional)

		if d.Template != nil {
			s.Templates++
		}

		if len([]rune(FunctionName(d.Key))) > toolapi.MostName {
			s.LongNames++
		}
	}

	s.Tools, s.Categories = len(tools), len(categories)
	return s
}
