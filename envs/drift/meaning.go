package drift

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"toolevo/envs/memo"
	"toolevo/envs/toolapi"
)

// synonyms is one sense of some words, and what may replace them in it.
type synonyms struct {
	For   []string `yaml:"for"`   // each a word, or several that follow each other
	Alone bool     `yaml:"alone"` // only if they are the whole name
	When  []string `yaml:"when"`  // if one of these is in the name or its description, or is its type
	Not   []string `yaml:"not"`   // unless one of these is in the name
	Use   []string `yaml:"use"`
}

// senses are entries, of which the first that fits applies.
type senses struct {
	all []synonyms
	at  map[string][]int // indexes of entries, by the first word of what they are for
}

// UnmarshalYAML reads a list of entries.
func (s *senses) UnmarshalYAML(read func(any) error) error {
	if err := read(&s.all); err != nil {
		return err
	}

	s.at = map[string][]int{}

	for i, e := range s.all {
		for _, phrase := range e.For {
			word, _, _ := strings.Cut(phrase, " ")
			if at := s.at[word]; len(at) == 0 || at[len(at)-1] != i {
				s.at[word] = append(at, i)
			}
		}
	}

	return nil
}

// meaning is what tells the sense of a name's words.
type meaning struct {
	words []string        // of the name
	kind  string          // its type, as in <string>
	about func() []string // words of its description, and of the name
	near  func() []string // words of the names beside it
}

// newMeaning returns the meaning of a name among others.
func newMeaning(name, description, kind string, beside ...string) meaning {
	lazily := func(text string) func() []string { // most of it is never needed
		return sync.OnceValue(func() []string {
			return strings.Fields(strings.ToLower(strings.Join(split(text), " ")))
		})
	}

	return meaning{
		words: split(name),
		kind:  "<" + kind + ">",
		about: lazily(description + " " + name),
		near:  lazily(strings.Join(beside, " ")),
	}
}

// meaningOfAPI returns the meaning of an API's published name.
func meaningOfAPI(a toolapi.APISpec) meaning { return newMeaning(a.ToolName(), a.Description, "") }

// meaningOf returns the meaning of a parameter as it was published, before any operators.
func meaningOf(a toolapi.APISpec, p toolapi.Parameter) meaning {
	name, kind := p.Name, typeOf(p)

	for _, s := range a.Adapters { // the last operator's comes first
		if was, ok := s.Rename[name]; ok {
			name = was
		}

		if s.Spelled != nil && s.Spelled.Parameter == name {
			kind = s.Spelled.Type
		}
	}

	stem, _ := stemmed(name)

	about := p.Description() + " " + a.ToolName()
	return newMeaning(stem, about, kind, namesOf(a)...)
}

// namesOf returns the names of an API's parameters, now and before.
func namesOf(a toolapi.APISpec) []string {
	all := toolapi.ParameterNames(a.Parameters.All)
	for _, s := range a.Adapters {
		all = slices.AppendSeq(all, maps.Values(s.Rename))
	}
	return all
}

// mentions reports whether one of the words is in the name.
func (m meaning) mentions(words []string) bool {
	return slices.ContainsFunc(m.words, func(word string) bool {
		return slices.Contains(words, strings.ToLower(word))
	})
}

// fits reports whether words of the name may be in the sense of an entry.
func (m meaning) fits(e synonyms) bool {
	said := func(word string) bool { return word == m.kind || slices.Contains(m.about(), word) }
	return (len(e.When) == 0 || slices.ContainsFunc(e.When, said)) && !m.mentions(e.Not)
}

// matched returns how many words, from the i-th on, an entry replaces: 0 if it does not fit.
func (m meaning) matched(e synonyms, i int) int {
	for _, phrase := range e.For {
		n := 0
		for word := range strings.FieldsSeq(phrase) {
			if i+n == len(m.words) || !strings.EqualFold(m.words[i+n], word) {
				n = 0
				break
			}

			n++
		}

		if n > 0 && (!e.Alone || n == len(m.words)) && m.fits(e) {
			return n
		}
	}
	return 0
}

// has reports whether an entry fits any words of the name.
func (m meaning) has(e synonyms) bool {
	for i := range m.words {
		if m.matched(e, i) > 0 {
			return true
		}
	}

	return false
}

// synonym draws a replacement for the words from the i-th on, and returns how many it replaces: 0
// if no entry fits.
func (m meaning) synonym(r *rand.Rand, entries senses, i int) (string, int) {
	if i >= len(m.words) { // a name may be all punctuation
		return "", 0
	}

	for _, at := range entries.at[strings.ToLower(m.words[i])] {
		e := entries.all[at]
		if n := m.matched(e, i); n > 0 && len(e.Use) > 0 {
			return pick(r, e.Use), n
		}
	}

	return "", 0
}

// options holds the words of what may stand beside names.
var options memo.Memo[[]string]

// beside draws what may stand beside the name, by the first entry that fits: words that neither it
// nor another parameter has. It is "" if there are none.
func (m meaning) beside(r *rand.Rand, entries []synonyms) string {
	isThere := func(option string) bool {
		return slices.ContainsFunc(options.Get(option, split), func(word string) bool {
			same := func(other string) bool { return strings.EqualFold(word, other) }
			return slices.ContainsFunc(m.words, same) || slices.ContainsFunc(m.near(), same)
		})
	}

	for _, e := range entries {
		if e.Alone && len(m.words) != 1 || !m.fits(e) {
			continue
		}

		if free := slices.DeleteFunc(slices.Clone(e.Use), isThere); len(free) > 0 {
			return pick(r, free)
		}
	}
	return ""
}
