package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// The fewest and the most APIs that a query is written for (section 4.3).
const (
	fewestAPIs = 2
	mostAPIs   = 5
)

// The reasons for refusing queries.
const (
	refusedForeign  refusal = "query for an API that was not offered"
	refusedOneTool  refusal = "query for APIs of fewer than two tools"
	refusedNaming   refusal = "query that names an API"
	refusedRepeated refusal = "query that was written before"
)

var errNoQuery = errors.New("it has no text as query, or related_apis is no list of pairs of a " +
	"tool's and an API's name")

// Queries lets the model write n queries for APIs drawn at random, of whatever categories (Table
// 14). They form one group. The ID of each is its number among all that were asked for, from 1, so
// that queries keep theirs when more are asked for. Of equal texts the first stays.
func (m *Model) Queries(ctx context.Context, documents []*toolbench.Document, n int, group string,
	r *Report) ([]toolbench.Query, error) {
	write := func(ctx context.Context, i int) (q answer[toolbench.Query], err error) {
		offered, err := m.offer(documents, i)
		if err != nil {
			return q, err
		}

		read := func(text string) (toolbench.Query, error) {
			q, err := queryIn(text, offered)
			q.Group, q.ID = group, i+1
			return q, err
		}
		return ask(ctx, m, queryPrompt, pytext.JSON(shownAPIs(offered)), i, read)
	}

	all, err := written(ctx, m, n, r, write)

	// Only now, in the order of the IDs: while they are written, the first to be done would stay.
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(q toolbench.Query) bool {
		text := strings.ToLower(strings.Join(strings.Fields(q.Text), " "))
		repeated := seen[text]
		seen[text] = true

		if repeated {
			r.refuse(refusedRepeated)
		}
		return repeated
	}), err
}

// errFewTools says that there are too few tools to write a query for.
var errFewTools = errors.New("queries take APIs of at least two tools: import more documents")

// mostDraws is how often APIs are drawn, at most, until they are of two tools.
const mostDraws = 1000

// offer draws the APIs of a query. They are of at least two tools, and no two functions have the
// same name.
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

// shownAPIs returns APIs in the form shown to models.
func shownAPIs(documents []*toolbench.Document) []any {
	list := make([]any, len(documents))
	for i, d := range documents {
		about := display.Line(d.ToolDescription, toolbench.MostDescription)
		list[i] = append(envs.Object("tool_description", about), published(d)...)
	}

	return list
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
		return q, errNoQuery
	}

	// All that were offered, not only those that the model chose: agents have to tell them apart.
	for _, d := range offered {
		q.APIs = append(q.APIs, d.Key)
	}

	tools := map[toolbench.Key]bool{}

	for _, item := range related {
		pair, ok := item.([]any)
		if !ok || len(pair) != 2 {
			return q, errNoQuery
		}

		i := slices.IndexFunc(q.APIs, func(k toolbench.Key) bool { return k.Tool == pair[0] && k.API == pair[1] })
		// The model is asked again with this error, so it names the choice.
		if i < 0 {
			return q, fmt.Errorf("%w: take related_apis from %s", refusedForeign, pytext.JSON(pairs(q.APIs)))
		}

		if k := q.APIs[i]; !slices.Contains(q.Relevant, k) {
			q.Relevant = append(q.Relevant, k)
			tools[toolbench.Key{Category: k.Category, Tool: k.Tool}] = true
		}
	}

	// One tool would need no choice among tools, and a name would give the choice away.
	switch {
	case len(tools) < 2:
		return q, refusedOneTool
	case slices.ContainsFunc(q.APIs, func(k toolbench.Key) bool { return names(q.Text, k) }):
		return q, refusedNaming
	}

	return q, nil
}

// spoken matches the words of users who ask for an API rather than for what it does.
var spoken = regexp.MustCompile(`(?i)\b(?:APIs?|endpoints?)\b`)

// names reports whether a query calls an API by name: in words that say that an API is meant, or by
// a name that no user would write otherwise. A single word, such as the name of an API called
// Search, counts only in the first way.
func names(query string, k toolbench.Key) bool {
	if spoken.MatchString(query) || strings.Contains(k.API, " ") && strings.Contains(query, k.API) {
		return true
	}

	query = strings.ToLower(query)

	for _, name := range []string{toolbench.FunctionName(k), toolbench.Name(k.API), k.API} {
		if identifier.MatchString(name) && strings.Contains(query, strings.ToLower(name)) {
			return true
		}
	}

	return false
}

// identifier matches names that are not written like words, such as get_news, getNews or v2/news.
var identifier = regexp.MustCompile(`^\S*(?:[_/{}]|\p{Ll}\p{Lu})\S*$`)

// EncodeQueries returns queries as a query file, GROUP.json, as StableToolBench publishes them.
func EncodeQueries(queries []toolbench.Query, documents []*toolbench.Document) ([]byte, error) {
	byKey := map[toolbench.Key]*toolbench.Document{}
	for _, d := range documents {
		byKey[d.Key] = d
	}

	file := make([]any, len(queries))

	for i, q := range queries {
		apis := []any{}

		for _, k := range q.APIs {
			d := byKey[k]
			if d == nil {
				return nil, fmt.Errorf("query %d: no document of %s", q.ID, k)
			}

			// Published query files have templates, which models that write queries are not shown.
			api := published(d)
			if d.Template != nil {
				api = api.With("template_response", decoded(d.Template))
			}

			apis = append(apis, api)
		}

		file[i] = envs.Object("api_list", apis, "query", q.Text, "relevant APIs", pairs(q.Relevant),
			"query_id", envs.Number(fmt.Sprint(q.ID)))
	}
	return append(pytext.AppendJSON(nil, file), '\n'), nil
}

// pairs returns APIs in the form in which query files name relevant ones.
func pairs(keys []toolbench.Key) any {
	all := make([]any, len(keys))
	for i, k := range keys {
		all[i] = []any{k.Tool, k.API}
	}
	return all
}

// published returns a document in the form of query files, without a template.
func published(d *toolbench.Document) envs.Args {
	return envs.Object(
		"category_name", d.Category, "tool_name", d.Tool, "api_name", d.API, "api_description", d.Description,
		"required_parameters", virtual.Parameters(d.Required),
		"optional_parameters", virtual.Parameters(d.Optional),
		"method", d.Method,
	)
}

// decoded returns a JSON value of a document, or "" if it is not valid.
func decoded(text json.RawMessage) any {
	if v, err := pytext.DecodeStrict(string(text)); err == nil {
		return v
	}
	return ""
}
