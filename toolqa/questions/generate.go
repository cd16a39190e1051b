package questions

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"toolevo/toolqa"
)

// Counts are numbers of questions for each split.
type Counts struct{ Train, Dev, Test int }

// PaperCounts returns the paper's numbers of questions (Table 6), zero for a dataset without templates.
func PaperCounts(ds toolqa.Dataset, d toolqa.Difficulty) Counts {
	switch {
	case ds == toolqa.Coffee && d == toolqa.Easy:
		return Counts{Train: 804, Dev: 100, Test: 100}
	case ds == toolqa.Coffee && d == toolqa.Hard:
		return Counts{Train: 1167, Dev: 100, Test: 130}
	}
	return Counts{}
}

// Scale returns a share of the numbers, 0..1, each rounded up.
func (n Counts) Scale(share float64) Counts {
	part := func(n int) int { return int(math.Ceil(share * float64(n))) }
	return Counts{part(n.Train), part(n.Dev), part(n.Test)}
}

func (n Counts) of(s toolqa.Split) int {
	switch s {
	case toolqa.Train:
		return n.Train
	case toolqa.Dev:
		return n.Dev
	}
	return n.Test
}

// patience is how many questions in a row may be drawn in vain, because they exist already or have no answer, before
// the corpus is held to have no more of a template.
const patience = 10_000

// Generate makes questions of one difficulty about a corpus: test, then dev, then train, each split balanced over the
// templates and in an order that goes round them, so that its first questions are balanced too. No two questions have
// the same text or ID, and none has the text or the ID of an excluded one. The same random numbers give the same
// questions. A corpus too small for so many distinct questions is an error.
func Generate(r *rand.Rand, c Corpus, d toolqa.Difficulty, n Counts, exclude []toolqa.Question) ([]toolqa.Question, error) {
	ds := c.Dataset()
	g := generator{r: r, corpus: c, texts: map[string]bool{}, ids: map[string]bool{}}
	for _, q := range exclude {
		g.texts[q.Text], g.ids[q.ID] = true, true
	}
	templates := Templates(ds, d)
	if len(templates) == 0 {
		return nil, fmt.Errorf("questions: generate: no templates for %s, %s", ds, d)
	}
	var all []toolqa.Question
	for _, split := range []toolqa.Split{toolqa.Test, toolqa.Dev, toolqa.Train} {
		if n.of(split) < 0 {
			return nil, fmt.Errorf("questions: generate %s %s %s: %d questions", ds, d, split, n.of(split))
		}
		serial := 0
		for i := range n.of(split) {
			q, err := g.draw(templates[i%len(templates)])
			if err != nil {
				return nil, fmt.Errorf("questions: generate %s %s %s: question %d of %d: %w", ds, d, split, i+1, n.of(split), err)
			}
			q.Split = split
			q.ID, serial = g.id(q, serial)
			all = append(all, q)
		}
	}
	return all, nil
}

// generator remembers what was drawn.
type generator struct {
	r          *rand.Rand
	corpus     Corpus
	texts, ids map[string]bool // taken
}

// draw returns a new question of a template, without an ID.
func (g *generator) draw(t *Template) (toolqa.Question, error) {
	for range patience {
		values, err := t.draw(g.r, g.corpus)
		if err != nil {
			return toolqa.Question{}, fmt.Errorf("template %s: %w", t.Name, err)
		}
		slots, err := t.fill(values)
		if err != nil {
			return toolqa.Question{}, err
		}
		m := Match{t, slots}
		text := m.Question()
		if g.texts[text] {
			continue
		}
		gold, err := Gold(m, g.corpus)
		if errors.Is(err, errNoAnswer) {
			continue
		}
		if err != nil {
			return toolqa.Question{}, err
		}
		g.texts[text] = true
		return toolqa.Question{Dataset: t.Dataset, Difficulty: t.Difficulty, Template: t.Name, Text: text, Answer: gold, Source: toolqa.Generated}, nil
	}
	return toolqa.Question{}, fmt.Errorf("template %s: %d draws gave no new question; the corpus is too small for so many", t.Name, patience)
}

// id returns the first free ID of a question's split from serial on, and the serial number after it. IDs look like the
// published ones: easy-coffee-train-0000, easy-coffee-dev-0000, and easy-coffee-0000 for the test split.
func (g *generator) id(q toolqa.Question, serial int) (string, int) {
	split := string(q.Split) + "-"
	if q.Split == toolqa.Test {
		split = ""
	}
	for ; ; serial++ {
		id := fmt.Sprintf("%s-%s-%s%04d", q.Difficulty, q.Dataset, split, serial)
		if !g.ids[id] {
			g.ids[id] = true
			return id, serial + 1
		}
	}
}
