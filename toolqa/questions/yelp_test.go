package questions

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus/importer"
)

// smallYelp is a corpus for computing by hand. At its latitude five miles are 0.0725 degrees of
// latitude and 0.0926 of longitude, and five kilometres 0.0450 and 0.0575.
func smallYelp(t testing.TB) *Corpus {
	t.Helper()

	columns := []string{
		"name", "address", "city", "state", "postal_code", "latitude", "longitude", "stars", "review_count", "is_open",
		"attributes", "categories", "hours",
	}

	var rows [][]string
	for line := range strings.Lines(`Ann's Grill;1 Main St;Troy;IL;62294;38.7;-89.9;4.5;10;1;{'WiFi': "u'no'", 'ByAppointmentOnly': 'True'};Restaurants, Bars;{'Monday': '9:0-17:0', 'Sunday': '0:0-0:0'}
Ann's Grill;2 Main St, Ste 5;Troy;IL;62294;38.75;-89.9;3.5;20;0;None;Sushi Bars, Restaurants;None
China in Bombay;3 Oak Ave;Troy;IL;62295;38.7;-89.95;5.0;300;1;{'ByAppointmentOnly': 'False', 'WiFi': "u'free'"};American (Traditional), Restaurants;{}
Smith, DDS;;Troy;MO;63379;38.98;-90.98;4.0;7;1;{'BusinessParking': "{'garage': True}"};Dentists, Health & Medical;None
Bar One;4 Elm St;Clay;IL;62294;38.7;-89.83;4.5;100;1;None;Bars, Nightlife;{'Friday': '16:0-2:0'}
Bar Two;;Clay;IL;62294;38.79;-89.9;2.0;50;0;{'ByAppointmentOnly': 'None'};Bars;None
Sue's located in Town;5 Elm St;Clay;IL;T5V 1H9;53.5;-113.4;1.0;9;0;None;None;None
`) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), ";"))
	}

	path := filepath.Join(t.TempDir(), "yelp_academic_dataset_business.json")
	if err := os.WriteFile(path, []byte(yelpLines(t, columns, rows)), 0o644); err != nil {
		t.Fatal(err)
	}
	return mustLoad(t, imported(t, toolqa.Yelp, path, importer.Options{AllowShort: true}))
}

// yelpLines writes rows, whose objects are as Python prints them, as the published file has them.
func yelpLines(t testing.TB, columns []string, rows [][]string) string {
	t.Helper()
	var b strings.Builder

	for i, row := range rows {
		fields := []string{fmt.Sprintf(`"business_id": "%022d"`, i)}
		for j, c := range columns {
			cell := row[j]

			switch v, err := pytext.DecodeLiteral(cell); {
			case cell == "None":
				cell = "null"
			case c == "attributes" || c == "hours":
				if err != nil {
					t.Fatalf("%q is no object", cell)
				}

				var entries []string
				for _, e := range v.(envs.Args) {
					entries = append(entries, fmt.Sprintf("%q: %q", e.Name, e.Value))
				}

				cell = "{" + strings.Join(entries, ", ") + "}"
			case !slices.Contains([]string{"latitude", "longitude", "stars", "review_count", "is_open"}, c):
				cell = fmt.Sprintf("%q", cell)
			}

			fields = append(fields, fmt.Sprintf("%q: %s", c, cell))
		}

		fmt.Fprintf(&b, "{%s}\n", strings.Join(fields, ", "))
	}
	return b.String()
}

const none = "(no answer)"

