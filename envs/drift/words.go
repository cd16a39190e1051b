package drift

import (
	"embed"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolevo/envs/yamltext"
)

//go:embed published.yaml words.yaml
var files embed.FS

// vocabulary is what words.yaml holds, or a part of it.
type vocabulary struct {
	Verbs      []synonyms `yaml:"verbs"`
	Nouns      []synonyms `yaml:"nouns"`
	Between    []string   `yaml:"between"`
	VerbsOfAny []string   `yaml:"verbs_of_any"`
	NounsOfAny []string   `yaml:"nouns_of_any"`
	Endings    []string   `yaml:"endings"`
	Lists      []string   `yaml:"lists"`
	Retrievals []string   `yaml:"retrievals"`
	Flags      [][]string `yaml:"flags"`
	Counts     [][]string `yaml:"counts"`
	Merged     [][]string `yaml:"merged"`
	Objects    []object   `yaml:"objects"`
	Containers []string   `yaml:"containers"`
	Orders     []string   `yaml:"orders"`
	Limits     []string   `yaml:"limits"`
	Prefixes   struct {
		Languages map[string]string `yaml:"languages"`
		Texts     []string          `yaml:"texts"`
	} `yaml:"prefixes"`
	Responses struct {
		State   []string `yaml:"state"`
		Message []string `yaml:"message"`
	} `yaml:"responses"`
	Errors struct {
		Arguments string `yaml:"arguments"`
	} `yaml:"errors"`
}

// object is what parameters that belong together can be put into.
type object struct {
	Of    []string `yaml:"of"`    // words of parameters that belong together
	Names []string `yaml:"names"` // of the object that they make
}

// words returns the whole vocabulary.
var words = sync.OnceValue(readWords)

// readWords returns a vocabulary that shares nothing with another.
func readWords() *vocabulary { return yamltext.DecodeFile[vocabulary](files, "words.yaml") }

// synonyms are the words that may stand for others.
type synonyms struct {
	For []string `yaml:"for"`
	Use []string `yaml:"use"`
}

// synonym draws what stands for a word, and reports whether anything does.
func synonym(r *rand.Rand, entries []synonyms, word string) (string, bool) {
	word = strings.ToLower(word)

	for _, e := range entries {
		if slices.Contains(e.For, word) {
			return pick(r, e.Use), true
		}
	}

	return "", false
}

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

// chance is true with probability p.
func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

// split returns the words of a name: DBName_2 is DB, Name and 2.
func split(name string) []string {
	var parts []string

	for _, s := range spans(name) {
		parts = append(parts, name[s.from:s.to])
	}

	return parts
}

// span is a part of a name.
type span struct{ from, to int }

// spans returns where the words of a name are.
func spans(name string) []span {
	var (
		all   []span
		first = 0 // of the word
	)

	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		i += size

		if !isWord(r) {
			first = i
			continue
		}

		if ends(r, name[i:]) {
			all = append(all, span{first, i})
			first = i
		}
	}

	return all
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// ends reports whether a word ends between a letter or digit and what follows.
func ends(r rune, rest string) bool {
	next, size := utf8.DecodeRuneInString(rest)
	if size == 0 || !isWord(next) {
		return true
	}

	third, _ := utf8.DecodeRuneInString(rest[size:])
	acronym := unicode.IsUpper(r) && unicode.IsUpper(next) && unicode.IsLower(third)

	return unicode.IsLower(r) && unicode.IsUpper(next) || acronym || unicode.IsDigit(r) != unicode.IsDigit(next)
}

// fold is what is left of a name where spelling does not count.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if !isWord(r) {
			return -1
		}

		return unicode.ToLower(r)
	}, name)
}

// capital is a word with a capital.
func capital(word string) string {
	first, size := utf8.DecodeRuneInString(word)

	return string(unicode.ToUpper(first)) + word[size:]
}

// join writes words as a name in one of the usual styles.
func join(r *rand.Rand, parts []string) string {
	parts = split(strings.Join(parts, "_"))
	for i, p := range parts {
		parts[i] = capital(p)
	}

	switch r.IntN(5) {
	case 0: // SnakeCaseOfPascal
		return strings.Join(parts, "_")
	case 1:
		return strings.ToLower(strings.Join(parts, "_"))
	case 2:
		return strings.ToLower(parts[0]) + strings.Join(parts[1:], "")
	case 3:
		if len(parts) > 1 {
			return parts[0] + "_" + strings.Join(parts[1:], "")
		}
	}

	return strings.Join(parts, "")
}

// nameOfAPI draws another name for an API.
func (w *vocabulary) nameOfAPI(r *rand.Rand, name string) string {
	return join(r, w.wordsOfAPI(r, name))
}

// wordsOfAPI draws the words of another name for an API.
func (w *vocabulary) wordsOfAPI(r *rand.Rand, name string) []string {
	var (
		verb  string
		nouns []string
	)

	for _, word := range split(name) {
		// The first verb is what the API does; a later one is part of what it does it to.
		if v, ok := synonym(r, w.Verbs, word); ok && verb == "" {
			verb = v
			continue
		}

		if n, ok := synonym(r, w.Nouns, word); ok {
			word = n
		}

		nouns = append(nouns, word)
	}

	if verb == "" {
		verb = pick(r, w.VerbsOfAny)
	}

	if len(nouns) == 0 {
		nouns = []string{pick(r, w.NounsOfAny)}
	}

	if chance(r, 0.15) {
		return append(nouns, verb)
	}

	if chance(r, 0.25) {
		verb += "_" + pick(r, w.Between)
	}

	return append([]string{verb}, nouns...)
}

// nameOfParameter draws another name for a parameter without its number.
func (w *vocabulary) nameOfParameter(r *rand.Rand, stem string) string {
	return join(r, w.wordsOfParameter(r, stem))
}

// wordsOfParameter draws the words of another name for a parameter without its number.
func (w *vocabulary) wordsOfParameter(r *rand.Rand, stem string) []string {
	var parts []string

	known := false
	for _, word := range split(stem) {
		n, ok := synonym(r, w.Nouns, word)
		if ok {
			known, word = true, n
		}

		parts = append(parts, word)
	}

	if !known || chance(r, 0.2) || strings.Join(parts, "") == "" {
		parts = append(parts, pick(r, w.Endings))
	}

	return parts
}

// compound draws a name of one word of each list.
func compound(r *rand.Rand, lists [][]string) string {
	parts := make([]string, len(lists))
	for i, list := range lists {
		parts[i] = pick(r, list)
	}

	return join(r, parts)
}

// stemmed cuts the number off a name: Node12 is Node and 12.
func stemmed(name string) (stem, number string) {
	stem = strings.TrimRight(name, "0123456789")
	return stem, name[len(stem):]
}

// underscored puts an underscore into a name where a word ends, or inside the only one. Some names have no room for it.
func underscored(r *rand.Rand, name string) string {
	var (
		between, inside []int // words
		words           = spans(name)
	)

	for at := range name {
		within := func(word span) bool { return word.from < at && at < word.to }

		switch {
		case at == 0 || strings.HasSuffix(name[:at], "_") || strings.HasPrefix(name[at:], "_"):
		case slices.ContainsFunc(words, within):
			inside = append(inside, at)
		default:
			between = append(between, at)
		}
	}

	at := between
	if len(words) == 1 {
		at = inside
	}

	if len(at) == 0 {
		return name
	}

	i := pick(r, at)

	return name[:i] + "_" + name[i:]
}
