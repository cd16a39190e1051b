package toolcalls

import (
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
)

const (
	functionEndTag  = "</function>"
	parameterTag    = "<parameter="
	parameterEndTag = "</parameter>"
)

// function reads a call whose arguments are in tags.
func (s *scan) function(begin int) (end int) {
	name, i, ok := s.tagName(begin + len(functionTag))

	var args []string

	i = skipBlanks(s.text, i)
	for ok && strings.HasPrefix(s.text[i:], parameterTag) {
		var key, value string
		if key, i, ok = s.tagName(i + len(parameterTag)); !ok {
			break
		}

		value, i, ok = s.value(i)
		args = append(args, pytext.JSON(key)+": "+
			typedJSON(value, kindsOf(schemaOf(s.tools, name, key))))
		i = skipBlanks(s.text, i)
	}

	// What was cut off, or has something else between its parameters, is no call, and nothing in it
	// is read as another one either.
	n := strings.Index(s.text[i:], functionEndTag)
	if n < 0 {
		return len(s.text)
	}

	end = i + n + len(functionEndTag)
	if !ok || n > 0 {
		return end
	}

	call := action.ToolCall{Name: name, Arguments: "{" + strings.Join(args, ", ") + "}"}
	return s.addWithMarkup(found{begin, end, call})
}

// valueEnd is what a value cannot hold.
var valueEnd = regexp.MustCompile(parameterEndTag + "|" + parameterTag + "|" + functionEndTag)

// value reads the value of a parameter, and its end tag, which models forget before another
// parameter.
func (s *scan) value(i int) (value string, end int, ok bool) {
	tag := valueEnd.FindStringIndex(s.text[i:])
	if tag == nil {
		return "", len(s.text), false
	}

	value = strings.TrimSuffix(strings.TrimPrefix(s.text[i:i+tag[0]], "\n"), "\n")
	end = i + tag[0]
	behind := s.text[end : i+tag[1]]

	if behind == parameterEndTag {
		end = i + tag[1]
	}
	return value, end, behind != functionEndTag
}

// tagName reads a name up to the end of its tag.
func (s *scan) tagName(i int) (name string, end int, ok bool) {
	n := strings.IndexAny(s.text[i:], "<>\n")
	if n < 0 || s.text[i+n] != '>' {
		return "", i, false
	}

	name = strings.TrimSpace(s.text[i : i+n])
	return name, i + n + 1, name != ""
}

// schemaOf returns the schema of a tool's parameter, or nil.
func schemaOf(tools []envs.Args, tool, parameter string) envs.Args {
	for _, t := range tools {
		function := t.Object("function")
		if name, _ := function.Text("name"); name == tool {
			return function.Object("parameters").Object("properties").Object(parameter)
		}
	}

	return nil
}

// Kinds of JSON Schema.
const (
	kindText    = "string"
	kindNumber  = "number"
	kindInteger = "integer"
)

// kindsOf returns the kinds of values that a schema takes, as far as it names them.
func kindsOf(schema envs.Args) (kinds []string) {
	kind, _ := schema.Get("type")
	listed, _ := kind.([]any)

	for _, k := range append(listed, kind) {
		if k, ok := k.(string); ok {
			kinds = append(kinds, k)
		}
	}

	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, part := range schema.List(keyword) {
			part, _ := part.(envs.Args)
			kinds = append(kinds, kindsOf(part)...)
		}
	}

	return kinds
}

// kindsOfValue returns the kinds that a value is of.
func kindsOfValue(v any) []string {
	switch v := v.(type) {
	case nil:
		return []string{"null"}
	case bool:
		return []string{"boolean"}
	case envs.Args:
		return []string{"object"}
	case []any:
		return []string{"array"}
	case envs.Number:
		if strings.ContainsAny(string(v), ".eEN") {
			return []string{kindNumber}
		}
		return []string{kindInteger, kindNumber}
	}
	return []string{kindText}
}

// typedJSON returns a value as JSON: as written if that is JSON of one of the kinds, or any JSON if
// text is not among them; otherwise the written text as a string.
func typedJSON(written string, kinds []string) string {
	// The template writes constants as Python does.
	constant := strings.ToLower(strings.TrimSpace(written))
	if !slices.Contains([]string{"true", "false", "null"}, constant) {
		constant = strings.TrimSpace(written)
	}

	v, err := pytext.Decode(constant)
	if _, quoted := v.(string); err != nil || quoted || len(kinds) == 0 {
		return pytext.JSON(written)
	}

	allowed := func(kind string) bool { return slices.Contains(kinds, kind) }
	if slices.ContainsFunc(kindsOfValue(v), allowed) || !allowed(kindText) {
		return constant
	}
	return pytext.JSON(written)
}
