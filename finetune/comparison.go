package finetune

import "toolevo/finetune/statistics"

// What the two sides of a Comparison differ in.
const (
	BetweenPolicies = "policies" // two policies under one API version
	BetweenVersions = "versions" // one policy under two API versions
)

// Comparison is a paired comparison on the questions that both sides measured, by the official matcher. A question with
// several episodes counts as answered correctly if most of them did.
type Comparison struct {
	Between string    `json:"between"` // what differs: "policies" or "versions"
	First   Contender `json:"first"`   // one side
	Second  Contender `json:"second"`  // the other

	N          int `json:"n"`           // questions that both measured
	Both       int `json:"both"`        // of those, the ones that both answered correctly
	OnlyFirst  int `json:"only_first"`  // those that only the first did
	OnlySecond int `json:"only_second"` // those that only the second did

	Difference float64 `json:"difference"`  // accuracy of the second less that of the first, on the n questions
	P          float64 `json:"p"`           // of McNemar's exact test, two-sided
	PHolm      float64 `json:"p_holm"`      // the same, adjusted by Holm among all comparisons between the same
	Chi2       float64 `json:"chi2"`        // McNemar's statistic with Edwards' continuity correction
	PCorrected float64 `json:"p_corrected"` // its p-value

	// the questions that only one side answered correctly, in the order of the rows; only in eval compare
	Flipped []Flip `json:"flipped,omitempty"`
}

// compareAll compares every two policies under each API version, and every two versions of each
// policy, where both measured a question.
func (a *answers) compareAll() []Comparison {
	var policies, versions []Comparison

	compare := func(all *[]Comparison, between string, first, second Contender) {
		if c := a.compare(between, first, second); c.N > 0 {
			*all = append(*all, c)
		}
	}

	for i, first := range a.contenders {
		for _, second := range a.contenders[i+1:] {
			switch {
			case first.API == second.API:
				compare(&policies, BetweenPolicies, first, second)
			case first.Policy == second.Policy:
				compare(&versions, BetweenVersions, first, second)
			}
		}
	}

	adjust(policies)
	adjust(versions)

	return append(policies, versions...)
}

func (a *answers) compare(between string, first, second Contender) Comparison {
	c := Comparison{Between: between, First: first, Second: second}

	for i, v := range a.verdicts[first] {
		c.count(v, a.verdicts[second][i])
	}

	c.test()

	return c
}

// count adds a question that both measured.
func (c *Comparison) count(first, second verdict) {
	if first.measured == 0 || second.measured == 0 {
		return
	}

	c.N++

	switch first, second := first.correct(), second.correct(); {
	case first && second:
		c.Both++
	case first:
		c.OnlyFirst++
	case second:
		c.OnlySecond++
	}
}

// test completes the comparison by what the counts say, but for Holm's correction.
func (c *Comparison) test() {
	c.Difference = float64(c.OnlySecond-c.OnlyFirst) / float64(max(c.N, 1))
	c.P = statistics.McNemarExact(c.OnlyFirst, c.OnlySecond)
	c.Chi2, c.PCorrected = statistics.McNemarCorrected(c.OnlyFirst, c.OnlySecond)
}

// adjust corrects the p-values of a family of comparisons.
func adjust(family []Comparison) {
	p := make([]float64, len(family))
	for i, c := range family {
		p[i] = c.P
	}

	for i, adjusted := range statistics.Holm(p) {
		family[i].PHolm = adjusted
	}
}