// The golds of smallYelp; official only where it differs.
var yelpGolds = []struct{ template, question, want, official string }{
	{"yelp-easy/address", "What is the address of Ann's Grill in area with postal code 62294?",
		"1 Main St, 2 Main St, Ste 5", ""},
	{"yelp-easy/address", "What is the address of China in Bombay in area with postal code 62295?", "3 Oak Ave", ""},
	{"yelp-easy/address", "What is the address of Bar Two in area with postal code 62294?", none, ""},
	{"yelp-easy/address", "What is the address of Bar Two in area with postal code 62295?", none, ""},
	{"yelp-easy/city", "Which city is Ann's Grill located in IL?", "Troy", ""},
	{"yelp-easy/city", "Which city is Sue's located in Town located in IL?", "Clay", ""},
	{"yelp-easy/city", "Which city is Ann's Grill located in MO?", none, ""},
	{"yelp-easy/state", "What state is Smith, DDS located in?", "MO", ""},
	{"yelp-easy/state", "What state is Sue's located in Town located in?", "IL", ""},
	{"yelp-easy/postal-code", "What is the postal code of China in Bombay in Troy, IL?", "62295", ""},
	{"yelp-easy/postal-code", "What is the postal code of Ann's Grill in Troy, IL?", "62294", ""},
	{"yelp-easy/stars", "What is the star rating of Ann's Grill in area with postal code 62294, Troy, IL?", "4.5, 3.5",
		""},
	{"yelp-easy/stars", "What is the star rating of Sue's located in Town in area with postal code T5V 1H9, Clay, IL?",
		"1.0", ""},
	{"yelp-easy/reviews", "How many reviews does China in Bombay receive in the area with postal code 62295, " +
		"Troy, IL, received?", "300", ""},
	{"yelp-easy/open", "Is Bar Two still open in area with postal code 62294, Clay, IL?", "No", ""},
	{"yelp-easy/open", "Is Ann's Grill still open in area with postal code 62294, Troy, IL?", "Yes", ""}, // the first
	{"yelp-easy/appointment", "Does Ann's Grill require appointment in area with postal code 62294, Troy, IL?", "Yes",
		""},
	{"yelp-easy/appointment", "Does China in Bombay require appointment in area with postal code 62295, Troy, IL?",
		"No", ""},
	{"yelp-easy/appointment", "Does Smith, DDS require appointment in area with postal code 63379, Troy, MO?", "No",
		""},
	{"yelp-easy/appointment", "Does Bar One require appointment in area with postal code 62294, Clay, IL?", "No", ""},
	{"yelp-easy/appointment", "Does Bar Two require appointment in area with postal code 62294, Clay, IL?", "No", ""},
	{"yelp-easy/hours", "What are the hours of operation for Ann's Grill in area with postal code 62294, Troy, IL?",
		"Monday: 9:0-17:0, Sunday: 0:0-0:0", ""},
	{"yelp-easy/hours", "What are the hours of operation for Bar One in area with postal code 62294, Clay, IL?",
		"Friday: 16:0-2:0", ""},
	{"yelp-easy/hours", "What are the hours of operation for Bar Two in area with postal code 62294, Clay, IL?", none,
		""},
	{"yelp-easy/hours", "What are the hours of operation for China in Bombay in area with postal code 62295, " +
		"Troy, IL?", none, ""},
	{"yelp-easy/categories", "What categories does China in Bombay belong to, in area with postal code 62295, " +
		"Troy, IL?", "American (Traditional), Restaurants", ""},
	{"yelp-easy/categories", "What categories does Sue's located in Town belong to, in area with postal code T5V " +
		"1H9, Clay, IL?", none, ""},
	{"yelp-easy/coordinates", "What are the coordinates of Smith, DDS in area with postal code 63379, Troy, MO?",
		"38.98, -90.98", ""},

	{"yelp-hard/count", "How many Restaurants businesses are there in Troy, IL?", "3", ""},
	{"yelp-hard/count", "How many Bars businesses are there in Troy, IL?", "1", "2"}, // and Sushi Bars
	{"yelp-hard/count", "How many American (Traditional) businesses are there in Troy, IL?", "1", none},
	{"yelp-hard/count", "How many Health & Medical businesses are there in Troy, MO?", "1", ""},
	{"yelp-hard/count", "How many Dentists businesses are there in Troy, IL?", none, "1"}, // in Missouri
	{"yelp-hard/count", "How many None businesses are there in Clay, IL?", none, ""},
	// two of them in Troy
	{"yelp-hard/area-count", "How many businesses are there in 62294 area of Clay, IL?", "4", ""},
	{"yelp-hard/area-count", "How many businesses are there in T5V 1H9 area of Clay, IL?", "1", ""},
	{"yelp-hard/area-count", "How many businesses are there in 62295 area of Clay, IL?", none, ""},
	{"yelp-hard/highest-stars", "Which Restaurants business has the highest star rating in Troy, IL?",
		"China in Bombay", ""},
	{"yelp-hard/highest-stars", "Which Bars business has the highest star rating in Clay, IL?", "Bar One", ""},
	{"yelp-hard/most-reviews", "Which Bars business has the highest review count in Troy, IL?", "Ann's Grill", ""},
	{"yelp-hard/most-reviews", "Which Bars business has the highest review count in Clay, IL?", "Bar One", ""},
	{"yelp-hard/nearby-reviews", "What is the average review counts of businesses within a 5-mile radius from " +
		"China in Bombay?", "110.0", "155.0"},
	{"yelp-hard/nearby-reviews", "What is the average review counts of businesses within a 5-mile radius from " +
		"Bar One?", "55.0", "100.0"},
	{"yelp-hard/nearby-reviews", "What is the average review counts of businesses within a 5-mile radius from " +
		"Ann's Grill?", none, "155.0"},
	{"yelp-hard/nearest", "Which is the nearest Restaurants business to Bar One?", "Ann's Grill", none},
	{"yelp-hard/nearest", "Which is the nearest Bars business to Bar Two?", "Ann's Grill", "Bar Two"},
	{"yelp-hard/nearest", "Which is the nearest Florists business to Bar Two?", none, ""},
	{"yelp-hard/recommend", "Can you recommend a Restaurants business with the highest star rating within a " +
		"5-mile radius of 3 Oak Ave?", "China in Bombay", ""},
	{"yelp-hard/recommend", "Can you recommend a Bars business with the highest star rating within a 5-mile " +
		"radius of 3 Oak Ave?", "Ann's Grill", "China in Bombay"},
	// a tie
	{"yelp-hard/recommend", "Can you recommend a Bars business with the highest star rating within a 5-mile " +
		"radius of 4 Elm St?", none, "Bar One"},
	{"yelp-hard/recommend", "Can you recommend a Bars business with the highest star rating within a 5-mile " +
		"radius of ?", none, "Smith, DDS"},
	{"yelp-hard/not-open", "How many businesses are not open currently in Clay?", "2", ""},
	{"yelp-hard/not-open", "How many businesses are not open currently in Troy?", "1", ""},
	{"yelp-hard/not-open", "How many businesses are not open currently in Rome?", none, ""},
	{"yelp-hard/average-stars", "What is the average star rating of Restaurants businesses in Troy?", "4.33", ""},
	{"yelp-hard/average-stars", "What is the average star rating of Bars businesses in Clay?", "3.25", ""},
	{"yelp-hard/average-stars", "What is the average star rating of Bars businesses in Troy?", "4.5", "4.0"},
	{"yelp-hard/busiest-area", "Which postal code region has most bussinesses in Troy, IL?", "62294", ""},
	{"yelp-hard/busiest-area", "Which postal code region has most bussinesses in Clay, IL?", "62294", ""},
}

