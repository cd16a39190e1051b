package sqltool

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// The limits of regular expressions: no call may take so long that a deadline passes unnoticed.
const (
	maxPattern  = 1000    // bytes of an expression
	maxProgram  = 2000    // steps of its program
	maxSubject  = 1 << 14 // bytes of a text that is searched
	maxSteps    = 1 << 21 // the product of these two, some 20 ms
	maxPatterns = 100     // how many a connection keeps
)

// patterns keeps the regular expressions that a connection has used. They have Go's syntax, and as
// in MySQL the case of letters does not matter. A connection runs one statement at a time.
type patterns struct{ known map[string]pattern }

// pattern is a regular expression, and how many steps its program has.
type pattern struct {
	*regexp.Regexp
	steps int
}

// functions are those of regular expressions. "x REGEXP y" is regexp(y, x).
func (p *patterns) functions() map[string]function {
	matches := func(expr, s any) (any, error) {
		at, err := p.find(textOf(expr), textOf(s))
		return truth(at != nil), err
	}
	return map[string]function{
		"regexp":      {least: 2, most: 2, call: func(a []any) (any, error) { return matches(a[0], a[1]) }},
		"regexp_like": {least: 2, most: 2, call: func(a []any) (any, error) { return matches(a[1], a[0]) }},
		"regexp_substr": {least: 2, most: 2, call: func(a []any) (any, error) {
			at, err := p.find(textOf(a[1]), textOf(a[0]))
			if at == nil {
				return nil, err
			}
			return textOf(a[0])[at[0]:at[1]], nil
		}},
	}
}

// find returns where a text first matches an expression; nil when it does not.
func (p *patterns) find(expr, s string) ([]int, error) {
	re, err := p.compile(expr)
	if err != nil {
		return nil, err
	}

	if len(s) > maxSubject || len(s)*re.steps > maxSteps {
		return nil, errTooLong
	}
	return re.FindStringIndex(s), nil
}

func (p *patterns) compile(expr string) (pattern, error) {
	if re, ok := p.known[expr]; ok {
		return re, nil
	}

	if len(expr) > maxPattern {
		return pattern{}, errTooLong
	}

	parsed, err := syntax.Parse(expr, syntax.Perl|syntax.FoldCase)
	if err != nil {
		return pattern{}, err
	}

	// Compiled twice, because regexp does not tell how many steps its program has.
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return pattern{}, err
	}

	if len(program.Inst) > maxProgram {
		return pattern{}, fmt.Errorf("%w: %d steps", errTooLong, len(program.Inst))
	}

	re, err := regexp.Compile("(?i:" + expr + ")")
	if err != nil {
		return pattern{}, err
	}

	// All are forgotten at once: a statement may have a pattern in every row.
	if p.known == nil || len(p.known) == maxPatterns {
		p.known = map[string]pattern{}
	}

	p.known[expr] = pattern{re, len(program.Inst)}
	return p.known[expr], nil
}
