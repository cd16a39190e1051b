package programs

import (
	"strconv"

	"toolevo/envs/stategen/measure"
	"toolevo/finetune/tabulate"
)

// allDomains is the domain of every task.
const allDomains = "all"

// Complexity is a column of Table I: means over the programs of a domain.
type Complexity struct {
	Domain      string   `json:"domain"`                // "all" is every one; of others' programs, whose they are
	N           int      `json:"n"`                     // programs
	Instruction *float64 `json:"instruction,omitempty"` // tokens; none without a tokenizer
	Code        *float64 `json:"code,omitempty"`        // tokens of the reference as Python; none without a tokenizer
	Calls       float64  `json:"calls"`                 // in the text of a program, on all its paths
	Depth       float64  `json:"depth"`                 // calls in a chain in which each uses a result of the last, less one
	Bindings    float64  `json:"bindings"`              // pairs of results of which one was made from the other
	Straight    *float64 `json:"straight,omitempty"`    // share of programs without a branch, 0..1
	Published   bool     `json:"published,omitempty"`   // by the paper, of the tasks it published
}

// Sizes are the numbers of tokens of a task's instruction and reference.
type Sizes struct{ Instruction, Code int }

// Sample is a program that is measured.
type Sample struct {
	Domain string
	Flow   measure.Flow
	Sizes  *Sizes // nil if they were not counted
}

// ComplexityOf returns the means of each domain in order of appearance, of all if there are
// several, and the paper's of its own tasks.
func ComplexityOf(samples []Sample) []Complexity {
	var columns []Complexity

	domains := tabulate.Distinct(samples, func(s Sample) string { return s.Domain })
	if len(domains) > 1 {
		domains = append(domains, allDomains)
	}

	for _, domain := range domains {
		columns = append(columns, mean(domain, samples))
	}
	return append(columns, published())
}

// mean returns the column of a domain that has a sample.
func mean(domain string, samples []Sample) Complexity {
	c := Complexity{Domain: domain}
	instruction, code, straight, sized := 0.0, 0.0, 0.0, 0

	for _, s := range samples {
		if domain != allDomains && s.Domain != domain {
			continue
		}

		flow := s.Flow.Complexity()
		c.N++
		c.Calls += float64(flow.Calls)
		c.Depth += float64(flow.Depth)
		c.Bindings += float64(flow.Bindings)

		if !s.Flow.Branches() {
			straight++
		}

		if s.Sizes != nil {
			sized++
			instruction += float64(s.Sizes.Instruction)
			code += float64(s.Sizes.Code)
		}
	}

	n := float64(c.N)
	c.Calls, c.Depth, c.Bindings, straight = c.Calls/n, c.Depth/n, c.Bindings/n, straight/n

	// A pointer, because the paper publishes no such figure: there it is missing, not 0.
	c.Straight = &straight

	// Means over some programs would not match those above, which are over all.
	if sized == c.N {
		instruction, code = instruction/n, code/n
		c.Instruction, c.Code = &instruction, &code
	}

	return c
}

// published returns the column StateEval of the paper's Table I.
func published() Complexity {
	instruction, code := 717.08, 442.11
	return Complexity{
		Domain: "StateEval", N: 120, Instruction: &instruction, Code: &code,
		Calls: 7.16, Depth: 2, Bindings: 5.03, Published: true,
	}
}

// statistics returns the lines of a column of Table I.
func (c *Complexity) statistics() []tabulate.Row {
	percent := func(share *float64) *float64 {
		if share == nil {
			return nil
		}

		percent := 100 * *share
		return &percent
	}

	// Depth and bindings are measured differently in the paper, so its figures get lines of their
	// own instead of being compared with these.
	theirs := ""
	if c.Published {
		theirs = ", as published"
	}

	var rows []tabulate.Row

	for _, line := range []struct {
		name  string
		value *float64
	}{
		{"Instruction Length", c.Instruction},
		{"Code Length", c.Code},
		{"Function Call Num", &c.Calls},
		{"Path Depth" + theirs, &c.Depth},
		{"Binding Count" + theirs, &c.Bindings},
		{"Without a Branch, %", percent(c.Straight)},
	} {
		row := tabulate.Row{"statistic": line.name, "domain": c.Domain}
		if line.value != nil {
			row["value"] = *line.value
		}

		rows = append(rows, row)
	}

	// As text: a count among means would otherwise be printed with decimals.
	return append(rows,
		tabulate.Row{"statistic": "Tasks", "domain": c.Domain, "value": strconv.Itoa(c.N)})
}
