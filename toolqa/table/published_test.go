package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

// tables are a few rows of the other datasets, in the published formats.
func tables() []*corpus.Table {
	return []*corpus.Table{
		corpus.NewTable(toolqa.Agenda, []string{"event", "start_time", "end_time", "person"}, [][]string{
			{"Opera, second act", "09:00:00", "11:30:00", "Ann"},
			{"Lunch", "12:00:00", "13:00:00", "Ann"},
			{"Dinner", "19:00:00", "noon or so", "Bob"},
		}),
		corpus.NewTable(toolqa.Airbnb, []string{"NAME", "neighbourhood", "lat", "price", "review rate number"},
			[][]string{
				{"Bright, Quiet room", "Astoria", "40.5", "$1,083 ", "4.0"},
				{"Bright", "Astoria", "nan", "$66 ", "nan"},
				{"Loft <3", "SoHo", "9.0", "nan", "5.0"},
				{"Loft <3", "Astoria", "100.25", "$9 ", "10.0"},
			}),
		corpus.NewTable(toolqa.Flights, []string{"Airline", "Distance", "DepDelayMinutes"}, [][]string{
			{"GoJet Airlines, LLC d/b/a United Express", "500.0", "0.0"},
			{"Delta Air Lines Inc.", "1500.0", "nan"},
			{"Delta Air Lines Inc.", "90.0", "12.0"},
		}),
		corpus.NewTable(toolqa.Yelp, []string{"name", "categories", "latitude"}, [][]string{
			{"A", "American (Traditional), Bars", "39.9"},
			{"B", "American, Barbers", "-40.0"},
			{"C", "None", "1e3"},
			{"D", "bars+", "0.0"},
		}),
	}
}

func TestFilterDBOfOtherTables(t *testing.T) {
	load := newLoadDB(tables()...)
	all := FilterDB{Partial: true, Split: true, Regex: true, Cast: true}

	for _, tt := range []struct {
		db, condition   string
		want, published string // the observation, or the number of rows; published "" when it is the same
	}{
		{"agenda", "start_time=9:00 AM", "1", ""},
		{"agenda", "start_time>=12 pm", "2", ""},
		{"agenda", "start_time=09:00:00", "1", ""},
		{"agenda", "end_time=noon or so", "1", ""},
		{"agenda", "end_time<=1:00 PM, person=Ann", "2", ""},
		{"agenda", "event=Opera, second act, person=Ann", "1", "The filtering query event=Opera is incorrect. " +
			"Please modify the condition."},
		{"airbnb", "NAME=Bright, Quiet room, neighbourhood=Astoria", "1", "The filtering query Quiet room is " +
			"incorrect. Please modify the condition."},
		{"airbnb", "NAME=Loft <3, neighbourhood=SoHo", "1", "we have failed when conducting the NAME=Loft <3 " +
			"command. Please make changes."},
		{"airbnb", "lat>40", "2", ""},    // as strings, "9.0" would be, too, and "100.25" not
		{"airbnb", "lat=40.50", "1", ""}, // equal numbers
		{"airbnb", "lat>forty", "1", ""}, // no number: strings, and only "nan" is greater
		{"airbnb", "lat>=-1e9", "3", ""}, // nan is unlike every number
		{"airbnb", "lat=nan", "The filtering query lat=nan is incorrect. Please modify the condition.", ""},
		{"airbnb", "lat<inf", "3", ""},
		// the cell ends in a space
		{"airbnb", "price=$66", "The filtering query price=$66 is incorrect. Please modify the condition.", ""},
		// strings: "4.0", "5.0" and "nan"
		{"airbnb", "review rate number>4", "3", ""},
		{"airbnb", "review rate number=4", "The filtering query review rate number=4 is incorrect. Please modify " +
			"the condition.", ""},
		{"flights", "Airline=GoJet Airlines, LLC d/b/a United Express, Distance<=500", "1",
			"The filtering query Airline=GoJet Airlines is incorrect. Please modify the condition."},
		{"flights", "Distance>500", "1", ""},
		{"flights", "Distance=500", "1", ""},
		{"flights", "DepDelayMinutes>0", "3", ""}, // strings: "0.0" and "nan", too
		{"flights", "distance>500", "we have failed when conducting the distance>500 command. Please make changes.",
			""},
		{"yelp", "categories=American (Traditional)", "1", "The filtering query categories=American (Traditional) " +
			"is incorrect. Please modify the condition."},
		{"yelp", "categories=Bar", "2", ""},
		{"yelp", "categories=American, Bar", "1", "The filtering query Bar is incorrect. Please modify the condition."},
		{"yelp", "categories=^American.*s$", "The filtering query categories=^American.*s$ is incorrect. Please " +
			"modify the condition.", "2"},
		{"yelp", "categories=bars+", "1", ""},
		{"yelp", "categories=(", "1", "we have failed when conducting the categories=( command. Please make changes."},
		{"yelp", "categories=(" + strings.Repeat("a?", 500) + ")", "The filtering query categories=(" +
			strings.Repeat("a?", 500) + ") is incorrect. Please modify the condition.",
			"we have failed when conducting the categories=(" + strings.Repeat("a?", 500) +
				") command. Please make changes."},
		{"yelp", "categories=", "4", ""},
		{"yelp", "categories>B", "2", ""},
		{"yelp", "latitude<0", "1", ""},
		{"yelp", "latitude>=1000", "1", ""},
		{"yelp", "latitude<5, latitude>x", "The filtering query latitude>x is incorrect. Please modify the condition.",
			// the column has become numbers
			"we have failed when conducting the latitude>x command. Please make changes."},
		{"yelp", "latitude<5, latitude=x", "The filtering query latitude=x is incorrect. Please modify the condition.",
			""},
	} {
		loaded, _ := call(t, load, toolqa.Session{}, "DBName", tt.db)
		for name, tool := range map[string]*FilterDB{"by default": {}, "published": &all} {
			want := tt.want
			if name == "published" && tt.published != "" {
				want = tt.published
			}

			if len(want) == 1 {
				want = fmt.Sprintf("We have successfully filtered the data (%s rows).", want)
			}

			if _, got := call(t, tool, loaded, "condition", tt.condition); got.Observation != want {
				t.Errorf("%s, %s: FilterDB[%s]\n got %s\nwant %s", name, tt.db, tt.condition, got.Observation, want)
			}
		}
	}
}

