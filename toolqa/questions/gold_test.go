package questions

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolevo/toolqa"
)

func TestGold(t *testing.T) {
	tests := []struct{ template, question, want string }{
		{"coffee-easy/open", "What was the opening price of coffee on 2000-01-03?", "122.25"},
		{"coffee-easy/low", "What was the lowest price of coffee on 2000-01-05?", "115.0"},
		{"coffee-easy/high", "What was the highest price of coffee on 2000-01-03?", "124.0"},
		{"coffee-easy/close", "What was the closing price of coffee on 2000-01-06?", "116.85"},
		{"coffee-easy/volume", "What was the volume of coffee on 2000-01-04?", "5492"},
		{"coffee-easy/percentage-change", "What was the percentage change in coffee price on 2000-01-03, based on " +
			"the difference between the opening and closing prices?", "-4.7%"},
		{"coffee-easy/percentage-change", "What was the percentage change in coffee price on 2000-01-04, based on " +
			"the difference between the opening and closing prices?", "0.0%"},
		{"coffee-easy/bearish-or-bullish", "Was 2000-01-05 a bearish or bullish day for coffee price?", "bullish"},
		// unchanged
		{"coffee-easy/bearish-or-bullish", "Was 2000-01-04 a bearish or bullish day for coffee price?", "bearish"},
		{"coffee-easy/range", "What was the range of coffee price on 2000-01-03, based on the difference between " +
			"the high and low prices??", "7.9"},
		{"coffee-easy/range", "What was the range of coffee price on 2000-01-05, based on the difference between " +
			"the high and low prices??", "6.0"},
		{"coffee-hard/highest", "What was the highest coffee price from 2000-01-03 to 2000-01-06?", "124.0 USD"},
		// no trade on the 9th
		{"coffee-hard/highest", "What was the highest coffee price from 2000-01-04 to 2000-01-09?", "121.4 USD"},
		{"coffee-hard/lowest", "What was the lowest coffee price from 2000-01-05 to 2000-01-10?", "115.0 USD"},
		// 117.05 in binary is less
		{"coffee-hard/average", "What was the average coffee price from 2000-01-03 to 2000-01-06?", "117.0 USD"},
		{"coffee-hard/change", "How much did the coffee price change from 2000-01-03 to 2000-01-06?", "-5.4 USD"},
		{"coffee-hard/percentage-change", "What was the percentage change in coffee price on 2000-01-05 compared " +
			"to the previous day?", "2.0%"},
		{"coffee-hard/percentage-change", "What was the percentage change in coffee price on 2000-01-10 compared " +
			"to the previous day?", "-0.0%"},
		{"coffee-hard/greatest-difference", "On which date from 2000-01-04 to 2000-01-06 was the difference " +
			"between the highest and lowest coffee prices the greatest?", "2000-01-05"},
		{"coffee-hard/average-volume", "What was the average daily volume of coffee traded from 2000-01-03 to " +
			"2000-01-04?", "6066.0"},
		{"coffee-hard/highest-increase", "On which date from 2000-01-03 to 2000-01-10 did the coffee price have " +
			"the highest increase compared to the previous day?", "2000-01-05"},
		// the 5th has no day before in the range
		{"coffee-hard/highest-increase", "On which date from 2000-01-05 to 2000-01-10 did the coffee price have " +
			"the highest increase compared to the previous day?", "2000-01-10"},
		{"coffee-hard/times-increased", "How many times from 2000-01-03 to 2000-01-10 did the coffee price " +
			"increase compared to the previous day?", "1"},
		{"coffee-hard/times-increased", "How many times from 2000-01-05 to 2000-01-10 did the coffee price " +
			"increase compared to the previous day?", "0"},
		{"coffee-hard/percentage-increase", "What was the percentage increase in coffee price from 2000-01-03 to " +
			"2000-01-06?", "-4.4%"},
		{"coffee-hard/range", "What was the coffee price range from 2000-01-03 to 2000-01-06?", "9.0 USD"},
		{"coffee-hard/days-closing-higher", "On how many days from 2000-01-03 to 2000-01-10 did the coffee price " +
			"close higher than the opening price?", "1"},
		{"coffee-hard/average-percentage-change", "What was the average percentage change in coffee price from " +
			"2000-01-04 to 2000-01-05?", "1.6%"},
		{"coffee-hard/average-percentage-change", "What was the average percentage change in coffee price from " +
			"2000-01-04 to 2000-01-04?", "0.0%"},
	}
	c := smallCoffee(t)
	covered := map[string]bool{}

	for _, tt := range tests {
		m, ok := recognise(tt.question)
		if !ok || m.template.Name != tt.template {
			t.Errorf("Recognise(%q) = %v, %v, want %s", tt.question, m, ok, tt.template)
			continue
		}

		covered[tt.template] = true

		got, err := rightAnswer(m, c)
		if err != nil || got != tt.want {
			t.Errorf("Gold(%q) = %q, %v, want %q", tt.question, got, err, tt.want)
		}

		official, err := officialAnswer(m, c)
		if err != nil || official != tt.want && m.template.fault == "" {
			t.Errorf("OfficialGold(%q) = %q, %v, want %q", tt.question, official, err, tt.want)
		}
	}

	for _, tmpl := range templatesOf(toolqa.Coffee) {
		if !covered[tmpl.Name] {
			t.Errorf("no gold answer of %s is tested", tmpl.Name)
		}
	}
}

