package retrieve

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/memo"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

const (
	passages = 3 // how many passages a call prints
	noMatch  = "There is no information that can be matched in the database. Please try another query."
)

// maxQuery is how many bytes of a query count.
const maxQuery = 2048

// Searcher ranks the passages of one corpus. Implementations are safe for concurrent use.
type Searcher interface {
	// Search returns the IDs of the k passages that fit the query best, the best one first; fewer,
	// or none, when no more fit.
	Search(ctx context.Context, query string, k int) ([]int, error)

	// Model identifies the model that the ranking depends on; "" when it depends on nothing but the
	// corpus.
	Model() string
}

// Tool is RetrieveAgenda[keyword], or RetrieveScirex[keyword].
type Tool struct {
	name   string
	corpus *corpus.Corpus // nil: there is nothing to be found
	search Searcher
	memory envs.Memory               // may be nil
	recent *memo.Recent[envs.Result] // of a ranking that depends on nothing but the corpus
}

// recentResults is how many results a generation of the latest ones has.
const recentResults = 128

// NewTool returns the tool called name over the passages of c, ranked by s. With a nil corpus
// every query is answered like one that finds nothing.
func NewTool(name string, c *corpus.Corpus, s Searcher) *Tool {
	recent := &memo.Recent[envs.Result]{Most: recentResults}
	return &Tool{name: name, corpus: c, search: s, recent: recent}
}

// WithMemory returns the same tool with a memory for what depends on a model: its server may give
// another answer on another day.
func (t *Tool) WithMemory(m envs.Memory) *Tool {
	c := *t
	c.memory = m
	return &c
}

// Call prints the passages for the argument keyword. The session is unchanged.
func (t *Tool) Call(ctx context.Context, s toolqa.Session, args envs.Args) (toolqa.Session,
	envs.Result, error) {
	query, ok := args.Text("keyword")
	if !ok {
		return s, envs.Result{Observation: noMatch, Outcome: envs.InvocationError}, nil
	}

	query = cut(query)
	r, err := t.remembered(ctx, query)
	return s, r, envs.Fail(envs.StageTool, fmt.Sprintf("%s[%.200s]", t.name, query), err)
}

// cut returns the part of a query that counts, as text.
func cut(query string) string {
	if len(query) > maxQuery {
		query = query[:maxQuery]
		for i := 0; i < utf8.UTFMax && !utf8.ValidString(query); i++ {
			query = query[:len(query)-1]
		}
	}

	return strings.TrimSpace(strings.ToValidUTF8(query, "\uFFFD"))
}

// remembered recalls the result of a query that a model answered before, or finds it and remembers
// it.
func (t *Tool) remembered(ctx context.Context, query string) (envs.Result, error) {
	switch {
	case t.corpus == nil:
		return t.result(ctx, query)
	case t.search.Model() == "":
		return t.cached(ctx, query)
	}

	key := "retrieve " + t.name + " " + envs.SHA256(t.search.Model()+"\x00"+query)
	return envs.Remembered(ctx, t.memory, key, func() (envs.Result, error) {
		return t.result(ctx, query)
	})
}

// cached is result for a ranking that depends on nothing but the corpus.
func (t *Tool) cached(ctx context.Context, query string) (envs.Result, error) {
	if r, ok := t.recent.Get(query); ok {
		return r, nil
	}

	r, err := t.result(ctx, query)
	if err == nil {
		t.recent.Put(query, r)
	}
	return r, err
}

func (t *Tool) result(ctx context.Context, query string) (envs.Result, error) {
	none := envs.Result{Observation: noMatch, Outcome: envs.ToolError}
	if t.corpus == nil || query == "" {
		return none, nil
	}

	ids, err := t.search.Search(ctx, query, passages)
	if err != nil || len(ids) == 0 {
		return none, err
	}

	texts := make([]string, len(ids))
	for i, id := range ids {
		d, err := t.corpus.Document(ctx, id)
		if err != nil {
			return envs.Result{}, err
		}

		texts[i] = d.Content
	}
	return envs.Result{Observation: strings.TrimSpace(strings.Join(texts, "\n"))}, nil
}
