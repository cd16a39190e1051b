package openapi

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
)

// mostSchemas is how many schemas a tool may have: a model reads them all.
const mostSchemas = 500

// depths are how deep schemas may be. The first depth at which there are not too many is used.
var depths = []int{8, 5, 3, 2, 1}

var errLarge = errors.New("too many schemas")

// shaper turns schemas of a document into JSON Schemas without references.
type shaper struct {
	doc   *document
	depth int
	spare int // schemas that may still come
	text  int // characters of a description

	open   []string // the references that lead to where we are
	hidden []string // members that are read-only
	notes  []string
}

func (s *shaper) note(format string, values ...any) {
	if text := fmt.Sprintf(format, values...); !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// shape returns a schema at a level of nesting.
func (s *shaper) shape(v any, level int) (envs.Args, error) {
	schema, _ := v.(envs.Args)
	if s.spare -= 1 + len(schema)/100; s.spare < 0 {
		return nil, errLarge
	}

	switch v := v.(type) {
	case bool:
		if v {
			return envs.Args{}, nil
		}
		return envs.Object("not", envs.Args{}), nil
	case envs.Args:
		if ref, ok := v.Text("$ref"); ok {
			return s.resolveRef(ref, v, level)
		}
		return s.keywords(v, v, level)
	}
	return nil, refuse(Schema, "a schema is a %s", pytext.TypeName(v))
}

// resolveRef returns what a schema refers to. Keywords beside the reference are about this place.
func (s *shaper) resolveRef(ref string, schema envs.Args, level int) (out envs.Args, err error) {
	target, err := s.doc.follow(ref)
	if err != nil {
		return nil, err
	}

	// Without references, a schema that contains itself would have no end.
	if slices.Contains(s.open, ref) {
		s.note("%s has itself inside, and is cut there", display.Line(ref, mostShown))

		object, err := s.doc.resolve(target)
		if err != nil {
			return nil, err
		}
		return s.keywords(selectKeywords(object, "type", "nullable", "description"), object, s.depth)
	}

	s.open = append(s.open, ref)
	out, err = s.shape(target, level)
	s.open = s.open[:len(s.open)-1]

	if err != nil {
		return nil, err
	}

	// What is said in this place takes precedence over what the target says.
	beside, err := s.keywords(selectKeywords(schema, annotations...), schema, level)
	for _, k := range out {
		if _, ok := beside.Get(k.Name); !ok {
			beside = append(beside, k)
		}
	}

	return beside, err
}

// annotations are keywords that refuse no value.
var annotations = []string{"description", "default", "examples", "example"}

func selectKeywords(object envs.Args, names ...string) (some envs.Args) {
	for _, m := range object {
		if slices.Contains(names, m.Name) {
			some = append(some, m)
		}
	}

	return some
}

// keywords returns some keywords of a schema in the form of JSON Schema.
func (s *shaper) keywords(some, schema envs.Args, level int) (out envs.Args, err error) {
	out = envs.Args{}

	for _, k := range some {
		value, err := s.keyword(k, schema, level)
		if err != nil {
			return nil, err
		}

		name := k.Name
		switch name {
		case "oneOf":
			name = "anyOf"
		case "example":
			name = "examples"
		}

		if _, twice := out.Get(name); value != nil && !twice {
			out = append(out, envs.Arg{Name: name, Value: value})
		}
	}
	return s.merge(out), nil
}

// scalars mean the same in OpenAPI and in JSON Schema.
var scalars = []string{
	"const", "format", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
	"minProperties", "maxProperties",
}

// unchecked are keywords that a schema is looser without. Loosening the schemas inside them would
// make it stricter.
var unchecked = []string{
	"not", "if", "contains", "dependentSchemas", "dependentRequired", "unevaluatedProperties", "unevaluatedItems",
	"propertyNames",
}

// keyword returns the value of a keyword, or nil if it is left out.
func (s *shaper) keyword(k envs.Arg, schema envs.Args, level int) (any, error) {
	// Schemas inside have limits of their own, so their keywords are not measured by size.
	switch k.Name {
	case "properties", "patternProperties", "items", "prefixItems", "additionalProperties":
		return s.inside(k, level)
	case "allOf", "oneOf", "anyOf":
		return s.list(k, level)
	case "description":
		text, _ := k.Value.(string)
		text = shortened(text, s.text)
		return orNil(text != "", text), nil
	}

	if size(k.Value, mostKept) > mostKept {
		s.note("%s is left out, which has more than %d KiB", k.Name, mostKept>>10)
		return nil, nil
	}

	switch k.Name {
	case "type":
		return s.types(k.Value, schema), nil
	case "required":
		return s.required(k.Value, schema), nil
	case "example":
		return orNil(isScalar(k.Value), []any{k.Value}), nil
	case "examples":
		list, _ := k.Value.([]any)
		list = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return !isScalar(v) })
		return orNil(len(list) > 0, list), nil
	case "enum":
		list, _ := k.Value.([]any)
		return orNil(len(list) > 0, list), nil
	case "default":
		return k.Value, nil
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return bound(k, schema), nil
	case "pattern":
		text, _ := k.Value.(string)

		// A pattern between JavaScript's slashes would ask for the slashes themselves.
		if _, err := regexp.Compile(text); err != nil || strings.HasPrefix(text, "/^") {
			s.note("the pattern %s is not checked", display.Line(text, mostShown))
			return nil, nil
		}

		return text, nil
	}

	// The tool checks less than the document says, and the user has to know.
	if slices.Contains(unchecked, k.Name) {
		s.note("%s is not checked", k.Name)
	}
	return orNil(slices.Contains(scalars, k.Name), k.Value), nil
}

