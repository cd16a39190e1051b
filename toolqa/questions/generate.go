package questions

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"toolevo/envs"
	"toolevo/toolqa"
)

// Counts are numbers of questions for each split.
type Counts struct{ Train, Dev, Test int }

// PaperCounts returns the paper's numbers of questions (Table 6).
func PaperCounts(ds toolqa.Dataset, d toolqa.Difficulty) Counts {
	return paperCounts[ds][d]
}

var paperCounts = map[toolqa.Dataset]map[toolqa.Difficulty]Counts{
	toolqa.Agenda:  {toolqa.Easy: {998, 100, 100}, toolqa.Hard: {800, 100, 100}},
	toolqa.Airbnb:  {toolqa.Easy: {1000, 100, 100}, toolqa.Hard: {818, 100, 100}},
	toolqa.Coffee:  {toolqa.Easy: {804, 100, 100}, toolqa.Hard: {1167, 100, 130}},
	toolqa.DBLP:    {toolqa.Easy: {1000, 100, 100}, toolqa.Hard: {963, 100, 100}},
	toolqa.Flights: {toolqa.Easy: {1087, 100, 100}, toolqa.Hard: {950, 100, 100}},
	toolqa.SciREX:  {toolqa.Easy: {248, 100, 100}, toolqa.Hard: {393, 100, 100}},
	toolqa.Yelp:    {toolqa.Easy: {1097, 100, 100}, toolqa.Hard: {793, 100, 100}},
}

// Scale returns a share of the numbers, 0..1, each rounded up.
func (n Counts) Scale(share float64) Counts {
	part := func(n int) int { return int(math.Ceil(share * float64(n))) }
	return Counts{part(n.Train), part(n.Dev), part(n.Test)}
}

func (n Counts) inSplit(s toolqa.Split) int {
	switch s {
	case toolqa.Train:
		return n.Train
	case toolqa.Dev:
		return n.Dev
	}

	return n.Test
}

// maxDraws is how many questions in a row may be drawn in vain, because they exist already or have
// no answer, before the corpus is held to have no more of a template.
const maxDraws = 10_000

// Options say which questions Generate makes.
type Options struct {
	Counts
	Examples int               // of each template that is trained on; fewer where there are no more
	Exclude  []toolqa.Question // neither they nor their IDs are used
	Faulty   bool              // templates that are not trainable occur in training, too
}

// Generate makes questions of one difficulty about a corpus: test, then dev, then train, then
// examples, each split balanced over the templates and in an order that goes round them, so that
// its first questions are balanced too. No two questions are equal ([envs.QuestionKey]), have the
// same ID, or are asked in an embedded demonstration. The same random numbers give the same
// questions. Once there are no more questions of a template, since it asks for each of a hundred
// people, say, the others take its turns. A corpus too small for so many distinct questions, or for
// any of some template, is an error; one that has none left for examples is not.
func Generate(r *rand.Rand, c *Corpus, d toolqa.Difficulty, o Options) ([]toolqa.Question, error) {
	return shipped().generate(r, c, d, o)
}

