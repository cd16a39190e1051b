package drift

import (
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// styled writes words in the style of a name: with its separator and its capitals.
func styled(name string, parts []string) string {
	parts = split(strings.Join(parts, "_"))

	first, _ := utf8.DecodeRuneInString(name)
	separator := separatorOf(name)
	allLower := separator != "" && name == strings.ToLower(name)

	for i, p := range parts {
		if allLower || i == 0 && unicode.IsLower(first) {
			parts[i] = strings.ToLower(p)
			continue
		}

		parts[i] = capital(p)
	}
	return glued(parts, separator)
}

// separatorOf returns the first thing that stands between two words of a name, or "".
func separatorOf(name string) string {
	for _, gap := range gaps(name) {
		if gap.from < gap.to {
			return name[gap.from:gap.to]
		}
	}

	return ""
}

// gaps returns what lies between the words of a name, one fewer than there are words: nothing in
// LoadDB, and an underscore in Load_DB.
func gaps(name string) []span {
	var all []span

	words := spans(name)
	for i := 1; i < len(words); i++ {
		all = append(all, span{words[i-1].to, words[i].from})
	}
	return all
}

// inserted draws one of the characters and puts it between two words of a name, in place of what
// was there. A single word gets it in front or behind.
func inserted(r *rand.Rand, name, characters string) string {
	character := string(characters[r.IntN(len(characters))])

	places := gaps(name)
	if len(places) == 0 {
		places = []span{{0, 0}, {len(name), len(name)}}
	}

	at := pick(r, places)
	return name[:at.from] + character + name[at.to:]
}
