package perturb

import (
	"embed"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolevo/envs/yamltext"
)

//go:embed paraphrase.yaml
var files embed.FS

// rules are the rules of paraphrasing; see paraphrase.yaml.
type rules struct {
	Openings, Closings []string
	Alike              [][]string
	Conjunctions       []string

	phrases  *regexp.Regexp      // any phrase that has synonyms
	others   map[string][]string // the synonyms of a phrase
	leading  *regexp.Regexp      // a sentence that begins with a clause
	politely *regexp.Regexp      // a sentence that begins with please
}

var paraphrasing = sync.OnceValue(func() *rules {
	r := yamltext.DecodeFile[rules](files, "paraphrase.yaml")
	r.others = map[string][]string{}

	var all []string

	for _, alike := range r.Alike {
		for _, phrase := range alike {
			all = append(all, regexp.QuoteMeta(phrase))
			r.others[strings.ToLower(phrase)] = slices.DeleteFunc(slices.Clone(alike),
				func(other string) bool { return other == phrase })
		}
	}

	// A pattern takes the first alternative that fits: "can you please" has to precede "can you".
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	r.phrases = regexp.MustCompile(`(?i)\b(?:` + strings.Join(all, "|") + `)\b`)
	r.leading = regexp.MustCompile(`(?i)(^|[.!?] )((?:` + strings.Join(r.Conjunctions, "|") +
		`) [^,.;:!?\n]+), ([^,.;:!?\n]+)([.!?])`)
	r.politely = regexp.MustCompile(`(^|[.!?] )Please ([^.!?\n]+)([.!?])`)

	return r
})

// The chances that the rule changes a place that it could change.
const (
	rewords  = 0.7
	reorders = 0.7
)

// paraphrase rephrases a text by rule.
func (r *rules) paraphrase(random *rand.Rand, text string) string {
	// Values may contain phrases and punctuation, which must stay as they are.
	hidden, values := hide(strings.TrimSpace(text))

	hidden = r.phrases.ReplaceAllStringFunc(hidden, func(phrase string) string {
		if random.Float64() >= rewords {
			return phrase
		}

		others := r.others[strings.ToLower(phrase)]

		other := others[random.IntN(len(others))]
		if startsUpper(phrase) {
			other = withFirst(other, unicode.ToUpper)
		}
		return other
	})

	hidden = reorder(random, r.leading, hidden, func(part []string) string {
		clause, main := withFirst(part[2], unicode.ToLower), withFirst(part[3], unicode.ToUpper)
		return part[1] + main + " " + clause + part[4]
	})
	hidden = reorder(random, r.politely, hidden, func(part []string) string {
		return part[1] + withFirst(part[2], unicode.ToUpper) + ", please" + part[3]
	})

	// One part of the frame at least: a question to which no rule applies has to change, too.
	frame := random.IntN(3) // before, after, both
	if frame != 1 {
		hidden = r.Openings[random.IntN(len(r.Openings))] + " " + hidden
	}

	if frame != 0 {
		hidden += " " + r.Closings[random.IntN(len(r.Closings))]
	}
	return values.Replace(hidden)
}

// reorder has swap rewrite some of the places that a pattern finds.
func reorder(
	random *rand.Rand, pattern *regexp.Regexp, text string, swap func(part []string) string,
) string {
	return pattern.ReplaceAllStringFunc(text, func(place string) string {
		if random.Float64() >= reorders {
			return place
		}
		return swap(pattern.FindStringSubmatch(place))
	})
}

// firstHidden is the rune that replaces the first value: a private one, which texts do not have.
const firstHidden = '\U000F0000'

// hide replaces each value by a rune, and returns what puts the values back.
func hide(text string) (hidden string, back *strings.Replacer) {
	var pairs []string

	hidden = values().ReplaceAllStringFunc(text, func(value string) string {
		stand := string(rune(int(firstHidden) + len(pairs)/2))
		pairs = append(pairs, stand, value)
		return stand
	})
	return hidden, strings.NewReplacer(pairs...)
}

// withFirst changes the first letter of a text.
func withFirst(text string, change func(rune) rune) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(change(first)) + text[size:]
}

func startsUpper(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsUpper(first)
}
