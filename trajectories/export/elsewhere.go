package export

import (
	"strings"

	"toolevo/envs"
	"toolevo/mcts/policy/prompt"
)

// Elsewhere knows the questions of the splits that an export does not take. A question that is
// asked there, too, is no training data: whoever measures a model on that split would measure what
// it has seen. The zero value knows none.
type Elsewhere struct {
	questions map[string]string // where each text is asked
	number    int
	skipped   bool
}

// Add adds a question, and says where it is asked, such as "test: easy-coffee-test-0003".
func (e *Elsewhere) Add(text, where string) {
	if e.questions == nil {
		e.questions = map[string]string{}
	}

	e.questions[envs.QuestionKey(text)] = where
	e.number++
}

// Skip notes that there are splits whose questions are not known.
func (e *Elsewhere) Skip() { e.skipped = true }

// report says what there is to compare with.
func (e *Elsewhere) report() ElsewhereReport {
	r := ElsewhereReport{Skipped: e == nil || e.skipped, Refused: []Refused{}}
	if e != nil {
		r.Questions = e.number
	}
	return r
}

// find returns where a question is asked, "" when nowhere that is known. Prompts of others may say
// more than the question: then it is a line of theirs.
func (e *Elsewhere) find(text string) string {
	if e == nil || len(e.questions) == 0 {
		return ""
	}

	for _, asked := range append([]string{text}, strings.Split(text, "\n")...) {
		asked = strings.TrimPrefix(strings.TrimSpace(asked), prompt.QuestionMarker)
		if where := e.questions[envs.QuestionKey(asked)]; where != "" {
			return where
		}
	}

	return ""
}

// Refused is a question that no trajectory was taken of, since it is asked in another split.
type Refused struct {
	QuestionID string `json:"question_id"` // of the run
	Split      string `json:"split"`       // of the run
	AlsoIn     string `json:"also_in"`     // where else: "test: easy-coffee-test-0003"
}

// ElsewhereReport says what came of the comparison with other splits.
type ElsewhereReport struct {
	Skipped   bool      `json:"skipped"`   // no data folder, or not all of them, could be compared with
	Questions int       `json:"questions"` // of other splits
	Refused   []Refused `json:"refused"`   // questions that are asked in another split, too
}
