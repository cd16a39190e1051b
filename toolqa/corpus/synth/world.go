package synth

import (
	"context"
	"embed"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"

	"github.com/brianvoe/gofakeit/v7"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

// worlds are the descriptions of synthetic corpora; the package comment says how they are written.
//
//go:embed worlds/*.yaml
var worlds embed.FS

// description is a file of the folder worlds.
type description struct {
	names
	words    map[int]any // lists and records, by their places
	first    []assignment
	tables   []madeTable
	row      []assignment
	absent   map[string]any // shares of missing values, by column
	repeated float64        // the share of rows, at the end, that repeat earlier ones
}

// assignment gives a variable a value.
type assignment struct {
	name  string
	slot  int
	value expr
}

// madeTable is a list of records that is drawn before the rows.
type madeTable struct {
	slot          int
	count, accept expr // a row that is not accepted is drawn again
	row           []assignment
}

// describe returns the description of a dataset. It panics on a mistake in the file.
func describe(ds toolqa.Dataset) *description {
	made, _ := descriptions.LoadOrStore(ds, sync.OnceValue(func() *description { return readDescription(ds) }))
	return made.(func() *description)()
}

var descriptions sync.Map // by dataset

func readDescription(ds toolqa.Dataset) *description {
	path := "worlds/" + string(ds) + ".yaml"

	// The file is part of the program, so whatever is wrong with it is a bug and panics.
	text, err := worlds.ReadFile(path)
	if err != nil {
		panic(err)
	}

	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", path, err))
	}

	// These three variables are set by the program, not by a description.
	d := &description{names: names{"index": 0, "rows": 1, "key": 2}, words: map[int]any{}}
	for _, part := range entries(file.Docs[0].Body) {
		switch name := keyOf(part); name {
		case "tables":
			for _, t := range entries(part.Value) {
				d.tables = append(d.tables, d.table(keyOf(t), t.Value))
			}
		case "first":
			d.first = d.assignments(part.Value)
		case "absent":
			d.absent = d.value(part.Value).(*record).values
		case "repeated":
			d.repeated = number(d.value(part.Value))
		case "row":
			d.row = d.assignments(part.Value)
		default:
			d.words[d.slot(name)] = d.value(part.Value)
		}
	}

	return d
}

func entries(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}

	panic(fmt.Sprintf("%v is no mapping", n))
}

// table reads a table: what is called count and accept, and its columns.
func (d *description) table(name string, n ast.Node) madeTable {
	t := madeTable{slot: d.slot(name)}
	for _, a := range d.assignments(n) {
		switch a.name {
		case "count":
			t.count = a.value
		case "accept":
			t.accept = a.value
		default:
			t.row = append(t.row, a)
		}
	}

	return t
}

func (d *description) assignments(n ast.Node) (all []assignment) {
	for _, e := range entries(n) {
		name := keyOf(e)
		all = append(all, assignment{name, d.slot(name), d.assigned(e.Value)})
	}
	return all
}

func keyOf(e *ast.MappingValueNode) string {
	if s, ok := e.Key.(*ast.StringNode); ok {
		return s.Value
	}
	return e.Key.String()
}

// assigned compiles a value: a quoted text is a template, and a bare one an expression.
func (d *description) assigned(n ast.Node) expr {
	if s, ok := n.(*ast.StringNode); ok && s.Token.Type == token.StringType {
		return d.compile(s.Value)
	}

	v := d.value(n)
	if t, ok := v.(expr); ok {
		return t
	}
	return constant(v)
}

