package questions

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"toolevo/toolqa"
)

const skyWest, goJet = "SkyWest Airlines Inc.", "GoJet Airlines, LLC d/b/a United Express"

// smallFlights is a corpus for computing by hand.
func smallFlights(t testing.TB) *Corpus {
	t.Helper()

	columns := []string{
		"FlightDate", "Airline", "Origin", "Dest", "Cancelled", "Diverted", "CRSDepTime", "DepTime", "DepDelayMinutes",
		"DepDelay",
		"ArrTime", "ArrDelayMinutes", "ArrDelay", "AirTime", "Distance", "DayOfWeek", "IATA_Code_Marketing_Airline",
		"Flight_Number_Marketing_Airline", "CRSArrTime", "TaxiIn",
	}

	var rows [][]string
	for line := range strings.Lines(`2022-01-03;` +
		skyWest + `;DEN;ASE;False;False;1255;1305.0;10.0;10.0;1352.0;4.0;4.0;30.0;125.0;1;UA;5286;1348;5.0
2022-01-03;` + skyWest + `;DEN;ASE;False;False;2350;49.0;59.0;59.0;131.0;59.0;59.0;28.0;125.0;1;UA;5107;32;4.0
2022-01-03;` + goJet + `;DEN;ASE;False;False;600;552.0;0.0;-8.0;649.0;0.0;-11.0;31.0;125.0;1;UA;4501;700;6.0
2022-01-03;` + skyWest + `;DEN;ASE;True;False;700;nan;nan;nan;nan;nan;nan;nan;125.0;1;DL;3001;800;nan
2022-01-03;Delta Air Lines Inc.;DEN;ATL;False;True;700;700.0;0.0;0.0;1500.0;nan;nan;nan;1199.0;1;DL;414;1200;9.0
2022-01-03;Delta Air Lines Inc.;ATL;LGA;False;False;1300;1305.0;5.0;5.0;1510.0;10.0;10.0;95.0;762.0;1;DL;414;1500;8.0
2022-01-04;` + skyWest + `;DEN;ASE;False;False;1255;1255.0;0.0;0.0;1348.0;0.0;0.0;29.0;125.0;2;UA;5286;1348;3.0
2022-01-04;` + skyWest + `;ASE;DEN;False;False;1500;1459.0;0.0;-1.0;1600.0;0.0;-1.0;27.0;125.0;2;UA;5286;1601;5.0
2022-01-10;` + skyWest + `;DEN;ASE;False;False;1255;5.0;670.0;670.0;2400.0;660.0;660.0;28.0;125.0;1;UA;5286;1348;5.0
2022-01-10;` + skyWest + `;DEN;ATL;False;False;1255;1300.0;5.0;5.0;1700.0;0.0;-4.0;nan;301.0;1;UA;9;1704;5.0
`) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), ";"))
	}

	return mustLoad(t, tableFile(t, toolqa.Flights, columns, rows))
}

