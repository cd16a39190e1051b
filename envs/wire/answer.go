package wire

import (
	"errors"
	"regexp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// The states of a call, as published.
const (
	success = "Success"
	failure = "Failed"
)

// AnswerForm is an answer of two parts: their names. It is a JSON object of two members, or two
// labelled lines.
type AnswerForm struct {
	State   string `yaml:"state" json:"state"`     // the part that says whether the call succeeded
	Message string `yaml:"message" json:"message"` // the part that has the text

	// lines "State: Success" and "Message: …" in place of the object
	Labels bool `yaml:"labels,omitempty" json:"labels,omitempty"`
}

// Validate returns what the form lacks.
func (f AnswerForm) Validate() error {
	if f.State == "" || f.Message == "" || f.State == f.Message {
		return errors.New("a response needs two names that differ: state and message")
	}

	if f.Labels && !(label.MatchString(f.State) && label.MatchString(f.Message)) {
		return errors.New("the names of a response with labels have to be words of the letters a to z")
	}
	return nil
}

// Wrap writes the answer to a call: an object in one line, or the lines of labels. Letters of any
// script are unchanged.
func (f AnswerForm) Wrap(succeeded bool, text string) string {
	state := failure
	if succeeded {
		state = success
	}

	if f.Labels {
		return f.State + ": " + state + "\n" + f.Message + ": " + text
	}
	return pytext.JSON(envs.Object(f.State, state, f.Message, text))
}

// wrapped is how such an object begins. Most other answers differ from it in their first bytes, and
// none has to be decoded.
var wrapped = regexp.MustCompile(`^\{"(?:[^"\\]|\\.)+": "(?:` + success + `|` + failure + `)", "`)

// label is the name of a part of labelled lines, and labelled how these begin.
var (
	label    = regexp.MustCompile(`^[A-Za-z]+$`)
	labelled = regexp.MustCompile(`^[A-Za-z]+: (?:` + success + `|` + failure + `)\n[A-Za-z]+: `)
)

// ReadAnswer returns the text of an answer: the message of an object or of labelled lines, and
// anything else as it is.
func ReadAnswer(answer string) string {
	if start := labelled.FindString(answer); start != "" {
		return answer[len(start):]
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
