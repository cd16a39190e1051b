package sqltool

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/toolqa/corpus/importer"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// record returns a line of the published CSV file of a dataset: "1" in every column but the given
// ones.
func record(t testing.TB, ds toolqa.Dataset, cells map[string]string) []string {
	t.Helper()

	schema, err := corpus.SchemaOf(ds)
	if err != nil {
		t.Fatal(err)
	}

	line := make([]string, len(schema.Columns))
	for i, c := range schema.Columns {
		line[i] = "1"
		if c.Kind == corpus.Bool {
			line[i] = "False"
		}

		if cell, ok := cells[c.Name]; ok {
			line[i] = cell
		}
	}
	return line
}

// opened imports a file of the published format and opens the corpus.
func opened(t testing.TB, ds toolqa.Dataset, content string) *corpus.Corpus {
	t.Helper()
	dir := t.TempDir()

	schema, err := corpus.SchemaOf(ds)
	if err != nil {
		t.Fatal(err)
	}

	from := filepath.Join(dir, schema.File)
	if err := os.WriteFile(from, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}

	if _, err := importer.Import(t.Context(), dir, ds, from,
		importer.Options{AllowShort: true, Tool: "test"}); err != nil {
		t.Fatal(err)
	}

	c, err := corpus.Open(t.Context(), dir, ds)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// csvOf returns a CSV file of a dataset with the given rows.
func csvOf(t testing.TB, ds toolqa.Dataset, rows ...map[string]string) string {
	t.Helper()

	schema, err := corpus.SchemaOf(ds)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	w := csv.NewWriter(&b)

	var header []string
	for _, c := range schema.Columns {
		header = append(header, c.Name)
	}

	w.Write(header)

	for _, row := range rows {
		w.Write(record(t, ds, row))
	}

	w.Flush()
	return b.String()
}

// five returns a corpus of each dataset with a table, of a few rows.
func five(t testing.TB) []*corpus.Corpus {
	t.Helper()

	long := strings.Repeat("é", 300)
	lines := func(objects ...map[string]any) string {
		var b strings.Builder

		for _, o := range objects {
			line, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}

			b.Write(append(line, '\n'))
		}
		return b.String()
	}
	return []*corpus.Corpus{
		small(t),
		opened(t, toolqa.Airbnb, csvOf(t, toolqa.Airbnb,
			map[string]string{"NAME": "Bright, Quiet room", "neighbourhood": "Astoria", "lat": "40.64749",
				"long": "-73.97237", "price": "$1,083 ",
				"instant_bookable": "TRUE", "cancellation_policy": "flexible", "house_rules": long,
				"availability 365": "286", "reviews per month": "0.21"},
			map[string]string{"NAME": "Brooklyn's best", "neighbourhood": "", "lat": "40.5", "price": "",
				"instant_bookable": "", "reviews per month": ""})),
		opened(t, toolqa.Flights, csvOf(t, toolqa.Flights,
			map[string]string{"FlightDate": "2022-01-14", "Origin": "JFK", "Dest": "LAX", "Distance": "2475.0",
				"DepTime": "905.0", "DepDelayMinutes": "9.0", "Cancelled": "False"},
			map[string]string{"FlightDate": "2022-01-14", "Origin": "JFK", "Dest": "SFO", "Distance": "586.25",
				"DepTime": "", "DepDelayMinutes": "", "Cancelled": "True"},
			map[string]string{"FlightDate": "2022-02-01", "Origin": "ATL", "Dest": "LAX", "Distance": "1947.0",
				"DepTime": "1452.0", "DepDelayMinutes": "10.0", "Cancelled": "False"})),
		opened(t, toolqa.Yelp, lines(
			map[string]any{"business_id": "a", "name": "Tony's", "address": "", "city": "Tampa", "state": "FL",
				"postal_code": "33602", "latitude": 27.9, "longitude": -82.4, "stars": 4.5,
				"review_count": 22, "is_open": 1, "attributes": map[string]any{"ByAppointmentOnly": "True"},
				"categories": "Bars, Pizza", "hours": nil},
			map[string]any{"business_id": "b", "name": long, "address": "1 Main St", "city": "Tampa", "state": "FL",
				"postal_code": "33602", "latitude": 27.95, "longitude": -82.45, "stars": 4,
				"review_count": 101, "is_open": 0, "attributes": nil, "categories": nil, "hours": nil})),
		opened(t, toolqa.Agenda, lines(
			map[string]any{"event": "Opera", "start_time": "9:00 AM", "end_time": "2 PM", "location": "Met",
				"person": "Ann", "date": "2022/12/15", "id": "agenda-0000"},
			map[string]any{"event": "Lunch", "start_time": "12:30 PM", "end_time": "1:00 PM", "location": "Park",
				"person": "Bob", "date": "2022/09/31", "id": "agenda-0001"})),
	}
}