func TestOfficialGoldOfTheFaultyRange(t *testing.T) {
	m, _ := recognise("What was the coffee price range from 2000-01-03 to 2000-01-06?")
	if m.template.fault == "" {
		t.Error("the template does not say what is wrong with its published rule")
	}

	if got, err := officialAnswer(m, smallCoffee(t)); err != nil || got != "124.0 USD" {
		t.Errorf("OfficialGold = %q, %v, want 124.0 USD", got, err)
	}
}

func TestNoAnswer(t *testing.T) {
	c := smallCoffee(t)

	for _, q := range []string{
		"What was the opening price of coffee on 2000-01-08?",
		"What was the highest coffee price from 2000-01-07 to 2000-01-09?",
		"What was the highest coffee price from 2000-01-06 to 2000-01-03?",
		"What was the percentage change in coffee price on 2000-01-03 compared to the previous day?",
		"On which date from 2000-01-03 to 2000-01-03 did the coffee price have the highest increase compared to " +
			"the previous day?",
	} {
		m, ok := recognise(q)
		if !ok {
			t.Errorf("%q is not recognised", q)
			continue
		}

		if got, err := rightAnswer(m, c); !isNoAnswer(err) {
			t.Errorf("Gold(%q) = %q, %v, want no answer", q, got, err)
		}
	}

	m, _ := recognise("What was the opening price of coffee on 2000-01-03?")
	if _, err := rightAnswer(m, &Corpus{dataset: "foreign"}); err == nil || isNoAnswer(err) {
		t.Errorf("a coffee rule on another corpus: error %v", err)
	}
}

func TestTemplates(t *testing.T) {
	names, texts := map[string]bool{}, map[string]bool{}
	for _, tmpl := range shipped() {
		if names[tmpl.Name] || texts[tmpl.text] {
			t.Errorf("%s: its name or its text is not its own", tmpl.Name)
		}

		names[tmpl.Name], texts[tmpl.text] = true, true
		if (tmpl.fault == "") != (tmpl.official == nil) {
			t.Errorf("%s: a fault without a published rule, or the reverse", tmpl.Name)
		}

		if got, ok := lookup(tmpl.Name); !ok || got != tmpl {
			t.Errorf("Lookup(%s) = %v, %v", tmpl.Name, got, ok)
		}

		if tmpl.drawing == nil || tmpl.gold == nil {
			t.Errorf("%s: no rule, or no way to draw one", tmpl.Name)
		}

		steps := tmpl.plan(nil)
		if n := len(steps); n == 0 || steps[n-1].tool != "Finish" && tmpl.Name != "dblp-hard/distance" {
			t.Errorf("%s: the plan does not end with Finish", tmpl.Name)
		}
	}

	for ds, want := range map[toolqa.Dataset][2]int{
		toolqa.Agenda: {5, 5}, toolqa.Airbnb: {10, 10}, toolqa.Coffee: {8, 13}, toolqa.DBLP: {10, 10},
		toolqa.Flights: {10, 10}, toolqa.SciREX: {1, 4}, toolqa.Yelp: {11, 10},
	} {
		if got := [2]int{len(Templates(ds, toolqa.Easy)), len(Templates(ds, toolqa.Hard))}; got != want {
			t.Errorf("%s: %v easy and hard templates, want %v", ds, got, want)
		}
	}

	if _, ok := lookup("coffee-easy/taste"); ok {
		t.Error("Lookup finds a template that does not exist")
	}
}

// fits counts the templates that can be read into a question.
func fits(question string) int {
	n := 0

	for _, tmpl := range shipped() {
		if _, ok := tmpl.match(question); ok {
			n++
		}
	}

	return n
}

