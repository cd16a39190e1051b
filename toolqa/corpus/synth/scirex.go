package synth

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus/internal/layout"
)

const (
	// surveyShare is how many papers there are for each survey.
	surveyShare = 16

	// usedUp is how many methods have a result on a material for a task before papers turn to other
	// materials.
	usedUp = 11
)

// scirexPart returns the generator of n papers.
func scirexPart(rng *rand.Rand, n int) layout.Part {
	return func(_ context.Context, put func(table string, values ...any) error) error {
		return newScirexSynth(rng, n).write(&layout.SciREXWriter{Put: put})
	}
}

// scirexSynth makes papers. Each but the last ones is about methods of its own, which are in no
// other paper, and states their results; the last are surveys, with a section for each task and
// material that lists the results of all methods.
type scirexSynth struct {
	*world
	n      int
	tasks  []*scirexTask             // with the materials in use
	used   map[string]bool           // names of methods and coined materials, as published
	boards map[scirexBoardKey]*board // the results of all papers, by task and material
	order  []*board                  // in the order of their first results
}

type scirexBoardKey struct{ task, material string }

// scirexTask is a task, the materials that papers use for it, and the metrics.
type scirexTask struct {
	name      string
	materials []string
	metrics   []*record
}

// board is what a survey says about a material.
type board struct {
	scirexBoardKey
	methods map[string]bool
	results []scirexResult
}

// scirexResult is a relation before its names are spelled as published.
type scirexResult struct {
	method, material, metric, task string
	text                           string // the score as a paper writes it
	stored                         string // and as the relation holds it
	number                         bool
}

func newScirexSynth(rng *rand.Rand, n int) *scirexSynth {
	s := &scirexSynth{
		world: newWorld(toolqa.SciREX, rng, n), n: n,
		used: map[string]bool{}, boards: map[scirexBoardKey]*board{},
	}
	for _, item := range s.get("tasks").(*list).items {
		t := item.(*record)

		task := &scirexTask{name: textOf(t.values["name"])}
		for _, m := range t.values["materials"].(*list).items {
			task.materials = append(task.materials, textOf(m))
		}

		for _, m := range t.values["metrics"].(*list).items {
			task.metrics = append(task.metrics, m.(*record))
		}

		s.tasks = append(s.tasks, task)
	}
	return s
}

func (s *scirexSynth) write(w *layout.SciREXWriter) error {
	surveys := s.n / surveyShare
	for i := range s.n - surveys {
		p := s.paper()

		sections := s.sections(p)
		// True only if there are too few papers for a survey: then the last one lists all results.
		if i == s.n-1 {
			sections = append(sections, s.leaderboards(s.order)...)
		}

		for _, content := range sections {
			if err := w.Section(content); err != nil {
				return err
			}
		}

		for _, r := range p.results {
			if err := w.Relation(r.relation(p.id)); err != nil {
				return err
			}
		}
	}

	// The surveys come last, since they list what the papers before have reported. They state no
	// results of their own.
	for i := range surveys {
		boards := s.order[i*len(s.order)/surveys : (i+1)*len(s.order)/surveys]
		for _, content := range s.survey(boards) {
			if err := w.Section(content); err != nil {
				return err
			}
		}
	}

	return nil
}

// relation spells a result as the published files do.
func (r scirexResult) relation(paper string) layout.Relation {
	return layout.Relation{
		Paper: paper, Method: scirexName(r.method), Material: scirexName(r.material), Metric: scirexName(r.metric),
		Task: scirexName(r.task), Score: r.stored, Number: r.number,
	}
}

// scirexPaper is one paper.
type scirexPaper struct {
	id, title string
	field     *scirexTask
	methods   []string
	materials []string
	results   []scirexResult // sorted as published: by material, method and metric
}

