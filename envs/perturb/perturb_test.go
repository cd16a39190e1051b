package perturb

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const question = "I'm going to Paris on 2024-05-01, please search 'New York' flights, costs of 1,000.50 USD, at " +
	"https://fly.example.com/a, and mail ann@example.com."

// texts are what a kind makes of the question, over many IDs.
func texts(p Perturbation) []string { return textsOf(question, p) }

func textsOf(question string, p Perturbation) []string {
	all := map[string]bool{}
	for id := range 400 {
		all[p.Apply(strconv.Itoa(id), question)] = true
	}
	return slices.Sorted(maps.Keys(all))
}

func TestNone(t *testing.T) {
	if got := (Perturbation{Kind: None}).Apply("a", question); got != question {
		t.Errorf("none made %q", got)
	}
}

func TestDistractor(t *testing.T) {
	got := texts(Perturbation{Kind: Distractor})
	if len(got) != 1 || !strings.HasSuffix(got[0], question) || got[0] == question {
		t.Errorf("%q", got)
	}
}

func TestCaseMix(t *testing.T) {
	upper := "I'M GOING TO PARIS ON 2024-05-01, PLEASE SEARCH 'New York' FLIGHTS, COSTS OF 1,000.50 USD, AT " +
		"https://fly.example.com/a, AND MAIL ann@example.com."
	lower := "i'm going to paris on 2024-05-01, please search 'New York' flights, costs of 1,000.50 USD, at " +
		"https://fly.example.com/a, and mail ann@example.com."

	got := texts(Perturbation{Kind: CaseMix})
	if !slices.Contains(got, upper) || !slices.Contains(got, lower) || len(got) < 10 {
		t.Errorf("%d texts, want that in upper case, that in lower case, and many mixed ones:\n%q", len(got), got[:3])
	}

	for _, text := range got {
		if !strings.EqualFold(text, question) {
			t.Errorf("%q is another text", text)
		}
	}

	if got := texts(Perturbation{Kind: CaseMix, Faithful: true}); !slices.Contains(got, strings.ToUpper(question)) {
		t.Error("the faithful mix kept the case of values")
	}
}

func TestPunctuationNoise(t *testing.T) {
	const plain = "Find flights, hotels. Mail ann@example.com, see 'a, b. c' at 1.5 "

	want := map[string]bool{ // two question marks, lines, no full stops
		"Find flights, hotels. Mail ann@example.com, see 'a, b. c' at 1.5":      false,
		"Find flights, hotels. Mail ann@example.com, see 'a, b. c' at 1.5.??":   false,
		"Find flights,\nhotels. Mail ann@example.com,\nsee 'a, b. c' at 1.5":    false,
		"Find flights,\nhotels. Mail ann@example.com,\nsee 'a, b. c' at 1.5.??": false,
		"Find flights, hotels Mail ann@example.com, see 'a, b. c' at 1.5":       false,
		"Find flights, hotels Mail ann@example.com, see 'a, b. c' at 1.5??":     false,
		"Find flights,\nhotels Mail ann@example.com,\nsee 'a, b. c' at 1.5":     false,
		"Find flights,\nhotels Mail ann@example.com,\nsee 'a, b. c' at 1.5??":   false,
	}

	for id := range 300 {
		got := Perturbation{Kind: PunctuationNoise}.Apply(strconv.Itoa(id), plain)
		if _, ok := want[got]; !ok {
			t.Fatalf("%q", got)
		}

		want[got] = true
	}

	for text, met := range want {
		if !met {
			t.Errorf("never %q", text)
		}
	}

	faithful := false
	for id := range 300 {
		got := Perturbation{Kind: PunctuationNoise, Faithful: true}.Apply(strconv.Itoa(id), plain)
		faithful = faithful || strings.Contains(got, "ann@examplecom")
	}

	if !faithful {
		t.Error("the faithful noise kept every full stop of an address")
	}
}

