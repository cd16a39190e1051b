package synth

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
)

// The sections of the published papers are words with a blank between, punctuation marks among
// them. So are these, except that a name or a score is always one word, however long.

// sections returns the sections of a paper.
func (s *scirexSynth) sections(p *scirexPaper) []string {
	s.set("title", p.title, "task", p.field.name, "method", p.methods[0])
	all := s.all("opening")

	for range 3 + s.rng.IntN(6) {
		all = append(all, s.draw("subsection"))
	}

	all = append(append(all, s.all("experiments")...), s.setup(p))
	for _, material := range p.materials {
		all = append(all, s.results(p, material))
	}

	if text := s.spreads(p); text != "" {
		all = append(all, "subsection : Comparison across datasets "+text)
	}
	return append(all, s.all("closing")...)
}

// setup says which materials each method is evaluated on.
func (s *scirexSynth) setup(p *scirexPaper) string {
	text := "subsection : Datasets"

	for _, method := range p.methods {
		var names []string

		for _, r := range p.results {
			if r.method == method {
				names = append(names, scirexName(r.material))
			}
		}

		if names = slices.Compact(names); len(names) > 0 {
			s.set("method", method, "list", enumerate(names))
			text += " " + s.draw("materials")
		}
	}

	return text + " " + s.draw("few")
}

// results says everything about one material.
func (s *scirexSynth) results(p *scirexPaper, material string) string {
	s.set("material", material)

	text := fmt.Sprintf("subsection : Results on %s for %s", material, p.field.name)
	metrics := map[string][]string{}
	var statements []string

	for _, r := range p.results {
		if r.material == material {
			metrics[r.method] = append(metrics[r.method], scirexName(r.metric))

			s.set("method", r.method, "metric", r.metric, "score", r.text)
			statements = append(statements, s.draw("statements"))
		}
	}

	for _, method := range p.methods {
		if names := metrics[method]; len(names) > 0 {
			s.set("method", method, "list", enumerate(names))
			text += " " + s.draw("metrics")
		}
	}

	return text + " " + strings.Join(statements, " ") + " " + s.draw("few")
}

// spreads compares the scores of each method on different materials; "" when there is nothing to
// compare.
func (s *scirexSynth) spreads(p *scirexPaper) string {
	var b []string

	for _, method := range p.methods {
		for _, metric := range p.field.metrics {
			var list []string

			for _, r := range p.results {
				if r.method == method && r.metric == textOf(metric.values["name"]) {
					list = append(list, r.text+" on "+scirexName(r.material))
				}
			}

			if len(list) > 1 {
				s.set("method", method, "metric", metric.values["name"], "list", enumerate(list))
				b = append(b, s.draw("spreads"))
			}
		}
	}

	if len(b) == 0 {
		return ""
	}
	return "for " + p.field.name + " . " + strings.Join(b, " ")
}

// survey returns the contents of a paper about the results of others.
func (s *scirexSynth) survey(boards []*board) []string {
	s.set("task", s.tasks[s.rng.IntN(len(s.tasks))].name)
	return append(append(s.all("survey"), s.leaderboards(boards)...), s.all("closing")[1])
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
				list = append(list, scirexName(byMetric[n].method)+" "+byMetric[n].text)
				n++
			}

			s.set("metric", byMetric[0].metric, "task", b.task, "material", b.material,
				"list", strings.Join(list, " , "))

			all = append(all, s.draw("leaderboard"))
			byMetric = byMetric[n:]
		}
	}
	return all
}

// score draws a score: as a text prints it, and whether the published files may hold it as a
// number.
func (s *scirexSynth) score(metric *record) (text string, number bool) {
	form := textOf(metric.values["form"])
	s.set("low", metric.values["low"], "high", metric.values["high"])
	text = textOf(s.field(s.get("forms"), form))
	_, err := strconv.ParseFloat(text, 64)
	return text, err == nil && form != "0"
}

// scirexName is a name as the published relations spell it: all but letters, digits and hyphens are
// underscores.
func scirexName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, s)
}

// enumerate joins names as sentences do: "A", "A and B", "A , B and C".
func enumerate(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], " , ") + " and " + names[last]
}

// floatText returns the number in a text as Python's str prints the float.
func floatText(text string) string {
	f, _ := strconv.ParseFloat(text, 64) // scores that may be numbers are written as such
	return pytext.FormatFloat(f)
}
