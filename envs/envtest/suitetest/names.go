package suitetest

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
)

// Names checks the names of made versions of a base: they break between words only, the words are
// those of the vocabulary and of the base, proper names stay, and no word has another sense than in
// the published name. The vocabulary is the path of words.yaml.
func Names(t *testing.T, c *toolapi.Catalog, base, vocabulary string, versions int,
	proper ...string) {
	t.Helper()

	text, err := os.ReadFile(vocabulary)
	if err != nil {
		t.Fatal(err)
	}

	known := map[string]bool{}
	for _, word := range wordsOf(string(text)) {
		known[word] = true
	}

	spec, err := c.Spec(base)
	if err != nil {
		t.Fatal(err)
	}

	// A word without synonyms stays, so those of the base are allowed.
	for _, name := range drift.Identifiers(spec) {
		for _, word := range wordsOf(name) {
			known[word] = true
		}
	}

	m, err := drift.NewMaker(c, base, nil, 21)
	if err != nil {
		t.Fatal(err)
	}

	// Half of the vocabulary makes other names than the whole does.
	for _, part := range []drift.Part{drift.Whole, drift.Seen, drift.Unseen} {
		for i := range versions {
			made, _ := m.Of(part).Version(i)
			for _, a := range made.APIs {
				// System tools keep their names in every version.
				if !envs.IsSystem(a.ToolName()) {
					checkNames(t, a, known, proper)
				}
			}
		}
	}
}

// wordsOf returns the words of a text or a name, in lower case and without digits.
func wordsOf(text string) []string {
	var all []string

	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		letters, first := []rune(part), 0

		for i := 1; i <= len(letters); i++ {
			isUpper := func(i int) bool { return i < len(letters) && unicode.IsUpper(letters[i]) }
			if i == len(letters) || isUpper(i) && (!isUpper(i-1) || i+1 < len(letters) && !isUpper(i+1)) {
				all = append(all, strings.ToLower(string(letters[first:i])))
				first = i
			}
		}
	}

	return all
}

// checkNames checks the names of an API and of its parameters.
func checkNames(t *testing.T, a toolapi.APISpec, known map[string]bool, proper []string) {
	t.Helper()

	checkName(t, a.Tool, a.Name, known, proper)

	for _, p := range a.Parameters.All {
		was := published(a, p.Name)
		// A new parameter has no published name to be compared with.
		if was == "" {
			was = p.Name
		}

		checkName(t, was, p.Name, known, proper)
	}

	for k, adapter := range a.Adapters {
		// The adapters behind this one lead on to the published names.
		below := toolapi.APISpec{Adapters: a.Adapters[k+1:]}

		if n := adapter.Nested; n != nil {
			var members []string
			for _, name := range n.Members {
				words := wordsOf(cmp.Or(published(below, name), name))
				members = append(members, strings.Join(words, " "))
			}

			name := wordsOf(n.Parameter)
			// Where an object is made by chance, its name still has to say what is in it.
			if has(members, "count", "cursor") && !has(name, "page", "paging", "result") ||
				has(members, "password") && !has(name, "credentials", "login", "account", "sign") {
				t.Errorf("%s: %v become %s", a.Tool, members, n.Parameter)
			}
		}

		// A field is a single text, so items in its place would have no meaning.
		if e := adapter.Enumerated; e != nil && strings.HasSuffix(published(below, e.To), "field") {
			t.Errorf("%s: the one text %s is a list", a.Tool, e.To)
		}
	}
}

// published returns the former name of a parameter; "" if nothing renames it.
func published(a toolapi.APISpec, name string) string {
	was := ""

	for _, adapter := range a.Adapters {
		if other, ok := adapter.Rename[name]; ok {
			name, was = other, other
		}
	}

	return was
}

// senses are words that a name must not get if it has any of the first.
var senses = []struct{ of, never []string }{
	{[]string{"to"}, []string{"end", "finish", "last", "stop"}},
	{[]string{"source", "region", "zip", "country"}, []string{"program", "script", "snippet", "land", "needle"}},
	{[]string{"search", "category"}, []string{"sort", "needle"}},
	{[]string{"order"}, []string{"take", "buy", "book"}},
	{[]string{"field"}, []string{"column", "columns"}},
	{[]string{"username", "password"}, []string{"contact"}},
}

// senseless are words that no name may get, except web for an address.
var senseless = []string{"all", "my", "any", "keep", "web", "take", "needle"}

// checkName checks one name.
func checkName(t *testing.T, was, now string, known map[string]bool, proper []string) {
	t.Helper()

	// Without room the name is cut, or ends in a letter that tells it from others.
	if len(was) > toolapi.MostName-8 {
		return
	}

	before, words := wordsOf(was), wordsOf(now)
	for _, word := range words {
		if !known[word] {
			t.Errorf("%s → %s: %q is no word", was, now, word)
		}

		if slices.Contains(senseless, word) && !has(before, word, "url") {
			t.Errorf("%s → %s: %q has no sense", was, now, word)
		}
	}

	// A synonym may be right for a word, and wrong for the name that it is in.
	for _, s := range senses {
		if has(before, s.of...) && !has(before, s.never...) && has(words, s.never...) {
			t.Errorf("%s → %s: another sense", was, now)
		}
	}

	folded := func(name string) string {
		return strings.ToLower(strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, name))
	}

	// What follows _for_ says whose API it is, and tells it from those of other tools.
	_, owner, _ := strings.Cut(was, "_for_")
	if !strings.Contains(folded(now), folded(owner)) {
		t.Errorf("%s → %s: %s is gone", was, now, owner)
	}

	// These have no synonyms that mean the same thing.
	for _, name := range append(proper, "code", "zip", "region", "forecast") {
		if slices.Contains(before, name) && !strings.Contains(folded(now), name) {
			t.Errorf("%s → %s: %s is gone", was, now, name)
		}
	}
}

func has(all []string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(all, w) })
}
