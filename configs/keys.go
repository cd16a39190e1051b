package configs

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"toolevo/envs/names"
)

// Keys lists the keys of all settings, such as search.trees, in the order of the printed configuration.
func Keys() []string {
	keys := keysOf("", reflect.TypeFor[Config]())
	for _, s := range sections() {
		keys = append(keys, keysOf(s.Name, typeOfSection(s))...)
	}

	return keys
}

func keysOf(prefix string, t reflect.Type) []string {
	var keys []string

	for _, f := range reflect.VisibleFields(t) {
		switch name := nameOf(f); {
		case name == "": // embedded: its fields are visible themselves
		case f.Type.Kind() == reflect.Struct:
			keys = append(keys, keysOf(join(prefix, name), f.Type)...)
		default:
			keys = append(keys, join(prefix, name))
		}
	}

	return keys
}

// typeOf returns the type of a setting, a section or a value of a mapping.
func typeOf(key string) (reflect.Type, bool) {
	t := reflect.TypeFor[Config]()

	for _, s := range sections() {
		switch rest, ok := strings.CutPrefix(key, s.Name+"."); {
		case key == s.Name:
			return typeOfSection(s), true
		case ok:
			t, key = typeOfSection(s), rest
		}
	}

	for name := range strings.SplitSeq(key, ".") {
		switch t.Kind() {
		case reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			f, ok := field(t, name)
			if !ok {
				return nil, false
			}

			t = f.Type
		default:
			return nil, false
		}
	}

	return t, true
}

func field(t reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if name != "" && nameOf(f) == name {
			return f, true
		}
	}

	return reflect.StructField{}, false
}

func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return strings.TrimPrefix(name, "-")
}

func join(section, name string) string {
	if section == "" {
		return name
	}

	return section + "." + name
}

// unknown says that a section has no such setting, which it has, and which was probably
// meant.
func (d *decoder) unknown(section, name string, item *ast.MappingValueNode) error {
	t, where := reflect.TypeFor[Config](), ""
	if section != "" {
		t, _ = typeOf(section)
		where = " in " + section
	}
	var valid []string

	for _, f := range reflect.VisibleFields(t) {
		if n := nameOf(f); n != "" {
			valid = append(valid, n)
		}
	}

	if section == "" {
		for _, s := range sections() {
			valid = append(valid, s.Name)
		}
	}

	key := join(section, firstKey(name, item.Value))
	if meant, ok := names.Closest(key, Keys()); ok {
		return fmt.Errorf("configs: %s: unknown setting %q%s, did you mean %s? Valid%s are %s",
			d.at(item.Key), name, where, meant, where, names.Join(valid))
	}

	return fmt.Errorf("configs: %s: unknown setting %q%s: valid%s are %s",
		d.at(item.Key), name, where, where, names.Join(valid))
}

// firstKey returns the dotted key of the first value at or below a node of a name.
func firstKey(name string, node ast.Node) string {
	if m, ok := node.(ast.MapNode); ok {
		if it := m.MapRange(); it.Next() {
			return firstKey(join(name, it.Key().GetToken().Value), it.Value())
		}
	}

	return name
}
