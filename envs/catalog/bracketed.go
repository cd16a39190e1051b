package catalog

import (
	"fmt"
	"regexp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Bracketed is one text Label1[x], Label2[y], … for several parameters.
//
// As in the published code the text may hold more around them, white space may stand around the commas and before every
// bracket but the last label's, and a value ends at the first "]" and within its line. NewBracketed makes one.
type Bracketed struct {
	parameter string
	fields    []Field
	pattern   *regexp.Regexp
}

// Field is one value of a bracketed text.
type Field struct {
	Label string `yaml:"label"` // what stands before the bracket
	To    string `yaml:"to"`    // the tool's parameter
}

// NewBracketed returns the adapter for fields in this order; there is at least one.
func NewBracketed(parameter string, fields []Field) *Bracketed {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 {
			b.WriteString(pytext.SpaceClass + "*," + pytext.SpaceClass + "*")
		}
		b.WriteString(regexp.QuoteMeta(f.Label))
		if i < len(fields)-1 {
			b.WriteString(pytext.SpaceClass + "*")
		}
		b.WriteString(`\[([^\]\n]*)\]`)
	}
	return &Bracketed{parameter: parameter, fields: fields, pattern: regexp.MustCompile(b.String())}
}

// Lower reads the values; a value of the wrong type is answered in Python's words, as the published code does.
func (b *Bracketed) Lower(args envs.Args) (envs.Args, *ArgError) {
	v, _ := args.Get(b.parameter)
	text, ok := v.(string)
	if !ok {
		return nil, &ArgError{Value: true, Text: "expected string or bytes-like object, got '" + pytext.TypeName(v) + "'"}
	}
	values := b.pattern.FindStringSubmatch(text)
	if values == nil {
		return nil, &ArgError{Value: true}
	}
	lowered := without(args, b.parameter)
	for i, f := range b.fields {
		lowered = append(lowered, envs.Arg{Name: f.To, Value: values[i+1]})
	}
	return lowered, nil
}

// Lift writes the values into brackets.
func (b *Bracketed) Lift(args envs.Args) (envs.Args, error) {
	rest := args
	texts := make([]string, len(b.fields))
	for i, f := range b.fields {
		value, ok := args.Text(f.To)
		if !ok {
			return nil, fmt.Errorf("%s is not a text", f.To)
		}
		if strings.ContainsAny(value, "]\n") {
			return nil, fmt.Errorf("%s %q holds a bracket or a line break, which end a bracketed value", f.To, value)
		}
		texts[i] = f.Label + "[" + value + "]"
		rest = without(rest, f.To)
	}
	return with(rest, b.parameter, strings.Join(texts, ", ")), nil
}