func TestRecogniseIsTheInverseOfQuestion(t *testing.T) {
	c := syntheticCoffee(t, 500)
	r := rand.New(rand.NewPCG(3, 4))

	for _, tmpl := range templatesOf(toolqa.Coffee) {
		for range 50 {
			values, err := tmpl.draw(r, c)
			if err != nil {
				t.Fatal(err)
			}

			slots, err := tmpl.fill(values)
			if err != nil {
				t.Fatal(err)
			}

			text := match{tmpl, slots}.question()

			m, ok := recognise(" " + text + "\n")
			if !ok || m.template != tmpl || m.question() != text || fits(text) != 1 {
				t.Fatalf("Recognise(%q) = %v, %v; %d templates fit, want only %s", text, m, ok, fits(text), tmpl.Name)
			}
		}
	}
}

func TestRecogniseNothing(t *testing.T) {
	for _, q := range []string{
		"", "?", "What was the opening price of coffee on ?", "What was the opening price of coffee on 2000-13-03?",
		"What was the opening price of tea on 2000-01-03?", "What was the opening price of coffee on 2000-01-03",
		"what was the opening price of coffee on 2000-01-03?",
		"What was the highest coffee price from 2000-01-03 to yesterday?",
		"What was the opening price of coffee on 2000-01-03? What was the opening price of coffee on 2000-01-03?",
		"What was the coffee price range from 2001-01-03 to 2002-01-03?",
		"What was the opening price of coffee on " + strings.Repeat("2000-01-03", 1000) + "?",
	} {
		if m, ok := recognise(q); ok {
			t.Errorf("Recognise(%q) = %s", q, m.template.Name)
		}
	}
}

func TestSplitOfTextSlots(t *testing.T) {
	tmpl := &Template{text: "Where did {event:text} that {person:text} attended take place on {date:date}?"}
	if err := tmpl.parse(); err != nil {
		t.Fatal(err)
	}

	for _, tt := range []struct {
		question string
		want     slotValues
	}{
		{"Where did a talk that Ann attended take place on 2022-01-02?",
			slotValues{{"event", "a talk"}, {"person", "Ann"}, {"date", "2022-01-02"}}},
		{"Where did a talk that Ann that Bob attended take place on a day attended take place on 2022-01-02?",
			slotValues{{"event", "a talk"}, {"person", "Ann that Bob attended take place on a day"},
				{"date", "2022-01-02"}}},
		{"Where did a talk that Ann attended take place on a day?", nil},
		{"Where did  that Ann attended take place on 2022-01-02?", nil},
	} {
		got, ok := tmpl.match(tt.question)
		if ok != (tt.want != nil) || ok && !slices.Equal(got, tt.want) {
			t.Errorf("match(%q) = %v, %v, want %v", tt.question, got, ok, tt.want)
		}
	}

	for _, text := range []string{"a {b", "a {b}?", "a {b:colour}?"} {
		if err := (&Template{text: text}).parse(); err == nil {
			t.Errorf("parsing %q gives no error", text)
		}
	}
}

func FuzzRecognise(f *testing.F) {
	for _, tmpl := range templatesOf(toolqa.Coffee) {
		f.Add(strings.NewReplacer("{date:date}", "2000-01-03", "{start:date}", "2000-01-03", "{end:date}",
			"2010-12-31").Replace(tmpl.text))
	}

	f.Fuzz(func(t *testing.T, question string) {
		m, ok := recognise(question)
		if !ok {
			return
		}

		if got := m.question(); got != strings.TrimSpace(question) {
			t.Errorf("Recognise(%q) stands for %q", question, got)
		}

		if _, _, err := m.plan()(nil); err != nil {
			t.Errorf("the plan of %q does not begin: %v", question, err)
		}
	})
}

func BenchmarkRecognise(b *testing.B) {
	const q = "What was the average percentage change in coffee price from 2000-01-04 to 2010-01-04?"

	b.ReportAllocs()

	for b.Loop() {
		if _, ok := recognise(q); !ok {
			b.Fatal("not recognised")
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	const q = "Was 2000-01-05 a bearish or bullish day for coffee price?"
	results := []string{
		"We have successfully loaded the coffee database, including the following columns: Date, Open.",
		"We have successfully filtered the data (1 rows).", `{"Open": "115.0", "Close": "118.6"}`,
	}

	b.ReportAllocs()

	for b.Loop() {
		plan, _ := Plan(q)
		if _, _, err := plan(results); err != nil {
			b.Fatal(err)
		}
	}
}
