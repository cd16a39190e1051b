package questions

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// Template is one kind of question. Templates are immutable.
type Template struct {
	// Name is unique among all templates, e.g. "coffee-easy/open".
	Name       string
	Dataset    toolqa.Dataset
	Difficulty toolqa.Difficulty

	// Text is the question with its slots, each as {name:kind}, e.g. "What was the opening price of coffee on
	// {date:date}?". Of several ways to read a question the one with the shortest first slots is taken, or,
	// of slots whose kind ends in a plus, {name:text+}, the longest: a name may hold the words that follow
	// it.
	Text string

	// Fault says what is wrong with the published rule for the answer; "" when nothing is. Corrected is set
	// where ToolQA-D's own test answers follow the right rule, Avoided where questions are drawn only if both
	// rules have the same answer.
	Fault     string
	Corrected bool
	Avoided   bool

	gold     rule // the right answer
	official rule // the published answer where Fault is not empty, else nil
	draw     drawer

	// sep joins the rows that the check finds, where it is not "": else they are joined by a comma and a space.
	sep string

	// The plan: steps, or where it depends on the slots or on what earlier results say, choose. It is called
	// again with the values read from each result, behind the slots, and must not change the steps already
	// taken.
	steps  []step
	choose func(Slots) []step

	literals []string // the text around the slots: one more than there are slots
	slots    []slot
	origins  map[string]*slotOrigin // what slots are drawn from
}

// slot is a gap in a template.
type slot struct {
	name   string
	kind   kind
	greedy bool
}

// Slots are the values of a question's slots, in the order of the template's text.
type Slots []Slot

// Slot is one named value.
type Slot struct{ Name, Value string }

// Get returns the value of the slot called name, "" when there is none.
func (s Slots) Get(name string) string {
	v, _ := s.lookup(name)
	return v
}

func (s Slots) lookup(name string) (string, bool) {
	for _, slot := range s {
		if slot.Name == name {
			return slot.Value, true
		}
	}

	return "", false
}

// rule computes an answer. Its error is errNoAnswer when the corpus holds none to this question.
type rule func(c Corpus, s Slots) (string, error)

// drawer draws the values of a template's slots, in the order of its text, such that there is an answer.
type drawer func(r *rand.Rand, c Corpus) ([]string, error)

// Corpus is what rules read: one dataset's rows in memory, as the type that the dataset's rules expect, e.g. *[Coffee].
// [Load] makes it of an opened corpus.
type Corpus interface {
	Dataset() toolqa.Dataset
}

// on makes a rule of a function of one dataset's view.
func on[C Corpus](f func(C, Slots) (string, error)) rule {
	return func(c Corpus, s Slots) (string, error) {
		view, err := as[C](c)
		if err != nil {
			return "", err
		}

		return f(view, s)
	}
}

// onFound makes a rule of a function of what a question is about, as find finds it.
func onFound[C Corpus, F any](find func(C, Slots) (F, error), f func(C, F) (string, error)) rule {
	return on(func(c C, s Slots) (string, error) {
		found, err := find(c, s)
		if err != nil {
			return "", err
		}

		return f(c, found)
	})
}

// drawOn makes a drawer of a function of one dataset's view.
func drawOn[C Corpus](f func(*rand.Rand, C) ([]string, error)) drawer {
	return func(r *rand.Rand, c Corpus) ([]string, error) {
		view, err := as[C](c)
		if err != nil {
			return nil, err
		}

		return f(r, view)
	}
}

// columnOf returns a column that the dataset's table must have.
func columnOf(t *corpus.Table, ds toolqa.Dataset, name string) (*corpus.Vector, error) {
	v, err := t.Column(name)
	if err == nil && v == nil {
		err = fmt.Errorf("questions: %s has no column %q", ds, name)
	}

	return v, err
}

// noneIfEmpty returns an answer, which is none where it is empty.
func noneIfEmpty(answer string) (string, error) {
	if answer == "" {
		return "", errNoAnswer
	}

	return answer, nil
}

