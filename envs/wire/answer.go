package wire

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// The states of a call, as published.
const (
	success = "Success"
	failure = "Failed"
)

// AnswerForm is an answer of two parts: their names, and how they are written.
type AnswerForm struct {
	State   string `yaml:"state" json:"state"`     // the part that says whether the call succeeded
	Message string `yaml:"message" json:"message"` // the part that has the text
	// how they are written as text: labels, brackets, tags, pairs or fields; "" is a JSON object
	Style string `yaml:"style,omitempty" json:"style,omitempty"`
}

// style is a way to write an answer as text. In before and after STATE and MESSAGE stand for the
// names of the parts, and VALUE for the state.
type style struct {
	before, after string         // what the text stands between
	quoted        bool           // the text is in double quotes, with what that needs escaped
	read          *regexp.Regexp // the answer; its group is the text
}

var styles = map[string]style{
	"labels":   newStyle("STATE: VALUE\nMESSAGE: ", "", false),
	"brackets": newStyle("[VALUE] ", "", false),
	"tags":     newStyle("<STATE>VALUE</STATE>\n<MESSAGE>", "</MESSAGE>", false),
	"pairs":    newStyle("STATE = VALUE | MESSAGE = ", "", false),
	"fields":   newStyle("STATE=VALUE MESSAGE=", "", true), // as logfmt has it
}

func newStyle(before, after string, quoted bool) style {
	any := strings.NewReplacer("STATE", "[A-Za-z]+", "MESSAGE", "[A-Za-z]+", "VALUE", "(?:"+success+"|"+failure+")")
	pattern := func(text string) string { return any.Replace(regexp.QuoteMeta(text)) }
	read := regexp.MustCompile("(?s)^" + pattern(before) + "(.*)" + pattern(after) + "$")
	return style{before, after, quoted, read}
}

// textOf returns the text of an answer in the style; ok is false for any other answer.
func (s style) textOf(answer string) (text string, ok bool) {
	found := s.read.FindStringSubmatch(answer)
	switch {
	case found == nil:
		return "", false
	case !s.quoted:
		return found[1], true
	}

	decoded, _ := pytext.Decode(found[1])
	text, ok = decoded.(string)
	return text, ok
}

// AnswerStyles are the names of how answers are written as text.
func AnswerStyles() []string { return slices.Sorted(maps.Keys(styles)) }

// name is what a part of an answer in a style may be called.
var name = regexp.MustCompile(`^[A-Za-z]+$`)

// Validate returns what the form lacks.
func (f AnswerForm) Validate() error {
	if f.State == "" || f.Message == "" || f.State == f.Message {
		return errors.New("a response needs two names that differ: state and message")
	}

	if f.Style == "" {
		return nil
	}

	if _, ok := styles[f.Style]; !ok {
		return fmt.Errorf("the style of a response is %q: want one of %s", f.Style, strings.Join(AnswerStyles(), ", "))
	}

	if !name.MatchString(f.State) || !name.MatchString(f.Message) {
		return errors.New("the names of a response with a style have to be words of the letters a to z")
	}
	return nil
}

// Wrap writes the answer to a call: an object in one line, or text in its style. Letters of any
// script are unchanged.
func (f AnswerForm) Wrap(succeeded bool, text string) string {
	state := failure
	if succeeded {
		state = success
	}

	if s, ok := styles[f.Style]; ok {
		if s.quoted {
			text = pytext.JSON(text)
		}

		named := strings.NewReplacer("STATE", f.State, "MESSAGE", f.Message, "VALUE", state)
		return named.Replace(s.before) + text + named.Replace(s.after)
	}
	return pytext.JSON(envs.Object(f.State, state, f.Message, text))
}

// wrapped is how such an object begins. Most other answers differ from it in their first bytes, and
// none has to be decoded.
var wrapped = regexp.MustCompile(`^\{"(?:[^"\\]|\\.)+": "(?:` + success + `|` + failure + `)", "`)

// ReadAnswer returns the text of an answer that has a form, and any other answer as it is.
func ReadAnswer(answer string) string {
	for _, s := range styles {
		if text, ok := s.textOf(answer); ok {
			return text
		}
	}

	if !strings.HasPrefix(answer, `{"`) || !wrapped.MatchString(answer) {
		return answer
	}

	decoded, err := pytext.Decode(answer)
	if err != nil {
		return answer
	}

	object, _ := decoded.(envs.Args)
	if len(object) != 2 {
		return answer
	}

	if message, ok := object[1].Value.(string); ok {
		return message
	}
	return answer
}
