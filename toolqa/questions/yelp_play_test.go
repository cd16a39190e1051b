package questions

import (
	"slices"
	"strings"
	"testing"

	"toolevo/toolqa/corpus/synth"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

func yelpOptions(n int) synth.Options { return synth.Options{Seed: 3, Rows: n} }

// syntheticYelp builds a corpus of n businesses.
func syntheticYelp(t testing.TB, n int) *corpus.Corpus {
	t.Helper()
	return synthetic(t, toolqa.Yelp, yelpOptions(n))
}

// The answers of templates whose fault is avoided are also the published ones.
func TestYelpSecondOpinions(t *testing.T) {
	c := syntheticYelp(t, 5_000)
	y := mustLoad(t, c)
	qs := allQuestions(t, toolqa.Yelp, yelpOptions(5_000))
	wantAnswers(t, toolqa.Yelp, answersOf(t, c, qs), 2)

	for _, q := range qs {
		if m, _ := recognise(q.Text); m.template.avoided {
			if got, err := officialAnswer(m, y); err != nil || got != q.Answer {
				t.Errorf("%q: the published rule finds %q, %v, the right one %q", q.Text, got, err, q.Answer)
			}
		}
	}

	if n := len(templatesOf(toolqa.Yelp)); n != 21 {
		t.Errorf("%d templates, want 21", n)
	}
}

func TestReaderSolvesYelp(t *testing.T) {
	t.Parallel()
	c := syntheticYelp(t, 5_000)
	const each = 5
	var qs []toolqa.Question

	taken := map[string]int{}
	for _, q := range allQuestions(t, toolqa.Yelp, yelpOptions(5_000)) {
		if taken[q.Template] < each {
			taken[q.Template]++
			qs = append(qs, q)
		}
	}

	playAll(t, c, qs, ending.exact, apiVersions...)
}

// Names with marks that a condition, a query or a question could misread are not misread.
func TestYelpOddNames(t *testing.T) {
	t.Parallel()

	marks := []string{", ", "'", `"`, "<", ">", "=", " in ", " located in ", "é", "ộ"}
	c := syntheticYelp(t, 15_000)
	y := mustLoad(t, c)
	var qs []toolqa.Question

	for _, name := range []string{"yelp-easy/state", "yelp-easy/stars", "yelp-hard/nearby-reviews"} {
		tmpl, _ := lookup(name)
		seen := map[string]int{}

		names, err := y.stored("name")
		if err != nil {
			t.Fatal(err)
		}

		for code := range names.Words() {
			has := func(mark string) bool { return strings.Contains(names.Word(code), mark) && seen[mark] < 2 }
			if !slices.ContainsFunc(marks, has) {
				continue
			}

			m := match{tmpl, nil}
			for _, slot := range tmpl.slots {
				value, err := tmpl.drawing.origins[slot.name].value(y, int64(names.RowsOf(code)[0])+1)
				if err != nil {
					t.Fatal(err)
				}

				m.slots = append(m.slots, slotValue{slot.name, value})
			}

			answer, err := rightAnswer(m, y)
			if read, ok := recognise(m.question()); err != nil || !ok || !slices.Equal(read.slots, m.slots) {
				continue
			}

			for _, mark := range marks {
				if has(mark) {
					seen[mark]++
					qs = append(qs, toolqa.Question{
						ID:         m.question() + mark,
						Dataset:    toolqa.Yelp,
						Difficulty: tmpl.difficulty,
						Template:   name,
						Text:       m.question(),
						Answer:     answer,
					})
				}
			}
		}

		if len(seen) < len(marks) {
			t.Errorf("%s: only names with %v", name, seen)
		}
	}

	playAll(t, c, qs, ending.exact, apiVersions[:2]...)
}

// Thoughts are prose, whatever a name holds.
func TestYelpThoughts(t *testing.T) {
	for _, tmpl := range templatesOf(toolqa.Yelp) {
		slots := make(slotValues, len(tmpl.slots))
		for i, s := range tmpl.slots {
			slots[i] = slotValue{s.name, "x"}
		}

		for _, name := range []string{"x", "x, y"} {
			slots[0].value = name
			for _, s := range tmpl.plan(slots) {
				for _, brace := range []string{"{", "}"} {
					s.thought = strings.ReplaceAll(s.thought, brace, "")
				}

				checkThought(t, s.thought)
			}
		}
	}
}

func TestYelpPlansRefuseWhatTheyDoNotExpect(t *testing.T) {
	const loaded, filtered = "We have successfully loaded the yelp database, including …",
		"We have successfully filtered the data (1 rows)."
	wantRefusals(t, []refusal{
		{"not loaded", "What state is Bar One located in?", []string{"The database you want to query in not in " +
			"the list."}},
		{"no such business", "What state is Bar One located in?",
			[]string{loaded, "The filtering query name=Bar One is incorrect. Please modify the condition."}},
		{"no cells", "What state is Bar One located in?",
			[]string{loaded, filtered, "The value you are querying does not exist. Please modify it."}},
		{"numbers for cells", "What state is Bar One located in?", []string{loaded, filtered, `{"state": [1, 2]}`}},
		{"another column by SQL", "What state is Bar One, LLC located in?", []string{"city: Clay"}},
		{"no hours", "What are the hours of operation for Bar One in area with postal code 62294, Clay, IL?",
			[]string{loaded, filtered, `{"hours": "None"}`}},
		{"two businesses", "What are the coordinates of Bar One in area with postal code 62294, Clay, IL?",
			[]string{loaded, filtered, `{"latitude": ["1.0", "2.0"]}`}},
		{"no place", "What is the average review counts of businesses within a 5-mile radius from Bar One?",
			[]string{""}},
		{"one number", "What is the average review counts of businesses within a 5-mile radius from Bar One?",
			[]string{"latitude: 38.7, longitude: -89.8", "69.0"}},
		{"no name", "Which Bars business has the highest star rating in Clay, IL?", []string{""}},
	})
}

func BenchmarkYelpRules(b *testing.B) {
	benchmarkRules(b, mustLoad(b, syntheticYelp(b, 150_346)))
}
