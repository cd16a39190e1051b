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

// AnswerForm is an answer as an object: the names of its two members.
type AnswerForm struct {
	State   string `yaml:"state" json:"state"`     // the member that says whether the call succeeded
	Message string `yaml:"message" json:"message"` // the member that has the text
}

// Validate returns what the form lacks.
func (f AnswerForm) Validate() error {
	if f.State == "" || f.Message == "" || f.State == f.Message {
		return errors.New("a response needs two names that differ: state and message")
	}
	return nil
}

// Wrap writes the answer to a call as one line. Letters of any script are unchanged.
func (f AnswerForm) Wrap(succeeded bool, text string) string {
	state := failure
	if succeeded {
		state = success
	}
	return pytext.JSON(envs.Object(f.State, state, f.Message, text))
}

// wrapped is how such an object begins. Most other answers differ from it in their first bytes, and
// none has to be decoded.
var wrapped = regexp.MustCompile(`^\{"(?:[^"\\]|\\.)+": "(?:` + success + `|` + failure + `)", "`)

// ReadAnswer returns the text of an answer: the message of an object, and anything else as it is.
func ReadAnswer(answer string) string {
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