func TestYelpGold(t *testing.T) {
	y := smallYelp(t)
	covered := map[string]bool{}
	answer := func(a string, err error) string {
		if isNoAnswer(err) {
			return none
		}

		if err != nil {
			t.Error(err)
		}
		return a
	}

	for _, tt := range yelpGolds {
		m, ok := recognise(tt.question)
		if !ok || m.template.Name != tt.template {
			t.Errorf("Recognise(%q) = %v, %v, want %s", tt.question, m, ok, tt.template)
			continue
		}

		covered[tt.template] = true
		if got := answer(rightAnswer(m, y)); got != tt.want {
			t.Errorf("Gold(%q) = %q, want %q", tt.question, got, tt.want)
		}

		official := tt.official
		if official == "" {
			official = tt.want
		} else if m.template.fault == "" {
			t.Errorf("%s: no fault, though its rules differ", tt.template)
		}

		if got := answer(officialAnswer(m, y)); got != official {
			t.Errorf("OfficialGold(%q) = %q, want %q", tt.question, got, official)
		}
	}

	for _, tmpl := range templatesOf(toolqa.Yelp) {
		if !covered[tmpl.Name] {
			t.Errorf("no gold answer of %s is tested", tmpl.Name)
		}
	}
}

// Training has the seven hard templates whose published rules are right where questions are drawn.
func TestYelpTrainable(t *testing.T) {
	var left []string

	for _, tmpl := range templatesOf(toolqa.Yelp) {
		if !tmpl.trainable() {
			left = append(left, tmpl.Name)
		}

		if (tmpl.fault == "") != (tmpl.official == nil) || tmpl.drawing == nil {
			t.Errorf("%s is not complete", tmpl.Name)
		}
	}

	if diff := cmp.Diff([]string{"yelp-hard/nearby-reviews", "yelp-hard/nearest", "yelp-hard/recommend"},
		left); diff != "" {
		t.Errorf("left out of training (-want +got):\n%s", diff)
	}
}

// yelpSlotForms are what the slots of the published questions look like.
var yelpSlotForms = map[string]*regexp.Regexp{
	"state":   regexp.MustCompile(`^[A-Z]{2}$`),
	"pc":      regexp.MustCompile(`^(\d{5}|T\d[A-Z] \d[A-Z]\d)$`),
	"city":    regexp.MustCompile(`^[A-Z][A-Za-z.' ]+$`),
	"cat":     regexp.MustCompile(`^[A-Z][A-Za-z&/' -]+$`),
	"name":    regexp.MustCompile(`^[A-Z0-9]\S*( \S+)*$`),
	"address": regexp.MustCompile(`^(\d+ [A-Z].*)?$`),
}

