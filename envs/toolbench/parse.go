package toolbench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
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

// readQueries adds the queries of a group's file.
func (b *builder) readQueries(group string, text []byte) error {
	var entries []json.RawMessage
	if err := json.Unmarshal(text, &entries); err != nil {
		return positioned(text, err, "a list of queries")
	}

	seen := map[int]int{}

	for i, raw := range entries {
		q, err := b.query(group, raw)
		if err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}

		if first, ok := seen[q.ID]; ok {
			return fmt.Errorf("entry %d: query_id %d is that of entry %d, want each once", i+1, q.ID, first)
		}

		seen[q.ID] = i + 1
		b.queries = append(b.queries, q)
	}

	return nil
}

func (b *builder) query(group string, raw json.RawMessage) (Query, error) {
	q := Query{Group: group}

	f, err := parseFields(raw)
	if err != nil {
		return q, err
	}

	if q.ID, err = field[int](f, "query_id"); err != nil {
		return q, err
	}

	if q.Text, err = filledField(f, "query"); err != nil {
		return q, fmt.Errorf("query_id %d: %w", q.ID, err)
	}

	offered, err := field[[]json.RawMessage](f, "api_list")
	if err != nil {
		return q, fmt.Errorf("query_id %d: %w", q.ID, err)
	}

	for i, raw := range offered {
		if err := b.offer(&q, raw); err != nil {
			return q, fmt.Errorf("query_id %d: api_list[%d]: %w", q.ID, i, err)
		}
	}

	relevant, err := field[[][]string](f, "relevant APIs")
	if err == nil {
		err = q.takeRelevant(relevant)
	}

	if err != nil {
		return q, fmt.Errorf("query_id %d: %w", q.ID, err)
	}

	return q, nil
}

// offer adds an API to those of a query.
func (b *builder) offer(q *Query, raw json.RawMessage) error {
	d, err := parseDocument(raw)
	if err != nil {
		return err
	}

	// Calls name the tool and the API, or a function made of both: either has to say which is meant.
	same := func(k Key) bool {
		return k.Tool == d.Tool && k.API == d.API || FunctionName(k) == FunctionName(d.Key)
	}
	if i := slices.IndexFunc(q.APIs, same); i >= 0 {
		return fmt.Errorf("%s is called %s as api_list[%d] is, want each once", d.Key, FunctionName(d.Key), i)
	}

	q.APIs = append(q.APIs, d.Key)

	return b.add(d, q.Name())
}

// add keeps a document, which has to be the one that the key already has.
func (b *builder) add(d Document, where string) error {
	known, ok := b.documents[d.Key]
	if !ok {
		b.documents[d.Key], b.from[d.Key] = d, where
		return nil
	}

	if d.ToolDescription = known.ToolDescription; !reflect.DeepEqual(known, d) {
		return fmt.Errorf("%s is described otherwise in %s, want one document", d.Key, b.from[d.Key])
	}

	return nil
}

