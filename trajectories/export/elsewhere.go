package export

import (
	"strings"

	"toolevo/envs"
	"toolevo/mcts/policy/prompt"
)

// Elsewhere knows the questions of the splits that are not exported. A question that is also asked
// there must not be trained on: measuring a model on that split would measure what it has seen. The
// zero value knows no questions.
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

// Skip notes that the questions of some splits are not known.
func (e *Elsewhere) Skip() { e.skipped = true }

// report returns a report of what there is to compare with.
func (e *Elsewhere) report() ElsewhereReport {
	r := ElsewhereReport{Skipped: e == nil || e.skipped, Refused: []Refused{}}
	if e != nil {
		r.Questions = e.number
	}
	return r
}

// find returns where else a question is asked, or "". In prompts of other programs, which may say
// more than the question, every line is tried.
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

// Refused is a question that was left out because another split asks it, too.
type Refused struct {
	QuestionID string `json:"question_id"` // of the run
	Split      string `json:"split"`       // of the run
	AlsoIn     string `json:"also_in"`     // where else: "test: easy-coffee-test-0003"
}

// ElsewhereReport is the result of the comparison with other splits.
type ElsewhereReport struct {
	Skipped   bool      `json:"skipped"`   // some or all data folders could not be compared with
	Questions int       `json:"questions"` // of other splits
	Refused   []Refused `json:"refused"`   // questions that are asked in another split, too
}