// TestYelpRecognisesThePublishedQuestions reads the 200 questions of the benchmark.
func TestYelpRecognisesThePublishedQuestions(t *testing.T) {
	counts := map[string]int{}

	for _, d := range toolqa.Difficulties() {
		b, err := os.ReadFile(sharedData(t, "toolqa", "questions", string(d), "yelp-"+string(d)+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}

		for line := range strings.Lines(string(b)) {
			var q struct{ QID, Question string }
			if err := json.Unmarshal([]byte(line), &q); err != nil {
				t.Fatal(err)
			}

			m, ok := recognise(q.Question)
			if !ok || m.template.dataset != toolqa.Yelp || m.template.difficulty != d || fits(q.Question) != 1 ||
				m.question() != q.Question {
				t.Errorf("%s %q: %v, %v, %d templates fit", q.QID, q.Question, m, ok, fits(q.Question))
				continue
			}

			counts[m.template.Name]++
			for _, s := range m.slots {
				if !yelpSlotForms[s.name].MatchString(s.value) {
					t.Errorf("%s %q: %s is %q", q.QID, q.Question, s.name, s.value)
				}
			}
		}
	}

	for _, tmpl := range templatesOf(toolqa.Yelp) {
		want := 10
		if tmpl.difficulty == toolqa.Easy && tmpl.Name != "yelp-easy/address" {
			want = 9
		}

		if counts[tmpl.Name] != want {
			t.Errorf("%s: %d published questions, want %d", tmpl.Name, counts[tmpl.Name], want)
		}
	}
}

// Names hold the words around them.
func TestYelpSlots(t *testing.T) {
	for _, tt := range []struct {
		question string
		want     slotValues
	}{
		{"What is the postal code of China in Bombay in Ballwin, MO?",
			slotValues{{"name", "China in Bombay"}, {"city", "Ballwin"}, {"state", "MO"}}},
		{"Which city is The Shop located in Market located in PA?",
			slotValues{{"name", "The Shop located in Market"}, {"state", "PA"}}},
		{"What state is A located in B located in?", slotValues{{"name", "A located in B"}}},
		{"What is the star rating of Smith, DDS in area with postal code T5V 1H9, St. Albert, AB?",
			slotValues{{"name", "Smith, DDS"}, {"pc", "T5V 1H9"}, {"city", "St. Albert"}, {"state", "AB"}}},
		{"What categories does Nails, Hair belong to, in Town belong to, in area with postal code 19147, " +
			"Philadelphia, PA?",
			slotValues{{"name", "Nails, Hair belong to, in Town"}, {"pc", "19147"}, {"city", "Philadelphia"},
				{"state", "PA"}}},
		{"Which is the nearest Books business to Sell my business to Us?",
			slotValues{{"cat", "Books"}, {"name", "Sell my business to Us"}}},
		{"Can you recommend a Thai business with the highest star rating within a 5-mile radius of 101 " +
			"International Dr, Ste 106?",
			slotValues{{"cat", "Thai"}, {"address", "101 International Dr, Ste 106"}}},
		{"Can you recommend a Thai business with the highest star rating within a 5-mile radius of ?",
			slotValues{{"cat", "Thai"}, {"address", ""}}},
	} {
		if m, ok := recognise(tt.question); !ok || !slices.Equal(m.slots, tt.want) {
			t.Errorf("Recognise(%q) = %v, %v, want %v", tt.question, m.slots, ok, tt.want)
		}
	}
}

func TestYelpObjects(t *testing.T) {
	const object = `{'ByAppointmentOnly': 'True', 'WiFi': "u'free'", 'BusinessParking': "{'garage': False, 'street': True}"}`
	for name, want := range map[string]string{"ByAppointmentOnly": "True", "WiFi": "u'free'",
		"BusinessParking": "{'garage': False, 'street': True}", "garage": ""} {
		if got, ok := attribute(object, name); got != want || ok != (want != "") {
			t.Errorf("attribute(%s) = %q, %v", name, got, ok)
		}
	}

	for _, bad := range []string{"", "None", "nan", "{", "{'a': 'b'} and more", "['a']"} {
		if got, ok := openingHours(bad); ok {
			t.Errorf("openingHours(%q) = %q", bad, got)
		}

		if got, ok := attribute(bad, "a"); ok {
			t.Errorf("attribute(%q) = %q", bad, got)
		}
	}
}

// The lengths of degrees that the plans compute measure better than the drawn questions need.
func TestYelpPlansMeasureWell(t *testing.T) {
	for _, p := range []place{{26, -82}, {39.95, -75.2}, {54, -113.5}} {
		w := 1 - 0.00669438*math.Pow(math.Sin(radians(p.lat)), 2)
		east := radians(1) * 6378.137 / math.Sqrt(w) / 1.609344
		north := east * (1 - 0.00669438) / w

		for bearing := 0.0; bearing < 360; bearing += 7.5 {
			q := p.ahead(bearing, 5*metresInMile)

			got := math.Hypot((q.lat-p.lat)*north, (q.long-p.long)*east*math.Cos(radians((q.lat+p.lat)/2)))
			if math.Abs(got/5-1) > 1e-5 {
				t.Errorf("5 miles from %v to %v: the plan finds %v", p, bearing, got)
			}
		}
	}
}
