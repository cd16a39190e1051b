package questions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// datesOf returns the trading days of a corpus.
func datesOf(t testing.TB, c *corpus.Corpus) []string {
	t.Helper()

	column, err := c.Table().Column("Date")
	if err != nil {
		t.Fatal(err)
	}

	dates := make([]string, column.Len())
	for row := range dates {
		dates[row] = column.Text(row)
	}
	return dates
}

// TestReaderSolvesCoffee follows every template's plan on many questions, among them ranges of a
// few days, where averages fall on the edge between two rounded values.
func TestReaderSolvesCoffee(t *testing.T) {
	t.Parallel()
	file := anyCoffee(t)
	c := mustLoad(t, file)
	dates := datesOf(t, file)
	r := rand.New(rand.NewPCG(11, 12))
	var qs []toolqa.Question
	seen := map[string]bool{}

	for _, tmpl := range templatesOf(toolqa.Coffee) {
		for i := range 24 {
			values, err := tmpl.draw(r, c)
			if err != nil {
				t.Fatal(err)
			}

			if i%3 == 0 && len(values) == 2 {
				first := slices.Index(dates, values[0])
				values[1] = dates[min(first+1+r.IntN(20), len(dates)-1)]
			}

			slots, err := tmpl.fill(values)
			if err != nil {
				t.Fatal(err)
			}

			m := match{tmpl, slots}

			gold, err := rightAnswer(m, c)
			if text := m.question(); err == nil && !seen[text] {
				seen[text] = true
				qs = append(qs, toolqa.Question{
					ID:         fmt.Sprintf("%s-%d", tmpl.Name, i),
					Dataset:    toolqa.Coffee,
					Difficulty: tmpl.difficulty,
					Template:   tmpl.Name,
					Text:       text,
					Answer:     gold,
				})
			} else if err != nil && !isNoAnswer(err) {
				t.Fatal(err)
			}
		}
	}

	w := newWorld(t, file)
	for _, api := range apiVersions {
		for _, e := range w.play(api, qs) {
			if !e.exact() {
				e.report(t.Errorf, api)
			}

			if n := e.history.Len(); api == "p_c" && n > 6 {
				t.Errorf("%q: %d calls", e.Text, n)
			}
		}
	}
}

func TestCoffeePlanRefusesWhatItDoesNotExpect(t *testing.T) {
	const loaded, filtered = "We have successfully loaded the coffee database, including …",
		"We have successfully filtered the data (1 rows)."
	const failed = "There is something wrong with the SQL command you send. Please modify it."
	wantRefusals(t, []refusal{
		{"not loaded", "What was the volume of coffee on 2000-01-03?", []string{"The database you want to query " +
			"in not in the list. Please change another database for query."}},
		{"no such day", "What was the volume of coffee on 2000-01-03?",
			[]string{loaded, "The filtering query Date=2000-01-03 is incorrect. Please modify the condition."}},
		{"more rows than one", "What was the volume of coffee on 2000-01-03?",
			[]string{loaded, "We have successfully filtered the data (12 rows)."}},
		{"no cell", "What was the volume of coffee on 2000-01-03?",
			[]string{loaded, filtered, "The value you are querying does not exist. Please modify it."}},
		{"another cell", "What was the volume of coffee on 2000-01-03?",
			[]string{loaded, filtered, `{"Open": "122.25"}`}},
		{"many cells", "What was the volume of coffee on 2000-01-03?",
			[]string{loaded, filtered, `{"Volume": ["1", "2"]}`}},
		{"no number", "What was the volume of coffee on 2000-01-03?",
			[]string{loaded, filtered, `{"Volume": "__import__('os')"}`}},
		{"too many results", "What was the volume of coffee on 2000-01-03?",
			[]string{loaded, filtered, `{"Volume": "6640"}`, "Answer is CORRECT"}},
		{"failed query", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", []string{failed}},
		{"no rows", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", []string{""}},
		{"NULL", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", []string{"highest: None"}},
		{"another column", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", []string{"lowest: 1.0"}},
		{"a column too many", "What was the highest coffee price from 2000-01-03 to 2000-01-06?",
			[]string{"highest: 1.0, lowest: 1.0"}},
		{"a row too many", "What was the highest coffee price from 2000-01-03 to 2000-01-06?",
			[]string{"highest: 1.0\nhighest: 2.0"}},
		{"a row too few", "What was the percentage change in coffee price on 2000-01-03 compared to the previous day?",
			[]string{"Date: 2000-01-03, Close: 116.5"}},
		{"another day", "What was the percentage change in coffee price on 2000-01-08 compared to the previous day?",
			[]string{"Date: 2000-01-06, Close: 116.5\nDate: 2000-01-05, Close: 118.6"}},
		{"failed code", "What was the average coffee price from 2000-01-03 to 2000-01-06?",
			[]string{"average: 117.05", "NameError: name 'x' is not defined"}},
		{"no unit printed", "What was the average coffee price from 2000-01-03 to 2000-01-06?",
			[]string{"average: 117.05", "117.0"}},
		{"no price", "Was 2000-01-05 a bearish or bullish day for coffee price?",
			[]string{loaded, filtered, `{"Open": "115.0", "Close": "nan"}`}},
	})

	if _, ok := Plan("What was the opening price of tea on 2000-01-03?"); ok {
		t.Error("a plan for a question of no template")
	}
}
