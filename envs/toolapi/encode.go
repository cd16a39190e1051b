package toolapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/token"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/yamltext"
)

// Encode returns the text of the file in the form of the shipped ones: what is marked flow is on
// one line. The library's encoder would parse every text again that it is told how to quote, which
// takes half a second for the functions of ToolBench.
func (s *Spec) Encode() ([]byte, error) {
	w := yamlWriter{bare: map[string]bool{}}
	if err := w.block(reflect.ValueOf(*s), 0); err != nil {
		return nil, fmt.Errorf("toolapi: write the version %s: %w", s.Version, err)
	}
	return append(w.Bytes(), '\n'), nil
}

// yamlWriter writes values of the types that a [Spec] is made of, by their yaml tags.
type yamlWriter struct {
	bytes.Buffer
	bare map[string]bool // of texts that were looked at: whether they need no quotes
}

// field is a field of a struct that has to be written.
type field struct {
	name  string
	value reflect.Value
	flow  bool
}

// fieldsOf returns the fields of a struct that are not left out.
func fieldsOf(v reflect.Value) []field {
	var all []field

	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous { // its fields are written among the others
			all = append(all, fieldsOf(v.Field(i))...)
			continue
		}

		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		value := v.Field(i)
		empty := value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0

		if name != "" && !(empty && strings.Contains(options, "omitempty")) {
			all = append(all, field{name, value, strings.Contains(options, "flow")})
		}
	}
	return all
}

// block writes a struct, with a line for each field that is not a struct or a list of structs. It
// begins on the current line.
func (w *yamlWriter) block(v reflect.Value, indent int) error {
	for i, f := range fieldsOf(v) {
		if i > 0 {
			w.newline(indent)
		}

		w.WriteString(f.name + ":")

		var err error

		switch {
		case !f.flow && f.value.Kind() == reflect.Struct:
			w.newline(indent + 2)
			err = w.block(f.value, indent+2)
		case !f.flow && f.value.Kind() == reflect.Slice:
			err = w.items(f.value, indent+2)
		default:
			w.WriteByte(' ')
			err = w.flow(f.value.Interface())
		}

		if err != nil {
			return err
		}
	}
	return nil
}

// items writes a list of structs.
func (w *yamlWriter) items(list reflect.Value, indent int) error {
	for i := range list.Len() {
		w.newline(indent)
		w.WriteString("- ")

		if err := w.block(list.Index(i), indent+2); err != nil {
			return err
		}
	}
	return nil
}

func (w *yamlWriter) newline(indent int) { w.WriteString("\n" + strings.Repeat(" ", indent)) }

// flow writes a value on one line.
func (w *yamlWriter) flow(value any) error {
	switch v := value.(type) {
	case nil:
		w.WriteString("null")
	case string:
		return w.text(v)
	case envs.Number:
		w.WriteString(yamltext.Number(string(v)))
	case float64:
		w.WriteString(yamltext.Number(pytext.FormatFloat(v)))
	case Parameters:
		return w.flow(v.form())
	case envs.Args:
		return w.between('{', '}', len(v), func(i int) error { return w.pair(v[i].Name, v[i].Value) })
	default:
		return w.reflected(reflect.ValueOf(value))
	}

	return nil
}

// reflected writes a value by its kind.
func (w *yamlWriter) reflected(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint64:
		fmt.Fprint(w, v.Interface())
	case reflect.String:
		return w.text(v.String())
	case reflect.Pointer:
		return w.flow(v.Elem().Interface())
	case reflect.Slice:
		return w.between('[', ']', v.Len(), func(i int) error { return w.flow(v.Index(i).Interface()) })
	case reflect.Map: // by texts
		names := v.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		return w.between('{', '}', len(names), func(i int) error {
			return w.pair(names[i].String(), v.MapIndex(names[i]).Interface())
		})
	case reflect.Struct:
		fields := fieldsOf(v)
		return w.between('{', '}', len(fields), func(i int) error {
			return w.pair(fields[i].name, fields[i].value.Interface())
		})
	default:
		return fmt.Errorf("a value of the type %s", v.Type())
	}

	return nil
}

// between writes items between two brackets, with commas.
func (w *yamlWriter) between(left, right byte, n int, item func(i int) error) error {
	w.WriteByte(left)

	for i := range n {
		if i > 0 {
			w.WriteString(", ")
		}

		if err := item(i); err != nil {
			return err
		}
	}
	return w.WriteByte(right)
}

func (w *yamlWriter) pair(name string, value any) error {
	if err := w.text(name); err != nil {
		return err
	}

	w.WriteString(": ")
	return w.flow(value)
}

// isName reports whether a text is made of letters, digits and underscores, and does not begin with
// a digit.
func isName(text string) bool {
	for i := range len(text) {
		c := text[i] | 0x20 // in lower case
		if !(c >= 'a' && c <= 'z' || text[i] == '_' || i > 0 && text[i] >= '0' && text[i] <= '9') {
			return false
		}
	}

	return text != ""
}

// isHidden reports whether a character cannot be seen in a file.
func isHidden(r rune) bool {
	return (r < ' ' || r > '~') && (!unicode.IsGraphic(r) || r == '\uFFFD')
}

// isBare reports whether a text needs no quotes anywhere in a file.
func (w *yamlWriter) isBare(text string) bool {
	if !isName(text) {
		return false
	}

	bare, known := w.bare[text]
	if !known {
		bare = !token.IsNeedQuoted(text)
		w.bare[text] = bare
	}

	return bare
}

// text writes a text, quoted so that it may be part of a list on one line.
func (w *yamlWriter) text(text string) error {
	switch {
	case w.isBare(text):
		w.WriteString(text)
	case strings.ContainsFunc(text, isHidden):
		quoted, err := json.Marshal(text)
		if err != nil {
			return err
		}

		w.Write(quoted)
	default:
		w.WriteByte('\'')
		w.WriteString(strings.ReplaceAll(text, "'", "''"))
		w.WriteByte('\'')
	}

	return nil
}
