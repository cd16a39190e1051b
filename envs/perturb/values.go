package perturb

import (
	"regexp"
	"strings"
	"sync"
)

// values matches what a call needs verbatim. The first alternative that fits at a place counts.
var values = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`"[^"\n]*"`,
		`“[^”\n]*”`,
		"`[^`\n]*`",
		`\B'(?:[^'\n]|\b'\b)+'\B`, // not the apostrophe of a word
		`(?:https?://|www\.)\S*[\w/]`,
		`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
		`\w+(?:\.\w+)+`,                       // example.com, 3.14, v1.2
		`(?:\w+-)*\w*\d(?:[\w.,:/-]*\w)?`,     // 2023-01-01, 1,000, 24h, Covid-19
		`\b\w*(?:[a-z][A-Z]|[A-Z]{2}|_)\w*\b`, // pageSize, BTC, user_id
	}, "|"))
})
