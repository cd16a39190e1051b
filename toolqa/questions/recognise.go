package questions

import (
	"errors"
	"fmt"
	"strings"

	"toolevo/envs"
)

// match is a question taken apart: its template and the values of its slots.
type match struct {
	template *Template
	slots    slotValues
}

// question returns the question the match was made from.
func (m match) question() string {
	var b strings.Builder
	for i, literal := range m.template.literals {
		b.WriteString(literal)

		if i < len(m.slots) {
			b.WriteString(m.slots[i].value)
		}
	}
	return b.String()
}

// maxQuestion bounds the length of a question in bytes, and so the time to find that no template
// fits.
const maxQuestion = 4096

// recognise returns the template and the slots of a question, and whether there is one. Where more
// than one template fits, the one that spells out more of the question is meant; where two spell
// out as much, none is.
func recognise(question string) (match, bool) { return shipped().recognise(question) }

func (l library) recognise(question string) (match, bool) {
	question = strings.TrimSpace(question)
	if len(question) > maxQuestion {
		return match{}, false
	}

	var best match
	most, tie := -1, false

	for _, t := range l {
		s, ok := t.match(question)
		if !ok {
			continue
		}

		spelled := len(question)
		for _, slot := range s {
			spelled -= len(slot.value)
		}

		if spelled > most {
			best, most, tie = match{t, s}, spelled, false
		} else if spelled == most {
			tie = true
		}
	}

	return best, most >= 0 && !tie
}

// match returns the slots of a question of this template, read as the template's text says.
func (t *Template) match(question string) (slotValues, bool) {
	n := len(t.slots)

	first, last := t.literals[0], t.literals[n]
	if n == 0 {
		return nil, question == first
	}

	if len(question) < len(first)+len(last) || !strings.HasPrefix(question, first) ||
		!strings.HasSuffix(question, last) {
		return nil, false
	}

	s := make(slotValues, n)
	return s, t.split(question[len(first):len(question)-len(last)], 0, s)
}

// split fills the slots from the i-th on with text.
func (t *Template) split(text string, i int, s slotValues) bool {
	s[i].name = t.slots[i].name
	if i == len(s)-1 {
		s[i].value = text
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
			// The rest must fit, too. Otherwise the literal is looked for at another place.
			s[i].value = text[:end]
			if t.split(text[end+len(literal):], i+1, s) {
				return true
			}
		}

		if greedy {
			// A value may have the literal in it, so the places before this one are tried next.
			to = end + len(literal) - 1
		} else {
			from = end + 1
		}
	}

	return false
}

// errNoAnswer is the error of a rule when the corpus holds no answer.
var errNoAnswer = errors.New("the corpus holds no answer")

// isNoAnswer reports whether an error of a rule means that the corpus holds no answer to the
// question, e.g. because no price is known on its day.
func isNoAnswer(err error) bool { return errors.Is(err, errNoAnswer) }

// rightAnswer returns the right answer.
func rightAnswer(m match, c *Corpus) (string, error) { return answer(m, c, m.template.gold) }

// officialAnswer returns the answer by the published rule, which is the right one unless the
// template has a fault.
func officialAnswer(m match, c *Corpus) (string, error) {
	if m.template.official != nil {
		return answer(m, c, m.template.official)
	}
	return answer(m, c, m.template.gold)
}

func answer(m match, c *Corpus, r rule) (string, error) {
	if c.dataset != m.template.dataset {
		return "", fmt.Errorf("questions: a question about %s, and the corpus of %s", m.template.dataset, c.dataset)
	}

	a, err := r(c, m.slots)
	if err != nil {
		return "", fmt.Errorf("questions: answer %q (%s): %w", m.question(), m.template.Name, err)
	}
	return a, nil
}

// Plan returns the solution of a question in the prompt version, and whether the question is
// recognised.
func Plan(question string) (envs.Plan, bool) {
	m, ok := recognise(question)
	if !ok {
		return nil, false
	}
	return m.plan(), true
}
