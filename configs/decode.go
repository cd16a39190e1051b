package configs

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"toolevo/envs/suite"
)

// decoder reads one layer. It reads the syntax tree itself, for goccy's decoder rounds, cuts and wraps numbers to make
// them fit. Anchors, aliases and tags are no settings and refused.
type decoder struct {
	layer    Layer
	sections map[string]suite.Settings // of suites
	keys     []string                  // of the settings set, in order
}

// decode sets in c what the layer sets, and lists the keys of it. A setting of several values, a list or a mapping, is
// set as a whole, and the keys of a mapping's values are listed with it.
func (l Layer) decode(c *Config) ([]string, error) {
	if !utf8.Valid(l.YAML) {
		return nil, fmt.Errorf("configs: %s: is not UTF-8 text", l.Origin)
	}

	document := l.document
	if document == nil {
		document = func() (ast.Node, error) { return parse(l.YAML) }
	}

	body, err := document()
	if err != nil {
		return nil, fmt.Errorf("configs: %s: %w", l.Origin, err)
	}

	if body == nil {
		return nil, nil
	}

	d := decoder{layer: l, sections: c.BySection}
	if err := d.section("", reflect.ValueOf(c).Elem(), body); err != nil {
		return nil, err
	}

	return d.keys, nil
}

// What a configuration may be, which is a hundred lines: goccy's parser takes a minute and then the whole
// stack for some texts that are larger or nest more.
const (
	maxText     = 64 << 10 // bytes
	maxBrackets = 1000     // that open lists and mappings, all together
)

// parse returns the one document of a text, nil when there is nothing in it.
func parse(text []byte) (ast.Node, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("more than %d bytes are not a configuration", maxText)
	}

	if n := bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")); n > maxBrackets {
		return nil, fmt.Errorf("%d brackets are not a configuration: want at most %d", n, maxBrackets)
	}

	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, err
	}
	var body ast.Node

	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case body != nil:
			return nil, fmt.Errorf("more than one document: want one mapping of settings")
		default:
			body = doc.Body
		}
	}

	return body, nil
}

// shippedDocuments are those of the texts that are parts of the program, by text.
var shippedDocuments sync.Map

// parsedOnce returns the document of a text that is a part of the program. Parsing these texts takes longer than all
// else about a configuration, and decoding does not change a document.
func parsedOnce(text []byte) func() (ast.Node, error) {
	once := sync.OnceValues(func() (ast.Node, error) { return parse(text) })
	document, _ := shippedDocuments.LoadOrStore(string(text), once)

	return document.(func() (ast.Node, error))
}

func (d *decoder) section(key string, v reflect.Value, node ast.Node) error {
	if node.Type() == ast.NullType {
		return nil // all that was in it is commented out
	}

	m, ok := node.(ast.MapNode)
	if !ok {
		return d.mismatch(key, v.Type(), node)
	}

	for it := m.MapRange(); it.Next(); {
		name := it.Key().GetToken().Value

		if s := d.sections[join(key, name)]; s != nil {
			if err := d.section(name, reflect.ValueOf(s).Elem(), it.Value()); err != nil {
				return err
			}

			continue
		}

		f, ok := field(v.Type(), name)
		if !ok && d.layer.Earlier {
			continue
		}

		if !ok {
			return d.unknown(key, name, it.KeyValue())
		}

		if err := d.value(join(key, name), v.FieldByIndex(f.Index), it.Value()); err != nil {
			return err
		}
	}

	return nil
}

func (d *decoder) value(key string, v reflect.Value, node ast.Node) error {
	switch v.Kind() {
	case reflect.Struct:
		return d.section(key, v, node)
	case reflect.Slice:
		return d.list(key, v, node)
	case reflect.Map:
		return d.mapping(key, v, node)
	}

	d.keys = append(d.keys, key)

	text, plain, ok := scalar(node)
	if !ok || !plain && v.Kind() != reflect.String || !setScalar(v, text) {
		return d.mismatch(key, v.Type(), node)
	}

	return nil
}

func (d *decoder) list(key string, v reflect.Value, node ast.Node) error {
	d.keys = append(d.keys, key)

	s, ok := node.(*ast.SequenceNode)
	if !ok {
		return d.mismatch(key, v.Type(), node)
	}

	all := reflect.MakeSlice(v.Type(), len(s.Values), len(s.Values))
	for i, item := range s.Values {
		text, _, ok := scalar(item)
		if !ok || !setScalar(all.Index(i), text) {
			return d.mismatch(key, v.Type(), item)
		}
	}

	v.Set(all)

	return nil
}

func (d *decoder) mapping(key string, v reflect.Value, node ast.Node) error {
	d.keys = append(d.keys, key)

	m, ok := node.(ast.MapNode)
	if !ok {
		return d.mismatch(key, v.Type(), node)
	}

	all := reflect.MakeMap(v.Type())

	for it := m.MapRange(); it.Next(); {
		name := it.Key().GetToken().Value

		item := reflect.New(v.Type().Elem()).Elem()
		if err := d.value(join(key, name), item, it.Value()); err != nil {
			return err
		}

		all.SetMapIndex(reflect.ValueOf(name), item)
	}

	v.Set(all)

	return nil
}

// scalar returns a single value's text, and whether it stands there plainly: what is quoted is text and nothing else.
func scalar(node ast.Node) (text string, plain, ok bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		quoted := n.Token.Type == token.DoubleQuoteType || n.Token.Type == token.SingleQuoteType
		return n.Value, !quoted, true
	case *ast.LiteralNode:
		return n.Value.Value, false, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, true, true
	}

	return "", false, false
}

// setScalar sets a value from its text and reports whether the text means exactly one of its type.
func setScalar(v reflect.Value, text string) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		return true
	case reflect.Bool:
		v.SetBool(text == "true")
		return text == "true" || text == "false"
	case reflect.Int:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(n)
		return err == nil
	case reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, 64)
		v.SetUint(n)
		return err == nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		v.SetFloat(f)
		return err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	}

	return false
}

// mismatch says that a value is not what its setting takes.
func (d *decoder) mismatch(key string, t reflect.Type, node ast.Node) error {
	found := "nothing"
	text, _, single := scalar(node)

	_, isMap := node.(ast.MapNode)
	switch {
	case single:
		found = strconv.Quote(text)
	case isMap:
		found = "a mapping"
	case node.Type() == ast.SequenceType:
		found = "a list"
	case node.Type() != ast.NullType:
		found = node.String()
	}

	if key == "" {
		return fmt.Errorf("configs: %s: want a mapping of settings, not %s", d.at(node), found)
	}

	return fmt.Errorf("configs: %s: %s: want %s, not %s", d.at(node), key, wanted(t), found)
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Uint64:
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64))
	case reflect.Float64:
		return "a finite number"
	case reflect.Slice:
		return "a list of names"
	case reflect.Map:
		return "a mapping of names to whole numbers"
	case reflect.Struct:
		return "a mapping of settings"
	}

	return "text"
}

// at says where a node stands: in a file, by line and column.
func (d *decoder) at(node ast.Node) string {
	if d.layer.single {
		return d.layer.Origin
	}

	p := node.GetToken().Position

	return fmt.Sprintf("%s: [%d:%d]", d.layer.Origin, p.Line, p.Column)
}