// paper draws a paper and its results.
func (s *scirexSynth) paper() *scirexPaper {
	// Each draw moves the random numbers on: in another order the same seed makes another corpus.
	p := &scirexPaper{id: fmt.Sprintf("%016x%016x%08x", s.rng.Uint64(), s.rng.Uint64(),
		s.rng.Uint32())}

	// The product of two draws favours the first tasks of the list.
	p.field = s.tasks[int(float64(len(s.tasks))*s.rng.Float64()*(0.35+float64(0.65*s.rng.Float64())))]
	p.methods = s.methods()
	p.title = s.draw("titles") + " for " + p.field.name
	p.materials = s.materials(p.field)

	metrics := slices.Clone(p.field.metrics)
	for _, material := range p.materials {
		s.rng.Shuffle(len(metrics),
			func(i, j int) { metrics[i], metrics[j] = metrics[j], metrics[i] })

		used := metrics[:1+s.rng.IntN(len(metrics))]
		for i, method := range p.methods {
			// Variants of a method are not tried on everything.
			if i > 0 && s.rng.IntN(3) == 0 {
				continue
			}

			for _, metric := range used {
				p.results = append(p.results, s.result(p.field.name, method, material, metric))
			}
		}
	}

	slices.SortStableFunc(p.results, func(a, b scirexResult) int {
		return cmp.Or(cmp.Compare(scirexName(a.material), scirexName(b.material)),
			cmp.Compare(scirexName(a.method), scirexName(b.method)),
			cmp.Compare(scirexName(a.metric), scirexName(b.metric)))
	})

	// After sorting: surveys list the results in the order of publication.
	for _, r := range p.results {
		s.record(r)
	}
	return p
}

// result draws a score, with the oddities of the published ones: blanks around it, a byte-order
// mark, a number for a text.
func (s *scirexSynth) result(task, method, material string, metric *record) scirexResult {
	text, number := s.score(metric)
	r := scirexResult{
		method: method, material: material, metric: textOf(metric.values["name"]), task: task,
		text: text, stored: text,
	}

	switch s.rng.IntN(100) {
	case 0:
		r.stored = text + " "
	case 1:
		r.stored = " " + text
	case 2:
		r.stored = "\ufeff" + text
	case 3, 4, 5, 6:
		if number {
			r.number = true
			r.stored = floatText(text)
		}
	}

	return r
}

// record keeps a result for the surveys.
func (s *scirexSynth) record(r scirexResult) {
	key := scirexBoardKey{r.task, r.material}

	b := s.boards[key]
	if b == nil {
		b = &board{scirexBoardKey: key, methods: map[string]bool{}}
		s.boards[key] = b
		s.order = append(s.order, b)
	}

	b.methods[r.method] = true
	b.results = append(b.results, r)
}

// materials draws the materials of a paper: one to four, of games up to ten.
func (s *scirexSynth) materials(f *scirexTask) []string {
	for i, m := range f.materials {
		if b := s.boards[scirexBoardKey{f.name, m}]; b != nil && len(b.methods) >= usedUp {
			f.materials[i] = s.coined(m)
		}
	}

	most := min(len(f.materials), 4)
	if len(f.materials) > 10 {
		most = 10
	}

	n := 1 + int(float64(most)*s.rng.Float64()*max(s.rng.Float64(), s.rng.Float64()))

	var chosen []string
	for _, i := range s.rng.Perm(len(f.materials))[:n] {
		chosen = append(chosen, f.materials[i])
	}
	return chosen
}

// coined returns the name of a new material in the place of another.
func (s *scirexSynth) coined(old string) string {
	for {
		name := s.draw("coined")
		if strings.HasPrefix(old, "Atari 2600 ") {
			name = s.draw("games")
		}

		if s.take(name) {
			return name
		}
	}
}

// methods coins the methods of a paper: one, and up to two variants of it.
func (s *scirexSynth) methods() []string {
	var methods []string
	for len(methods) == 0 {
		if base := s.draw("base"); s.take(base) {
			methods = append(methods, base)
		}
	}

	for range s.rng.IntN(3) {
		s.set("method", methods[0])

		if v := s.draw("variants"); s.take(v) {
			methods = append(methods, v)
		}
	}
	return methods
}

// take reports whether a name is new, also as it is published, and keeps it.
func (s *scirexSynth) take(name string) bool {
	key := strings.ToLower(scirexName(name))
	if s.used[key] {
		return false
	}

	s.used[key] = true
	return true
}
