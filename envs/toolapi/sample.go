package toolapi

import (
	"fmt"
	"math"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Sample returns a call of the tool with all its parameters. Their values are named by the schema
// or have its types. They may not fit if the schema says more than can be followed.
func (a *API) Sample() envs.Args {
	var all envs.Args
	for i, p := range a.base.Parameters {
		all = all.With(p.Name, sample(p.Schema, i+1))
	}

	if a.base.mismatch(all) == "" {
		return all
	}

	for i, p := range a.base.Parameters {
		all[i].Value = fitting(p.Schema, i+1)
	}
	return all
}

// sample returns the first value that a schema names, or one of its type.
func sample(schema envs.Args, i int) any {
	if v, ok := named(schema); ok {
		return v
	}

	switch kind, _ := schema.Text("type"); kind {
	case "integer", "number":
		return envs.Number(strconv.Itoa(i))
	case "boolean":
		return true
	case "array":
		return []any{}
	case "object":
		return envs.Args{}
	}

	return fmt.Sprintf("value %d", i)
}

func named(schema envs.Args) (any, bool) {
	for _, keyword := range []string{"examples", "enum"} {
		if values := schema.List(keyword); len(values) > 0 {
			return values[0], true
		}
	}

	for _, keyword := range []string{"default", "const"} {
		if v, ok := schema.Get(keyword); ok {
			return v, true
		}
	}

	return nil, false
}

// fitting returns a value for a schema that says more than a type.
func fitting(schema envs.Args, i int) any {
	if v, ok := named(schema); ok {
		// Documents have examples that do not fit their own schemas.
		form, err := NewForm(schema)
		if err != nil {
			return v
		}

		if _, why := form.Misfit(v); why == "" {
			return v
		}
	}

	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if some := schema.List(keyword); len(some) > 0 {
			// Of an allOf, the first part may not be enough: what several need is not worked out.
			first, _ := some[0].(envs.Args)
			return fitting(first, i)
		}
	}

	kinds, _ := schema.Get("type")
	if list, ok := kinds.([]any); ok {
		// A null would fit as well, but would not show what the tool takes.
		kinds = list[max(slices.IndexFunc(list, func(kind any) bool { return kind != "null" }), 0)]
	}

	switch kinds {
	case "integer", "number":
		return fittingNumber(schema, i)
	case "array":
		return fittingList(schema, i)
	case "object":
		return fittingObject(schema, i)
	case "string", nil:
		return fittingText(schema, i)
	case "null":
		return nil
	}

	return sample(envs.Object("type", kinds), i)
}

// fittingList returns a list of as many items as are wanted. Lists in lists multiply, so an item
// counts as often as the values that it contains.
func fittingList(schema envs.Args, i int) any {
	wanted := atLeast(schema, "minItems")
	if wanted == 0 {
		return []any{}
	}

	inside := []any{fitting(schema.Object("items"), i)}
	for k := 1; k < min(wanted, mostSampled/sizeOf(inside[0])); k++ {
		inside = append(inside, fitting(schema.Object("items"), i+k))
	}
	return inside
}

// sizeOf returns how many values a sample has, counting itself.
func sizeOf(v any) int {
	n := 0

	envs.Map(v, func(part any) (any, bool) { n++; return part, false })

	return n
}

// mostSampled bounds the items and characters of a sample.
const mostSampled = 1000

// atLeast returns the number of a keyword, but at most mostSampled.
func atLeast(schema envs.Args, keyword string) int {
	return min(intOf(schema, keyword), mostSampled)
}

// intOf returns the number of a keyword, or 0 if it is not there.
func intOf(schema envs.Args, keyword string) int {
	v, _ := schema.Get(keyword)
	text, _ := v.(envs.Number)
	f, _ := pytext.ParseFloat(string(text))
	return int(max(min(f, math.MaxInt32), math.MinInt32))
}

// fittingNumber returns a multiple of the step near i, within the bounds.
func fittingNumber(schema envs.Args, i int) any {
	step := max(intOf(schema, "multipleOf"), 1)
	n := i * step

	for keyword, by := range map[string]int{"minimum": 0, "exclusiveMinimum": step} {
		if _, ok := schema.Get(keyword); ok && n < intOf(schema, keyword)+by {
			n = (intOf(schema, keyword) + by + step - 1) / step * step
		}
	}

	for keyword, by := range map[string]int{"maximum": 0, "exclusiveMaximum": step} {
		if _, ok := schema.Get(keyword); ok && n > intOf(schema, keyword)-by {
			n = intOf(schema, keyword) - by
		}
	}

	return envs.Number(strconv.Itoa(n))
}

// fittingObject returns an object with the required members, and as many more as there have to be.
func fittingObject(schema envs.Args, i int) any {
	properties := schema.Object("properties")
	names := slices.Concat(schema.List("required"), envs.Listed(properties.Names()))
	object := envs.Args{}

	for k := 0; k < len(schema.List("required")) || len(object) < atLeast(schema,
		"minProperties"); k++ {
		name := fmt.Sprintf("key %d", k)
		if k < len(names) {
			name, _ = names[k].(string)
		}

		inside := properties.Object(name)
		if len(inside) == 0 {
			inside = schema.Object("additionalProperties")
		}

		if _, twice := object.Get(name); !twice {
			object = object.With(name, fitting(inside, i))
		}
	}
	return object
}

// fittingText returns a text that follows a pattern or a length.
func fittingText(schema envs.Args, i int) any {
	text := fmt.Sprintf("value %d", i)
	least := atLeast(schema, "minLength")

	if pattern, ok := schema.Text("pattern"); ok {
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		for repeats := 0; err == nil && repeats <= 2*least; repeats = max(2*repeats, 1) {
			if text = matching(parsed, repeats); utf8.RuneCountInString(text) >= least {
				break
			}
		}

		return text
	}

	if n := utf8.RuneCountInString(text); n < least {
		text += strings.Repeat("x", least-n)
	}

	if _, bounded := schema.Get("maxLength"); bounded {
		text = text[:min(len(text), intOf(schema, "maxLength"))]
	}
	return text
}

// matching returns a text that an expression matches. What may be repeated is repeated repeats
// times.
func matching(e *syntax.Regexp, repeats int) string {
	times := 1

	switch e.Op {
	case syntax.OpLiteral:
		return string(e.Rune)
	case syntax.OpCharClass:
		return string(firstOf(e.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpAlternate:
		return matching(e.Sub[0], repeats)
	case syntax.OpQuest:
		times = min(repeats, 1)
	case syntax.OpStar:
		times = repeats
	case syntax.OpPlus:
		times = max(repeats, 1)
	case syntax.OpRepeat:
		times = e.Min
	}

	// Operators without a case of their own, such as groups and anchors, add only what is inside.
	var once strings.Builder
	for _, sub := range e.Sub {
		once.WriteString(matching(sub, repeats))
	}

	// Repetitions inside of repetitions grow fast.
	return strings.Repeat(once.String(), min(times, max(mostSampled/max(once.Len(), 1), 1)))
}

// firstOf returns a letter or digit of a class, or else its first character that is not a control
// character.
func firstOf(ranges []rune) rune {
	for _, wanted := range "a0A" {
		for pair := range slices.Chunk(ranges, 2) {
			if pair[0] <= wanted && wanted <= pair[1] {
				return wanted
			}
		}
	}

	return max(ranges[0], min(ranges[1], '!'))
}
