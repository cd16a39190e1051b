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
	maxPatterns = 100     // how many a connection keeps
)

// patterns keeps the regular expressions that a connection has met. They are of Go's syntax, and as in MySQL the case of
// letters does not matter. A connection runs one statement at a time.
type patterns struct{ known map[string]*regexp.Regexp }

// functions are those of regular expressions. "x REGEXP y" is regexp(y, x).
func (p *patterns) functions() map[string]function {
	matches := func(pattern, s any) (any, error) {
		re, err := p.compile(textOf(pattern))
		if err != nil {
			return nil, err
		}
		if len(textOf(s)) > maxSubject {
			return nil, errTooLong
		}
		return truth(re.MatchString(textOf(s))), nil
	}
	return map[string]function{
		"regexp":      {least: 2, most: 2, call: func(a []any) (any, error) { return matches(a[0], a[1]) }},
		"regexp_like": {least: 2, most: 2, call: func(a []any) (any, error) { return matches(a[1], a[0]) }},
		"regexp_substr": {least: 2, most: 2, call: func(a []any) (any, error) {
			re, err := p.compile(textOf(a[1]))
			if err != nil {
				return nil, err
			}
			if len(textOf(a[0])) > maxSubject {
				return nil, errTooLong
			}
			if at := re.FindStringIndex(textOf(a[0])); at != nil {
				return textOf(a[0])[at[0]:at[1]], nil
			}
			return nil, nil
		}},
	}
}

func (p *patterns) compile(pattern string) (*regexp.Regexp, error) {
	if re := p.known[pattern]; re != nil {
		return re, nil
	}
	if len(pattern) > maxPattern {
		return nil, errTooLong
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl|syntax.FoldCase)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxProgram {
		return nil, fmt.Errorf("%w: %d steps", errTooLong, len(program.Inst))
	}
	re, err := regexp.Compile("(?i:" + pattern + ")")
	if err != nil {
		return nil, err
	}
	if p.known == nil || len(p.known) == maxPatterns {
		p.known = map[string]*regexp.Regexp{}
	}
	p.known[pattern] = re
	return re, nil
}