func TestFiveTables(t *testing.T) {
	corpora := five(t)

	typed, textual := interpreter(t, Options{}, corpora...), interpreter(t, Options{TextColumns: true}, corpora...)
	for _, tt := range []struct{ sql, typed, text string }{ // text "" means as typed
		{"SELECT Origin, Dest, Distance FROM flights.flights_data WHERE Origin = 'JFK' ORDER BY Distance DESC",
			"Origin: JFK, Dest: LAX, Distance: 2475.0\nOrigin: JFK, Dest: SFO, Distance: 586.25",
			"Origin: JFK, Dest: SFO, Distance: 586.25\nOrigin: JFK, Dest: LAX, Distance: 2475.0"},
		{"SELECT MAX(DepDelayMinutes) m FROM flights.flights_data", "m: 10.0", "m: 9.0"},
		{"SELECT MAX(CAST(DepDelayMinutes AS SIGNED)) m FROM flights.flights_data", "m: 10", ""},
		{"SELECT DepTime, Cancelled FROM flights.flights_data ORDER BY FlightDate, Dest",
			"DepTime: 905.0, Cancelled: 0\nDepTime: None, Cancelled: 1\nDepTime: 1452.0, Cancelled: 0",
			"DepTime: 905.0, Cancelled: 0\nDepTime: ---, Cancelled: 1\nDepTime: 1452.0, Cancelled: 0"},
		{"SELECT COUNT(*) n FROM flights.flights_data WHERE DepTime > 1000", "n: 1", ""},
		{"SELECT COUNT(DepTime) n, SUM(Distance > 500) m FROM flights.flights_data", "n: 2, m: 3", "n: 3, m: 3"},
		{"SELECT f.Year, f.Distance FROM flights.flights_data f WHERE f.Flight_Number_Marketing_Airline = 1 AND " +
			"f.Dest = 'SFO'", "Year: 1, Distance: 586.25", ""},
		{"SELECT flights.flights_data.Dest FROM flights.flights_data WHERE `flights`.`flights_data`.`Origin` = 'ATL'",
			"Dest: LAX", ""},
		{"SELECT COUNT(*) n FROM 'flights'.'flights_data' WHERE DepTime = '---'", "n: 0", "n: 1"},
		{"SELECT COUNT(*) c FROM Flights . FLIGHTS_DATA", "c: 3", ""},
		// '---' counts as 0
		{"SELECT AVG(DepDelayMinutes) a FROM flights.flights_data WHERE DATE_FORMAT(FlightDate, '%Y-%m') = '2022-01'",
			"a: 9.0", "a: 4.5"},

		{"SELECT NAME, price FROM airbnb.airbnb_data WHERE neighbourhood = 'Astoria'",
			"NAME: Bright, Quiet room, price: $1,083 ", ""},
		{"SELECT CAST(REPLACE(REPLACE(price, '$', ''), ',', '') AS DECIMAL(10,2)) p FROM airbnb.airbnb_data WHERE " +
			"NAME = 'Bright, Quiet room'", "p: 1083.0", ""},
		{"SELECT NAME FROM airbnb.airbnb_data WHERE NAME = 'Brooklyn\\'s best'", "NAME: Brooklyn's best", ""},
		{"SELECT price, instant_bookable, reviews_per_month r FROM airbnb.airbnb_data WHERE id = 1 ORDER BY NAME",
			"price: $1,083 , instant_bookable: 1, r: 0.21\nprice: None, instant_bookable: None, r: None",
			"price: $1,083 , instant_bookable: True, r: 0.21\nprice: ---, instant_bookable: ---, r: ---"},
		{"SELECT CHAR_LENGTH(house_rules) n, availability_365 FROM airbnb.airbnb_data WHERE neighbourhood = 'Astoria'",
			"n: 300, availability_365: 286.0", "n: 250, availability_365: 286.0"},

		{"SELECT name, stars, review_count FROM yelp.yelp_data ORDER BY review_count LIMIT 1",
			"name: Tony's, stars: 4.5, review_count: 22", "name: " + strings.Repeat("é", 250) +
				", stars: 4.0, review_count: 101"},
		{"SELECT categories, hours, attributes FROM yelp.yelp_data WHERE name = 'Tony''s'",
			"categories: Bars, Pizza, hours: None, attributes: {'ByAppointmentOnly': 'True'}",
			"categories: Bars, Pizza, hours: ---, attributes: {'ByAppointmentOnly': 'True'}"},
		{"SELECT CHAR_LENGTH(name) n, is_open FROM yelp.yelp_data WHERE business_id = 'b'", "n: 300, is_open: 0",
			"n: 250, is_open: 0"},
		{"SELECT COUNT(*) n FROM yelp.yelp_data WHERE is_open = 0 AND latitude = 27.95", "n: 1", ""},

		{"SELECT event, start_time, end_time FROM agenda.agenda_data WHERE date = '2022/12/15'",
			"event: Opera, start_time: 09:00:00, end_time: 14:00:00", ""},
		{"SELECT TIMEDIFF(end_time, start_time) d, MONTH(date) m FROM agenda.agenda_data WHERE person = 'Bob'",
			"d: 00:30:00, m: None", ""},
		{"SELECT a.person, c.Currency FROM agenda.agenda_data a, coffee.coffee_data c WHERE a.id = 'agenda-0000' " +
			"AND c.Volume = 10", "person: Ann, Currency: USD", ""},
	} {
		for name, in := range map[string]*Interpreter{"typed": typed, "text": textual} {
			want := tt.typed
			if name == "text" && tt.text != "" {
				want = tt.text
			}

			if got := query(t, in, tt.sql); got.Observation != want || got.Outcome != envs.OK {
				t.Errorf("%s: %s\n got %v %q\nwant %q", name, tt.sql, got.Outcome, got.Observation, want)
			}
		}
	}

	// The names of airbnb's columns.
	for _, tt := range []struct{ column, typed, text string }{
		{"cancellation_policy", "flexible", ""}, {"cancellatitudeion_policy", "", "flexible"},
		{"calculated_host_listings_count", "1.0", ""}, {"calculatitudeed_host_listings_count", "", "1.0"},
		{"lat", "40.64749", ""}, {"latitude", "", "40.64749"}, {"long", "-73.97237", ""},
		{"longitude", "", "-73.97237"},
		{"neighbourhood_group", "1", "1"}, {"Construction_year", "1.0", "1.0"}, {"`room type`", "", ""},
	} {
		for in, want := range map[*Interpreter]string{typed: tt.typed, textual: tt.text} {
			if want == "" {
				want = wrongSQL
			} else {
				want = tt.column + ": " + want
			}

			if got := query(t, in, "SELECT "+tt.column+
				" FROM airbnb.airbnb_data WHERE neighbourhood = 'Astoria'"); got.Observation != want {
				t.Errorf("%s: %q, want %q", tt.column, got.Observation, want)
			}
		}
	}
}