// A column that was compared as numbers stays text, but under Cast.
func TestCast(t *testing.T) {
	load := newLoadDB(tables()...)
	for _, tt := range []struct {
		condition, columns string
		want, cast         string
	}{
		{"lat>9", "lat, price", `{"lat": ["40.5", "100.25"], "price": ["$1,083 ", "$9 "]}`,
			`{"lat": [40.5, 100.25], "price": ["$1,083 ", "$9 "]}`},
		{"lat>40.5", "lat", `{"lat": "100.25"}`, `{"lat": "100.25"}`}, // one row is a string in any case
		{"lat>=-9, neighbourhood=Astoria", "lat", `{"lat": ["40.5", "100.25"]}`, `{"lat": [40.5, 100.25]}`},
		{"lat>a", "lat", `{"lat": "nan"}`, `{"lat": "nan"}`},
		{"NAME>=A", "lat", `{"lat": ["40.5", "nan", "9.0", "100.25"]}`, `{"lat": ["40.5", "nan", "9.0", "100.25"]}`},
	} {
		loaded, _ := call(t, load, toolqa.Session{}, "DBName", "airbnb")
		for cast, want := range map[bool]string{false: tt.want, true: tt.cast} {
			s, r := call(t, &FilterDB{Cast: cast}, loaded, "condition", tt.condition)

			_, got := call(t, GetValue{}, s, "column_name", tt.columns)
			if diff := cmp.Diff(want, got.Observation); diff != "" {
				t.Errorf("cast %v, %s: %s (-want +got):\n%s", cast, tt.condition, r.Observation, diff)
			}
		}
	}
	// What the first piece casts stays so, whatever becomes of the call.
	const texts, numbers = `{"Distance": ["500.0", "1500.0", "90.0"]}`, `{"Distance": [500.0, 1500.0, 90.0]}`

	loaded, _ := call(t, load, toolqa.Session{}, "DBName", "flights")
	for condition, want := range map[string]string{
		"Distance>0":                           numbers,
		"Distance>1e9":                         numbers,
		"Distance>0, Origin=nowhere":           numbers,
		"Distance>0, Nowhere=1":                numbers,
		"Distance>0, Distance":                 numbers,
		"Airline>=A, Distance>0, Distance>9e9": texts,
		"Distance>=a, Origin=nowhere":          texts,
		"Nowhere=1, Distance>0":                texts,
	} {
		s, _ := call(t, &FilterDB{Cast: true}, loaded, "condition", condition)
		if _, got := call(t, GetValue{}, s, "column_name", "Distance"); got.Observation != want {
			t.Errorf("after %s: %s, want %s", condition, got.Observation, want)
		}

		if s, _ = call(t, &FilterDB{}, loaded, "condition", condition); s.Table.Len() != 3 {
			t.Errorf("%s leaves %d rows", condition, s.Table.Len())
		}

		if _, got := call(t, GetValue{}, s, "column_name", "Distance"); got.Observation != texts {
			t.Errorf("after %s without Cast: %s", condition, got.Observation)
		}
	}

	yelp := corpus.NewTable(toolqa.Yelp, []string{"longitude"}, [][]string{{"nan"}, {"1e20"}, {"1.50"}})
	if got := string(appendNumbers(nil, column(yelp, "longitude"), 0, 3)); got != "NaN, 1e+20, 1.5, " {
		t.Errorf("numbers: %s", got)
	}

	if _, r := call(t, load, toolqa.Session{}, "DBName", "yelp"); r.Outcome != envs.OK {
		t.Error(r)
	}
}