func TestSameSeedSameText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Perturbation{
			Kind:     rapid.SampledFrom(Kinds()).Draw(t, "kind"),
			Faithful: rapid.Bool().Draw(t, "faithful"),
			Seed:     rapid.Uint64().Draw(t, "seed"),
		}
		id, text := rapid.String().Draw(t, "id"), rapid.String().Draw(t, "text")

		if a, b := p.Apply(id, text), p.Apply(id, text); a != b {
			t.Fatalf("%q and %q", a, b)
		}
	})
}

// published returns the queries of ToolBench that are at hand.
func published(t *testing.T) []string {
	root := os.Getenv("TOOLEVO_SHARED_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data") // ../shared/data from the repository root
	}

	var all []string

	for _, group := range []string{"G1_instruction", "G1_category", "G2_category"} {
		data, err := os.ReadFile(filepath.Join(root, "stabletoolbench", group+".json"))
		if err != nil {
			t.Skipf("the published queries are not there: %v (set TOOLEVO_SHARED_DATA)", err)
		}

		var queries []struct{ Query string }
		if err := json.Unmarshal(data, &queries); err != nil {
			t.Fatal(err)
		}

		for _, q := range queries {
			all = append(all, q.Query)
		}
	}
	return all
}

func TestPublishedQueriesKeepTheirValues(t *testing.T) {
	for i, text := range published(t) {
		for _, kind := range []Kind{CaseMix, PunctuationNoise, Paraphrase} {
			got := Perturbation{Kind: kind}.Apply(strconv.Itoa(i), text)
			for _, value := range values().FindAllString(text, -1) {
				if !strings.Contains(got, value) {
					t.Errorf("%s lost %q:\n%s\n%s", kind, value, text, got)
				}
			}

			// These are found without the patterns of the package.
			for _, word := range strings.Fields(text) {
				word = strings.Trim(word, `'"()<>,.;:?!`)
				if strings.ContainsAny(word, "@0123456789") || strings.Contains(word, "://") {
					if !strings.Contains(got, word) {
						t.Errorf("%s lost %q:\n%s\n%s", kind, word, text, got)
					}
				}
			}
		}
	}
}

// A question mark at the end stays, as in DynamicToolBench's script.
func TestNoiseOfQuestions(t *testing.T) {
	for text, want := range map[string]string{
		"Where is it?": "Where is it???", "Go on!": "Go on!??", "Go on.": "Go on.??", "Go on": "Go on.??",
	} {
		seen := map[string]bool{}
		for id := range 50 {
			got := Perturbation{Kind: PunctuationNoise, Faithful: true}.Apply(strconv.Itoa(id), text)
			seen[got] = true
		}

		if !seen[want] || !seen[text] {
			t.Errorf("%q became %v, want it as it is and %q", text, seen, want)
		}
	}
}

// The three changes of punctuation happen as often as in DynamicToolBench, within three standard
// deviations.
func TestNoiseOfPublishedQueries(t *testing.T) {
	all := published(t)
	asked, broken, breakable, stopless, stopped := 0, 0, 0, 0, 0

	for i, text := range all {
		got := Perturbation{Kind: PunctuationNoise, Faithful: true, Seed: 1}.Apply(strconv.Itoa(i), text)

		if strings.HasSuffix(got, "??") {
			asked++
		}

		if strings.Contains(text, ", ") {
			breakable++

			if strings.Contains(got, ",\n") {
				broken++
			}
		}

		if strings.Contains(text, ".") {
			stopped++

			if !strings.Contains(got, ".") {
				stopless++
			}
		}
	}

	if len(all) != 440 || breakable != 368 || stopped != 440 {
		t.Errorf("%d queries, %d with a comma, %d with a full stop; want 440, 368 and 440", len(all), breakable,
			stopped)
	}

	for _, c := range []struct {
		what   string
		n, of  int
		chance float64
	}{{"two question marks", asked, len(all), 0.5}, {"lines", broken, breakable, 0.5},
		{"no full stops", stopless, stopped, 0.3}} {
		expected := float64(c.of) * c.chance
		if d := math.Abs(float64(c.n) - expected); d > 3*math.Sqrt(expected*(1-c.chance)) {
			t.Errorf("%s: %d of %d, want about %.0f", c.what, c.n, c.of, expected)
		}
	}
}
