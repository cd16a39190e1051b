package drift

import (
	"cmp"
	"embed"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"toolevo/envs/toolapi"
	"toolevo/envs/yamltext"
)

//go:embed published.yaml words.yaml
var files embed.FS

// vocabulary is the content of words.yaml, or a part of it.
type vocabulary struct {
	Verbs      senses     `yaml:"verbs"`
	Doers      senses     `yaml:"doers"`
	Nouns      senses     `yaml:"nouns"`
	VerbsOfAny []synonyms `yaml:"verbs_of_any"`
	NounsOfAny []synonyms `yaml:"nouns_of_any"`
	Fronts     []synonyms `yaml:"fronts"`
	Endings    []synonyms `yaml:"endings"`
	Lists      []string   `yaml:"lists"`
	Retrievals []string   `yaml:"retrievals"`
	Flags      [][]string `yaml:"flags"`
	Counts     [][]string `yaml:"counts"`
	Modes      [][]string `yaml:"modes"`
	Settings   []string   `yaml:"settings"`
	Merged     [][]string `yaml:"merged"`
	Objects    []synonyms `yaml:"objects"`
	Containers []string   `yaml:"containers"`
	Orders     []string   `yaml:"orders"`
	Limits     []string   `yaml:"limits"`
	Mergers    []string   `yaml:"mergers"`
	Choices    []string   `yaml:"choices"`
	Little     []string   `yaml:"little"`
	Joints     []string   `yaml:"joints"`
	Prefixes   struct {
		Languages []synonyms `yaml:"languages"`
		Texts     []string   `yaml:"texts"`
	} `yaml:"prefixes"`
	Responses struct {
		State   []string `yaml:"state"`
		Message []string `yaml:"message"`
	} `yaml:"responses"`
	Errors struct {
		Arguments string `yaml:"arguments"`
	} `yaml:"errors"`
}

// words returns the whole vocabulary.
var words = sync.OnceValue(readWords)

// readWords returns a vocabulary of its own, whose lists may be changed.
func readWords() *vocabulary { return yamltext.DecodeFile[vocabulary](files, "words.yaml") }

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

// chance is true with probability p.
func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

// split returns the words of a name: DBName_2 is DB, Name and 2.
func split(name string) []string {
	all := spans(name)
	parts := make([]string, len(all))

	for i, s := range all {
		parts[i] = name[s.from:s.to]
	}
	return parts
}

// span is a part of a name.
type span struct{ from, to int }

// spans returns where the words of a name are.
func spans(name string) []span {
	var (
		all   = make([]span, 0, 8) // few names have more
		first = 0                  // of the word
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
	return unicode.IsLower(r) && unicode.IsUpper(next) || acronym
}

// fold returns what is left of a name once spelling is ignored.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if !isWord(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// capital returns a word with a capital.
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
		return glued(parts, "_")
	case 1:
		return strings.ToLower(glued(parts, "_"))
	case 2:
		parts[0] = strings.ToLower(parts[0])
	case 3:
		if len(parts) > 1 {
			return parts[0] + "_" + glued(parts[1:], "")
		}
	}

	return glued(parts, "")
}

// glued joins words with a separator, or with an underscore where they would become one word.
func glued(parts []string, separator string) string {
	name := parts[0]

	for _, word := range parts[1:] {
		last, _ := utf8.DecodeLastRuneInString(name)
		if separator == "" && !ends(last, word) {
			name += "_"
		}

		name += separator + word
	}
	return name
}

// wordsOfAPI draws the words of another name for an API, from its published one. From the first
// "for" on, the name says whose it is, and stays.
func (w *vocabulary) wordsOfAPI(r *rand.Rand, m meaning) []string {
	words, owner := m.words, m.words[len(m.words):]

	isFor := func(word string) bool { return strings.EqualFold(word, "for") }
	if i := slices.IndexFunc(words, isFor); i > 0 {
		words, owner = words[:i], words[i:]
	}

	m.words = words
	rest := m

	// The verb comes first (LoadDB), or, as a doer, last (SQLInterpreter).
	verb, n := m.synonym(r, w.Verbs, 0)
	if rest.words = words[n:]; n == 0 && len(words) > 1 {
		verb, n = m.synonym(r, w.Doers, len(words)-1)
		rest.words = words[:len(words)-n]
	}

	parts := w.wordsOfNouns(r, rest)

	// What is not known well stays, and gets a general word beside it.
	often := 0.2
	if n == 0 || len(parts) == 0 {
		often = 0.5
	}

	if chance(r, often) {
		parts = append(parts, m.beside(r, w.NounsOfAny))
		if n == 0 && chance(r, 0.7) {
			return append(parts, owner...)
		}
	}

	// An unknown verb stays among the nouns, with a general verb in front of it.
	if n == 0 {
		verb = m.beside(r, w.VerbsOfAny)
	}
	return slices.Concat([]string{verb}, parts, owner)
}

// wordsOfNouns draws words for those of a name that do not say what is done.
func (w *vocabulary) wordsOfNouns(r *rand.Rand, m meaning) []string {
	var parts []string

	for i := 0; i < len(m.words); {
		word, n := m.synonym(r, w.Nouns, i)
		if n == 0 {
			word, n = m.words[i], 1
		}

		parts = append(parts, word)
		i += n
	}
	return parts
}

// nameOfParameter draws another name for a parameter without its number.
func (w *vocabulary) nameOfParameter(r *rand.Rand, m meaning) string {
	return join(r, w.wordsOfParameter(r, m))
}

// wordsOfParameter draws the words of another name for a parameter without its number. If all words
// stay, one more is put in front of them or behind.
func (w *vocabulary) wordsOfParameter(r *rand.Rand, m meaning) []string {
	parts := w.wordsOfNouns(r, m)
	stay := fold(strings.Join(parts, "")) == fold(strings.Join(m.words, ""))
	m.words = split(strings.Join(parts, "_"))

	if !stay && !chance(r, 0.2) {
		return parts
	}

	// Sometimes it is two, so that there are enough names.
	first := m.beside(r, w.Fronts)
	if first == "" || chance(r, 0.5) {
		parts = append(parts, m.beside(r, w.Endings))
		m.words = split(strings.Join(parts, "_"))

		if first != "" || chance(r, 0.9) {
			return parts
		}
	} else if parts = append([]string{first}, parts...); chance(r, 0.8) {
		return parts
	}

	return append(parts, m.beside(r, w.Endings))
}

// compound draws a name from one word of each list, if possible from words that no parameter of an
// API has.
func compound(r *rand.Rand, lists [][]string, a toolapi.APISpec) string {
	parts := make([]string, len(lists))
	for i, list := range lists {
		parts[i] = cmp.Or(newMeaning("", "", "", namesOf(a)...).beside(r, []synonyms{{Use: list}}), pick(r, list))
	}
	return join(r, parts)
}

// stemmed cuts the number off a name: Node12 is Node and 12.
func stemmed(name string) (stem, number string) {
	stem = strings.TrimRight(name, "0123456789")
	return stem, name[len(stem):]
}

// underscored puts an underscore between two words of a name. Some names have no room for it.
func underscored(r *rand.Rand, name string) string {
	joints := slices.DeleteFunc(gaps(name), func(s span) bool { return s.from < s.to })
	if len(joints) == 0 {
		return name
	}

	at := pick(r, joints).from
	return name[:at] + "_" + name[at:]
}
