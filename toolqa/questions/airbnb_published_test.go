package questions

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"toolevo/envs/score"
	"toolevo/toolqa"
)

// publishedAirbnb reads the published questions with their answers.
func publishedAirbnb(t *testing.T) []toolqa.Question {
	t.Helper()
	var qs []toolqa.Question

	for _, d := range toolqa.Difficulties() {
		text, err := os.ReadFile(sharedData(t, "toolqa", "questions", string(d), "airbnb-"+string(d)+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}

		for line := range strings.Lines(string(text)) {
			line = strings.Replace(line, `"answer": NaN`, `"answer": "nan"`, 1)

			var q struct{ QID, Question, Answer string }
			if err := json.Unmarshal([]byte(line), &q); err != nil {
				t.Fatal(err)
			}

			qs = append(qs, toolqa.Question{
				ID:         q.QID,
				Dataset:    toolqa.Airbnb,
				Difficulty: d,
				Text:       q.Question,
				Answer:     q.Answer,
			})
		}
	}

	return qs
}

func TestPublishedAirbnbQuestionsAreRecognised(t *testing.T) {
	var names []string
	hoods := airbnbHoodNames(t)
	counts := map[string]int{}

	for _, q := range publishedAirbnb(t) {
		m, ok := recognise(q.Text)
		if !ok || m.template.dataset != toolqa.Airbnb || m.template.difficulty != q.Difficulty {
			t.Errorf("%s: %q is not recognised: %v", q.ID, q.Text, m)
			continue
		}

		counts[m.template.Name]++
		if nb, ok := m.slots.lookup("nb"); ok && !slices.Contains(hoods, nb) {
			t.Errorf("%q: %q is no neighbourhood", q.Text, nb)
		}

		if name, ok := m.slots.lookup("name"); ok {
			names = append(names, name)
		}

		if m.question() != q.Text {
			t.Errorf("%q stands for %q", q.Text, m.question())
		}
	}

	for _, tmpl := range templatesOf(toolqa.Airbnb) {
		if counts[tmpl.Name] != 10 {
			t.Errorf("%s: %d questions, want 10", tmpl.Name, counts[tmpl.Name])
		}
	}

	for _, want := range []string{
		"Amazing One Bedroom Apartment in Prime Brooklyn", "★Designer 3BR Apt★ In Times Square",
		"Hudson Yards 1 Bedroom (LGBT friendly)",
		"Cozy 2 bedroom 5min LGA/15min JFK  on main floor", "Peaceful, cozy studio in Chinatown",
		"NEWLY RENOVATED,  studio in Park Slope",
		`Home For Medical Professionals - "Laudanum"`, "1 Bedroom w/ common space in 4br Loft in Bushwick",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("no slot holds %q", want)
		}
	}
}

// airbnbHoodNames are the neighbourhoods of a synthetic corpus, which are the published ones.
func airbnbHoodNames(t *testing.T) []string {
	t.Helper()

	hoods, err := syntheticAirbnb(t, 20_000).Table().Column("neighbourhood")
	if err != nil {
		t.Fatal(err)
	}

	var names []string
	for code := range hoods.Words() {
		names = append(names, hoods.Word(code))
	}
	return names
}

// Wherever the listing of a published question is in the sample, the rules give the published
// answer.
func TestPublishedAirbnbAnswers(t *testing.T) {
	view := mustLoad(t, sampleAirbnb(t))
	compared := map[string]int{}

	for _, q := range publishedAirbnb(t) {
		m, ok := recognise(q.Text)
		if _, named := m.slots.lookup("name"); !ok || !named || m.template.Name == "airbnb-hard/nearby-review-rate" {
			continue // it needs the listings around, too
		}

		official, err := officialAnswer(m, view)
		if isNoAnswer(err) {
			continue
		}

		if err != nil {
			t.Fatal(err)
		}
		compared[m.template.Name]++

		if !score.Strict(q.Answer, official) || !score.Official(q.Answer, official) && official != noCell {
			t.Errorf("%s: %q: the rule gives %q, published is %q", q.ID, q.Text, official, q.Answer)
		}
	}

	t.Logf("compared: %v", compared)

	if len(compared) < 2 { // the sample is a 25th of the corpus
		t.Errorf("only %v could be compared", compared)
	}
}
