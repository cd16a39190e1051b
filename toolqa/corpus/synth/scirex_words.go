package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"toolevo/envs/pytext"
)

// scirexLists are what papers are made of.
type scirexLists struct {
	Tasks []scirexTask

	Statements, Metrics, Materials, Spreads, Boards, Notes []string // sentences about results
	Titles, Abstracts, Fillers, Heads                      []string
	Clauses                                                [][]string // a sentence has one of each
	Onsets, Vowels, Codas, Ends, Variants                  []string   // the parts of coined names
}

var readScirexLists = wordsIn[scirexLists]("scirex.yaml")

// scirexTask is a task, the materials that papers use for it, and the metrics.
type scirexTask struct {
	Name      string
	Materials []string
	Metrics   []scirexMetric
}

// scirexMetric is a metric and how its scores look. The form is the number of decimals, with a percent sign or not, or
// one of points (1,234 or 1234.5), size (380k or 1.7m) and M (22M).
type scirexMetric struct {
	Name, Form string
	Low, High  float64
}

// score draws a score: as a text prints it, and whether the published files may hold it as a number.
func (m scirexMetric) score(rng *rand.Rand) (text string, number bool) {
	x := m.Low + (m.High-m.Low)*math.Pow(rng.Float64(), 0.8) // better results are more often published
	switch m.Form {
	case "points":
		x = math.Exp(math.Log(m.Low) + rng.Float64()*(math.Log(m.High)-math.Log(m.Low)))
		if whole := int(x); rng.IntN(6) == 0 && whole >= 1000 {
			return fmt.Sprintf("%d,%03d", whole/1000, whole%1000), false
		}

		return pytext.FormatFixed(x, rng.IntN(2)), true
	case "size":
		if x := m.Low * math.Pow(m.High/m.Low, rng.Float64()); x >= 1 {
			return pytext.FormatFixed(x, 1) + "m", false
		} else {
			return pytext.FormatFixed(x*100, 0) + "0k", false
		}
	case "M":
		return pytext.FormatFixed(x, 0) + "M", false
	}

	digits, percent := strings.CutSuffix(m.Form, "%")
	n, _ := strconv.Atoi(digits)

	text = pytext.FormatFixed(x, n)
	switch {
	case percent:
		return text + "%", false
	case n == 1 && rng.IntN(60) == 0:
		return text + "±0." + strconv.Itoa(1+rng.IntN(9)), false
	}

	return text, n > 0
}

// scirexName is a name as the published relations spell it: all but letters, digits and hyphens are underscores.
func scirexName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}

		return '_'
	}, s)
}

// coin makes a word of one or two syllables.
func (s *scirexSynth) coin() string {
	syllable := func() string { return s.pick(s.Onsets...) + s.pick(s.Vowels...) + s.pick(s.Codas...) }

	word := syllable()
	if s.rng.IntN(2) == 0 {
		next := syllable()
		word += strings.ToLower(next[:1]) + next[1:]
	}

	return word
}
