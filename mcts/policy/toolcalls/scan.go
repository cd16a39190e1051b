package toolcalls

import (
	"regexp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
)

// What a call may begin with, and end with.
const (
	brace       = "{"
	callTag     = "<tool_call>"
	callEndTag  = "</tool_call>"
	callsMark   = "[TOOL_CALLS]"
	functionTag = "<function="
)

// form is what a parser looks for.
type form struct {
	beginnings *regexp.Regexp
	arguments  []string // the members that may hold an object's arguments; the first one present counts
}

func newForm(beginnings string, arguments ...string) form {
	return form{regexp.MustCompile(beginnings), arguments}
}

var forms = map[Parser]form{
	Hermes:      newForm(callTag, memberArguments),
	Qwen3Coder:  newForm(functionTag),
	Llama3JSON:  newForm(brace, memberArguments, memberParameters),
	Mistral:     newForm(`\[TOOL_CALLS\]`, memberArguments),
	Qwen25Coder: newForm(brace, memberArguments),
	Generic:     newForm(`\{|\[TOOL_CALLS\]|`+functionTag, memberArguments, memberParameters),
}

// scan finds the calls in a text.
type scan struct {
	form
	text  string
	tools []envs.Args
	calls []found
}

// found is a call in a text, which begins and ends, with its markup, at these bytes.
type found struct {
	begin, end int
	call       action.ToolCall
}

// calls finds the calls in a content, in their order. What begins inside a call, or inside what
// looks like one, is part of it.
func (p Parser) calls(text string, tools []envs.Args) []found {
	s := scan{form: forms[p], text: text, tools: tools}
	read := map[string]func(begin int) (end int){
		brace: s.bare, callTag: s.tagged, callsMark: s.marked, functionTag: s.function,
	}

	for i := 0; ; {
		place := s.beginnings.FindStringIndex(text[i:])
		if place == nil {
			return s.calls
		}

		i = read[text[i+place[0]:i+place[1]]](i + place[0])
	}
}

// tagged reads an object in tags.
func (s *scan) tagged(begin int) (end int) {
	end = begin + len(callTag)

	// Behind the object, because an end tag in one of its strings does not end the call.
	var call action.ToolCall
	var ok bool

	if after := objectEnd(s.text, end); after >= 0 {
		call, ok = s.objectCall(s.text[end:after])
		end = skipBlanks(s.text, after)
	}

	n := strings.Index(s.text[end:], callEndTag)
	if n < 0 {
		return len(s.text)
	}

	if ok && n == 0 {
		s.calls = append(s.calls, found{begin, end + len(callEndTag), call})
	}
	return end + n + len(callEndTag)
}

// bare reads an object without tags.
func (s *scan) bare(begin int) (end int) {
	// A brace may belong to prose, or be the first of two.
	next := skipBlanks(s.text, begin+1)
	if next < len(s.text) && !strings.ContainsRune(`"}`, rune(s.text[next])) {
		return begin + 1
	}

	if end = objectEnd(s.text, begin); end < 0 {
		return len(s.text)
	}

	if call, ok := s.objectCall(s.text[begin:end]); ok {
		return s.addWithMarkup(found{begin, end, call})
	}
	return end
}

// markedName matches what is between the mark and the arguments of a call: the name, and with some
// models an id.
var markedName = regexp.MustCompile(`^\s*([^\s{}[\]]+)(?:\[CALL_ID\][^\s{}[\]]*)?\s*(?:\[ARGS\])?`)

// marked reads what follows a mark.
func (s *scan) marked(begin int) (end int) {
	end = begin + len(callsMark)

	// Newer models write the name before the object: all of that is then the arguments.
	if name := markedName.FindStringSubmatch(s.text[end:]); name != nil {
		i := skipBlanks(s.text, end+len(name[0]))
		if !strings.HasPrefix(s.text[i:], brace) {
			return end
		}

		if end = objectEnd(s.text, i); end < 0 {
			return len(s.text)
		}

		call := action.ToolCall{Name: name[1], Arguments: s.text[i:end]}
		s.calls = append(s.calls, found{begin, end, call})
		return end
	}

	i := skipBlanks(s.text, end)
	// The list need not end: if it was cut, the calls before are whole.
	if strings.HasPrefix(s.text[i:], "[") {
		i = skipBlanks(s.text, i+1)
	}

	for strings.HasPrefix(s.text[i:], brace) {
		end = s.bare(i)
		if i = skipBlanks(s.text, end); strings.HasPrefix(s.text[i:], ",") {
			i = skipBlanks(s.text, i+1)
		}
	}

	return end
}

// markup is what models put around an object or function, the innermost first.
var markup = []struct{ begin, end string }{
	{brace, "}"}, {"[", "]"}, {"```json", "```"}, {"```", "```"}, {callTag, callEndTag}, {callsMark, ""},
	{"<|python_tag|>", ""},
}

// addWithMarkup adds a call with the markup around it, whose end may be missing, and returns where
// that ends.
func (s *scan) addWithMarkup(f found) (end int) {
	from := 0
	if n := len(s.calls); n > 0 {
		from = s.calls[n-1].end
	}

	fenced := false

	for _, m := range markup {
		before, begun := strings.CutSuffix(strings.TrimRight(s.text[from:f.begin], blanks), m.begin)
		if fenced && m.end == "```" || !begun && m.begin != callTag { // models forget the start tag
			continue
		}

		if begun {
			f.begin = from + len(before)
			fenced = fenced || m.end == "```"
		}

		if end := skipBlanks(s.text, f.end); m.end != "" && strings.HasPrefix(s.text[end:], m.end) {
			f.end = end + len(m.end)
		}
	}

	s.calls = append(s.calls, f)
	return f.end
}