func (l library) generate(r *rand.Rand, c *Corpus, d toolqa.Difficulty, o Options) ([]toolqa.Question, error) {
	ds := c.dataset

	g := l.newGenerator(r, c)
	for _, q := range o.Exclude {
		g.keys[envs.QuestionKey(q.Text)], g.ids[q.ID] = true, true
	}

	// Prompts show the answers of these.
	for _, text := range demonstrated()[ds] {
		g.keys[envs.QuestionKey(text)] = true
	}

	templates := l.about(ds, d)
	if len(templates) == 0 {
		return nil, fmt.Errorf("questions: generate: no templates for %s, %s", ds, d)
	}

	var all []toolqa.Question
	made := map[string]bool{} // templates of which there is a question

	// The test split is first, so that it is the same however many questions the others have.
	for _, split := range []toolqa.Split{toolqa.Test, toolqa.Dev, toolqa.Train} {
		if o.inSplit(split) < 0 {
			return nil, fmt.Errorf("questions: generate %s %s %s: %d questions", ds, d, split, o.inSplit(split))
		}

		// Dev and test also ask what the published files answer wrongly, with the right answers.
		if split == toolqa.Train && !o.Faulty {
			templates = slices.DeleteFunc(templates, func(t *Template) bool { return !t.trainable() })
		}

		if len(templates) == 0 && o.inSplit(split) > 0 {
			return nil, fmt.Errorf("questions: generate %s %s %s: no template may be trained on", ds, d, split)
		}

		serial := 0

		for i := range o.inSplit(split) {
			t := i % len(templates)

			// Other templates take the turns of one that has no more questions. One that never had
			// any is an error: the corpus is too small for it.
			q, err := g.draw(templates[t])
			for errors.Is(err, errExhausted) && len(templates) > 1 && made[templates[t].Name] {
				templates = slices.Delete(templates, t, t+1)
				t = i % len(templates)
				q, err = g.draw(templates[t])
			}

			if err != nil {
				return nil, fmt.Errorf("questions: generate %s %s %s: question %d of %d: %w", ds, d, split, i+1,
					o.inSplit(split), err)
			}

			made[q.Template] = true
			q.Split = split
			q.ID, serial = g.id(q, serial)
			all = append(all, q)
		}
	}

	examples, err := g.examples(templates, o.Examples)
	return append(all, examples...), err
}

// examples draws n questions of each template, or as many as are left.
func (g *generator) examples(templates []*Template, n int) (all []toolqa.Question, err error) {
	serial := 0

	for range n {
		for _, t := range templates {
			q, err := g.draw(t)
			if errors.Is(err, errExhausted) {
				continue
			}

			if err != nil {
				return nil, err
			}

			q.Split = toolqa.Examples
			q.ID, serial = g.id(q, serial)
			all = append(all, q)
		}
	}

	return all, nil
}

// generator remembers what was drawn.
type generator struct {
	library
	r         *rand.Rand
	corpus    *Corpus
	keys, ids map[string]bool // taken
}

func (l library) newGenerator(r *rand.Rand, c *Corpus) *generator {
	return &generator{library: l, r: r, corpus: c, keys: map[string]bool{}, ids: map[string]bool{}}
}

// errExhausted is the error of a template that has no more questions.
var errExhausted = errors.New("no new question; the corpus is too small for so many")

// draw returns a new question of a template, without an ID.
func (g *generator) draw(t *Template) (toolqa.Question, error) {
	for range maxDraws {
		values, err := t.draw(g.r, g.corpus)
		if err != nil {
			return toolqa.Question{}, fmt.Errorf("template %s: %w", t.Name, err)
		}

		slots, err := t.fill(values)
		if err != nil {
			return toolqa.Question{}, err
		}

		m := match{t, slots}

		text := m.question()

		key := envs.QuestionKey(text)
		if g.keys[key] {
			continue
		}

		// If a name has the words that follow it in the text, nobody can tell what is asked.
		if read, ok := g.recognise(text); !ok || read.template != t || !slices.Equal(read.slots, slots) {
			continue
		}

		// Last, because it may look at every row of the corpus.
		gold, err := rightAnswer(m, g.corpus)
		if errors.Is(err, errNoAnswer) {
			continue
		}

		if err != nil {
			return toolqa.Question{}, err
		}

		g.keys[key] = true
		return toolqa.Question{
			Dataset:    t.dataset,
			Difficulty: t.difficulty,
			Template:   t.Name,
			Text:       text,
			Answer:     gold,
			Source:     toolqa.Generated,
		}, nil
	}

	return toolqa.Question{}, fmt.Errorf("template %s: %d draws gave %w", t.Name, maxDraws, errExhausted)
}

// id returns the first free ID of a question's split from serial on, and the serial number after
// it. IDs look like the published ones: easy-coffee-train-0000, easy-coffee-dev-0000, and
// easy-coffee-0000 for the test split.
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
