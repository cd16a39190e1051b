package toolapi

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Bracketed is one text Label1[x], Label2[y], … for several parameters. NewBracketed makes one.
//
// As in the published code, the text may contain more around them, and white space around the
// commas and before every bracket but the last label's. A value ends within its line: the last one
// at the first "]", and any other where the next label begins, so it may contain brackets. White
// space around it is not part of it.
type Bracketed struct {
	parameter string
	fields    []Field
	pattern   *regexp.Regexp
}

// Field is one value of a bracketed text.
type Field struct {
	Label string `yaml:"label"` // the text before the bracket
	To    string `yaml:"to"`    // the tool's parameter
}

// NewBracketed returns the adapter for fields in this order. There has to be at least one.
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

		b.WriteString(`\[(.*?)\]`)
	}
	return &Bracketed{parameter: parameter, fields: fields, pattern: regexp.MustCompile(b.String())}
}

func (b *Bracketed) check() error {
	if len(b.fields) == 0 {
		return errors.New("bracketed has no fields")
	}
	return nil
}

// Lower reads the values. A value of the wrong type is answered in Python's words, as in the
// published code.
func (b *Bracketed) Lower(args envs.Args) (envs.Args, *ArgError) {
	v, given := args.Get(b.parameter)
	if !given { // it is optional
		return args, nil
	}

	text, ok := v.(string)
	if !ok {
		return nil, &ArgError{
			Value:     true,
			parameter: b.parameter, problem: "is not a text",
			Text: "expected string or bytes-like object, got '" + pytext.TypeName(v) + "'",
		}
	}

	values := b.pattern.FindStringSubmatch(text)
	if values == nil {
		return nil, &ArgError{Value: true, parameter: b.parameter,
			problem: "is not of the form that it has to be"}
	}

	lowered := args.Without(b.parameter)
	for i, f := range b.fields {
		lowered = lowered.With(f.To, pytext.Strip(values[i+1]))
	}
	return lowered, nil
}

// Lift writes the values into brackets, if they can be read back from there.
func (b *Bracketed) Lift(args envs.Args) (envs.Args, error) {
	// The one parameter for all fields is optional, so a call may have none of them.
	if !slices.ContainsFunc(b.fields,
		func(f Field) bool { return slices.Contains(args.Names(), f.To) }) {
		return args, nil
	}

	rest := args

	values, texts := make([]string, len(b.fields)), make([]string, len(b.fields))
	for i, f := range b.fields {
		value, ok := args.Text(f.To)
		if !ok {
			return nil, fmt.Errorf("%s is not a text", f.To)
		}

		values[i], texts[i] = value, f.Label+"["+value+"]"
		rest = rest.Without(f.To)
	}

	lifted := rest.With(b.parameter, strings.Join(texts, ", "))

	// Only reading it back shows whether a value can be written in brackets.
	read, wrong := b.Lower(lifted)
	for i, f := range b.fields {
		if again, _ := read.Text(f.To); wrong != nil || again != values[i] {
			return nil, fmt.Errorf("%s %q cannot stand in brackets: a bracket, a line break or "+
				"white space around it would be read in another way", f.To, values[i])
		}
	}

	return lifted, nil
}