func as[C Corpus](c Corpus) (C, error) {
	view, ok := c.(C)
	if !ok {
		return view, fmt.Errorf("the rule needs a %T, not a %T", view, c)
	}

	return view, nil
}

// family is what this package knows about one dataset.
type family struct {
	open       func(*corpus.Corpus) (Corpus, error) // the view the rules read
	easy, hard []Template                           // their names without the dataset and the difficulty
	draw       func(*Template) drawer               // makes the drawer of a template that has none
}

// families lists the datasets.
func families() map[toolqa.Dataset]family {
	return map[toolqa.Dataset]family{
		toolqa.Agenda:  {},
		toolqa.Airbnb:  {},
		toolqa.SciREX:  {},
		toolqa.Coffee:  {},
		toolqa.DBLP:    {dblpOf, dblpEasy(), dblpHard(), nil},
		toolqa.Flights: {},
		toolqa.Yelp:    {},
	}
}

// Load returns the rows of an opened corpus as the rules of its dataset read them.
func Load(c *corpus.Corpus) (Corpus, error) {
	f, ok := families()[c.Dataset()]
	if !ok {
		return nil, fmt.Errorf("questions: no templates for dataset %s", c.Dataset())
	}

	if f.open == nil {
		return newSource(c)
	}

	return f.open(c)
}

// all are the templates of every dataset.
var all = compile(families())

// compile completes the templates and parses their texts. A text that cannot be parsed is a mistake in this package,
// found by every test.
func compile(families map[toolqa.Dataset]family) []*Template {
	var ts []*Template

	for _, ds := range slices.Sorted(maps.Keys(families)) {
		f := families[ds]
		if f.open == nil {
			ts = append(ts, shippedTemplates(ds)...)
			continue
		}

		for i, t := range slices.Concat(f.easy, f.hard) {
			t.Dataset, t.Difficulty = ds, toolqa.Easy
			if i >= len(f.easy) {
				t.Difficulty = toolqa.Hard
			}

			t.Name = fmt.Sprintf("%s-%s/%s", ds, t.Difficulty, t.Name)
			if err := t.parse(); err != nil {
				panic(fmt.Sprintf("questions: template %s: %v", t.Name, err))
			}

			if t.draw == nil {
				t.draw = f.draw(&t)
			}

			ts = append(ts, &t)
		}
	}

	return ts
}

// parse splits the text at its slots.
func (t *Template) parse() error {
	rest := t.Text
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
		if !ok || !named || k == nil {
			return fmt.Errorf("slot {%s: want {name:kind}", tail)
		}

		t.slots = append(t.slots, slot{name, k, greedy})
		rest = after
	}
}

// fill returns the slots with the given values.
func (t *Template) fill(values []string) (Slots, error) {
	if len(values) != len(t.slots) {
		return nil, fmt.Errorf("template %s: %d values for %d slots", t.Name, len(values), len(t.slots))
	}

	s := make(Slots, len(values))
	for i, v := range values {
		if !t.slots[i].kind(v) {
			return nil, fmt.Errorf("template %s: slot %s: unfit value %q", t.Name, t.slots[i].name, v)
		}

		s[i] = Slot{t.slots[i].name, v}
	}

	return s, nil
}

// Trainable reports whether the template's questions belong in training: the benchmark's answers to them, which the
// checkpoint is measured by, are right.
func (t *Template) Trainable() bool { return t.Fault == "" || t.Corrected || t.Avoided }

// Templates returns the templates of a dataset and difficulty in the order of the benchmark, in a new slice.
func Templates(ds toolqa.Dataset, d toolqa.Difficulty) []*Template {
	var ts []*Template

	for _, t := range all {
		if t.Dataset == ds && t.Difficulty == d {
			ts = append(ts, t)
		}
	}

	return ts
}

// Lookup returns the template called name, and whether there is one.
func Lookup(name string) (*Template, bool) {
	for _, t := range all {
		if t.Name == name {
			return t, true
		}
	}

	return nil, false
}
