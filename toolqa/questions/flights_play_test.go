package questions

import (
	"strings"
	"testing"

	"toolevo/toolqa/corpus/synth"

	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

var flightsOptions = synth.Options{Seed: 5, Scale: synth.Demo}

func syntheticFlights(t testing.TB) *corpus.Corpus {
	t.Helper()
	return synthetic(t, toolqa.Flights, flightsOptions)
}

func TestFlightsSecondOpinions(t *testing.T) {
	t.Parallel()
	c := syntheticFlights(t)
	wantAnswers(t, toolqa.Flights, answersOf(t, c, allQuestions(t, toolqa.Flights, flightsOptions)), 2)
}

// Airlines with a comma in their names are asked for more often: a condition could misread them.
func TestReaderSolvesFlights(t *testing.T) {
	t.Parallel()
	c := syntheticFlights(t)
	const each = 6
	var qs []toolqa.Question
	taken, commas := map[string]int{}, 0

	for _, q := range allQuestions(t, toolqa.Flights, flightsOptions) {
		m, _ := recognise(q.Text)

		comma := q.Template == "flights-easy/flight-number" && strings.Contains(m.slots.get("airline"), ",") &&
			commas < each
		if taken[q.Template] < each || comma {
			taken[q.Template]++

			if comma {
				commas++
			}

			qs = append(qs, q)
		}
	}

	if commas == 0 {
		t.Error("no question about an airline with a comma")
	}

	playAll(t, c, qs, ending.exact, apiVersions...)
}