// value reads a value. A text with braces is a template, which is evaluated each time it is used.
func (d *description) value(n ast.Node) any {
	switch n := n.(type) {
	case *ast.StringNode:
		return d.text(n.Value)
	// The line break that ends a block of text is no part of it.
	case *ast.LiteralNode:
		return d.text(strings.TrimSpace(n.Value.Value))
	case *ast.IntegerNode:
		return wholeNumber(n.Value)
	case *ast.FloatNode:
		return n.Value
	case *ast.BoolNode:
		return n.Value
	case *ast.NullNode:
		return nil
	case *ast.SequenceNode:
		var items []any
		for _, item := range n.Values {
			items = append(items, d.value(item))
		}
		return newList(items)
	}

	// Anything else must be a mapping, whose values may turn out to be weights.
	r := &record{values: map[string]any{}}
	for _, e := range entries(n) {
		r.names = append(r.names, keyOf(e))
		r.values[keyOf(e)] = d.value(e.Value)
	}

	r.sums = sumUp(r.names, func(name string) float64 { return number(r.values[name]) })
	return r
}

// text returns a text, or a template.
func (d *description) text(text string) any {
	if strings.Contains(text, "{") {
		return d.template(text)
	}
	return text
}

func wholeNumber(v any) float64 {
	switch v := v.(type) {
	case uint64:
		return float64(v)
	case int64:
		return float64(v)
	}

	panic(fmt.Sprintf("%v is no number", v))
}

// list is a list of values.
type list struct {
	items []any
	sums  []float64 // of the weights of its records; nil without
}

func newList(items []any) *list {
	l := &list{items: items}
	if r, ok := items[0].(*record); ok && r.values["weight"] != nil {
		l.sums = sumUp(items, func(v any) float64 { return number(v.(*record).values["weight"]) })
	}
	return l
}

// record is values by name.
type record struct {
	names  []string
	values map[string]any
	sums   []float64 // of the values, which may be weights
}

// world makes the rows of a corpus by its description.
type world struct {
	*description
	rng    *rand.Rand
	source *rand.PCG
	salt   uint64
	fake   *gofakeit.Faker
	vars   []any
	taken  map[[2]string]bool
}

// newWorld returns the world of a dataset in which n rows will be made.
func newWorld(ds toolqa.Dataset, rng *rand.Rand, n int) *world {
	// A world draws from a source of its own, which make reseeds for every row.
	w := &world{
		description: describe(ds),
		source:      rand.NewPCG(rng.Uint64(), 0),
		salt:        rng.Uint64(),
		taken:       map[[2]string]bool{},
	}
	w.rng = rand.New(w.source)
	w.fake = gofakeit.NewFaker(w.rng, false)

	w.vars = make([]any, len(w.names))
	w.vars[w.names["rows"]] = float64(n)

	for slot, v := range w.words {
		w.vars[slot] = v
	}

	// Before the tables, whose sizes and rows may be computed from it.
	w.evaluate(w.first)

	// One after the other: a table may draw from those before it.
	for _, t := range w.tables {
		var made []any

		for i := range int(w.number(t.count)) {
			w.vars[w.names["index"]] = float64(i)
			made = append(made, w.record(t))
		}

		w.vars[t.slot] = newList(made)
	}
	return w
}

// acceptTries is how often a row of a table is drawn until it is accepted. The last is taken as it
// is.
const acceptTries = 200

// record evaluates a row of a table.
func (w *world) record(t madeTable) *record {
	for range acceptTries {
		w.evaluate(t.row)

		if t.accept == nil || truth(t.accept(w)) {
			break
		}
	}

	r := &record{values: make(map[string]any, len(t.row))}
	for _, a := range t.row {
		r.values[a.name] = w.vars[a.slot]
	}
	return r
}

func (w *world) evaluate(all []assignment) {
	for _, a := range all {
		w.vars[a.slot] = a.value(w)
	}
}

// make evaluates the i-th row, which depends on nothing but the seed and, where the description
// says so, on the row before.
func (w *world) make(i int) {
	w.source.Seed(w.salt, uint64(i))
	w.vars[w.names["index"]] = float64(i)
	w.evaluate(w.row)
}

// get returns the value of a variable.
func (w *world) get(name string) any { return w.force(w.vars[w.names[name]]) }

// set gives variables values: names and values in turn.
func (w *world) set(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		slot, ok := w.names[pairs[i].(string)]
		if !ok {
			panic(fmt.Sprintf("nothing uses %v", pairs[i]))
		}

		w.vars[slot] = pairs[i+1]
	}
}

