package synth

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
)

// The sections of the published papers are words with a blank between, punctuation marks among them. So are these,
// except that names and scores are one word each time they occur, as wide as they are.

// sections returns the contents of a paper.
func (s *scirexSynth) sections(p *scirexPaper) []string {
	head := func(level, title string) string { return level + " : " + title }

	all := []string{
		head("document", p.title) + " " + s.about(p, s.Abstracts, 4) + " " + s.filler(p, 4),
		head("section", "Introduction") + " " + s.filler(p, 14),
		head("section", "Related Work") + " " + s.filler(p, 16),
	}
	for _, i := range s.rng.Perm(len(s.Heads))[:3+s.rng.IntN(6)] {
		all = append(all, head("subsection", s.Heads[i])+" "+s.filler(p, 6+s.rng.IntN(14)))
	}

	all = append(all, head("section", "Experiments"), head("subsection", "Setup")+" "+s.filler(p, 8), s.setup(p))
	for _, material := range p.materials {
		all = append(all, s.results(p, material))
	}

	if text := s.spreads(p); text != "" {
		all = append(all, head("subsection", "Comparison across datasets")+" "+text)
	}

	return append(all,
		head("section", "Ablation Study")+" "+s.filler(p, 9),
		head("section", "Conclusion")+" "+s.filler(p, 9),
		head("section", "Acknowledgments")+fmt.Sprintf(" We thank %s , %s and the anonymous reviewers .", s.fake.Name(),
			s.fake.Name()),
	)
}

// about strings sentences together that name the paper's method and task.
func (s *scirexSynth) about(p *scirexPaper, sentences []string, n int) string {
	var b []string
	for _, i := range s.rng.Perm(len(sentences))[:min(n, len(sentences))] {
		b = append(b, fillIn(sentences[i], "T", strings.ToLower(p.field.Name), "M", p.methods[0]))
	}

	return strings.Join(b, " ")
}

// filler is text that states no result, n sentences of it: no stock sentence twice, and others made of parts.
func (s *scirexSynth) filler(p *scirexPaper, n int) string {
	var b []string
	for _, i := range s.rng.Perm(len(s.Fillers))[:min(n/3, len(s.Fillers))] {
		b = append(b, s.stock(fillIn(s.Fillers[i], "T", strings.ToLower(p.field.Name))))
	}

	for len(b) < n {
		var parts []string
		for _, choices := range s.Clauses {
			parts = append(parts, s.pick(choices...))
		}

		b = append(b, strings.Join(parts, " ")+" .")
	}

	s.rng.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })

	return strings.Join(b, " ")
}

// stock fills in the names (%s) and numbers (%d) of a sentence.
func (s *scirexSynth) stock(sentence string) string {
	for {
		before, after, ok := strings.Cut(sentence, "%")
		if !ok {
			return sentence
		}

		word := s.fake.LastName()
		if after[0] == 'd' {
			word = strconv.Itoa(2 + s.rng.IntN(62))
		}

		sentence = before + word + after[1:]
	}
}

// setup says which materials each method is evaluated on.
func (s *scirexSynth) setup(p *scirexPaper) string {
	text := "subsection : Datasets"
	wording := s.pick(s.Materials...)

	for _, method := range p.methods {
		var names []string

		for _, r := range p.results {
			if r.method == method {
				names = append(names, scirexName(r.material))
			}
		}

		if names = slices.Compact(names); len(names) > 0 {
			text += " " + fillIn(wording, "M", method, "T", scirexName(p.field.Name), "L", enumerate(names))
		}
	}

	return text + " " + s.filler(p, 2)
}

