package recorded

import (
	"embed"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
	"toolevo/envs/yamltext"
)

// Class says how a call ended.
type Class string

// The classes that the code knows, too.
const (
	Success         Class = "success"
	ParameterChange Class = "parameter-change" // a failure that a request may cause
	Other           Class = "other"            // any other error
)

// Rules say which answers have which class.
type Rules struct {
	classes []classRules
	codes   func(text string, codes []string) bool
}

// classRules are the rules of a class.
type classRules struct {
	Class    Class `yaml:"class"`
	Error    words `yaml:"error"`
	Response words `yaml:"response"`
}

// words are what texts of a class contain.
type words struct {
	Words  []string `yaml:"words"`
	Begins []string `yaml:"begins"`
	Codes  []string `yaml:"codes"`
}

//go:embed classes.yaml
var files embed.FS

var classes = yamltext.Once[[]classRules](files, "classes.yaml")

// Corrected returns the rules in which a number is a status code only if it is called one.
func Corrected() *Rules { return &Rules{classes(), hasCode} }

// Published returns the rules as they were published: a status code counts anywhere, even within a
// longer number.
func Published() *Rules {
	return &Rules{classes(), func(text string, codes []string) bool {
		return slices.ContainsFunc(codes, func(code string) bool { return strings.Contains(text, code) })
	}}
}

// Of returns the class of an answer.
func (r *Rules) Of(a toolbench.Answer) Class {
	failure := strings.ToLower(pytext.Strip(a.Error))
	response := strings.ToLower(textOf(a.Response))

	for _, c := range r.classes {
		if r.fits(c.Error, failure) || r.fits(c.Response, response) {
			return c.Class
		}
	}

	if failure != "" {
		return Other
	}
	return Success
}

// textOf returns a response as rules read it.
func textOf(response any) string {
	if text, ok := response.(string); ok {
		return pytext.Strip(text)
	}
	return pytext.JSON(response)
}

func (r *Rules) fits(w words, text string) bool {
	contained := func(word string) bool { return strings.Contains(text, word) }
	begun := func(word string) bool { return strings.HasPrefix(text, word) }
	return slices.ContainsFunc(w.Words, contained) || slices.ContainsFunc(w.Begins, begun) ||
		r.codes(text, w.Codes)
}

// The ways in which a text, in lower case, calls a number a status code: "status_code": 404, error
// 404, 404 forbidden.
var (
	codeAfterWord  = regexp.MustCompile(`(?:\b|_)(?:status|code|error|http)(?:[_ ]?code)?\W{0,4}(\d{3})\b`)
	codeBeforeWord = regexp.MustCompile(`\b(\d{3})\W{1,3}(?:error|client error|not found|unauthori[sz]ed|forbidden)\b`)
	codeAlone      = regexp.MustCompile(`^"?(\d{3})"?$`)
)

func hasCode(text string, codes []string) bool {
	if len(codes) == 0 {
		return false
	}

	for _, pattern := range []*regexp.Regexp{codeAfterWord, codeBeforeWord, codeAlone} {
		for _, match := range pattern.FindAllStringSubmatch(text, -1) {
			if slices.Contains(codes, match[1]) {
				return true
			}
		}
	}

	return false
}