// all returns the texts of a list.
func (w *world) all(name string) []string {
	var texts []string
	for _, item := range w.get(name).(*list).items {
		texts = append(texts, textOf(w.force(item)))
	}
	return texts
}

// draw returns a text: a template is evaluated anew, and of a list one is drawn.
func (w *world) draw(name string) string {
	v := w.get(name)
	if _, ok := v.(*list); ok {
		v = w.pick(v)
	}
	return textOf(v)
}

// force evaluates a template, and returns any other value as it is.
func (w *world) force(v any) any {
	if t, ok := v.(expr); ok {
		return t(w)
	}
	return v
}

func (w *world) field(owner any, name string) any {
	r, ok := owner.(*record)
	if !ok {
		return nil
	}
	return w.force(r.values[name])
}

// pick draws an item of a list, by the weights that its records may have, or a name of a record,
// whose values are the weights.
func (w *world) pick(from any) any {
	switch from := from.(type) {
	case *record:
		return from.names[w.drawIndex(from.sums)]
	case *list:
		if from.sums == nil {
			return w.force(from.items[w.rng.IntN(len(from.items))])
		}
		return from.items[w.drawIndex(from.sums)]
	}

	panic(fmt.Sprintf("%v is no list", from))
}

// drawIndex draws an index by weights that are summed up.
func (w *world) drawIndex(sums []float64) int {
	x := w.rng.Float64() * sums[len(sums)-1]
	return min(sort.Search(len(sums), func(i int) bool { return sums[i] > x }), len(sums)-1)
}

// sumUp returns for every element the sum of the weights up to and with its own.
func sumUp[E any](items []E, weight func(E) float64) []float64 {
	sums := make([]float64, len(items))

	sum := 0.0
	for i, e := range items {
		sum += weight(e)
		sums[i] = sum
	}

	return sums
}

// cells makes the cells of the row.
func (w *world) cells(schema layout.Schema, row []layout.Cell) {
	for i, col := range schema.Columns {
		v := w.vars[w.names[col.Name]]
		if share, ok := w.absent[col.Name]; ok && w.rng.Float64() < number(share) {
			v = nil
		}

		row[i] = cellOf(col, schema.IsJSON(), v)
	}
}

// tableRows returns a generator of n rows of a dataset's table, and then io.EOF. A row is
// overwritten by the next one.
func tableRows(ds toolqa.Dataset, rng *rand.Rand, n int) func() ([]layout.Cell, error) {
	w, schema := newWorld(ds, rng, n), layout.Schemas()[ds]
	row := make([]layout.Cell, len(schema.Columns))
	repeats := int(math.Round(w.repeated * float64(n)))
	distinct, made := n-repeats, 0
	return func() ([]layout.Cell, error) {
		if made == n {
			return nil, io.EOF
		}

		i := made
		if i >= distinct { // evenly spread over those before
			i = (i - distinct) * distinct / repeats
		}

		made++
		w.make(i)
		w.cells(schema, row)
		return row, nil
	}
}

// agendaPassages returns the passages about the n rows of the agenda, in their order.
func agendaPassages(rng *rand.Rand, n int) layout.Part {
	return func(_ context.Context, put func(table string, values ...any) error) error {
		w := newWorld(toolqa.Agenda, rng, n)
		for i := range n {
			w.make(i)

			if err := put(layout.Documents, i+1, textOf(w.get("id")), textOf(w.get("document"))); err != nil {
				return err
			}
		}
		return nil
	}
}

func cellOf(col layout.Column, fromJSON bool, v any) layout.Cell {
	if v == nil {
		return layout.MissingCell(col, fromJSON)
	}

	switch col.Kind {
	case layout.Real:
		return layout.RealCell(number(v))
	case layout.Integer:
		return layout.IntegerCell(int64(number(v)))
	case layout.Bool:
		return layout.BoolCell(truth(v))
	case layout.Clock:
		return layout.ClockCell(textOf(v))
	}

	return layout.TextCell(textOf(v))
}
