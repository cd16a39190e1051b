package tabulate

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
)

// Answers are the successes of questions, by a key that identifies the question.
type Answers map[string]Cluster

// Add adds an episode of a question.
func (a Answers) Add(question string, right bool) {
	c := a[question]
	c.Trials++

	if right {
		c.Successes++
	}

	a[question] = c
}

func answersOf(s *Source, rows []int, on []string, of string) Answers {
	all := Answers{}

	for _, i := range rows {
		if s.number(i, "measured") == 0 {
			continue
		}

		key := questionOf(s, i, on)
		all[key] = Cluster{all[key].Successes + s.number(i, of), all[key].Trials + 1}
	}
	return all
}

func questionOf(s *Source, row int, on []string) string {
	parts := make([]string, len(on))
	for i, column := range on {
		parts[i] = s.text(row, column)
	}
	return strings.Join(parts, "\x00")
}

func (c Cluster) share() float64 { return c.Successes / c.Trials }

// Compare compares how large a share of a question's episodes is right with what others have. Equal
// shares are equal numbers, as division rounds correctly.
func (a Answers) Compare(b Answers, question string) int {
	return cmp.Compare(a[question].share(), b[question].share())
}

// less compares the answers to the questions that others have, too.
func (a Answers) less(others Answers) Difference {
	var both []Both

	for _, question := range slices.Sorted(maps.Keys(a)) { // as sums of fractions depend on it
		if other, ok := others[question]; ok {
			both = append(both, Both{a[question], other})
		}
	}
	return DifferenceOf(both)
}

// Paired is a comparison on the questions that both sides measured. With several episodes of a
// question, one that both answered correctly in the same share of them, above 0, is in Both, and
// one that a side did in a larger share counts as answered by that side only: McNemar's test is
// then the sign test of the shares.
type Paired struct {
	N          int `json:"n"`           // questions that both measured
	Both       int `json:"both"`        // of those, the ones that both answered correctly
	OnlyFirst  int `json:"only_first"`  // those that only the first did
	OnlySecond int `json:"only_second"` // those that only the second did

	Difference float64 `json:"difference"`  // accuracy of the second less that of the first, on the n questions
	P          float64 `json:"p"`           // of McNemar's exact test, two-sided
	PHolm      float64 `json:"p_holm"`      // the same, adjusted by Holm among all comparisons between the same
	Chi2       float64 `json:"chi2"`        // McNemar's statistic with Edwards' continuity correction
	PCorrected float64 `json:"p_corrected"` // its p-value
}

// Pair compares the answers of two sides.
func Pair(first, second Answers) Paired {
	var p Paired

	for _, question := range slices.Sorted(maps.Keys(first)) { // as sums of fractions depend on it
		if _, ok := second[question]; !ok {
			continue
		}

		p.N++
		p.Difference += second[question].share() - first[question].share()

		switch order := first.Compare(second, question); {
		case order > 0:
			p.OnlyFirst++
		case order < 0:
			p.OnlySecond++
		case first[question].Successes > 0:
			p.Both++
		}
	}

	p.Difference /= float64(max(p.N, 1))
	p.P = McNemarExact(p.OnlyFirst, p.OnlySecond)
	p.Chi2, p.PCorrected = McNemarCorrected(p.OnlyFirst, p.OnlySecond)
	return p
}

// Adjust corrects the p-values of a family of comparisons.
func Adjust(family []*Paired) {
	p := make([]float64, len(family))
	for i, c := range family {
		p[i] = c.P
	}

	for i, adjusted := range Holm(p) {
		family[i].PHolm = adjusted
	}
}

// compare adds to rows their comparison with the row that has other keys.
func (t *Table) compare(s *Source, groups []*group) {
	places := map[string]*group{}
	for _, g := range groups {
		places[strings.Join(g.row.Texts(t.By), "\x00")] = g
	}

	families := map[*group][]*Paired{}
	compared := map[*group]*Paired{}

	for _, g := range groups {
		base := places[strings.Join(t.basis(g.row), "\x00")]

		// The row that others are compared with has no comparison, nor has one without a
		// counterpart.
		if base == nil || base == g {
			continue
		}

		// The difference is that of the two printed figures; the test below is about the questions
		// of both.
		if g.row.Has(t.Pairs.Change) && base.row.Has(t.Pairs.Change) {
			g.row["difference"] = g.row.Number(t.Pairs.Change) - base.row.Number(t.Pairs.Change)
		}

		was, is := t.answers(s, base), t.answers(s, g)

		p := Pair(was, is)
		if p.N == 0 {
			continue
		}

		compared[g] = &p
		families[base] = append(families[base], &p)

		d := is.less(was)
		g.row["paired_difference_low"], g.row["paired_difference_high"] = d.Low, d.High

		if t.Pairs.Relative {
			g.row.relative(was, is)
		}
	}

	// A p-value is adjusted by all comparisons with the same row, so all are made before any is
	// shown.
	for _, family := range families {
		Adjust(family)
	}

	for g, p := range compared {
		g.row["paired_n"] = float64(p.N)
		g.row["only_first"], g.row["only_second"] = float64(p.OnlyFirst), float64(p.OnlySecond)
		g.row["paired_difference"], g.row["p"], g.row["p_holm"] = p.Difference, p.P, p.PHolm
	}
}

// basis returns the keys of the row that a row is compared with.
func (t *Table) basis(row Row) []string {
	keys := row.Texts(t.By)

	for i, key := range t.By {
		if other, ok := t.Pairs.With[key]; ok {
			keys[i] = other
		}
	}

	return keys
}

func (t *Table) answers(s *Source, g *group) Answers {
	return answersOf(s, g.members, t.Pairs.On, t.Pairs.Of)
}

// relative adds to a row the change of a sum relative to what it was, on the questions of both,
// with its interval by the delta method. If nothing was right before, it adds none.
func (r Row) relative(was, is Answers) {
	var before, after, n float64

	both := slices.DeleteFunc(slices.Sorted(maps.Keys(was)), func(question string) bool {
		_, ok := is[question]
		return !ok
	})

	for _, question := range both { // sorted, because sums of fractions depend on the order
		before, after, n = before+was[question].share(), after+is[question].share(), n+1
	}

	if before == 0 {
		return
	}

	ratio, squares := after/before, 0.0
	for _, question := range both {
		squares += math.Pow(is[question].share()-ratio*was[question].share(), 2)
	}

	r["relative"] = ratio - 1

	if n > 1 && squares > 0 {
		half := studentT(n-1) * math.Sqrt(n/(n-1)*squares) / before
		r["relative_low"], r["relative_high"] = ratio-1-half, ratio-1+half
	}
}
