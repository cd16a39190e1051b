package questions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/toolqa"
)

func generate(t testing.TB, seed uint64, c *Corpus, d toolqa.Difficulty, n Counts,
	exclude []toolqa.Question) []toolqa.Question {
	t.Helper()

	qs, err := Generate(rand.New(rand.NewPCG(seed, 0)), c, d, Options{Counts: n, Exclude: exclude})
	if err != nil {
		t.Fatal(err)
	}
	return qs
}

func TestGenerateInThePapersNumbers(t *testing.T) {
	c := mustLoad(t, anyCoffee(t))
	for _, d := range toolqa.Difficulties() {
		t.Run(string(d), func(t *testing.T) {
			exclude := generate(t, 99, c, d, Counts{Test: 100}, nil)
			n := PaperCounts(toolqa.Coffee, d)

			qs := generate(t, 1, c, d, n, exclude)
			if len(qs) != n.Train+n.Dev+n.Test {
				t.Fatalf("%d questions, want %+v", len(qs), n)
			}

			texts, ids := map[string]bool{}, map[string]bool{}
			for _, q := range exclude {
				texts[q.Text], ids[q.ID] = true, true
			}

			perTemplate := map[toolqa.Split]map[string]int{toolqa.Train: {}, toolqa.Dev: {}, toolqa.Test: {}}

			for _, q := range qs {
				if texts[q.Text] || ids[q.ID] {
					t.Fatalf("question %s %q is not new", q.ID, q.Text)
				}

				texts[q.Text], ids[q.ID] = true, true
				perTemplate[q.Split][q.Template]++

				m, ok := recognise(q.Text)
				if !ok || m.template.Name != q.Template || q.Dataset != toolqa.Coffee || q.Difficulty != d {
					t.Fatalf("question %+v is not of its template", q)
				}

				if gold, err := rightAnswer(m, c); err != nil || gold != q.Answer {
					t.Fatalf("question %+v: gold %q, %v", q, gold, err)
				}
			}

			templates := len(Templates(toolqa.Coffee, d))

			for split, counts := range perTemplate {
				least, most := 1<<30, 0
				for _, k := range counts {
					least, most = min(least, k), max(most, k)
				}

				if len(counts) != templates || most-least > 1 {
					t.Errorf("%s: templates %v are not balanced", split, counts)
				}
			}

			if diff := cmp.Diff(qs, generate(t, 1, c, d, n, exclude)); diff != "" {
				t.Errorf("the same seed gives other questions:\n%s", diff)
			}

			some := Counts{Test: 20}
			if slices.Equal(generate(t, 1, c, d, some, exclude), generate(t, 2, c, d, some, exclude)) {
				t.Error("another seed gives the same questions")
			}

			if !ids["easy-coffee-train-0000"] && !ids["hard-coffee-train-0000"] {
				t.Error("no ID like easy-coffee-train-0000")
			}
		})
	}
}

func TestGenerateSkipsExcludedIDs(t *testing.T) {
	c := syntheticCoffee(t, 100)
	published := []toolqa.Question{{ID: "easy-coffee-0000", Text: "?"}, {ID: "easy-coffee-0002", Text: "??"}}

	var ids []string
	for _, q := range generate(t, 1, c, toolqa.Easy, Counts{Train: 1, Dev: 1, Test: 3}, published) {
		ids = append(ids, q.ID)
	}

	want := []string{"easy-coffee-0001", "easy-coffee-0003", "easy-coffee-0004", "easy-coffee-dev-0000",
		"easy-coffee-train-0000"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("IDs (-want +got):\n%s", diff)
	}
}

// TestGenerateSkipsExcludedTexts leaves 50 of the 80 questions that a small corpus has.
func TestGenerateSkipsExcludedTexts(t *testing.T) {
	c := syntheticCoffee(t, 10)
	published := generate(t, 1, c, toolqa.Easy, Counts{Test: 30}, nil)

	keys := keysOf(published)
	for i := range published {
		published[i].ID = fmt.Sprint("published-", i) // so that the texts alone are in the way
		published[i].Text = strings.ToUpper(published[i].Text)
	}

	for _, q := range generate(t, 1, c, toolqa.Easy, Counts{Train: 50}, published) {
		if keys[envs.QuestionKey(q.Text)] {
			t.Errorf("%s asks %q, which is excluded", q.ID, q.Text)
		}
	}

	o := Options{Counts: Counts{Train: 51}, Exclude: published}
	if qs, err := Generate(rand.New(rand.NewPCG(1, 0)), c, toolqa.Easy, o); !errors.Is(err, errExhausted) {
		t.Errorf("%d questions of 50, error %v", len(qs), err)
	}
}

// TestRangeLengths holds the drawn ranges to the published test questions': most are too long to
// list, some are short.
func TestRangeLengths(t *testing.T) {
	file := coffeeFile(t, coffeeDays(5741))
	c, dates := mustLoad(t, file), datesOf(t, file)
	var lengths []int

	for _, q := range generate(t, 5, c, toolqa.Hard, Counts{Train: 1300}, nil) {
		m, _ := recognise(q.Text)

		start, end := m.slots.get("start"), m.slots.get("end")
		if end == "" {
			continue
		}

		if start == "" {
			start = "2000-01-03"
		}

		lengths = append(lengths, 1+slices.Index(dates, end)-slices.Index(dates, start))
	}

	slices.Sort(lengths)

	if median := lengths[len(lengths)/2]; median < 1150 || median > 1550 {
		t.Errorf("median length %d, want about 1,300", median)
	}

	share := func(over int) float64 {
		i, _ := slices.BinarySearch(lengths, over+1)
		return float64(len(lengths)-i) / float64(len(lengths))
	}
	for _, tt := range []struct {
		over int
		want float64
	}{{1024, 0.57}, {500, 0.79}, {50, 0.98}} {
		if got := share(tt.over); got < tt.want-0.05 || got > tt.want+0.05 {
			t.Errorf("%.2f of the ranges have more than %d days, want about %.2f", got, tt.over, tt.want)
		}
	}

	if lengths[0] > 20 {
		t.Errorf("the shortest range has %d days", lengths[0])
	}
}

func TestGenerateErrors(t *testing.T) {
	small := syntheticCoffee(t, 10)
	for _, tt := range []struct {
		name string
		c    *Corpus
		n    Counts
		want string
	}{
		{"too many", small, Counts{Train: 2000}, "too small"},
		{"one day", syntheticCoffee(t, 1), Counts{Test: 13}, "too small"},
		{"negative", small, Counts{Dev: -1}, "-1 questions"},
		{"no templates", &Corpus{dataset: "foreign"}, Counts{Test: 1}, "no templates"},
	} {
		_, err := Generate(rand.New(rand.NewPCG(1, 1)), tt.c, toolqa.Hard, Options{Counts: tt.n})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one that says %q", tt.name, err, tt.want)
		}
	}
	// As many as there are: the search for the last ones must not give up.
	if qs := generate(t, 1, small, toolqa.Easy, Counts{Train: 80}, nil); len(qs) != 80 {
		t.Errorf("%d questions of 80", len(qs))
	}

	if got := PaperCounts("foreign", toolqa.Easy); got != (Counts{}) {
		t.Errorf("PaperCounts of an unknown dataset = %+v", got)
	}
}
