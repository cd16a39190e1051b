package configs

import (
	"reflect"
	"slices"
	"strings"
)

// field is where a configuration holds a setting.
type field struct {
	key   string // dotted
	value reflect.Value
	least string // the tag least
}

// Keys lists the keys of all settings, such as search.trees, in the order of the printed
// configuration.
func Keys() []string {
	var keys []string
	for _, f := range fieldsOf(newConfig()) {
		keys = append(keys, f.key)
	}
	return keys
}

// fieldsOf lists the fields of a configuration, in the order in which it is printed.
func fieldsOf(c *Config) []field {
	all := fieldsBelow("", reflect.ValueOf(c))
	for _, s := range sections() {
		all = append(all, fieldsBelow(s.Name, reflect.ValueOf(c.BySection[s.Name]))...)
	}
	return all
}

func fieldsBelow(section string, settings reflect.Value) []field {
	var all []field

	for _, f := range reflect.VisibleFields(settings.Type().Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		key, value := join(section, name), settings.Elem().FieldByIndex(f.Index)

		switch {
		case name == "" || name == "-": // embedded, so its own fields are visible; or not a setting
		case f.Type.Kind() == reflect.Struct:
			all = append(all, fieldsBelow(key, value.Addr())...)
		default:
			all = append(all, field{key, value, f.Tag.Get("least")})
		}
	}

	return all
}

// find returns the field of a key, or the zero field, whose value is invalid.
func find(fields []field, key string) field {
	if i := slices.IndexFunc(fields, func(f field) bool { return f.key == key }); i >= 0 {
		return fields[i]
	}
	return field{}
}

// namesIn lists the settings and sections directly in a section; "" is the whole configuration.
func namesIn(fields []field, section string) []string {
	var names []string

	for _, f := range fields {
		if below, ok := strings.CutPrefix(f.key, join(section, "")); ok {
			name, _, _ := strings.Cut(below, ".")
			names = append(names, name)
		}
	}

	return slices.Compact(names)
}

func join(section, name string) string {
	if section == "" {
		return name
	}
	return section + "." + name
}
