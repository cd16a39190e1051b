package mirror

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

var (
	//go:embed prompts/query.txt
	queryPrompt string
	//go:embed prompts/solvable.txt
	solvablePrompt string
)

// The numbers of APIs that a query is written for (section 4.3).
const (
	fewestAPIs = 2
	mostAPIs   = 5
)

// The reasons for which queries are refused.
var (
	errForeignAPI = errors.New("query for APIs that were not offered, or of fewer than two tools")
	errUnsolvable = errors.New("query that is not solvable, or may not be")
)

// Queries has n queries written for APIs drawn at random, of whatever categories (Table 14), and returns those that the
// model then calls solvable. They are of one group, whose IDs count from 1.
func (m *Model) Queries(ctx context.Context, documents []*toolbench.Document, n int, group string,
	r *Report) ([]toolbench.Query, error) {
	all, err := written(ctx, m, n, r, func(ctx context.Context, i int) (answer[toolbench.Query], error) {
		return m.query(ctx, documents, i)
	})
	for i := range all {
		all[i].Group, all[i].ID = group, i+1
	}

	return all, err
}

// query has one query written, and judged.
func (m *Model) query(ctx context.Context, documents []*toolbench.Document, number int) (q answer[toolbench.Query],
	err error) {
	offered, err := m.offer(documents, number)
	if err != nil {
		return q, err
	}

	list := offeredText(offered)

	q, err = ask(ctx, m, queryPrompt, list, number, func(text string) (toolbench.Query, error) {
		return queryIn(text, offered)
	})
	if q.refused != nil || err != nil {
		return q, err
	}

	verdict, err := ask(ctx, m, solvablePrompt, "Request:\n"+q.read.Text+"\n\nAPIs:\n"+list, number, solvable)
	if q.refused = verdict.refused; q.refused == nil && !verdict.read {
		q.refused = errUnsolvable
	}

	return q, err
}

// errFewTools says that no query can be written for several tools.
var errFewTools = errors.New("queries take APIs of at least two tools: import more documents")

// mostDraws is how often APIs are drawn until they are of two tools.
const mostDraws = 1000

// offer draws the APIs of a query, which are of two tools at least, and whose functions have names of their own.
func (m *Model) offer(documents []*toolbench.Document, number int) ([]*toolbench.Document, error) {
	random := envs.Random(m.Seed+uint64(number), "query")
	n := fewestAPIs + random.IntN(mostAPIs-fewestAPIs+1)

	for range mostDraws {
		var offered []*toolbench.Document

		names, tools := map[string]bool{}, map[toolbench.Key]bool{}

		for _, i := range random.Perm(len(documents)) {
			d := documents[i]

			if name := toolbench.FunctionName(d.Key); len(offered) < n && !names[name] {
				names[name], tools[toolbench.Key{Category: d.Category, Tool: d.Tool}] = true, true
				offered = append(offered, d)
			}
		}

		if len(tools) > 1 {
			return offered, nil
		}
	}

	return nil, errFewTools
}

// offeredText is the APIs as models are shown them.
func offeredText(offered []*toolbench.Document) string {
	list := make([]any, len(offered))
	for i, d := range offered {
		list[i] = append(envs.Object("tool_description", d.ToolDescription), published(d)...)
	}

	return pytext.JSON(list)
}

// queryIn reads a query for some of the APIs that were offered.
func queryIn(text string, offered []*toolbench.Document) (q toolbench.Query, err error) {
	object, err := kept.Object(text, "query")
	if err != nil {
		return q, err
	}

	q.Text, _ = object.Text("query")
	value, _ := object.Get("related_apis")
	related, ok := value.([]any)

	if q.Text = pytext.Strip(q.Text); q.Text == "" || !ok {
		return q, errUnreadable
	}

	for _, d := range offered {
		q.APIs = append(q.APIs, d.Key)
	}

	tools := map[toolbench.Key]bool{}

	for _, item := range related {
		pair, ok := item.([]any)
		if !ok || len(pair) != 2 {
			return q, errUnreadable
		}

		i := slices.IndexFunc(q.APIs, func(k toolbench.Key) bool { return k.Tool == pair[0] && k.API == pair[1] })
		if i < 0 {
			return q, errForeignAPI
		}

		if k := q.APIs[i]; !slices.Contains(q.Relevant, k) {
			q.Relevant = append(q.Relevant, k)
			tools[toolbench.Key{Category: k.Category, Tool: k.Tool}] = true
		}
	}

	if len(tools) < 2 {
		return q, errForeignAPI
	}

	return q, nil
}

// solvable reads whether a query is called solvable.
func solvable(text string) (bool, error) {
	status, err := kept.Decision(text, "task_status", "Solvable", "Unsolvable", "Unsure")
	if err != nil {
		return false, err
	}

	switch status {
	case "Solvable":
		return true, nil
	case "Unsolvable", "Unsure":
		return false, nil
	}

	return false, errUnreadable
}

// EncodeQueries returns queries as a query file, GROUP.json, which package toolbench imports.
func EncodeQueries(queries []toolbench.Query, documents []*toolbench.Document) ([]byte, error) {
	byKey := map[toolbench.Key]*toolbench.Document{}
	for _, d := range documents {
		byKey[d.Key] = d
	}

	file := make([]any, len(queries))

	for i, q := range queries {
		apis, relevant := []any{}, []any{}

		for _, k := range q.APIs {
			d := byKey[k]
			if d == nil {
				return nil, fmt.Errorf("query %d: no document of %s", q.ID, k)
			}

			apis = append(apis, published(d))
		}

		for _, k := range q.Relevant {
			relevant = append(relevant, []any{k.Tool, k.API})
		}

		file[i] = envs.Object("api_list", apis, "query", q.Text, "relevant APIs", relevant,
			"query_id", envs.Number(fmt.Sprint(q.ID)))
	}

	return append(pytext.AppendJSON(nil, file), '\n'), nil
}

// published is a document as query files have it.
func published(d *toolbench.Document) envs.Args {
	object := envs.Object(
		"category_name", d.Category, "tool_name", d.Tool, "api_name", d.API, "api_description", d.Description,
		"required_parameters", virtual.Parameters(d.Required),
		"optional_parameters", virtual.Parameters(d.Optional),
		"method", d.Method,
	)

	if d.Template != nil {
		object = object.With("template_response", decoded(d.Template))
	}

	return object
}

// decoded is a value of a document, "" where it has none.
func decoded(text json.RawMessage) any {
	if v, err := pytext.DecodeStrict(string(text)); err == nil {
		return v
	}

	return ""
}
