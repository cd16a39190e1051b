package questions

import (
	"fmt"

	"toolevo/toolqa"
)

// GoldReport compares answers with what the templates' rules give.
type GoldReport struct {
	Questions     int            `json:"questions"`               // that were looked at
	Recognised    int            `json:"recognised"`              // of those, the ones that fit a template
	Right         int            `json:"right"`                   // answers that agree with the right rule
	Official      int            `json:"official"`                // answers that agree with the published rule
	Unrecognised  []string       `json:"unrecognised,omitempty"`  // IDs of those that fit none
	Disagreements []Disagreement `json:"disagreements,omitempty"` // with the right rule, in order
}

// Disagreement is a question whose answer is not what the right rule gives.
type Disagreement struct {
	ID             string `json:"question_id"`        // unique within a split
	Template       string `json:"template"`           // that the question fits
	Question       string `json:"question"`           // its text
	Answer         string `json:"answer"`             // as published
	Right          string `json:"right,omitempty"`    // by the right rule; "" when it has none
	Official       string `json:"official,omitempty"` // by the published rule
	OfficialAgrees bool   `json:"official_agrees"`    // whether the published rule gives the answer
	// why there is no right answer, e.g. a day the corpus does not have
	Problem string `json:"problem,omitempty"`
}

// CheckGold computes the answer of each question from its template's rules and compares it by
// match, e.g. the official matcher. An answer the corpus does not hold is a disagreement; a
// question about another dataset is an error.
func CheckGold(questions []toolqa.Question, c *Corpus, match func(gold, answer string) bool) (GoldReport, error) {
	report := GoldReport{Questions: len(questions)}
	for _, q := range questions {
		if q.Dataset != c.dataset {
			return GoldReport{}, fmt.Errorf("questions: check %s: a question about %s, and the corpus of %s", q.ID,
				q.Dataset, c.dataset)
		}

		m, ok := recognise(q.Text)
		if !ok || m.template.dataset != q.Dataset {
			report.Unrecognised = append(report.Unrecognised, q.ID)
			continue
		}

		report.Recognised++
		d := Disagreement{ID: q.ID, Template: m.template.Name, Question: q.Text, Answer: q.Answer}

		// Both are tried: the published rule may give an answer where the right one finds none.
		right, err := rightAnswer(m, c)
		official, officialErr := officialAnswer(m, c)

		// A rule without an answer is a finding, any other error ends the check.
		for _, err := range []error{err, officialErr} {
			if err != nil && !isNoAnswer(err) {
				return GoldReport{}, err
			}
		}

		if officialErr == nil && match(official, q.Answer) {
			d.OfficialAgrees = true
			report.Official++
		}

		if err == nil && match(right, q.Answer) {
			report.Right++
			continue
		}

		d.Right, d.Official = right, official
		if err != nil {
			d.Problem = errNoAnswer.Error()
		}

		report.Disagreements = append(report.Disagreements, d)
	}
	return report, nil
}