// What is in the files beside the published tables is nobody's.
func TestHidden(t *testing.T) {
	corpora := five(t)
	for _, textColumns := range []bool{false, true} {
		in := interpreter(t, Options{TextColumns: textColumns}, corpora...)

		for _, table := range []string{"meta", "cells", "contents", "sqlite_schema", "sqlite_master", "sqlite_stat1",
			"documents", "relations", "sqlite_temp_schema", "pragma_table_list"} {
			for _, schema := range []string{"", "flights.", "agenda.", "temp.", "main.", "'yelp'."} {
				for _, what := range []string{"*", "1", "COUNT(*)"} {
					sql := "SELECT " + what + " FROM " + schema + table
					if got := query(t, in, sql); got.Observation != wrongSQL || got.Outcome != envs.ToolError {
						t.Errorf("text %v: %s: %v %.200q", textColumns, sql, got.Outcome, got.Observation)
					}
				}
			}
		}
	}
}

// here returns the connection of a child in this process.
func here(t testing.TB, opts Options, corpora ...*corpus.Corpus) *conn {
	t.Helper()

	c, err := newSetup(opts.withDefaults(), corpora).open()
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})

	return c
}

// The view that makes text of a table leaves its indexes in use.
func TestTextViewUsesIndexes(t *testing.T) {
	corpora := five(t)
	in := interpreter(t, Options{TextColumns: true}, corpora...)

	stmt, err := translate("SELECT AVG(CAST(DepDelayMinutes AS DECIMAL)) FROM flights.flights_data WHERE Origin = "+
		"'JFK' AND FlightDate = '2022-01-14'", in.temporary)
	if err != nil {
		t.Fatal(err)
	}

	plan, err := here(t, Options{TextColumns: true}, corpora...).print("EXPLAIN QUERY PLAN " + stmt)
	if err != nil {
		t.Fatal(err)
	}

	if strings.Contains(plan, "\n") || !strings.Contains(plan, "(Origin=? AND FlightDate=?)") {
		t.Errorf("the plan is %q", plan)
	}
}