// mostKept is how much text a tool takes over from a value of the document.
const mostKept = 16 << 10

// size estimates how much text a value is. It does not count far beyond most.
func size(v any, most int) int {
	n := 1

	switch v := v.(type) {
	case string:
		n += len(v)
	case envs.Number:
		n += len(v)
	case []any:
		for i := 0; i < len(v) && n <= most; i++ {
			n += size(v[i], most-n)
		}
	case envs.Args:
		for i := 0; i < len(v) && n <= most; i++ {
			n += len(v[i].Name) + size(v[i].Value, most-n)
		}
	}

	return n
}

// mostShown is how many characters of the document's text a note shows.
const mostShown = 100

func orNil(ok bool, v any) any {
	if ok {
		return v
	}
	return nil
}

// isScalar reports whether an example is worth its place in a prompt.
func isScalar(v any) bool {
	switch v := v.(type) {
	case bool, envs.Number:
		return true
	case string:
		return len(v) <= mostShown
	}

	return false
}

// inside returns the schemas of the values inside a value.
func (s *shaper) inside(k envs.Arg, level int) (any, error) {
	// A schema without its depths is looser, and so takes every call that the document allows: an
	// object whose members are cut is not closed to them.
	if level >= s.depth {
		s.note("what is more than %d levels deep is cut", s.depth)
		return nil, nil
	}

	// Anything is allowed by default, so only a closed object says something.
	if allowed, ok := k.Value.(bool); ok && k.Name == "additionalProperties" {
		return orNil(!allowed, false), nil
	}

	switch {
	case k.Name == "prefixItems":
		return s.list(k, level+1)
	case k.Name == "items" || k.Name == "additionalProperties":
		return s.shape(k.Value, level+1)
	}

	object, ok := k.Value.(envs.Args)
	if !ok {
		return nil, refuse(Schema, "%s: want an object, not a %s", k.Name, pytext.TypeName(k.Value))
	}

	out := envs.Args{}

	for _, m := range object {
		if s.spare < 0 || len(m.Name) > mostShown {
			return nil, errLarge
		}

		if s.isReadOnly(m.Value) {
			// Noted for merge: another part of an allOf may require the member.
			s.hidden = append(s.hidden, m.Name)
			s.spare--

			continue
		}

		schema, err := s.shape(m.Value, level+1)
		if err != nil {
			return nil, err
		}

		out = append(out, envs.Arg{Name: m.Name, Value: schema})
	}
	return out, nil
}

// isReadOnly reports whether a member appears only in answers. One with a broken reference does not
// count.
func (s *shaper) isReadOnly(v any) bool {
	object, _ := s.doc.resolve(v)
	is, _ := object.Get("readOnly")
	return is == true
}

func (s *shaper) list(k envs.Arg, level int) (any, error) {
	list, ok := k.Value.([]any)
	if !ok {
		return nil, refuse(Schema, "%s: want a list, not a %s", k.Name, pytext.TypeName(k.Value))
	}

	out := make([]any, len(list))

	for i, item := range list {
		schema, err := s.shape(item, level)
		if err != nil {
			return nil, err
		}

		out[i] = schema
	}
	return orNil(len(out) > 0, out), nil
}