// The golds of smallFlights; official only where it differs.
var flightsGolds = []struct{ template, question, want, official string }{
	{"flights-easy/departure-time", "What was the departure time of the UA5286 flight from DEN to ASE on 2022-01-03?",
		"13:05", ""},
	{"flights-easy/departure-time", "What was the departure time of the UA5107 flight from DEN to ASE on 2022-01-03?",
		"0:49", ":49"},
	{"flights-easy/departure-time", "What was the departure time of the UA5286 flight from DEN to ASE on 2022-01-10?",
		"0:05", ":5"},
	{"flights-easy/departure-time", "What was the departure time of the UA4501 flight from DEN to ASE on 2022-01-03?",
		"5:52", ""},
	{"flights-easy/cancelled", "Was the flight UA5286 from DEN to ASE cancelled on 2022-01-03?", "No", ""},
	{"flights-easy/cancelled", "Was the flight DL3001 from DEN to ASE cancelled on 2022-01-03?", "Yes", ""},
	{"flights-easy/flight-number", "What is the flight number of the " + skyWest +
		" flight from DEN to ASE on 2022-01-03?", "5286, 5107, 3001", ""},
	{"flights-easy/flight-number", "What is the flight number of the " + goJet +
		" flight from DEN to ASE on 2022-01-03?", "4501", ""},
	{"flights-easy/crs-difference", "How long was the different between the CRS recorded departure time and " +
		"actual departure time of the UA5286 flight from DEN to ASE on 2022-01-03?", "10", "50"},
	{"flights-easy/crs-difference", "How long was the different between the CRS recorded departure time and " +
		"actual departure time of the UA4501 flight from DEN to ASE on 2022-01-03?", "8", "48"},
	{"flights-easy/crs-difference", "How long was the different between the CRS recorded departure time and " +
		"actual departure time of the UA5107 flight from DEN to ASE on 2022-01-03?", "59", "2301"},
	{"flights-easy/arrival-delay", "How long did UA5286 delay when arrival on 2022-01-03?", "4.0", ""},
	{"flights-easy/arrival-delay", "How long did UA4501 delay when arrival on 2022-01-03?", "0.0", ""},
	{"flights-easy/extra-minutes", "How many extra minutes did the UA4501 flight take from DEN to ASE on 2022-01-03?",
		"-3.0", ""},
	{"flights-easy/extra-minutes", "How many extra minutes did the UA5107 flight take from DEN to ASE on 2022-01-03?",
		"0", ""},
	{"flights-easy/arrival-time", "What was the local arrival time of the UA5107 flight from DEN to ASE on " +
		"2022-01-03?", "1:31", ""},
	{"flights-easy/arrival-time", "What was the local arrival time of the UA5286 flight from DEN to ASE on " +
		"2022-01-10?", "24:00", ""},
	{"flights-easy/crs-arrival-time", "What was the CRS-recorded arrival time of the UA5107 flight from DEN to " +
		"ASE on 2022-01-03?", "0:32", ":32"},
	{"flights-easy/flight-length", "How long was the flight UA5286 from DEN to ASE on 2022-01-04?", "29", ""},
	{"flights-easy/taxi-in", "How many minutes did the UA5107 flight take to taxi in on 2022-01-03?", "4", ""},
	{"flights-hard/percentage-delayed", "What percentage of the flights from DEN were delayed on 2022-01-03?", "40.0%",
		"20.0%"},
	{"flights-hard/percentage-delayed", "What percentage of the flights from ASE were delayed on 2022-01-04?", "0.0%",
		""},
	// 69 minutes, of 4 and of 5
	{"flights-hard/average-delay", "What is the average delay time of all the flights that departed from DEN on " +
		"2022-01-03?", "17.2", "13.8"},
	{"flights-hard/diverted", "How many flights were diverted on 2022-01-03?", "1", ""},
	{"flights-hard/diverted", "How many flights were diverted on 2022-01-04?", "0", ""},
	{"flights-hard/distance", "How many flights with a distance greater than 500 miles on 2022-01-03?", "2", ""},
	{"flights-hard/distance", "How many flights with a distance greater than 500 miles on 2022-01-10?", "0", "1"},
	// 115 by 4
	{"flights-hard/average-airtime", "What is the average airtime of the flights from DEN to ASE host by " + skyWest +
		"?", "28.8 minutes", ""},
	{"flights-hard/average-airtime", "What is the average airtime of the flights from DEN to ASE host by " + goJet +
		"?", "31.0 minutes", ""},
	{"flights-hard/number-of-flights", "How many flights from DEN to ASE host by " + skyWest + "?", "3", ""},
	{"flights-hard/average-flight-time", "What is the average flight time of UA5286?", "28.5 minutes", ""}, // both ways
	// and UA5286, which comes later
	{"flights-hard/fastest", "What is the fastest flight from DEN to ASE on 1?", "UA5107", ""},
	{"flights-hard/fastest", "What is the fastest flight from DEN to ASE on 2?", "UA5286", ""},
	{"flights-hard/average-speed", "What is the average speed of UA5286 from DEN to ASE (miles per minute)?", "4.3",
		""},
	{"flights-hard/average-speed", "What is the average speed of DL414 from ATL to LGA (miles per minute)?", "8.0", ""},
	{"flights-hard/average-speed", "What is the average speed of UA5286 from DEN to ASE?", "4.3 miles per minute", ""},
	{"flights-hard/flights-on-date", "What is the total number of flights operated by " + skyWest + " on 2022-01-03?",
		"3", ""},
}

func TestFlightsGold(t *testing.T) {
	f := smallFlights(t)
	covered := map[string]bool{}

	for _, tt := range flightsGolds {
		m, ok := recognise(tt.question)
		if !ok || m.template.Name != tt.template {
			t.Errorf("Recognise(%q) = %v, %v, want %s", tt.question, m, ok, tt.template)
			continue
		}

		covered[tt.template] = true
		if got, err := rightAnswer(m, f); err != nil || got != tt.want {
			t.Errorf("Gold(%q) = %q, %v, want %q", tt.question, got, err, tt.want)
		}

		want := tt.official
		if want == "" {
			want = tt.want
		}

		if got, err := officialAnswer(m, f); err != nil || got != want {
			t.Errorf("OfficialGold(%q) = %q, %v, want %q", tt.question, got, err, want)
		}
	}

	for _, d := range toolqa.Difficulties() {
		ts := Templates(toolqa.Flights, d)
		if len(ts) != 10 {
			t.Errorf("%d %s templates, want 10", len(ts), d)
		}

		for _, tmpl := range ts {
			if !covered[tmpl.Name] {
				t.Errorf("no gold answer of %s is tested", tmpl.Name)
			}

			if (tmpl.fault == "") != (tmpl.official == nil) {
				t.Errorf("%s: a fault without a published rule, or the reverse", tmpl.Name)
			}
		}
	}
}

