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
	m := membersOf(raw)
	q := Query{Group: group, ID: member[int](m, "query_id")}

	m.where = fmt.Sprintf("query_id %d", q.ID)
	q.Text = m.filled("query")
	m.each("api_list", func(raw json.RawMessage) error { return b.offer(&q, raw) })

	if relevant := member[[][]string](m, "relevant APIs"); m.err == nil {
		m.fail(q.takeRelevant(relevant))
	}

	return q, m.err
}

// offer adds an API to those of a query.
func (b *builder) offer(q *Query, raw json.RawMessage) error {
	d, err := parseDocument(raw)
	if err != nil {
		return err
	}

	// Calls name the tool and the API, or a function made of both, which has to say which is meant.
	same := func(k Key) bool { return FunctionName(k) == FunctionName(d.Key) }
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
	m := membersOf(raw)

	var d Document
	d.Category, d.Tool, d.API = m.filled("category_name"), m.filled("tool_name"), m.filled("api_name")
	d.takeRest(m, "api_description", "template_response")

	return d, m.err
}

// takeRest reads what query files and tool documents have under the same names, and what they do not.
func (d *Document) takeRest(m *members, description, template string) {
	m.where = d.Key
	d.Description = m.textOrNull(description)
	d.Method = member[string](m, "method")

	d.Required, d.Optional = m.parameters("required_parameters"), m.parameters("optional_parameters")

	if raw := m.of[template]; raw != nil && string(raw) != "null" && string(raw) != `""` {
		d.Template = compacted(raw)
	}
}

// parameters reads a list of parameters.
func (m *members) parameters(name string) (all []Parameter) {
	m.each(name, func(raw json.RawMessage) error {
		p, err := parseParameter(raw)
		all = append(all, p)

		return err
	})

	return all
}

func parseParameter(raw json.RawMessage) (Parameter, error) {
	m := membersOf(raw)
	p := Parameter{Name: m.filled("name")}

	m.where = p.Name
	p.Type = member[string](m, "type")
	p.Description = m.textOrNull("description")

	usual, ok := m.of["default"]
	if !ok {
		m.fail(errors.New(`no "default"`))
	}

	p.Default = compacted(usual)

	return p, m.err
}

// members reads the members of a JSON object. Of one that is not as it should be err says what is wrong; nothing is
// read after that.
type members struct {
	of    map[string]json.RawMessage
	where any // begins what err says; nil where nothing needs to be said
	err   error
}

func membersOf(raw json.RawMessage) *members {
	m := &members{}
	if err := json.Unmarshal(raw, &m.of); err != nil || m.of == nil {
		m.err = fmt.Errorf("%s, want an object", kindOf(raw))
	}

	return m
}

// fail keeps the first error.
func (m *members) fail(err error) {
	if m.err != nil || err == nil {
		return
	}

	if m.err = err; m.where != nil {
		m.err = fmt.Errorf("%v: %w", m.where, err)
	}
}

// member returns a member that has to be there, of the type that is wanted.
func member[T string | int | []json.RawMessage | [][]string](m *members, name string) (v T) {
	raw, ok := m.of[name]

	switch {
	case m.err != nil:
	case !ok:
		m.fail(fmt.Errorf("no %q", name))
	case json.Unmarshal(raw, &v) != nil || string(raw) == "null":
		m.fail(fmt.Errorf("%q is %s, want %s", name, kindOf(raw), kinds[reflect.TypeFor[T]()]))
	}

	return v
}

// filled is member for a text that may not be empty.
func (m *members) filled(name string) string {
	text := member[string](m, name)
	if strings.TrimSpace(text) == "" {
		m.fail(fmt.Errorf("%q is empty", name))
	}

	return text
}

// textOrNull is member for a text that may be null where there is none.
func (m *members) textOrNull(name string) string {
	if string(m.of[name]) == "null" {
		return ""
	}

	return member[string](m, name)
}

// each reads the items of a list, until one is not as it should be.
func (m *members) each(name string, read func(raw json.RawMessage) error) {
	for i, raw := range member[[]json.RawMessage](m, name) {
		if err := read(raw); err != nil {
			m.fail(fmt.Errorf("%s[%d]: %w", name, i, err))
			return
		}
	}
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