// results says everything about one material.
func (s *scirexSynth) results(p *scirexPaper, material string) string {
	text := fmt.Sprintf("subsection : Results on %s for %s", material, p.field.Name)
	metrics := map[string][]string{}
	var statements []string

	for _, r := range p.results {
		if r.material == material {
			metrics[r.method] = append(metrics[r.method], scirexName(r.metric))
			statements = append(statements, r.say(s.pick(s.Statements...)))
		}
	}

	wording := s.pick(s.Metrics...)

	for _, method := range p.methods {
		if names := metrics[method]; len(names) > 0 {
			text += " " + fillIn(wording, "M", method, "D", material, "L", enumerate(names))
		}
	}

	return text + " " + strings.Join(statements, " ") + " " + s.filler(p, 2)
}

// spreads compares the scores of each method on different materials; "" when there is nothing to compare.
func (s *scirexSynth) spreads(p *scirexPaper) string {
	var b []string

	for _, method := range p.methods {
		for _, metric := range p.field.Metrics {
			var list []string

			for _, r := range p.results {
				if r.method == method && r.metric == metric.Name {
					list = append(list, r.said+" on "+scirexName(r.material))
				}
			}

			if len(list) > 1 {
				b = append(b, fillIn(s.pick(s.Spreads...), "E", metric.Name, "M", method, "L", enumerate(list)))
			}
		}
	}

	if len(b) == 0 {
		return ""
	}

	return "for " + p.field.Name + " . " + strings.Join(b, " ")
}

// survey returns the contents of a paper about the results of others.
func (s *scirexSynth) survey(boards []*board) []string {
	field := s.tasks[s.rng.IntN(len(s.tasks))]
	p := &scirexPaper{field: field, methods: []string{"this survey"}}
	all := []string{
		fmt.Sprintf("document : A Survey of Published Results by %s , %s and %s", s.fake.Name(), s.fake.Name(),
			s.fake.Name()),
		"section : Introduction " + s.filler(p, 12),
		"section : Methodology " + s.filler(p, 10),
	}

	return append(append(all, s.leaderboards(boards)...), "section : Conclusion "+s.filler(p, 9))
}

// leaderboards returns a section for each metric of each board, in the order of publication.
func (s *scirexSynth) leaderboards(boards []*board) []string {
	var all []string

	for _, b := range boards {
		byMetric := slices.SortedStableFunc(slices.Values(b.results),
			func(a, b scirexResult) int { return cmp.Compare(a.metric, b.metric) })
		for len(byMetric) > 0 {
			n := 0

			var list []string
			for n < len(byMetric) && byMetric[n].metric == byMetric[0].metric {
				list = append(list, scirexName(byMetric[n].method)+" "+byMetric[n].said)
				n++
			}

			var text []string
			for _, i := range s.rng.Perm(len(s.Notes)) {
				text = append(text, s.Notes[i])
			}

			text = slices.Insert(text, 0, "section : Leaderboard for T on D", s.pick(s.Boards...))
			all = append(all, fillIn(strings.Join(text, " "),
				"E", byMetric[0].metric, "T", b.task, "D", b.material, "L", strings.Join(list, " , ")))
			byMetric = byMetric[n:]
		}
	}

	return all
}

// say states the result in a wording.
func (r scirexResult) say(wording string) string {
	return fillIn(wording, "M", r.method, "D", r.material, "E", r.metric, "S", r.said)
}

// fillIn replaces words of a sentence, which is words with a blank between: each name by the value after it.
func fillIn(sentence string, pairs ...string) string {
	words := strings.Split(sentence, " ")
	for i, w := range words {
		for j := 0; j < len(pairs); j += 2 {
			if w == pairs[j] {
				words[i] = pairs[j+1]
			}
		}
	}

	return strings.Join(words, " ")
}

// enumerate joins names as sentences do: "A", "A and B", "A , B and C".
func enumerate(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}

	return strings.Join(names[:last], " , ") + " and " + names[last]
}

// floatText is Python's str of the float that a text stands for.
func floatText(text string) string {
	f, _ := strconv.ParseFloat(text, 64) // scores that may be numbers are written as such
	return pytext.FormatFloat(f)
}