func TestFlightsWithoutAnswer(t *testing.T) {
	f := smallFlights(t)

	for _, q := range []string{
		"What was the departure time of the UA5286 flight from DEN to ASE on 2022-02-03?",
		"What was the departure time of the UA1 flight from DEN to ASE on 2022-01-03?",
		"What was the departure time of the DL3001 flight from DEN to ASE on 2022-01-03?", // cancelled
		"How long was the flight DL414 from DEN to ATL on 2022-01-03?",                    // diverted
		"How long did DL414 delay when arrival on 2022-01-03?",                            // two legs
		"How many minutes did the UA5286 flight take to taxi in on 2022-01-04?",           // two legs
		"What is the average flight time of DL3001?",
		"What is the average flight time of DL99?",
		"What is the fastest flight from DEN to ATL on 1?",
		"What is the fastest flight from DEN to ASE on 9?",
		"What is the average speed of UA9 from DEN to ATL (miles per minute)?",
		"What is the average airtime of the flights from ASE to DEN host by " + goJet + "?",
		"What is the total number of flights operated by " + goJet + " on 2022-01-04?",
		"How many flights were diverted on 2023-01-04?",
	} {
		m, ok := recognise(q)
		if !ok {
			t.Errorf("%q is not recognised", q)
			continue
		}

		if got, err := rightAnswer(m, f); !isNoAnswer(err) {
			t.Errorf("Gold(%q) = %q, %v, want no answer", q, got, err)
		}
	}

	m, _ := recognise("How many flights were diverted on 2022-01-04?")
	if _, err := rightAnswer(m, &Corpus{dataset: "foreign"}); err == nil || isNoAnswer(err) {
		t.Errorf("a flights rule on another corpus: error %v", err)
	}
}

// TestPublishedFlights holds the templates to the published test questions: each fits exactly one,
// ten each.
func TestPublishedFlights(t *testing.T) {
	for _, d := range toolqa.Difficulties() {
		text, err := os.ReadFile(sharedData(t, "toolqa", "questions", string(d), "flights-"+string(d)+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}

		counts := map[string]int{}

		for line := range strings.Lines(string(text)) {
			var q struct{ Question string }
			if err := json.Unmarshal([]byte(line), &q); err != nil {
				t.Fatal(err)
			}

			m, ok := recognise(q.Question)
			if !ok || m.template.dataset != toolqa.Flights || m.template.difficulty != d {
				t.Errorf("%q is not recognised", q.Question)
				continue
			}

			empty := func(s slotValue) bool { return s.value == "" }
			if m.question() != q.Question || slices.ContainsFunc(m.slots, empty) {
				t.Errorf("%q is taken apart as %v", q.Question, m.slots)
			}
			counts[m.template.Name]++
		}

		for _, tmpl := range Templates(toolqa.Flights, d) {
			if counts[tmpl.Name] != 10 {
				t.Errorf("%d published questions of %s, want 10", counts[tmpl.Name], tmpl.Name)
			}
		}
	}
}

func TestFlightsPlanRefusesWhatItDoesNotExpect(t *testing.T) {
	const loaded, filtered = "We have successfully loaded the flights database, including …",
		"We have successfully filtered the data (1 rows)."
	const departure = "What was the departure time of the UA5286 flight from DEN to ASE on 2022-01-03?"
	const cancelled = "Was the flight UA5286 from DEN to ASE cancelled on 2022-01-03?"
	const numbers = "What is the flight number of the " + goJet + " flight from DEN to ASE on 2022-01-03?"
	wantRefusals(t, []refusal{
		{"two legs", departure, []string{loaded, "We have successfully filtered the data (2 rows)."}},
		{"cancelled", departure, []string{loaded, filtered, `{"DepTime": "nan"}`}},
		{"neither yes nor no", cancelled, []string{loaded, filtered, `{"Cancelled": "nan"}`}},
		{"no flights", numbers, []string{"There is something wrong with the SQL command you send. Please modify it."}},
		{"another column", numbers, []string{"Airline: " + goJet}},
		{"no rows", "What is the fastest flight from DEN to ASE on 1?", []string{""}},
		{"NULL", "What is the average flight time of UA5286?", []string{"average: None"}},
	})
}