// takeRelevant finds the relevant pairs of tool and API among the offered APIs.
func (q *Query) takeRelevant(pairs [][]string) error {
	for i, pair := range pairs {
		if len(pair) != 2 {
			return fmt.Errorf("relevant APIs[%d]: %d names, want the tool and the API", i, len(pair))
		}

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

// parseDocument reads an API of a query file.
func parseDocument(raw json.RawMessage) (Document, error) {
	var d Document

	f, err := parseFields(raw)
	if err != nil {
		return d, err
	}

	if d.Category, err = filledField(f, "category_name"); err != nil {
		return d, err
	}

	if d.Tool, err = filledField(f, "tool_name"); err != nil {
		return d, err
	}

	if d.API, err = filledField(f, "api_name"); err != nil {
		return d, err
	}

	return d, d.takeRest(f, "api_description", "template_response")
}

// takeRest reads what query files and tool documents have under the same names, and what they do not.
func (d *Document) takeRest(f fields, description, template string) (err error) {
	if d.Description, err = textOrNull(f, description); err != nil {
		return fmt.Errorf("%s: %w", d.Key, err)
	}

	if d.Method, err = field[string](f, "method"); err != nil {
		return fmt.Errorf("%s: %w", d.Key, err)
	}

	if d.Required, err = parseParameters(f, "required_parameters"); err != nil {
		return fmt.Errorf("%s: %w", d.Key, err)
	}

	if d.Optional, err = parseParameters(f, "optional_parameters"); err != nil {
		return fmt.Errorf("%s: %w", d.Key, err)
	}

	if raw := f[template]; raw != nil && string(raw) != "null" && string(raw) != `""` {
		d.Template = compacted(raw)
	}

	return nil
}

func parseParameters(f fields, name string) ([]Parameter, error) {
	list, err := field[[]json.RawMessage](f, name)
	if err != nil {
		return nil, err
	}

	var all []Parameter

	for i, raw := range list {
		p, err := parseParameter(raw)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", name, i, err)
		}

		all = append(all, p)
	}

	return all, nil
}

func parseParameter(raw json.RawMessage) (p Parameter, err error) {
	f, err := parseFields(raw)
	if err != nil {
		return p, err
	}

	if p.Name, err = filledField(f, "name"); err != nil {
		return p, err
	}

	if p.Type, err = field[string](f, "type"); err != nil {
		return p, fmt.Errorf("%s: %w", p.Name, err)
	}

	if p.Description, err = textOrNull(f, "description"); err != nil {
		return p, fmt.Errorf("%s: %w", p.Name, err)
	}

	usual, ok := f["default"]
	if !ok {
		return p, fmt.Errorf(`%s: no "default"`, p.Name)
	}

	p.Default = compacted(usual)

	return p, nil
}

// fields are the members of a JSON object.
type fields map[string]json.RawMessage

func parseFields(raw json.RawMessage) (fields, error) {
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil || f == nil {
		return nil, fmt.Errorf("%s, want an object", kindOf(raw))
	}

	return f, nil
}

// field returns a member that has to be there, of the type that is wanted.
func field[T string | int | []json.RawMessage | [][]string](f fields, name string) (v T, err error) {
	raw, ok := f[name]
	if !ok {
		return v, fmt.Errorf("no %q", name)
	}

	if err := json.Unmarshal(raw, &v); err != nil || string(raw) == "null" {
		return v, fmt.Errorf("%q is %s, want %s", name, kindOf(raw), kinds[reflect.TypeFor[T]()])
	}

	return v, nil
}

// filledField is field for a text that may not be empty.
func filledField(f fields, name string) (string, error) {
	text, err := field[string](f, name)
	if err == nil && strings.TrimSpace(text) == "" {
		err = fmt.Errorf("%q is empty", name)
	}

	return text, err
}

// textOrNull is field for a text that may be null where there is none.
func textOrNull(f fields, name string) (string, error) {
	if string(f[name]) == "null" {
		return "", nil
	}

	return field[string](f, name)
}

var kinds = map[reflect.Type]string{
	reflect.TypeFor[string]():            "a text",
	reflect.TypeFor[int]():               "an integer",
	reflect.TypeFor[[]json.RawMessage](): "a list",
	reflect.TypeFor[[][]string]():        "a list of pairs of texts",
}

// kindOf says what a JSON value is.
func kindOf(raw json.RawMessage) string {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case raw[0] == '"':
		return "a text"
	case raw[0] == 't' || raw[0] == 'f':
		return "a boolean"
	case raw[0] == 'n':
		return "null"
	}

	return "a number"
}

// positioned says where a text is no JSON, or else what it is in place of what was wanted.
func positioned(text []byte, err error, want string) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("%s, want %s", kindOf(text), want)
	}

	before := text[:min(syntax.Offset, int64(len(text)))]

	return fmt.Errorf("line %d: not JSON: %w", 1+bytes.Count(before, []byte("\n")), err)
}

// compacted returns a JSON value without white space.
func compacted(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil { // it was parsed before
		return raw
	}

	return b.Bytes()
}
