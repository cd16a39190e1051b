package configs

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"toolevo/envs/names"
)

// decoder reads a layer into a configuration. It reads the syntax tree itself, as goccy's decoder
// rounds, cuts and wraps numbers to make them fit. It refuses anchors, aliases and tags. A list or
// a mapping is set as a whole, unless the layer names a single value of the mapping.
type decoder struct {
	layer   Layer
	fields  []field
	origins map[string]string // by the keys of settings, and of the values of mappings
}

// section reads a section and those within it. Its key is "" for the whole configuration.
func (d *decoder) section(key string, node ast.Node) error {
	// All its settings are commented out.
	if node == nil || node.Type() == ast.NullType {
		return nil
	}

	m, ok := node.(ast.MapNode)
	if !ok {
		return d.mismatch(key, "a mapping of settings", node)
	}

	valid := namesIn(d.fields, key)
	for it := m.MapRange(); it.Next(); {
		name := it.Key().GetToken().Value

		// Unknown names come first: they, too, have no field, and would be taken for sections.
		var err error
		switch f := find(d.fields, join(key, name)); {
		case !slices.Contains(valid, name):
			err = d.unknown(key, it.KeyValue(), valid)
		case f.value.IsValid():
			err = d.set(f.key, f.value, it.Value())
		default:
			err = d.section(join(key, name), it.Value())
		}

		if err != nil {
			return err
		}
	}
	return nil
}

// set sets a setting, or one value of a mapping.
func (d *decoder) set(key string, v reflect.Value, node ast.Node) error {
	d.origins[key] = d.layer.Origin

	switch v.Kind() {
	case reflect.Slice:
		return d.setList(key, v, node)
	case reflect.Map:
		return d.setMapping(key, v, node)
	}

	text, plain, ok := scalar(node)
	if !ok || !plain && v.Kind() != reflect.String || !setScalar(v, text) {
		return d.mismatch(key, wanted(v.Kind()), node)
	}
	return nil
}

func (d *decoder) setList(key string, v reflect.Value, node ast.Node) error {
	s, ok := node.(*ast.SequenceNode)
	if !ok {
		return d.mismatch(key, "a list of names", node)
	}

	all := []string{}

	for _, item := range s.Values {
		text, _, ok := scalar(item)
		if !ok {
			return d.mismatch(key, "a list of names", item)
		}

		all = append(all, text)
	}

	v.Set(reflect.ValueOf(all))
	return nil
}

func (d *decoder) setMapping(key string, v reflect.Value, node ast.Node) error {
	m, ok := node.(ast.MapNode)
	if !ok {
		wants := wanted(v.Type().Elem().Kind())
		return d.mismatch(key, "a mapping of names, each to "+wants, node)
	}

	all := reflect.MakeMap(v.Type())

	// A layer that sets one name adds to the mapping so far; a whole mapping replaces it.
	if strings.HasPrefix(d.layer.key, key+".") {
		for it := v.MapRange(); it.Next(); {
			all.SetMapIndex(it.Key(), it.Value())
		}
	}

	for it := m.MapRange(); it.Next(); {
		value := reflect.New(v.Type().Elem()).Elem()

		// As a setting of its own: later layers may set single names, so each has its own origin.
		name := it.Key().GetToken().Value
		if err := d.set(join(key, name), value, it.Value()); err != nil {
			return err
		}

		all.SetMapIndex(reflect.ValueOf(name), value)
	}

	v.Set(all)
	return nil
}

// scalar returns the text of a single value, and whether it is plain: a quoted value is text and
// nothing else.
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

// setScalar sets a value from its text, and reports whether the text means exactly one value of its
// type.
func setScalar(v reflect.Value, text string) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		return true
	case reflect.Bool:
		v.SetBool(text == "true")
		return text == "true" || text == "false"
	case reflect.Int:
		n, err := strconv.Atoi(text)
		v.SetInt(int64(n))
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

func wanted(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Uint64:
		return fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64))
	case reflect.Float64:
		return "a finite number"
	}

	return "text"
}

// mismatch says that a value is not what its setting takes.
func (d *decoder) mismatch(key, wanted string, node ast.Node) error {
	text, _, single := scalar(node)
	_, isMap := node.(ast.MapNode)

	var found string
	switch {
	case single:
		found = fmt.Sprintf("%.200q", text)
	case isMap:
		found = "a mapping"
	case node.Type() == ast.SequenceType:
		found = "a list"
	case node.Type() == ast.NullType:
		found = "nothing"
	default:
		found = node.String()
	}

	if key != "" {
		key += ": "
	}
	return fmt.Errorf("configs: %s: %swant %s, not %s", d.position(node), key, wanted, found)
}

// unknown says that a section has no such setting, which ones it has, and which was probably meant.
func (d *decoder) unknown(section string, item *ast.MappingValueNode, valid []string) error {
	name, where := item.Key.GetToken().Value, ""
	if section != "" {
		where = " in " + section
	}

	err := fmt.Errorf("configs: %s: unknown setting %q%s", d.position(item.Key), name, where)
	if meant, ok := names.Closest(join(section, firstKey(name, item.Value)), Keys()); ok {
		return fmt.Errorf("%w, did you mean %s? Valid%s are %s", err, meant, where, names.Join(valid))
	}
	return fmt.Errorf("%w: valid%s are %s", err, where, names.Join(valid))
}

// firstKey returns the dotted key of the first value at or below a named node.
func firstKey(name string, node ast.Node) string {
	if m, ok := node.(ast.MapNode); ok {
		if it := m.MapRange(); it.Next() {
			return firstKey(join(name, it.Key().GetToken().Value), it.Value())
		}
	}

	return name
}

// position says where a node is: in a file, by line and column.
func (d *decoder) position(node ast.Node) string {
	if d.layer.key != "" {
		return d.layer.Origin
	}

	p := node.GetToken().Position
	return fmt.Sprintf("%s: [%d:%d]", d.layer.Origin, p.Line, p.Column)
}
