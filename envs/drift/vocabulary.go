package drift

import (
	"hash/fnv"
	"strings"
	"sync"
)

// Part is the part of words.yaml that new names are made of. Versions of [Seen] and of [Unseen]
// share no word that an operator chose, and no new identifier.
type Part int

// The parts.
const (
	Whole  Part = iota
	Seen        // for versions to train on
	Unseen      // for versions to measure with
)

// words returns the words of the part.
func (p Part) words() *vocabulary {
	if p == Whole {
		return words()
	}
	return halves()[p]
}

// has reports whether a text belongs to the part. Words that are kept may make the same name out of
// other words, so names are divided, too.
func (p Part) has(text string) bool {
	if p == Whole {
		return true
	}

	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()>>16%2 == uint32(p)%2 // the last bits are those of single letters
}

// halves are the vocabularies of Seen and Unseen.
var halves = sync.OnceValue(func() map[Part]*vocabulary {
	var (
		parts = map[string]Part{} // by word, which is in the same part of all its lists
		all   = map[Part]*vocabulary{Seen: readWords(), Unseen: readWords()}
		first = words().lists()
	)

	for i := range first {
		divide(*first[i], parts)
	}

	for part, v := range all {
		for _, list := range v.lists() {
			var kept []string

			for _, word := range *list {
				if word == "" || parts[plain(word)] == part {
					kept = append(kept, word)
				}
			}

			*list = kept
		}
	}
	return all
})

// lists returns the lists whose words may become parts of names, or values.
func (w *vocabulary) lists() []*[]string {
	all := []*[]string{&w.Prefixes.Texts, &w.Responses.State, &w.Responses.Message, &w.Containers, &w.Orders, &w.Limits}

	for _, entries := range [][]synonyms{
		w.Verbs.all, w.Doers.all, w.Nouns.all, w.VerbsOfAny, w.NounsOfAny, w.Fronts, w.Endings, w.Objects,
	} {
		for i := range entries {
			all = append(all, &entries[i].Use)
		}
	}

	for _, compounds := range [][][]string{w.Flags, w.Counts, w.Merged, w.Modes} {
		for i := range compounds {
			all = append(all, &compounds[i])
		}
	}

	return append(all, &w.Mergers, &w.Choices, &w.Joints, &w.Settings)
}

// divide gives each word of a list to the part that has fewer of the list, unless another list has
// given it to one before.
func divide(list []string, parts map[string]Part) {
	count := map[Part]int{}
	for _, word := range list {
		count[parts[plain(word)]]++
	}

	for _, word := range list {
		key := plain(word)
		if key == "" || parts[key] != Whole {
			continue
		}

		part := Seen
		if count[Unseen] < count[Seen] {
			part = Unseen
		}

		parts[key] = part
		count[part]++
	}
}

// plain returns a word without its spelling and its plural.
func plain(word string) string { return strings.TrimSuffix(fold(word), "s") }

// Words returns the words of a name: DBName_2 is DB, Name and 2.
func Words(name string) []string { return split(name) }

// Stems returns the words of a name or a text in lower case and without plurals: orderIDs is order
// and id.
func Stems(text string) []string {
	all := Words(text)
	for i, word := range all {
		if word = strings.ToLower(word); len(word) > 2 && !strings.HasSuffix(word, "ss") {
			word = strings.TrimSuffix(word, "s")
		}

		all[i] = word
	}
	return all
}
