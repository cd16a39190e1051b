package questions

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolevo/toolqa"
)

// Template is one kind of question. Templates are immutable.
type Template struct {
	// Name is unique among all templates, e.g. "coffee-easy/open".
	Name       string
	dataset    toolqa.Dataset
	difficulty toolqa.Difficulty

	// text is the question with its slots, each as {name:kind}, e.g. "What was the opening price of
	// coffee on {date:date}?". Of several ways to read a question the one with the shortest first
	// slots is taken, or, of slots whose kind ends in a plus, {name:text+}, the longest: a name may
	// hold the words that follow it.
	text string

	// fault says what is wrong with the published rule for the answer; "" when nothing is.
	// corrected is set where ToolQA-D's own test answers follow the right rule, avoided where
	// questions are drawn only if both rules have the same answer.
	fault     string
	corrected bool
	avoided   bool

	gold     rule // the right answer
	official rule // the published answer where fault is not empty, else nil
	only     rule // finds 1 for the questions to draw; nil: for all
	drawing  *drawing
	queries  map[string]string // those of the rules and of draws, by their keys in the file

	// plan returns the steps, as far as the slots and what earlier results say decide them. Steps
	// that have been taken stay the same when more is known.
	plan func(known slotValues) []step

	literals []string // the text around the slots: one more than there are slots
	slots    []slot
}

// slot is a gap in a template.
type slot struct {
	name   string
	kind   kind
	greedy bool
}

// slotValues are the values of a question's slots, in the order of the template's text.
type slotValues []slotValue

// slotValue is one named value.
type slotValue struct{ name, value string }

// get returns the value of the slot called name, or "".
func (s slotValues) get(name string) string {
	v, _ := s.lookup(name)
	return v
}

func (s slotValues) lookup(name string) (string, bool) {
	for _, slot := range s {
		if slot.name == name {
			return slot.value, true
		}
	}

	return "", false
}

// rule computes an answer. Its error is errNoAnswer when the corpus holds none to this question.
type rule func(c *Corpus, s slotValues) (string, error)

// shipped are the templates of every dataset, read at first use: most processes of the program are
// children that run a statement or a program, and need none.
var shipped = sync.OnceValue(shippedTemplates)

// parse splits the text at its slots.
func (t *Template) parse() error {
	rest := t.text
	for {
		before, tail, ok := strings.Cut(rest, "{")
		t.literals = append(t.literals, before)

		if !ok {
			return nil
		}

		inner, after, ok := strings.Cut(tail, "}")
		name, kindName, named := strings.Cut(inner, ":")
		kindName, greedy := strings.CutSuffix(kindName, "+")

		k := kinds[kindName]
		if !ok || !named {
			return fmt.Errorf("slot {%s: want {name:kind}", inner)
		}

		if k == nil {
			return fmt.Errorf("slot {%s}: no kind %q, only %s", inner, kindName, namesOf(kinds))
		}

		t.slots = append(t.slots, slot{name, k, greedy})
		rest = after
	}
}

// fill returns the slots with the given values.
func (t *Template) fill(values []string) (slotValues, error) {
	if len(values) != len(t.slots) {
		return nil, fmt.Errorf("template %s: %d values for %d slots", t.Name, len(values), len(t.slots))
	}

	s := make(slotValues, len(values))
	for i, v := range values {
		if !t.slots[i].kind(v) {
			return nil, fmt.Errorf("template %s: slot %s: unfit value %q", t.Name, t.slots[i].name, v)
		}

		s[i] = slotValue{t.slots[i].name, v}
	}
	return s, nil
}

// trainable reports whether the template's questions belong in training: the benchmark's answers to
// them, which the checkpoint is measured by, are right.
func (t *Template) trainable() bool { return t.fault == "" || t.corrected || t.avoided }

// Templates returns the templates of a dataset and difficulty in the order of the benchmark, in a
// new slice.
func Templates(ds toolqa.Dataset, d toolqa.Difficulty) []*Template { return shipped().about(ds, d) }

// library is a set of templates, by which questions are recognised.
type library []*Template

// about returns the templates of a dataset and difficulty.
func (l library) about(ds toolqa.Dataset, d toolqa.Difficulty) []*Template {
	var ts []*Template

	for _, t := range l {
		if t.dataset == ds && t.difficulty == d {
			ts = append(ts, t)
		}
	}

	return ts
}

// lookup returns the template called name, and whether there is one.
func lookup(name string) (*Template, bool) {
	i := slices.IndexFunc(shipped(), func(t *Template) bool { return t.Name == name })
	if i < 0 {
		return nil, false
	}
	return shipped()[i], true
}
