package code

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// lift writes the arguments of a tool's call for an API that has changed. Adapters turn values into
// values, but here most arguments are expressions: each is lifted as a stand-in of its type, which
// is then replaced in the result.
func (r *renderer) lift(api *toolapi.API, c stategen.Call) ([]argument, error) {
	base, ok := r.surface.Base.ForTool(c.Tool)
	if !ok {
		return nil, fmt.Errorf("%s has no such tool", r.surface.Base.Name)
	}

	var (
		in   standIns
		args = make(envs.Args, len(c.Args))
	)

	for i, a := range c.Args {
		args[i] = envs.Arg{Name: a.Name, Value: in.valueOf(r, a.Expr, schemaOf(base, a.Name))}
	}

	lifted, err := api.Lift(args)
	if err != nil {
		return nil, err
	}
	return in.texts(lifted)
}

// schemaOf returns the schema of a parameter, or nil.
func schemaOf(api *toolapi.API, parameter string) envs.Args {
	i := slices.IndexFunc(api.Parameters, func(p toolapi.Parameter) bool { return p.Name == parameter })
	if i < 0 {
		return nil
	}
	return api.Parameters[i].Schema
}

// standIn is a value in place of an expression.
type standIn struct {
	value  any
	inside any    // the item of a list that is one expression, so that it cannot be taken apart
	mark   string // how it reads inside a text; "" if it cannot be in one
	text   string // the expression
}

type standIns []standIn

// valueOf returns the value to lift for an expression that has to fit a schema: a stand-in, or for
// literals, lists and objects their own value.
func (in *standIns) valueOf(r *renderer, e stategen.Expr, schema envs.Args) any {
	switch {
	case e.Value != nil:
		return e.Value.Any
	case e.Object != nil:
		object := make(envs.Args, len(e.Object))
		for i, m := range e.Object {
			object[i] = envs.Arg{Name: m.Name, Value: in.valueOf(r, m.Expr, nil)}
		}
		return object
	case e.Var == "" && e.Func == "":
		list := make([]any, len(e.List))
		for i, item := range e.List {
			list[i] = in.valueOf(r, item, schema.Object("items"))
		}
		return list
	}

	s := in.fresh(schema)
	s.text = r.expr(e)
	*in = append(*in, s)
	return s.value
}

// fresh returns a stand-in that fits a schema and differs from all others.
func (in *standIns) fresh(schema envs.Args) standIn {
	n := len(*in) + 1
	mark := "arg" + strconv.Itoa(n) + "arg"

	// A value outside an enum fits no API, so one of its values has to stand in.
	for _, v := range slices.Backward(schema.List("enum")) {
		if !slices.ContainsFunc(*in, func(s standIn) bool { return stategen.Equal(s.value, v) }) {
			text, _ := v.(string)
			return standIn{value: v, mark: text}
		}
	}

	kind, _ := schema.Get("type")
	if several, ok := kind.([]any); ok && len(several) > 0 {
		kind = several[0]
	}

	switch kind {
	case "integer":
		// Far from the numbers of programs, so that it can be found again.
		return number(90000 + n)
	case "number":
		// A number with a maximum is a setting of a voice, from 0 to 1.
		if _, bounded := schema.Get("maximum"); bounded {
			text := "0.9000" + strconv.Itoa(n)
			return standIn{value: envs.Number(text), mark: text}
		}
		return number(90000 + n)
	case "object":
		return standIn{value: envs.Object(mark, mark)}
	case "array":
		s := in.fresh(schema.Object("items"))
		return standIn{value: []any{s.value}, inside: s.value}
	}

	return standIn{value: mark, mark: mark}
}

func number(n int) standIn {
	text := strconv.Itoa(n)
	return standIn{value: envs.Number(text), mark: text}
}

// text writes a lifted value, with the expressions in place of their stand-ins.
func (in standIns) text(v any) (string, error) {
	// Stand-ins of lists and objects come first, before anything looks inside them.
	for _, s := range in {
		switch {
		case stategen.Equal(s.value, v):
			return s.text, nil
		// An adapter has taken a list apart, but the expression is the list as a whole.
		case s.inside != nil && stategen.Equal(s.inside, v):
			return "", fmt.Errorf("the items of %s, which is one expression, would have to be named",
				s.text)
		}
	}

	switch v := v.(type) {
	case string:
		return in.joined(v), nil
	case []any:
		texts := make([]string, len(v))

		for i, item := range v {
			text, err := in.text(item)
			if err != nil {
				return "", err
			}

			texts[i] = text
		}
		return listOf(texts), nil
	case envs.Args:
		members, err := in.texts(v)
		return dict(members), err
	}

	return pytext.Repr(v), nil
}

// texts writes the values of some arguments, or of the members of an object.
func (in standIns) texts(all envs.Args) ([]argument, error) {
	texts := make([]argument, len(all))

	for i, a := range all {
		text, err := in.text(a.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}

		texts[i] = argument{name: a.Name, text: text}
	}
	return texts, nil
}

// joined writes a text that adapters have put together: its literal parts, and expressions between
// them.
func (in standIns) joined(text string) string {
	var parts []string

	for text != "" {
		at, found := len(text), standIn{}

		for _, s := range in {
			if i := strings.Index(text, s.mark); s.mark != "" && i >= 0 && i < at {
				at, found = i, s
			}
		}

		if at > 0 {
			parts = append(parts, quote(text[:at]))
		}

		if found.mark != "" {
			parts = append(parts, "str("+found.text+")")
		}

		text = text[at+len(found.mark):]
	}

	if len(parts) == 0 {
		return `""`
	}
	return strings.Join(parts, " + ")
}
