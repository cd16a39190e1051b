package virtual

import (
	"regexp"
	"strings"
	"sync"

	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// rule says whether a response that matches is worth keeping.
type rule struct {
	name    string
	pattern *regexp.Regexp
	keep    bool
}

// rules are those of StableToolBench on the lower-cased response; the first that matches decides.
// Its rules on 404, 500 and the like match such digits anywhere, even in a price; here they have to
// be a status.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		{"unexpected argument", regexp.MustCompile(`got an unexpected keyword argument`), true},
		{"rate limit", regexp.MustCompile(`rate limit|status_code=429`), false},
		{"timeout", regexp.MustCompile(`time(?:d)? ?-?out`), false},
		{"not found", regexp.MustCompile(`does not exist|doesn't exist|service not found|internal error`), false},
		{"server status", status(`404|50[0-9]`), false},
		{"unauthorised", regexp.MustCompile(`authori[sz]|authenti|unauthor|blocked|unsubscribe|credential|` +
			`disabled for your subscription|subscription disabled|access_denied|invalid consumer key`), false},
		{"refused status", status(`401|403|429`), false},
		{"parameter", regexp.MustCompile(`parameter|\bpars(?:e|ing)\b|is not defined`), false},
	}
})

// status matches a number that is called a status, or that begins a status line.
func status(codes string) *regexp.Regexp {
	return regexp.MustCompile(`\b(?:status(?:[ _]?code)?|http(?:/[0-9.]+)?(?:[ _]?(?:error|code|status))?|` +
		`error(?:[ _]?code)?|code)\b[^0-9a-z]{0,4}(?:` + codes + `)\b|\b(?:` + codes + `) ` +
		`(?:client error|server error|not found|internal server|bad gateway|service unavailable|gateway time|` +
		`unauthorized|forbidden|too many)`)
}

// Check reports whether an answer is worth keeping, and if not, why. One that is not may be right,
// but another time the API may have a better one.
func Check(a toolbench.Answer) (reason string, ok bool) {
	if a.Error != "" {
		return "error", false
	}

	if isEmpty(a.Response) {
		return "empty", false
	}

	text, isText := a.Response.(string)
	if !isText {
		text = pytext.JSON(a.Response)
	}

	text = strings.ToLower(text)

	for _, r := range rules() {
		if r.pattern.MatchString(text) {
			return r.name, r.keep
		}
	}

	return "", true
}
