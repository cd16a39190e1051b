package virtual

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// ErrReply means that a reply of a model cannot be read as an answer.
var ErrReply = errors.New("want a JSON object with error and response")

// ReadReply returns the answer in a model's reply: a JSON object with the members error and
// response, in either order. Mistakes are repaired where that leaves no doubt: code fences, prose
// around the object, Python's way of writing it, an object within a text, a text that is not closed
// or has bare quotes. How the API works, with which replies in the mode cot begin, is skipped. An
// answer without an error must not be empty. A draft before the answer, or two variants of it, are
// refused.
func ReadReply(reply string) (toolbench.Answer, error) {
	reply = strings.TrimSpace(strings.ToValidUTF8(reply, "\uFFFD"))

	if answers := answersIn(reply); len(answers) > 1 {
		return toolbench.Answer{}, fmt.Errorf("%w: %w", ErrReply, kept.ErrVariants)
	} else if len(answers) == 1 {
		return answers[0], nil
	}

	for _, read := range []func(string) (toolbench.Answer, bool){asText, asLiteral, asBrokenJSON} {
		if a, ok := read(reply); ok && hasContent(a) {
			return a, nil
		}
	}

	return toolbench.Answer{}, ErrReply
}

// hasContent reports whether there is anything in an answer, and no NaN, which JSON does not have.
func hasContent(a toolbench.Answer) bool {
	return (a.Error != "" || !isEmpty(a.Response)) && json.Valid([]byte(a.Text()))
}

// isEmpty reports whether a response holds nothing.
func isEmpty(response any) bool {
	switch r := response.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(r) == ""
	case []any:
		return len(r) == 0
	case envs.Args:
		return len(r) == 0
	}

	return false
}

// answersIn reads the answers in a text, equal ones once.
func answersIn(reply string) (answers []toolbench.Answer) {
	kept.Objects(reply, func(o envs.Args) bool {
		a, ok := AnswerOf(o)
		if ok = ok && hasContent(a); ok && !slices.ContainsFunc(answers, func(b toolbench.Answer) bool {
			return a.Text() == b.Text()
		}) {
			answers = append(answers, a)
		}

		return ok
	})
	return answers
}

// asText reads a JSON text that holds the object.
func asText(reply string) (toolbench.Answer, bool) {
	v, err := pytext.Decode(reply)

	text, ok := v.(string)
	if err != nil || !ok {
		return toolbench.Answer{}, false
	}

	answers := answersIn(text)
	if len(answers) != 1 {
		return toolbench.Answer{}, false
	}
	return answers[0], true
}

// asLiteral reads an object as Python prints it.
func asLiteral(reply string) (toolbench.Answer, bool) {
	begin, end := strings.IndexByte(reply, '{'), strings.LastIndexByte(reply, '}')
	if begin < 0 || end < begin {
		return toolbench.Answer{}, false
	}

	v, err := pytext.DecodeLiteral(reply[begin : end+1])

	o, ok := v.(envs.Args)
	if err != nil || !ok {
		return toolbench.Answer{}, false
	}
	return AnswerOf(o)
}

// AnswerOf reads the members error and response of an object, whatever the case of their names.
func AnswerOf(o envs.Args) (a toolbench.Answer, ok bool) {
	member := func(name string) (any, bool) {
		i := slices.IndexFunc(o, func(m envs.Arg) bool { return strings.EqualFold(m.Name, name) })
		if i < 0 {
			return nil, false
		}
		return o[i].Value, true
	}

	message, failed := member("error")
	response, answered := member("response")

	if text, isText := message.(string); isText {
		a.Error = text
	} else if message != nil && message != false {
		a.Error = pytext.JSON(message)
	}

	if a.Response = response; response == nil {
		a.Response = ""
	}
	return a, answered || failed && a.Error != ""
}

// The two orders in which an answer is looked for in a text that is not JSON. The text of an error
// has no bare quotes.
var (
	errorFirst = regexp.MustCompile(`(?s)"error"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|null)\s*,\s*"response"\s*:\s*(.*)$`)
	errorLast  = regexp.MustCompile(
		`(?s)"response"\s*:\s*(.*?)\s*,\s*"error"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|null)\s*,?\s*\}?\s*(?:` + "```" + `)?$`)
)

// asBrokenJSON finds an answer in what is almost JSON.
func asBrokenJSON(reply string) (toolbench.Answer, bool) {
	message, response := "", ""

	if m := errorFirst.FindStringSubmatch(reply); m != nil {
		message, response = m[1], m[2]
	} else if m := errorLast.FindStringSubmatch(reply); m != nil {
		message, response = m[2], m[1]
	} else {
		return toolbench.Answer{}, false
	}

	text, err := pytext.Decode(`"` + message + `"`)
	if err != nil {
		return toolbench.Answer{}, false
	}

	v, ok := looseValue(response)
	return toolbench.Answer{Error: text.(string), Response: v}, ok
}

// tail is what may follow the response: a comma too many, the closing brace, a fence.
var tail = regexp.MustCompile(`(?s)\s*,?\s*\}?\s*(?:` + "```" + `.*)?$`)

// looseValue reads a response to the end of a reply. A text may lack its closing quote, and may
// hold bare ones; anything else has to be whole.
func looseValue(response string) (any, bool) {
	trimmed := tail.ReplaceAllString(response, "")

	text, isText := strings.CutPrefix(trimmed, `"`)
	if !isText {
		for _, whole := range []string{trimmed, trimmed + "}"} { // the brace may have been its own
			if v, err := pytext.Decode(whole); err == nil {
				return v, v != nil
			}
		}

		return nil, false
	}

	if closed, ok := strings.CutSuffix(text, `"`); ok {
		text = closed
	} else {
		text = strings.TrimSuffix(response, "```")[1:] // the brace is part of a text that is not closed
		text = strings.TrimRight(text, "\n} ")
	}

	v, err := pytext.Decode(`"` + quotesEscaped(text) + `"`)
	return v, err == nil
}

// quotesEscaped escapes the bare quotes of a text, and removes half an escape at its end.
func quotesEscaped(text string) string {
	var b strings.Builder

	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 == len(text):
		case c == '\\':
			b.WriteString(text[i : i+2])
			i++
		case c == '"':
			b.WriteString(`\"`)
		default:
			b.WriteByte(c)
		}
	}

	return b.String()
}
