package finetune

import (
	"toolevo/finetune/facts"
	"toolevo/finetune/tabulate"
)

// What the two sides of a Comparison differ in.
const (
	BetweenPolicies = "policies" // two policies under one API version
	BetweenVersions = "versions" // one policy under two API versions
)

// Comparison is a paired comparison on the questions that both sides measured, by the official
// matcher. One with several episodes counts for the side that is right in more of its own.
type Comparison struct {
	Between string    `json:"between"` // what differs: "policies" or "versions"
	First   Contender `json:"first"`   // one side
	Second  Contender `json:"second"`  // the other

	tabulate.Paired

	// the questions that only one side answered correctly, in the order of the rows; only in eval
	// compare
	Flipped []Flip `json:"flipped,omitempty"`
}

// Contender is a policy under an API version, or a family of versions: a column of answers to the
// same questions.
type Contender struct {
	Policy string `json:"policy"` // e.g. "scripted:reader"
	API    string `json:"api"`    // the deployed API version, or a family of versions
}

// String returns "policy under api".
func (c Contender) String() string { return c.Policy + " under " + c.API }

// contender returns whose episode it is.
func contender(f facts.Fact) Contender { return Contender{f.Policy, f.API} }

// answersOf returns who answered which question correctly, by the official matcher.
func answersOf(all []facts.Fact) map[Contender]tabulate.Answers {
	answers := map[Contender]tabulate.Answers{}

	for i := range all {
		c := contender(all[i])
		if answers[c] == nil {
			answers[c] = tabulate.Answers{}
		}

		if all[i].Measured {
			answers[c].Add(all[i].Question, all[i].Official)
		}
	}
	return answers
}

// compareAll compares every two policies under each API version, and every two versions of each
// policy, where both measured a question.
func compareAll(all []facts.Fact) []Comparison {
	contenders, answers := tabulate.Distinct(all, contender), answersOf(all)
	families := map[string][]*tabulate.Paired{}
	found := map[string][]Comparison{}

	for i, first := range contenders {
		for _, second := range contenders[i+1:] {
			between := BetweenPolicies
			if first.API != second.API {
				between = BetweenVersions
			}

			// Where policy and version both differ, no difference could be put down to either.
			if first.API != second.API && first.Policy != second.Policy {
				continue
			}

			if p := tabulate.Pair(answers[first], answers[second]); p.N > 0 {
				c := Comparison{Between: between, First: first, Second: second, Paired: p}
				found[between] = append(found[between], c)
			}
		}
	}

	// Pointers into comparisons are safe only now that no append moves them. Each kind is a family
	// of its own when p-values are corrected.
	for between, comparisons := range found {
		for i := range comparisons {
			families[between] = append(families[between], &comparisons[i].Paired)
		}

		tabulate.Adjust(families[between])
	}
	return append(found[BetweenPolicies], found[BetweenVersions]...)
}