var typeNames = []any{"null", "boolean", "object", "array", "number", "integer", "string"}

// types returns the types of a schema, with null if it is nullable, or nil if one is unknown.
func (s *shaper) types(v any, schema envs.Args) any {
	all, isList := v.([]any)
	if !isList {
		all = []any{v}
	}

	for _, name := range all {
		if !slices.Contains(typeNames, name) {
			s.note("the type %s is not known", display.Line(pytext.Str(name), mostShown))
			return nil
		}
	}

	if nullable, _ := schema.Get("nullable"); nullable == true &&
		!slices.Contains(all, any("null")) {
		all = append(slices.Clone(all), "null")
	}

	if len(all) == 1 {
		return all[0]
	}
	return orNil(len(all) > 0, all)
}

// required returns the members that a request needs.
func (s *shaper) required(v any, schema envs.Args) any {
	list, _ := v.([]any)

	var out []any

	for _, item := range list {
		name, ok := item.(string)
		member, _ := schema.Object("properties").Get(name)

		if ok && !s.isReadOnly(member) && !slices.Contains(out, item) {
			out = append(out, name)
		}
	}
	return orNil(len(out) > 0, out)
}

// bound returns a bound of a number: in OpenAPI 3.0, true makes another bound exclusive.
func bound(k envs.Arg, schema envs.Args) any {
	plain, exclusive := strings.CutPrefix(k.Name, "exclusive")
	if exclusive && k.Value == true {
		v, _ := schema.Get(strings.ToLower(plain))
		return v
	}

	other, _ := schema.Get("exclusive" + strings.ToUpper(k.Name[:1]) + k.Name[1:])
	_, isNumber := k.Value.(envs.Number)
	return orNil(isNumber && (exclusive || other != true), k.Value)
}

// merge makes one schema of those in an allOf, if that is equivalent.
func (s *shaper) merge(schema envs.Args) envs.Args {
	parts := schema.List("allOf")
	if parts == nil {
		return schema
	}

	own := schema.Without("allOf")
	out := own

	for _, part := range parts {
		for _, k := range part.(envs.Args) {
			now, ok := out.Get(k.Name)

			switch value := combined(k.Name, now, k.Value); {
			case k.Name == "additionalProperties":
				return schema // it is about the members of its own part
			case !ok:
				out = out.With(k.Name, k.Value)
			case value != nil:
				out = slices.Clone(out)
				out[slices.Index(out.Names(), k.Name)].Value = value
			default:
				return schema
			}
		}
	}

	return s.withoutHidden(out)
}

// combined returns the value of a keyword that is equivalent to two values, or nil. The first value
// is nil if the keyword is new.
func combined(name string, a, b any) any {
	switch {
	case name == "properties":
		all, _ := a.(envs.Args)
		more, _ := b.(envs.Args)

		for _, m := range more {
			now, ok := all.Get(m.Name)
			if ok && !reflect.DeepEqual(now, m.Value) {
				// The two schemas would have to be merged in turn: the allOf stays.
				return nil
			}

			if !ok {
				all = all.With(m.Name, m.Value)
			}
		}
		return all
	case name == "required":
		all, _ := a.([]any)
		more, _ := b.([]any)

		for _, v := range more {
			if !slices.Contains(all, v) {
				// Clipped, because the list may be that of another part.
				all = append(slices.Clip(all), v)
			}
		}

		return all
	case slices.Contains(annotations, name) || reflect.DeepEqual(a, b):
		return a
	}

	// Two bounds or types would have to be intersected, which the allOf already says.
	return nil
}

// withoutHidden drops from required what another part of the schema says is read-only.
func (s *shaper) withoutHidden(schema envs.Args) envs.Args {
	hidden := func(v any) bool {
		name, _ := v.(string)
		_, ok := schema.Object("properties").Get(name)
		return !ok && slices.Contains(s.hidden, name)
	}

	out := envs.Args{}

	for _, k := range schema {
		if list, ok := k.Value.([]any); ok && k.Name == "required" {
			if k.Value = slices.DeleteFunc(slices.Clone(list), hidden); len(k.Value.([]any)) == 0 {
				continue
			}
		}

		out = append(out, k)
	}
	return out
}
