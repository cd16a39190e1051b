package questions

import (
	"errors"
	"fmt"
	"strings"

	"toolevo/envs"
)

// Match is a question taken apart: its template and the values of its slots.
type Match struct {
	Template *Template
	Slots    Slots
}

// Question returns the question the match was made from.
func (m Match) Question() string {
	var b strings.Builder
	for i, literal := range m.Template.literals {
		b.WriteString(literal)

		if i < len(m.Slots) {
			b.WriteString(m.Slots[i].Value)
		}
	}

	return b.String()
}

// maxQuestion bounds the length of a question in bytes, and so the time to find that no template fits.
const maxQuestion = 4096

// Recognise returns the template and the slots of a question, and whether there is one. Where more than one template
// fits, the one that spells out more of the question is meant; where two spell out as much, none is.
func Recognise(question string) (Match, bool) { return shipped.recognise(question) }

func (l library) recognise(question string) (Match, bool) {
	question = strings.TrimSpace(question)
	if len(question) > maxQuestion {
		return Match{}, false
	}
	var best Match
	most, tie := -1, false

	for _, t := range l {
		s, ok := t.match(question)
		if !ok {
			continue
		}

		spelled := len(question)
		for _, slot := range s {
			spelled -= len(slot.Value)
		}

		if spelled > most {
			best, most, tie = Match{t, s}, spelled, false
		} else if spelled == most {
			tie = true
		}
	}

	return best, most >= 0 && !tie
}

// match returns the slots of a question of this template, read as Template.Text says.
func (t *Template) match(question string) (Slots, bool) {
	n := len(t.slots)

	first, last := t.literals[0], t.literals[n]
	if n == 0 {
		return nil, question == first
	}

	if len(question) < len(first)+len(last) || !strings.HasPrefix(question, first) ||
		!strings.HasSuffix(question, last) {
		return nil, false
	}

	s := make(Slots, n)

	return s, t.split(question[len(first):len(question)-len(last)], 0, s)
}

// split fills the slots from the i-th on with text.
func (t *Template) split(text string, i int, s Slots) bool {
	s[i].Name = t.slots[i].name
	if i == len(s)-1 {
		s[i].Value = text
		return t.slots[i].kind(text)
	}

	literal, greedy := t.literals[i+1], t.slots[i].greedy
	for from, to := 0, len(text); from <= len(text); {
		at := strings.Index(text[from:to], literal)
		if greedy {
			at = strings.LastIndex(text[:to], literal)
		}

		if at < 0 {
			return false
		}

		end := from + at
		if t.slots[i].kind(text[:end]) {
			s[i].Value = text[:end]
			if t.split(text[end+len(literal):], i+1, s) {
				return true
			}
		}

		if greedy {
			to = end + len(literal) - 1
		} else {
			from = end + 1
		}
	}

	return false
}

// errNoAnswer is the error of a rule when the corpus holds no answer.
var errNoAnswer = errors.New("the corpus holds no answer")

// IsNoAnswer reports whether an error of Gold or OfficialGold means that the corpus holds no answer to the question,
// e.g. because no price is known on its day.
func IsNoAnswer(err error) bool { return errors.Is(err, errNoAnswer) }

// Gold returns the right answer.
func Gold(m Match, c *Corpus) (string, error) { return answer(m, c, m.Template.gold) }

// OfficialGold returns the answer by the published rule, which is Gold's unless the template has a Fault.
func OfficialGold(m Match, c *Corpus) (string, error) {
	if m.Template.official != nil {
		return answer(m, c, m.Template.official)
	}

	return answer(m, c, m.Template.gold)
}

func answer(m Match, c *Corpus, r rule) (string, error) {
	if c.dataset != m.Template.Dataset {
		return "", fmt.Errorf("questions: a question about %s, and the corpus of %s", m.Template.Dataset, c.dataset)
	}

	a, err := r(c, m.Slots)
	if err != nil {
		return "", fmt.Errorf("questions: answer %q (%s): %w", m.Question(), m.Template.Name, err)
	}

	return a, nil
}

// Plan returns the solution of a question in the prompt version, and whether the question is recognised.
func Plan(question string) (envs.Plan, bool) {
	m, ok := Recognise(question)
	if !ok {
		return nil, false
	}

	return m.Plan(), true
}
