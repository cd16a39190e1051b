package toolbench

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// builder gathers the queries and documents of several files.
type builder struct {
	documents map[Key]Document
	from      map[Key]string // the entry that a document was first read in
	queries   []Query
}

func newBuilder() *builder { return &builder{documents: map[Key]Document{}, from: map[Key]string{}} }

// collection returns what was gathered.
func (b *builder) collection() *Collection {
	c := &Collection{Queries: b.queries}
	for _, d := range b.documents {
		c.Documents = append(c.Documents, d)
	}

	slices.SortFunc(c.Documents, func(x, y Document) int { return x.Key.Compare(y.Key) })
	return c
}

// publishedQuery is a query as files have it.
type publishedQuery struct {
	ID       int         `json:"query_id"`
	Text     string      `json:"query"`
	APIs     []Document  `json:"api_list"`
	Relevant [][2]string `json:"relevant APIs"`
}

// readQueries adds the queries of a group's file.
func (b *builder) readQueries(group string, text []byte) error {
	var entries []publishedQuery
	if err := json.Unmarshal(text, &entries); err != nil {
		return err
	}

	seen := map[int]int{}

	for i, entry := range entries {
		q, err := b.query(group, entry)
		if err != nil {
			return fmt.Errorf("entry %d: query_id %d: %w", i+1, q.ID, err)
		}

		if first, ok := seen[q.ID]; ok {
			return fmt.Errorf("entry %d: query_id %d is that of entry %d, want each once", i+1, q.ID, first)
		}

		seen[q.ID] = i + 1
		b.queries = append(b.queries, q)
	}
	return nil
}

// query adds the documents of a query.
func (b *builder) query(group string, from publishedQuery) (Query, error) {
	q := Query{Group: group, ID: from.ID, Text: from.Text}

	for i, d := range from.APIs {
		if err := b.offer(&q, d); err != nil {
			return q, fmt.Errorf("api_list[%d]: %w", i, err)
		}
	}

	return q, q.takeRelevant(from.Relevant)
}

// offer adds an API to those of a query.
func (b *builder) offer(q *Query, d Document) error {
	// A call names a tool and an API, or a function made of both, so that name must be clear.
	same := func(k Key) bool { return FunctionName(k) == FunctionName(d.Key) }
	if i := slices.IndexFunc(q.APIs, same); i >= 0 {
		return fmt.Errorf("%s is called %s, like api_list[%d]: want each once", d.Key, FunctionName(d.Key), i)
	}

	q.APIs = append(q.APIs, d.Key)
	return b.add(d, q.Name())
}

// add keeps a document, which has to be the one that the key already has.
func (b *builder) add(d Document, where string) error {
	if text := string(d.Template); text == "null" || text == `""` {
		d.Template = nil
	}

	known, ok := b.documents[d.Key]
	if !ok {
		b.documents[d.Key], b.from[d.Key] = d, where
		return nil
	}

	b.tell(d.Key, d.ToolDescription)

	if d.ToolDescription = known.ToolDescription; !reflect.DeepEqual(known, d) {
		return fmt.Errorf("%s is described differently in %s, want one document", d.Key, b.from[d.Key])
	}
	return nil
}

// tell adds what is said of a document's tool, unless something is known.
func (b *builder) tell(k Key, about string) {
	if d := b.documents[k]; d.ToolDescription == "" {
		d.ToolDescription = about
		b.documents[k] = d
	}
}

// takeRelevant finds the relevant pairs of tool and API among the offered APIs.
func (q *Query) takeRelevant(pairs [][2]string) error {
	for i, pair := range pairs {
		at := slices.IndexFunc(q.APIs, func(k Key) bool { return k.Tool == pair[0] && k.API == pair[1] })
		if at < 0 {
			return fmt.Errorf("relevant APIs[%d]: %q of %q is not in its api_list", i, pair[1], pair[0])
		}

		if !slices.Contains(q.Relevant, q.APIs[at]) {
			q.Relevant = append(q.Relevant, q.APIs[at])
		}
	}

	if len(q.Relevant) == 0 {
		return errors.New(`"relevant APIs" is empty: nobody could tell whether the query is solved`)
	}
	return nil
}
