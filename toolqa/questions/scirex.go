package questions

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// SciREX is the scirex corpus as its rules see it: what the papers report. It is immutable.
type SciREX struct {
	relations []corpus.Relation
	methods   map[[2]string][]int // the relations of a method for a task, in order
	materials map[[2]string][]int // the relations on a material for a task, in order
}

// NewSciREX returns the view of relations in the order of the corpus.
func NewSciREX(relations []corpus.Relation) *SciREX {
	c := &SciREX{relations: slices.Clone(relations), methods: map[[2]string][]int{}, materials: map[[2]string][]int{}}
	for i, r := range c.relations {
		method, material := [2]string{r.Method, r.Task}, [2]string{r.Material, r.Task}
		c.methods[method] = append(c.methods[method], i)
		c.materials[material] = append(c.materials[material], i)
	}

	return c
}

// scirexOf returns the view of an opened corpus.
func scirexOf(c *corpus.Corpus) (Corpus, error) {
	relations, err := c.Relations(context.Background())
	if err != nil {
		return nil, err
	}

	return NewSciREX(relations), nil
}

// Dataset returns toolqa.SciREX.
func (c *SciREX) Dataset() toolqa.Dataset { return toolqa.SciREX }

// Relations returns the number of relations.
func (c *SciREX) Relations() int { return len(c.relations) }

// find returns the relations that agree with all slots there are, in the order of the corpus.
func (c *SciREX) find(s Slots) []corpus.Relation {
	among := c.materials[[2]string{s.Get("material"), s.Get("task")}]
	if method, ok := s.lookup("method"); ok {
		among = c.methods[[2]string{method, s.Get("task")}]
	}
	var found []corpus.Relation

	for _, i := range among {
		r := c.relations[i]
		if fitsSlot(s, "method", r.Method) && fitsSlot(s, "material", r.Material) && fitsSlot(s, "metric", r.Metric) {
			found = append(found, r)
		}
	}

	return found
}

func fitsSlot(s Slots, name, value string) bool {
	want, ok := s.lookup(name)
	return !ok || want == value
}

// onRelations makes a rule of a function of the relations a question is about, at least min of them.
func onRelations(min int, f func([]corpus.Relation) (string, error)) rule {
	return on(func(c *SciREX, s Slots) (string, error) {
		found := c.find(s)
		if len(found) < min {
			return "", errNoAnswer
		}

		return f(found)
	})
}

// The names of a relation.
func methodOf(r corpus.Relation) string   { return r.Method }
func materialOf(r corpus.Relation) string { return r.Material }
func metricOf(r corpus.Relation) string   { return r.Metric }

// onlyScore returns the score of relations that agree on it, without blanks around it and the byte-order mark that some
// published ones begin with.
func onlyScore(found []corpus.Relation) (string, error) {
	score := cleanScore(found[0].Score)
	for _, r := range found[1:] {
		if cleanScore(r.Score) != score {
			return "", errNoAnswer
		}
	}

	return score, nil
}

func cleanScore(score string) string { return pytext.Strip(strings.ReplaceAll(score, "\ufeff", "")) }

// relationNames makes a list of the different names, in the order of the corpus.
func relationNames(name func(corpus.Relation) string) func([]corpus.Relation) (string, error) {
	return func(found []corpus.Relation) (string, error) {
		var names []string
		for _, r := range found {
			if n := name(r); !slices.Contains(names, n) {
				names = append(names, n)
			}
		}

		return strings.Join(names, ", "), nil
	}
}

// highest returns the name with the highest score. There is no answer where a score is not a number, or two names share
// the highest.
func highest(name func(corpus.Relation) string) func([]corpus.Relation) (string, error) {
	return func(found []corpus.Relation) (string, error) {
		best, most, tie := "", 0.0, false

		for i, r := range found {
			x, ok := scoreNumber(r.Score)
			switch n := name(r); {
			case !ok:
				return "", errNoAnswer
			case i == 0 || x > most:
				best, most, tie = n, x, false
			case x == most && n != best:
				tie = true
			}
		}

		if tie {
			return "", errNoAnswer
		}

		return best, nil
	}
}

// scoreNumber returns the number that a score stands for: of "380k" and "1.7m" in full, of "71.6%" as it is printed, of
// "81.5±0.3" the middle. A comma before three digits groups thousands, any other is a decimal point.
func scoreNumber(score string) (float64, bool) {
	text, _, _ := strings.Cut(cleanScore(score), "±")
	text = strings.TrimSuffix(strings.TrimSpace(text), "%")
	unit := 1.0

	for suffix, factor := range map[string]float64{"k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "B": 1e9} {
		if number, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = number, factor
		}
	}

	if before, after, ok := strings.Cut(text, ","); ok {
		if whole, _, _ := strings.Cut(after, "."); len(whole) == 3 {
			text = before + after
		} else {
			text = before + "." + after
		}
	}

	if text = strings.TrimSpace(text); !isNumber(text) {
		return 0, false
	}

	f, err := strconv.ParseFloat(text, 64)

	return f * unit, err == nil
}

// publishedHighest is the published rule: scores that are no plain numbers are compared as texts, and every comma is a
// decimal point. Of equal scores the first one wins. The rule fails where numbers and texts meet.
func publishedHighest(name func(corpus.Relation) string) func([]corpus.Relation) (string, error) {
	return func(found []corpus.Relation) (string, error) {
		best, most, mostText := "", 0.0, ""

		for i, r := range found {
			x, text, err := publishedScore(r)
			if err != nil || i > 0 && (text == "") != (mostText == "") {
				return "", errNoAnswer
			}

			if i == 0 || x > most || text > mostText {
				best, most, mostText = name(r), x, text
			}
		}

		return best, nil
	}
}

// publishedScore returns what the published rule compares: a number, or a text that is not empty.
func publishedScore(r corpus.Relation) (number float64, text string, err error) {
	score := strings.ReplaceAll(strings.ReplaceAll(r.Score, "\ufeff", ""), ",", ".")
	if !r.Number && (strings.ContainsAny(score, "±/%mMkKB") || score == "-" || score == "---") {
		return 0, score, nil
	}

	f, ok := pytext.ParseFloat(score)
	if !ok {
		return 0, "", errNoAnswer
	}

	return f, "", nil
}

// drawRelation draws the slots of a question about a random relation to which the rules, if there are two, give one
// answer: what is faulty about the published one does not touch it.
func drawRelation(t *Template) drawer {
	return drawOn(func(r *rand.Rand, view *SciREX) ([]string, error) {
		if len(view.relations) == 0 {
			return nil, fmt.Errorf("a corpus without relations has no questions")
		}

		for range patience {
			relation := view.relations[r.IntN(len(view.relations))]
			names := map[string]string{"task": relation.Task, "method": relation.Method,
				"material": relation.Material, "metric": relation.Metric}
			s, values := make(Slots, len(t.slots)), make([]string, len(t.slots))

			for i, slot := range t.slots {
				values[i] = names[slot.name]
				s[i] = Slot{slot.name, values[i]}
			}

			answer, err := t.gold(view, s)
			if err == nil && t.Avoided {
				var published string
				if published, err = t.official(view, s); published != answer {
					continue
				}
			}

			if err == nil {
				return values, nil
			}
		}

		return nil, fmt.Errorf("%d relations drawn give no question", patience)
	})
}
